"""Nearness of sentences to their passives, and to those with the roles exchanged.

Socher et al. (2014) expect of trees that a sentence and its passive get similar vectors (section
3), above all where the matrices are of relations (section 3.3), and do not measure it.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.evaluation.correlation import ROUNDING, cosine
from groundvec.runtime.errors import InputError
from reproduction.papers.socher_2014.labels import labelled
from reproduction.papers.socher_2014.ratings import SNAPSHOT, SYSTEM, over_seeds, write
from reproduction.reporting.embedded import of_one
from reproduction.reporting.results import Results
from reproduction.reporting.systems import best_snapshot
from reproduction.scenes.voices import SENTENCES, exchanges

SEED = 1
SCENES = 500
COSINES = ["its passive", "roles exchanged", "roles exchanged, passive"]
SHARES = ["than roles exchanged", "than roles exchanged, passive"]
SPANS = {"cosine \N{MULTIPLICATION SIGN} 100 of a sentence and": 3, "its passive is nearer (%)": 2}

TITLE = "Sentences and their passives, and the same with agent and patient exchanged."
NOTES = [
    f"Sentences about {SCENES} drawn scenes in which one living being does something to another: "
    "in the active (a dog chases a cat), its passive (a cat is chased by a dog), and with the "
    "roles exchanged (a cat chases a dog; a dog is chased by a cat), all in the same words.",
    "The passive is nearer: in what share of the scenes its cosine with the active is higher than "
    "that of the sentence with the roles exchanged; equal ones, up to rounding, count half. Of two "
    "passives who knows only the words cannot choose, which gives 50.",
    SNAPSHOT + " Of one seed 1.96 s/√n over the scenes.",
]


def make(results: Results, stem: Path) -> None:
    """Write the table of one data set."""
    from groundvec.device import choose  # torch takes seconds to import
    from groundvec.model.network import load_model

    models = of_one(labelled(results.models))
    sentences = exchanges(SEED, SCENES)
    parts = []
    for _, about in models[models["languages"].map(lambda names: "en" in names)].iterrows():
        epoch = best_snapshot(about)
        model = load_model(about["folder"], epoch, choose("cpu"))
        said = sentences[SENTENCES].to_numpy().T.ravel().tolist()
        vectors = np.split(model.encode_sentences(said, "en"), len(SENTENCES))
        labels = {name: about[name] for name in (*SYSTEM, "seed")}
        parts.append(closeness(*vectors).assign(**labels, epochs=epoch))
    if not parts:
        raise InputError("none of the models reads English, which these sentences are in")
    table = over_seeds(pd.concat(parts, ignore_index=True), ["measure"])
    write(stem, table, ["measure"], SPANS, TITLE, NOTES)


def closeness(
    active: np.ndarray, passive: np.ndarray, exchanged: np.ndarray, exchanged_passive: np.ndarray
) -> pd.DataFrame:
    """Measure how near the vectors (N, size) of the others are to those of the active ones.

    The values of `COSINES`, then of `SHARES`, are in percent.
    """
    near = [cosine(active, other) for other in (passive, exchanged, exchanged_passive)]
    of_scenes = dict(zip(COSINES, near, strict=True))
    for name, other in zip(SHARES, near[1:], strict=True):
        gap = near[0] - other
        of_scenes[name] = np.where(np.abs(gap) <= ROUNDING, 0.5, gap > 0)
    rows = []
    for name, values in of_scenes.items():
        mean = 100 * values.mean()
        half = 196 * values.std() / len(values) ** 0.5
        rows.append([name, mean, mean - half, mean + half])
    return pd.DataFrame(rows, columns=["measure", "value", "value_low", "value_high"])
