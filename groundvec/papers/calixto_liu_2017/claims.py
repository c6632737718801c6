"""What Calixto & Liu (2017) claim, and whether it holds here."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.errors import InputError
from groundvec.reporting import bootstrap
from groundvec.reporting.labels import with_seeds
from groundvec.reporting.results import Results
from groundvec.reporting.systems import NAMES, named
from groundvec.reporting.verdicts import LEVEL, counted, verdict
from groundvec.reporting.write import TIMES, bracketed, decimals, p_values, write_table

IMAGES = "Several languages find images better"
SENTENCES = "Several languages find sentences worse (the paper: mixed)"
RATINGS = "Several languages help with the ratings of image descriptions"
BETA = "With a smaller β the ratings gain more"
ADEQUACY = "Re-ranking by MLMME gains adequacy"
OVER_VSE = "Re-ranking by MLMME is better than by VSE"
HARM = "Re-ranking by VSE alone harms a good translator"

TITLE = "The claims of Calixto & Liu (2017), and whether they hold."
NOTES = [
    f"Difference: of R@10, of Pearson's r {TIMES} 100, of METEOR (adequacy), of both (than by VSE) "
    "or of BLEU (harm): positive where the claim holds. In square brackets its "
    f"{bootstrap.INTERVAL}; or p, of Williams's test (ratings) or of approximate randomisation "
    "(translations), as in the tables. "
    "Neither says anything of other seeds, and none is corrected for their number.",
    "A claim holds where the difference is positive and the interval has no 0 in it, or p is below "
    "0.05; it does not hold where it is so but negative; else it is not decided.",
    "The harm is claimed of the optimised translator, which is the paper's best; the others are "
    "shown beside it. First translations of longer lists are others, and mostly worse; in the "
    "paper they are the same.",
    "Reported: the difference of the numbers that the paper prints; of one language alone its own "
    "retrained VSE.",
]
COLUMNS = ["claim", "dataset", "of", "worse", "better", "seed", "value", "low", "high", "p"]


def make(results: Results, stem: Path) -> None:
    """Write the claims, from what was written as Tables 1 to 4."""
    table = claims(results)
    if table.empty:
        raise InputError("there is nothing to compare: give the results of VSE and MLMME")
    text = table[["of", "worse", "better"]].assign(of=with_seeds(table["of"], table["seed"]))
    text["reported"] = decimals(table["reported"])
    text["difference"] = bracketed(table["value"], table["low"], table["high"])
    text["p"] = p_values(table["p"])
    text["verdict"] = table["verdict"]
    groups = table["claim"] + ": " + table["dataset"].replace(NAMES)
    write_table(stem, table, text, "lllrrrl", TITLE, NOTES, counted(groups, table["verdict"]))


def claims(results: Results) -> pd.DataFrame:
    """The differences that the claims are about, and whether these hold.

    Args:
        results: with the CSV files of table1 to table4 as `tables`, those that there are, and what
            the first and the second are made of.

    Returns:
        A row for each claim and two systems: claim, dataset, of (what is compared), worse and
        better (which is said to be so), seed, reported, value, low and high, or p, and verdict.
    """
    tables = {Path(path).stem: pd.read_csv(path) for path in results["tables"]}
    parts = [pd.DataFrame(columns=[*COLUMNS, "source"])]
    if "table1" in tables:
        parts += of_retrieval(tables["table1"], results.query_ranks)
    if "table2" in tables:
        parts += of_ratings(tables["table2"], results.predictions)
    for name in ("table3", "table4"):
        if name in tables:
            parts += of_translations(tables[name])
    table = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    ours, theirs = (table[table["source"] == source] for source in ("measured", "reported"))
    keys = ["claim", "of", "worse", "better"]
    reported = theirs[[*keys, "value"]].rename(columns={"value": "reported"})
    ours = ours.merge(reported, "left", on=keys)
    tested = ours["p"].notna()
    above = np.where(tested, ours["p"].lt(LEVEL) & ours["value"].gt(0), ours["low"].gt(0))
    below = np.where(tested, ours["p"].lt(LEVEL) & ours["value"].lt(0), ours["high"].lt(0))
    ours["verdict"] = [verdict(*sides) for sides in zip(above, below, strict=True)]
    order = [IMAGES, SENTENCES, RATINGS, BETA, ADEQUACY, OVER_VSE, HARM]
    ours = ours.sort_values("claim", key=lambda names: names.map(order.index), kind="stable")
    columns = [*COLUMNS[:6], "reported", *COLUMNS[6:], "verdict"]
    return ours[columns]


def _pairs(table: pd.DataFrame, alike: list[str]) -> pd.DataFrame:
    """Each model of one language beside each of several; their columns _one and _more."""
    one, more = table[table["several"].eq(False)], table[table["several"].eq(True)]
    return one.merge(more, on=alike, suffixes=("_one", "_more"))


def of_retrieval(table: pd.DataFrame, ranks: pd.DataFrame) -> list[pd.DataFrame]:
    """Differences of R@10 between models of one and of several languages, from Table 1.

    Args:
        ranks: as `results.read_query_ranks` gives them.
    """
    table = table[~table["role"].isin(["other", "published"])]
    table = table.assign(name=table["name"].mask(table["role"] == "retrained", "VSE"))
    of_ensembles = bootstrap.recalls(ranks[ranks["kind"] == "ensemble"])
    keys = ["dataset", "model", "seed", "language"]
    draws = of_ensembles.pivot(index=keys, columns="direction", values="draws")
    table = table.merge(draws.reset_index(), "left", on=keys).fillna({"reads": "", "seed": 0})
    both = _pairs(table, ["source", "dataset", "language", "reads", "seed"]).assign(p=np.nan)
    parts = []
    for claim, direction, worse, better in (
        (IMAGES, "caption_to_image", "one", "more"),
        (SENTENCES, "image_to_caption", "more", "one"),
    ):
        r10 = f"{direction}_r10"
        found = both.assign(value=both[f"{r10}_{better}"] - both[f"{r10}_{worse}"])
        found = _with_intervals(found, *(both[f"{direction}_{side}"] for side in (better, worse)))
        names = {f"name_{worse}": "worse", f"name_{better}": "better", "language": "of"}
        parts.append(found.rename(columns=names).assign(claim=claim)[[*COLUMNS, "source"]])
    return parts


def _with_intervals(table: pd.DataFrame, better: pd.Series, worse: pd.Series) -> pd.DataFrame:
    """Add low and high, of the rows that are measured, from their draws.

    Raises:
        InputError: there are none of a model.
    """
    measured = table["source"] == "measured"
    table = table.assign(low=np.nan, high=np.nan)
    lost = measured & (better.isna() | worse.isna())
    if lost.any():
        names = " or ".join(table.loc[lost, ["name_one", "name_more"]].iloc[0])
        raise InputError(f"there are no ranks or predictions of {names}: give their files too")
    if measured.any():
        gains = bootstrap.difference(better[measured], worse[measured])
        table.loc[measured, ["low", "high"]] = gains[["low", "high"]]
    return table


def of_ratings(table: pd.DataFrame, predictions: pd.DataFrame) -> list[pd.DataFrame]:
    """Differences of correlations with ratings of image descriptions, from Table 2.

    Args:
        predictions: as `results.read_predictions` gives them.
    """
    table = table[table["measure"].str.endswith(" images")]
    if table["source"].eq("reported").all():
        return []
    images = predictions["kind"].eq("ensemble") & predictions["subtask"].eq("Images")
    draws = bootstrap.correlations(predictions[images])
    draws = draws.assign(measure=draws["task"] + " images")[["system", "measure", "draws"]]
    systems = named(table[table["seed"].notna()].astype({"seed": int}))
    table = table.merge(systems.merge(draws), "left")
    table = table.fillna({"reads": "", "seed": 0})
    alike = ["source", "group", "measure", "reads", "seed"]
    helped = _pairs(table, alike)
    helped = helped.assign(claim=RATINGS, value=helped["value_more"] - helped["value_one"])
    helped = helped.assign(low=np.nan, high=np.nan, p=helped["p_vse_more"])

    whole, smaller = table[table["beta"] == 1], table[table["beta"] < 1]
    gained = whole.merge(smaller, on=[*alike, "shared"], suffixes=("_one", "_more"))
    gained = gained.assign(claim=BETA, p=np.nan, value=gained["value_more"] - gained["value_one"])
    gained = _with_intervals(gained, gained["draws_more"], gained["draws_one"])
    names = {"name_one": "worse", "name_more": "better", "group": "dataset", "measure": "of"}
    return [
        part.drop(columns="dataset", errors="ignore").rename(columns=names)[[*COLUMNS, "source"]]
        for part in (helped, gained)
    ]


def of_translations(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Differences between re-ranked translations, and from first ones, from Table 3 or 4."""
    table = table[~table["logistic"]].assign(low=np.nan, high=np.nan)
    table["of"], table["seed"] = table["n_best"].astype(str) + "-best, " + table["system"], np.nan
    table["p"] = table["p_baseline"]
    by_several, by_vse = table["several"].eq(True), table["several"].eq(False)
    several = table[by_several & table["metric"].isin(["bleu", "meteor"])]
    several = several.assign(better=several["name"])
    adequacy = several[several["metric"] == "meteor"].assign(claim=ADEQUACY, worse="baseline")
    over = several.assign(claim=OVER_VSE, worse="VSE", gain=several["gain_vse"], p=several["p_vse"])
    over["of"] += ", " + over["metric"].str.upper()
    harm = table[by_vse & table["metric"].eq("bleu")]
    harm = harm.assign(claim=HARM, worse=harm["name"], better="baseline", gain=-harm["gain"])
    return [
        part.assign(value=part["gain"]).dropna(subset="value")[[*COLUMNS, "source"]]
        for part in (adequacy, over, harm)
    ]
