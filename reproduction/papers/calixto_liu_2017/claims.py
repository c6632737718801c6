"""The claims of Calixto & Liu (2017), and whether they hold here."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import TIMES
from groundvec.evaluation import bootstrap
from groundvec.results.frames import read_csv, shape_of
from groundvec.results.schemas import Claims, Predictions, QueryRanks
from groundvec.runtime.errors import InputError
from reproduction.papers.calixto_liu_2017.table3 import METRICS
from reproduction.render.claims import write
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, decide
from reproduction.reporting.results import Results
from reproduction.reporting.systems import named, sorted_by

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
BEST = "A β of 0.25 or 1 re-ranks best"

TITLE = "The claims of Calixto & Liu (2017), and whether they hold."
NOTES = [
    f"The measure is R@10, Pearson's r {TIMES} 100, METEOR, BLEU or TER; of TER less is better. p: "
    "of Williams's test (ratings of one seed) or of approximate randomisation (translations), as "
    "in the tables.",
    "The harm and the best β are claimed of the optimised translator, which is the paper's best; "
    "the others are shown beside it. The better of the two β is compared with the better of the "
    "other two, without a test. First translations of longer lists are others, and mostly worse; "
    "in the paper they are the same.",
    "Reported: the difference of the numbers that the paper prints; of one language alone its own "
    "retrained VSE.",
]
COLUMNS = [*COMPARED, "seed", "source", "difference", "low", "high", "p", "draws"]


def make(results: Results, stem: Path) -> None:
    """Write the claims, from Tables 1 to 4."""
    write(stem, claims(results), TITLE, NOTES)


def claims(results: Results) -> Claims:
    """Measure the differences that the claims are about, and decide whether these hold."""
    parts = [pd.DataFrame(columns=COLUMNS)]
    for path in results["tables"]:
        table = read_csv(path)
        with shape_of(path):
            if "metric" in table:
                parts += of_translations(table)
            elif "measure" in table:
                parts += of_ratings(table, results.predictions)
            else:
                parts += of_retrieval(table, results.query_ranks)
    table = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    ours, theirs = (table[table["source"] == source] for source in ("measured", "reported"))
    keys = [name for name in COMPARED if name != "dataset"]
    reported = theirs[[*keys, "difference"]].rename(columns={"difference": "reported"})
    ours = ours.merge(reported, "left", on=keys)
    order = [IMAGES, SENTENCES, RATINGS, BETA]
    order += [ADEQUACY, IMPROVES, OVER_VSE, OVER_TEXT, OVER_LENGTH, HARM, BEST]
    return decide("calixto_liu_2017", sorted_by(ours, ["claim"], {"claim": order}))


def _pairs(table: pd.DataFrame, alike: list[str]) -> pd.DataFrame:
    """Pair each model of one language with each of several; their columns end in _one and _more."""
    one = table[table["several"].eq(False)]
    more = table[table["several"].eq(True)]
    return one.merge(more, on=alike, suffixes=("_one", "_more"))


def of_retrieval(table: pd.DataFrame, ranks: QueryRanks) -> list[pd.DataFrame]:
    """Compare R@10 of models of one and of several languages, from Table 1.

    Models with a beta of 0 are left out: they learned no images.
    """
    table = table[~table["role"].isin(["other", "published"]) & table["beta"].ne(0)]
    table = table.assign(name=table["name"].mask(table["role"] == "retrained", "VSE"))
    of_ensembles = resampled.recalls(ranks[ranks["kind"] == "ensemble"])
    keys = ["dataset", "model", "seed", "language"]
    draws = of_ensembles.pivot(index=keys, columns="direction", values="draws")
    table = table.merge(draws.reset_index(), "left", on=keys).fillna({"reads": "", "seed": 0})
    both = _pairs(table, ["source", "dataset", "language", "reads", "seed"])
    both = both.assign(measure="R@10", condition=both["language"])
    return [
        _differences(both, claim, f"{way}_r10", way, worse, better)
        for claim, way, worse, better in (
            (IMAGES, "caption_to_image", "one", "more"),
            (SENTENCES, "image_to_caption", "more", "one"),
        )
    ]


def _differences(
    both: pd.DataFrame, claim: str, number: str, draws: str, worse: str, better: str
) -> pd.DataFrame:
    """Compute how much higher a number is for the better system than for the worse one.

    Args:
        both: a row for two systems, whose columns end in `worse` and `better`.
        number, draws: columns of each; draws are of measured rows.
    """
    names = {f"name_{worse}": "worse", f"name_{better}": "better"}
    table = both.rename(columns=names).assign(claim=claim)
    table["difference"] = table[f"{number}_{better}"] - table[f"{number}_{worse}"]
    measured = table["source"] == "measured"
    drawn = table.loc[measured, [f"{draws}_{better}", f"{draws}_{worse}"]]
    lost = drawn.isna().any(axis=1)
    if lost.any():
        one, other = table.loc[lost.index[lost][0], ["worse", "better"]]
        raise InputError(
            f"there are no ranks or predictions of {one} or {other}: give their files too"
        )
    if measured.any():
        gains = bootstrap.difference(*(drawn[name] for name in drawn))
        table = table.join(gains.drop(columns="difference"))
    return table.reindex(columns=COLUMNS)


def of_ratings(table: pd.DataFrame, predictions: Predictions) -> list[pd.DataFrame]:
    """Compare correlations with ratings of image descriptions, from Table 2."""
    table = table[table["measure"].str.endswith(" images")]
    if table["source"].eq("reported").all():
        return []
    images = predictions["kind"].eq("ensemble") & predictions["subtask"].eq("Images")
    draws = resampled.correlations(predictions[images])
    draws = draws.assign(measure=draws["task"] + " images")[["system", "measure", "draws"]]
    systems = named(table[table["seed"].notna()].astype({"seed": int}))
    table = table.merge(systems.merge(draws), "left")
    table = table.fillna({"reads": "", "seed": 0, "dataset": ""}).assign(condition="")
    alike = ["source", "group", "dataset", "measure", "condition", "reads", "seed"]
    helped = _pairs(table, alike)
    tested = helped["p_vse_more"]
    helped = _differences(helped, RATINGS, "value", "draws", "one", "more")
    helped = helped.assign(low=np.nan, high=np.nan, p=tested)  # of one seed it is tested
    whole = table[table["beta"] == 1]
    smaller = table[table["beta"] < 1]
    gained = whole.merge(smaller, on=[*alike, "shared"], suffixes=("_one", "_more"))
    return [helped, _differences(gained, BETA, "value", "draws", "one", "more")]


def of_translations(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Compare re-ranked translations with others, from Table 3 or 4."""
    table = table[table["metric"].isin(list(METRICS))].assign(seed=np.nan)
    table["measure"] = table["metric"].map(METRICS)
    table["condition"] = table["n_best"].astype(str) + "-best, " + table["system"]
    # Of TER less is better.
    turned = ["score", "gain", "gain_length", "gain_vse", "gain_text"]
    table[turned] = table[turned].mask(table["metric"] == "ter", -table[turned])
    table["difference"] = table["gain"]
    table["p"] = table["p_baseline"]
    mlmme = table[table["several"].eq(True) & table["beta"].ne(0)].assign(worse="baseline")
    mlmme["better"] = mlmme["name"]
    adequate = mlmme["metric"] == "meteor"
    vse = table[table["several"].eq(False)].assign(claim=HARM, better="baseline")
    parts = [
        mlmme[adequate].assign(claim=ADEQUACY),
        mlmme[~adequate].assign(claim=IMPROVES),
        *(
            mlmme.assign(
                claim=claim, worse=worse, difference=mlmme[f"gain_{key}"], p=mlmme[f"p_{key}"]
            )
            for claim, worse, key in (
                (OVER_VSE, "VSE", "vse"),
                (OVER_TEXT, "MLMME, β = 0", "text"),
                (OVER_LENGTH, "length", "length"),
            )
        ),
        vse.assign(worse=vse["name"], difference=-vse["difference"]),
        _best_beta(mlmme),
    ]
    return [part.dropna(subset="difference").reindex(columns=COLUMNS) for part in parts]


def _best_beta(mlmme: pd.DataFrame) -> pd.DataFrame:
    """Compare the best score of the paper's best two β with that of its other two."""
    names = {"better": (0.25, 1), "worse": (0.5, 0.75)}
    keys = ["source", "dataset", "condition", "measure", "seed"]
    best = {
        name: mlmme[mlmme["beta"].isin(of)].groupby(keys, sort=False, dropna=False)["score"].max()
        for name, of in names.items()
    }
    called = {name: "MLMME, β = {} or {}".format(*of) for name, of in names.items()}
    difference = (best["better"] - best["worse"]).rename("difference")
    return difference.reset_index().assign(claim=BEST, **called)
