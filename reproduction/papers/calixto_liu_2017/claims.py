"""Decide which claims of Calixto & Liu (2017) hold in this run."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.results.frames import read_csv
from groundvec.results.schemas import Predictions, QueryRanks
from groundvec.runtime.errors import InputError
from reproduction.papers.calixto_liu_2017.table3 import METRICS
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, decide, difference, stacked
from reproduction.reporting.results import Results, shape_of
from reproduction.reporting.systems import named, sorted_by, test_to_train_of
from reproduction.schemas import Claims, Models

# The claims, in the words of the table. Kept results and pages find them by these names.
IMAGES = "Several languages find images better"
SENTENCES = "Several languages find sentences worse (the paper: mixed)"
RATINGS = "Several languages help with the ratings of image descriptions"
BETA = "With a smaller β the ratings gain more"
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
COLUMNS = [*COMPARED, "seed", "source", "difference", "low", "high", "p", "draws", "test_to_train"]


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
                parts += of_ratings(table, results.predictions)
            else:
                parts += of_retrieval(table, results.query_ranks, results.models)
    table = stacked(parts).reindex(columns=COLUMNS)
    measured = table[table["source"] == "measured"]
    reported = table[table["source"] == "reported"]
    # The paper's data set is another one, so reported rows match by everything else.
    keys = [name for name in COMPARED if name != "dataset"]
    reported = reported[[*keys, "difference"]].rename(columns={"difference": "reported"})
    measured = measured.merge(reported, "left", on=keys)
    order = [IMAGES, SENTENCES, RATINGS, BETA]
    order += [ADEQUACY, IMPROVES, OVER_VSE, OVER_TEXT, OVER_LENGTH, HARM]
    return decide("calixto_liu_2017", sorted_by(measured, ["claim"], {"claim": order}))


def _pairs(table: pd.DataFrame, same: list[str]) -> pd.DataFrame:
    """Pair models of one language (columns in `_one`) with models of several (`_more`)."""
    one = table[table["several"].eq(False)]
    more = table[table["several"].eq(True)]
    return one.merge(more, on=same, suffixes=("_one", "_more"))


def of_retrieval(table: pd.DataFrame, ranks: QueryRanks, models: Models) -> list[pd.DataFrame]:
    """Compare R@10 of models of one language and of several, from Table 1.

    Models with a beta of 0 are excluded, because they did not learn from images.
    """
    table = table[~table["role"].isin(["other", "published"]) & table["beta"].ne(0)]
    # The paper prints two VSE. The one that its authors retrained is compared.
    table = table.assign(name=table["name"].mask(table["role"] == "retrained", "VSE"))
    of_ensembles = resampled.recalls(ranks[ranks["kind"] == "ensemble"])
    keys = ["dataset", "model", "seed", "language"]
    draws = of_ensembles.pivot(index=keys, columns="direction", values="draws")
    table = table.merge(draws.reset_index(), "left", on=keys)
    overlap = table["dataset"].map(test_to_train_of(models)).fillna(0.0)
    table = table.assign(test_to_train=overlap).fillna({"reads": "", "seed": 0})
    pairs = _pairs(table, ["source", "dataset", "language", "reads", "seed", "test_to_train"])
    pairs = pairs.assign(measure="R@10", condition=pairs["language"])
    images = "caption_to_image"
    sentences = "image_to_caption"
    return [
        _differences(pairs, IMAGES, f"{images}_r10", images, worse="one", better="more"),
        _differences(pairs, SENTENCES, f"{sentences}_r10", sentences, worse="more", better="one"),
    ]


def _differences(
    pairs: pd.DataFrame, claim: str, number: str, draws: str, worse: str, better: str
) -> pd.DataFrame:
    """Subtract a number of the worse system from the better system's.

    Args:
        pairs: one row per two systems, whose columns end in `_one` and `_more`.
        number, draws: columns of each system. Only measured rows have draws.
        worse, better: which of `one` and `more` is claimed worse, and which better.
    """
    names = {f"name_{worse}": "worse", f"name_{better}": "better"}
    table = pairs.rename(columns=names).assign(claim=claim)
    table["difference"] = table[f"{number}_{better}"] - table[f"{number}_{worse}"]
    measured = table["source"] == "measured"
    better_draws = table.loc[measured, f"{draws}_{better}"]
    worse_draws = table.loc[measured, f"{draws}_{worse}"]
    missing = better_draws.isna() | worse_draws.isna()
    if missing.any():
        first, second = table.loc[missing.index[missing][0], ["worse", "better"]]
        raise InputError(
            f"found no ranks or predictions of {first} or {second}: pass their files as well"
        )
    if measured.any():
        gains = difference(better_draws, worse_draws)
        table = table.join(gains.drop(columns="difference"))
    return table.reindex(columns=COLUMNS)


def of_ratings(table: pd.DataFrame, predictions: Predictions) -> list[pd.DataFrame]:
    """Compare correlations with ratings of image descriptions, from Table 2."""
    # Models with a beta of 0 are controls, about which the paper makes no claim.
    table = table[table["measure"].str.endswith(" images") & table["beta"].ne(0)]
    if table["source"].eq("reported").all():
        return []
    # The paper rates on the image descriptions of STS only.
    images = predictions["kind"].eq("ensemble") & predictions["subtask"].eq("Images")
    draws = resampled.correlations(predictions[images])
    draws = draws.assign(measure=draws["task"] + " images")[["system", "measure", "draws"]]
    systems = named(table[table["seed"].notna()].astype({"seed": int}))
    table = table.merge(systems.merge(draws), "left")
    table = table.fillna({"reads": "", "seed": 0, "dataset": ""}).assign(condition="")
    same = ["source", "group", "dataset", "measure", "condition", "reads", "seed"]
    # Table 2 tests against the first model of English alone, so other such models are left out.
    further = table["several"].eq(False) & table.duplicated([*same, "several"])
    languages = _pairs(table[~further], same)
    p = languages["p_vse_more"]
    helped = _differences(languages, RATINGS, "value", "draws", worse="one", better="more")
    # For one seed Williams' test decides, as in Table 2, and not the bootstrap interval.
    helped = helped.assign(low=np.nan, high=np.nan, p=p)
    images_alone = table[table["beta"] == 1]
    smaller_beta = table[table["beta"] < 1]
    betas = images_alone.merge(smaller_beta, on=[*same, "shared"], suffixes=("_one", "_more"))
    gained = _differences(betas, BETA, "value", "draws", worse="one", better="more")
    return [helped, gained]


def of_translations(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Compare translations that were re-ranked in different ways, from Table 3 or 4."""
    table = table.assign(seed=np.nan, measure=table["metric"].map(METRICS))
    table["condition"] = table["n_best"].astype(str) + "-best, " + table["system"]
    # Lower TER is better, so its sign is changed: a positive gain is an improvement.
    numbers = ["score", "gain", "gain_length", "gain_vse", "gain_text"]
    table[numbers] = table[numbers].mask(table["metric"] == "ter", -table[numbers])
    table["difference"] = table["gain"]
    table["p"] = table["p_baseline"]
    # With β = 0 the model did not learn from images: it is a control, `text`.
    mlmme = table[table["several"].eq(True) & table["beta"].ne(0)].assign(worse="baseline")
    mlmme["better"] = mlmme["name"]
    by_meteor = mlmme["metric"] == "meteor"
    parts = [
        mlmme[by_meteor].assign(claim=ADEQUACY),
        mlmme[~by_meteor].assign(claim=IMPROVES),
    ]
    controls = [(OVER_VSE, "VSE", "vse"), (OVER_TEXT, "MLMME, β = 0", "text")]
    controls.append((OVER_LENGTH, "length", "length"))
    for claim, worse, key in controls:
        difference = mlmme[f"gain_{key}"]
        parts.append(
            mlmme.assign(claim=claim, worse=worse, difference=difference, p=mlmme[f"p_{key}"])
        )
    vse = table[table["several"].eq(False)].assign(claim=HARM, better="baseline")
    parts.append(vse.assign(worse=vse["name"], difference=-vse["difference"]))
    return [part.dropna(subset="difference").reindex(columns=COLUMNS) for part in parts]
