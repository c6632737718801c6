"""Decide which claims of Calixto & Liu (2017) hold in this run."""

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from groundvec.results.schemas import Predictions, QueryRanks
from groundvec.runtime.errors import InputError
from reproduction.papers.calixto_liu_2017.table3 import METRICS
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, claimed_pairs, decide, stacked
from reproduction.reporting.results import Results, shape_of
from reproduction.reporting.systems import named, sorted_by, test_to_train_of
from reproduction.schemas import Claims, Models

# The systems of the claims on retrieval and ratings, for `claimed_pairs`.
CLAIMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
IMAGES, SENTENCES, RATINGS, BETA = CLAIMS
# The claims on translations, whose tables have the differences.
ADEQUACY = "Re-ranking by MLMME gains adequacy"
IMPROVES = "Re-ranking by MLMME improves BLEU and TER"
OVER_VSE = "Re-ranking by MLMME is better than by VSE"
OVER_TEXT = "Not in the paper: re-ranking by MLMME is better than by text alone"
OVER_LENGTH = "Not in the paper: re-ranking by MLMME is better than by length"
HARM = "Re-ranking by VSE alone harms a good translator"

TITLE = "The claims of Calixto & Liu (2017), and whether they hold."
NOTES = [
    f"The measure is R@10, Pearson's r {TIMES} 100, METEOR, BLEU or TER. Lower TER is better. p: "
    "Williams' test (ratings of one seed) or approximate randomization (translations), as in the "
    "tables.",
    "The paper claims the harm for its best translator, the optimised one; the others are shown "
    "too. Longer lists have other first translations here, mostly worse ones; in the paper these "
    "are the same. The paper also finds that a β of 0.25 or 1 re-ranks best. No two MLMME are "
    "tested against each other, so this claim is not judged.",
    "Reported: the difference between the numbers that the paper prints. Its VSE of one language "
    "is the one that the authors retrained.",
]
COLUMNS = [*COMPARED, "seed", "source", "difference", "p", "draws", "test_to_train"]


def make(results: Results, stem: Path) -> None:
    """Write the claims, read from Tables 1 to 4."""
    write(stem, claims(results), TITLE, NOTES)


def claims(results: Results) -> Claims:
    """Compute the difference of every comparison, and decide whether the claims hold."""
    parts = []
    for path in results["tables"]:
        table = read_csv(path)
        with shape_of(path):
            # Tables 3 and 4 have a column `metric`, Table 2 has `measure`, and Table 1 has neither.
            if "metric" in table:
                parts += of_translations(table)
            elif "measure" in table:
                parts.append(compared(of_ratings(table, results.predictions)))
            else:
                parts.append(compared(of_retrieval(table, results.query_ranks, results.models)))
    table = stacked(parts).reindex(columns=COLUMNS)
    measured = table.query("source == 'measured'")
    reported = table.query("source == 'reported'")
    # The paper's data set is another one, so reported rows match by everything else.
    keys = [name for name in COMPARED if name != "dataset"]
    reported = reported[[*keys, "difference"]].rename(columns={"difference": "reported"})
    measured = measured.merge(reported, "left", on=keys)
    order = [*CLAIMS, ADEQUACY, IMPROVES, OVER_VSE, OVER_TEXT, OVER_LENGTH, HARM]
    return decide("calixto_liu_2017", sorted_by(measured, ["claim", "condition"], {"claim": order}))


def of_retrieval(table: pd.DataFrame, ranks: QueryRanks, models: Models) -> pd.DataFrame:
    """Select the R@10 of Table 1 that claims compare, with their draws."""
    table = table[~table["role"].isin(["other", "published"])]
    # The paper prints two VSE. The one that its authors retrained is compared.
    table = table.assign(name=table["name"].mask(table["role"] == "retrained", "VSE"))
    recalls = {f"{direction}_r10": direction for direction in DIRECTIONS}
    keys = ["dataset", "model", "seed", "language"]
    labels = [*keys, "source", "name", "several", "beta", "reads"]
    table = table.rename(columns=recalls).melt(labels, DIRECTIONS, "direction")
    draws = resampled.recalls(ranks.query("kind == 'ensemble'"))
    table = table.merge(draws[[*keys, "direction", "draws"]], "left")
    overlap = table["dataset"].map(test_to_train_of(models))
    return table.assign(measure="R@10", condition=table["language"], test_to_train=overlap)


def of_ratings(table: pd.DataFrame, predictions: Predictions) -> pd.DataFrame:
    """Select the correlations with ratings of image descriptions of Table 2, with their draws."""
    table = table[table["measure"].str.endswith(" images")]
    if table["source"].eq("reported").all():
        return table[:0]
    # The paper rates on the image descriptions of STS only.
    images = predictions.query("kind == 'ensemble' and subtask == 'Images'")
    draws = resampled.correlations(images)
    draws = draws.assign(measure=draws["task"] + " images")[["system", "measure", "draws"]]
    systems = named(table[table["seed"].notna()].astype({"seed": int}))
    table = table.merge(systems.merge(draws), "left")
    return table.assign(condition="", direction="", p=table["p_vse"])


def compared(systems: pd.DataFrame) -> pd.DataFrame:
    """Subtract the scores of the systems that the claims on retrieval and ratings compare."""
    labels = ["source", "dataset", "condition", "measure", "direction", "reads"]
    same = [*labels, "seed", "test_to_train"]
    own = ["name", "several", "beta", "shared", "value", "p", "draws"]
    # Models with a beta of 0 did not learn from images: they are controls.
    systems = systems.reindex(columns=[*same, *own])[systems["beta"].ne(0)]
    # Reported numbers have no seed, and some no data set.
    systems = systems.fillna({"dataset": "", "reads": "", "seed": 0, "test_to_train": 0.0})
    systems["is_further"] = systems.duplicated([*same, "several"])
    table = claimed_pairs(systems, CLAIMS, same)
    missing = table[["draws_worse", "draws_better"]].isna().any(axis=1)
    missing &= table["source"] == "measured"
    if missing.any():
        first, second = table.loc[missing, ["worse", "better"]].iloc[0]
        raise InputError(
            f"found no ranks or predictions of {first} or {second}: pass their files as well"
        )
    return table.assign(
        difference=table["value_better"] - table["value_worse"],
        p=table["p_better"].where(table["claim"] == RATINGS),
    )


def of_translations(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Compare translations that were re-ranked in different ways, from Table 3 or 4."""
    table = table.assign(
        measure=table["metric"].map(METRICS),
        condition=table["n_best"].astype(str) + "-best, " + table["system"],
    )
    # Lower TER is better, so its sign is changed: a positive gain is an improvement.
    gains = ["gain", "gain_length", "gain_vse", "gain_text"]
    table[gains] = table[gains].mask(table["metric"] == "ter", -table[gains])
    # With β = 0 the model did not learn from images: it is a control, `text`.
    mlmme = table[table["several"].eq(True) & table["beta"].ne(0)]
    over_baseline = mlmme["metric"].map({"meteor": ADEQUACY}).fillna(IMPROVES)
    compared_with: list[tuple[Any, str, str, str]] = [
        (over_baseline, "baseline", "gain", "p_baseline"),
        (OVER_VSE, "VSE", "gain_vse", "p_vse"),
        (OVER_TEXT, "MLMME, β = 0", "gain_text", "p_text"),
        (OVER_LENGTH, "length", "gain_length", "p_length"),
    ]
    parts = [
        mlmme.assign(
            claim=claim, worse=worse, better=mlmme["name"], difference=mlmme[gain], p=mlmme[p]
        )
        for claim, worse, gain, p in compared_with
    ]
    vse = table[table["several"].eq(False)]
    harm = vse.assign(
        claim=HARM,
        worse=vse["name"],
        better="baseline",
        difference=-vse["gain"],
        p=vse["p_baseline"],
    )
    return [part.dropna(subset="difference") for part in [*parts, harm]]
