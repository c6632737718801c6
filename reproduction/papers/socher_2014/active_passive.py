"""Similarity of sentences to their passives, and to sentences with exchanged roles.

Socher et al. (2014) expect from trees that a sentence and its passive get similar vectors (section
3), above all if the matrices depend on relations (section 3.3). They do not measure it.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.evaluation.correlation import ROUNDING, cosine
from groundvec.runtime.errors import InputError
from reproduction.papers.socher_2014.labels import labelled
from reproduction.papers.socher_2014.retrieval import averaged, origin, sorted_systems
from reproduction.render.tables import column_with_interval, wide, write_table
from reproduction.reporting.embedded import check_one_dataset
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, best_snapshot
from reproduction.scenes.voices import SENTENCES, exchanges

SEED = 1  # for the drawn scenes, so that every system is tested on the same sentences
SCENES = 500
PASSIVE_KEYS = ["dataset", "objective", "system", "name", "model"]
COSINES = ["its passive", "roles exchanged", "roles exchanged, passive"]
SHARES = ["than roles exchanged", "than roles exchanged, passive"]
SPANS = {
    "cosine \N{MULTIPLICATION SIGN} 100 of a sentence and": len(COSINES),
    "its passive is nearer (%)": len(SHARES),
}

TITLE = "Sentences and their passives, and the same with agent and patient exchanged."
NOTES = [
    f"Sentences about {SCENES} drawn scenes with an action of one person or animal on another: "
    "in the active (a dog chases a cat), its passive (a cat is chased by a dog), and with the "
    "roles exchanged (a cat chases a dog; a dog is chased by a cat), all in the same words.",
    "The passive is nearer: the share of scenes whose passive has a higher cosine with the active "
    "than the sentence with exchanged roles. Cosines that are equal up to rounding count "
    "half. Both passives have the same words, so a model that ignores word order scores 50.",
    "The single snapshot of a training with the best R@10 on the development set among those at "
    "the end of a cycle, as in Table 1. For several seeds, the mean and its 95% t interval; for "
    "one seed, ± 1.96 s/√n over the scenes.",
]


def make(results: Results, stem: Path) -> None:
    """Write the table of one data set."""
    from groundvec.device import choose  # torch takes seconds to import
    from groundvec.model.folder import ModelFolder
    from groundvec.model.network import load_model

    models = check_one_dataset(labelled(results.models))
    sentences = exchanges(SEED, SCENES)
    texts = sentences[SENTENCES].to_numpy().T.ravel().tolist()
    parts = []
    for _, training in models[models["languages"].map(lambda names: "en" in names)].iterrows():
        epoch = best_snapshot(training)
        model = load_model(ModelFolder(training["folder"]), epoch, choose("cpu"))
        vectors = np.split(model.encode_sentences(texts, "en"), len(SENTENCES))
        labels = {name: training[name] for name in (*PASSIVE_KEYS, "seed")}
        parts.append(closeness(*vectors).assign(**labels, epochs=epoch))
    if not parts:
        raise InputError("none of the models reads English, the language of these sentences")
    write(stem, over_seeds(pd.concat(parts, ignore_index=True)))


def closeness(
    active: np.ndarray, passive: np.ndarray, exchanged: np.ndarray, exchanged_passive: np.ndarray
) -> pd.DataFrame:
    """Measure the similarity of the other sentences' vectors (N, size) to the active ones'.

    Returns:
        A row for each of `COSINES` and `SHARES`: measure, value, value_low and value_high, in
        percent.
    """
    cosines = [cosine(active, other) for other in (passive, exchanged, exchanged_passive)]
    values_of_scenes = dict(zip(COSINES, cosines, strict=True))
    for name, other in zip(SHARES, cosines[1:], strict=True):
        gap = cosines[0] - other
        values_of_scenes[name] = np.where(np.abs(gap) <= ROUNDING, 0.5, gap > 0)
    rows = []
    for name, values in values_of_scenes.items():
        mean = 100 * values.mean()
        half = 196 * values.std() / len(values) ** 0.5  # 1.96 standard errors, in percent
        rows.append([name, mean, mean - half, mean + half])
    return pd.DataFrame(rows, columns=["measure", "value", "value_low", "value_high"])


def over_seeds(trainings: pd.DataFrame) -> pd.DataFrame:
    """Average each measure over a system's seeds, with its interval (`retrieval.averaged`).

    Args:
        trainings: the rows of `closeness` with the columns `PASSIVE_KEYS`, seed and epochs.
    """
    keys = [*PASSIVE_KEYS, "measure"]
    rows = []
    for key, seeds in trainings.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True))
        row["seeds"] = len(seeds)
        row |= averaged(seeds, "value", "value")
        row |= origin(seeds)
        rows.append(row)
    return sorted_systems(pd.DataFrame(rows))


def write(stem: Path, table: pd.DataFrame) -> None:
    """Write the result of `over_seeds`, one row per system."""
    cells = table.assign(
        group=table["dataset"].replace(NAMES),
        system=table["name"],
        seeds=table.groupby(PASSIVE_KEYS)["seeds"].transform("first").astype(str),
        text=column_with_interval(table, "value"),
    )
    rows = ["group", "system", "objective", "seeds"]
    text = wide(cells, rows)[[*rows, *COSINES, *SHARES]]
    groups = text.pop("group")
    align = "llr" + "r" * len([*COSINES, *SHARES])
    write_table(stem, table, text, align, TITLE, NOTES, groups, SPANS)
