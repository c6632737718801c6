"""What Socher et al. (2014) claim, and whether it holds here."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.errors import InputError
from groundvec.evaluation.correlation import fisher_interval, spearman
from groundvec.reporting import bootstrap, ranks
from groundvec.reporting.bootstrap import WAY
from groundvec.reporting.labels import BAG, CCA, HINGE, MARGIN, SQUARED
from groundvec.reporting.ranks import AGREE, DRAWS_OVERLAP, TASKS, TEST_SET, t_interval
from groundvec.reporting.results import REPORTED_CCA, Results, read_reported_ranks
from groundvec.reporting.retrieval_table import test_set
from groundvec.reporting.verdicts import FAILS, HOLDS, OPEN, counted, verdict
from groundvec.reporting.write import MISSING, bracketed, decimals, write_numbers, write_table

TREES = ["DT-RNN", "SDT-RNN"]
OTHERS = [BAG, "CT-RNN", CCA, *TREES]  # than the recurrent network
ROUNDING = 1e-9  # of means of ranks
LABELS = ["system", "name", "objective"]
PAIR = ["claim", *(f"{label}_{side}" for side in ("worse", "better") for label in LABELS)]
REPORTED = ["system_worse", "objective_worse", "system_better", "objective_better", "direction"]

TITLE = "The claims of Socher et al. (2014), and whether they hold."
NOTES = [
    "Difference: the mean rank of the system that is said to be worse, minus that of the other; "
    "positive where the claim holds. Of several seeds the mean of their differences, each seed "
    f"with itself (of draws, so, on the same images), and its 95% t interval. {DRAWS_OVERLAP} "
    f"Of one seed its {bootstrap.INTERVAL}; it says nothing of other "
    "seeds.",
    f"{AGREE}: Spearman's rank correlation, over all systems of the data set, of the mean rank "
    "(lowest first) and R@10 (highest first). Of several seeds the mean of their correlations and "
    "its t interval; of one, Fisher's interval.",
    f"A claim {HOLDS} where the interval is above 0, {FAILS} where it is below, and is {OPEN} "
    "where it has 0 in it. Intervals are not corrected for their number.",
    "Reported: the difference of the mean ranks that the paper prints, or the correlation over the "
    "systems whose recall it prints.",
]


def make(results: Results, stem: Path) -> None:
    """Write the claims; the differences of every seed are called stem-draws.csv."""
    trainings = ranks.of_trainings(results)
    trainings = trainings[trainings["source"] == "measured"]
    of_ranks = bootstrap.mean_ranks(results.query_ranks)
    parts = [differences(trainings, of_ranks), agreements(trainings)]
    draws = pd.concat(parts, ignore_index=True)
    if draws.empty:
        raise InputError("there is nothing to compare: give the results of two systems")
    write_numbers(stem.with_name(f"{stem.name}-draws.csv"), draws)
    write_claims(stem, claims(draws, read_reported_ranks(results["reported"])))


def compared(models: pd.DataFrame) -> pd.DataFrame:
    """The two models of each claim, of the same data set.

    Args:
        models: columns dataset, model, system, name and objective, each model once.

    Returns:
        Columns dataset, claim, and the others for both: `model_worse`, said to have the higher mean
        rank, and `model_better`.
    """
    both = models.merge(models, on="dataset", suffixes=("_worse", "_better"))
    worse, better = both["system_worse"], both["system_better"]
    of_worse, of_better = both["objective_worse"], both["objective_better"]
    similarity = of_worse.str.rpartition(", ")[2] == of_better.str.rpartition(", ")[2]
    # kCCA has an objective of its own.
    alike = (of_worse == of_better) | (similarity & (better.eq(CCA) | worse.eq(CCA)))
    margin = of_better.eq(MARGIN) & both["name_worse"].eq(both["name_better"])
    of_cca = worse.eq(CCA) & of_worse.eq(REPORTED_CCA["squared_error"])
    of_cca &= better.eq(CCA) & of_better.eq(REPORTED_CCA["max_margin"])
    claims = {
        "Trees beat the bag": alike & worse.eq(BAG) & better.isin(TREES),
        "Trees beat constituency trees": alike & worse.eq("CT-RNN") & better.isin(TREES),
        "Trees beat kernel CCA": alike & worse.eq(CCA) & better.isin(TREES),
        "Relations beat positions": alike & worse.eq("DT-RNN") & better.eq("SDT-RNN"),
        "The recurrent network is worst": alike & worse.eq("Recurrent NN") & better.isin(OTHERS),
        "The margin beats the squared error": (margin & of_worse.eq(SQUARED)) | of_cca,
        "Not in the paper: the max margin beats the char-GRU's hinge": margin & of_worse.eq(HINGE),
        "Not in the paper: trees beat the char-GRU": alike
        & worse.str.startswith("char-")
        & better.isin(TREES),
    }
    return pd.concat([both[which].assign(claim=claim) for claim, which in claims.items()])


def differences(trainings: pd.DataFrame, mean_ranks: pd.DataFrame) -> pd.DataFrame:
    """How much higher the mean rank is of the system that is said to be worse.

    Args:
        trainings: the measured rows of `ranks.of_trainings`, of single snapshots.
        mean_ranks: as `bootstrap.mean_ranks` gives them.

    Returns:
        A row for each test set, two models, seed that both have, and direction: the columns of
        `ranks.TEST_SET`, of `compared`, seed, direction, value, and low and high of its interval.
    """
    trainings = trainings.assign(kind="snapshot").merge(mean_ranks, on=WAY)
    table = compared(trainings[["dataset", "model", *LABELS]].drop_duplicates())
    same = [*TEST_SET, "seed", "direction"]
    keys = ["dataset", "model_worse"]
    for side in ("worse", "better"):
        scores = trainings[[*same, "model", "draws"]]
        names = {name: f"{name}_{side}" for name in ("model", "draws")}
        table = table.merge(scores.rename(columns=names), on=keys)
        keys = [*same, "model_better"]
    if len(table):
        # A mean rank is the better the lower it is: the other's is the larger value.
        table = table.assign(**bootstrap.difference(table["draws_worse"], table["draws_better"]))
    return table.reindex(columns=[*TEST_SET, *PAIR, "seed", "direction", "value", "low", "high"])


def agreements(trainings: pd.DataFrame) -> pd.DataFrame:
    """Rank correlations of mean rank and R@10 over at least three systems, both best first.

    Returns:
        A row for each test set, seed and direction of search, in the columns of `differences`,
        where those of the two systems are empty; the intervals are Fisher's.
    """
    rows = []
    both_ways = trainings[trainings["direction"] != "caption_to_caption"]
    for key, systems in both_ways.groupby([*TEST_SET, "seed", "direction"], sort=False):
        if len(systems) > 2:
            value = spearman(systems["mean_rank"].to_numpy(), -systems["r10"].to_numpy())
            low, high = fisher_interval(value, len(systems))
            rows.append([*key, value, low, high])
    columns = [*TEST_SET, "seed", "direction", "value", "low", "high"]
    table = pd.DataFrame(rows, columns=columns).assign(claim=AGREE)
    return table.assign(**dict.fromkeys(PAIR[1:], ""))[
        [*TEST_SET, *PAIR, "seed", "direction", "value", "low", "high"]
    ]


def claims(draws: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """The mean over the seeds, and whether the claim holds.

    Args:
        draws: what `differences` and `agreements` give.
        reported: as `results.read_reported_ranks` gives it.

    Returns:
        A row for each test set, claim, two systems and direction, with columns reported, value,
        low, high, seeds (their number) and verdict.
    """
    theirs = _printed(reported)
    keys = [*TEST_SET, *PAIR, "direction"]
    rows = []
    for key, seeds in draws.groupby(keys, sort=False):
        row: dict[str, Any] = dict(zip(keys, key, strict=True))
        row["value"] = seeds["value"].mean()
        row["seeds"] = len(seeds)
        row["low"], row["high"] = t_interval(seeds["value"])
        if len(seeds) == 1:
            row["low"], row["high"] = seeds[["low", "high"]].iloc[0]
        row["verdict"] = verdict(row["low"] > ROUNDING, row["high"] < -ROUNDING)
        row["reported"] = theirs.get(tuple(row[name] for name in REPORTED), np.nan)
        rows.append(row)
    return pd.DataFrame(rows)[[*keys, "reported", "value", "low", "high", "seeds", "verdict"]]


def _printed(reported: pd.DataFrame) -> dict[tuple[str, ...], float]:
    """What the paper's numbers give for two systems and a direction, by the columns `REPORTED`."""
    found = {}
    for direction in TASKS:
        rank = f"{direction}_mean_rank"
        printed = reported.replace({"system": {"kCCA": CCA}}).dropna(subset=rank)
        values = list(zip(printed["system"], printed["objective"], printed[rank], strict=True))
        for (*worse, a), (*better, b) in product(values, values):
            found[*worse, *better, direction] = a - b
        if direction != "caption_to_caption":
            printed = printed.dropna(subset=f"{direction}_r10")
            recall = printed[f"{direction}_r10"].to_numpy()
            agreement = spearman(printed[rank].to_numpy(), -recall)
            found["", "", "", "", direction] = agreement
    return found


def write_claims(stem: Path, table: pd.DataFrame) -> None:
    """Write what `claims` gives as `write.write_table` does, a part for each claim."""
    groups = table["claim"] + ": " + test_set(table)
    same = table["objective_worse"] == table["objective_better"]
    of_correlations = table["claim"] == AGREE
    text = pd.DataFrame(
        {
            "task": table["direction"].map(TASKS),
            "objective": table["objective_worse"].where(same, ""),
        }
    )
    for side in ("worse", "better"):
        name, objective = table[f"name_{side}"], table[f"objective_{side}"]
        text[side] = name.where(same, name + ", " + objective)
    text.loc[of_correlations, ["objective", "worse", "better"]] = MISSING
    reported, measured = table["reported"], (table["value"], table["low"], table["high"])
    text["reported"] = np.where(of_correlations, decimals(reported, 2), decimals(reported))
    text["difference"] = np.where(of_correlations, bracketed(*measured, 2), bracketed(*measured))
    text["seeds"], text["verdict"] = table["seeds"].astype(str), table["verdict"]
    write_table(stem, table, text, "llllrrrl", TITLE, NOTES, counted(groups, table["verdict"]))
