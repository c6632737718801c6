"""Decide which claims of Socher et al. (2014) hold in this run."""

from itertools import product
from pathlib import Path

import pandas as pd

from groundvec.evaluation.correlation import fisher_interval, spearman
from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014 import retrieval
from reproduction.papers.socher_2014.labels import (
    BAG,
    CCA,
    CENTERED,
    FORMS,
    HINGE,
    MARGIN,
    SQUARED,
    UNWEIGHTED,
)
from reproduction.papers.socher_2014.reported import OF_CCA, read_ranks
from reproduction.papers.socher_2014.retrieval import HEADINGS, TASKS, TEST_SET
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, decide, difference
from reproduction.reporting.resampled import RETRIEVAL_KEYS
from reproduction.reporting.results import Results
from reproduction.reporting.systems import sorted_by

TREES = ["DT-RNN", "SDT-RNN"]
BEAT_RECURRENT = [
    BAG,
    "CT-RNN",
    CCA,
    *TREES,
]  # systems that beat the recurrent network in the paper
LABELS = ["system", "name", "objective"]
AGREE = "Mean rank and recall agree"
BY_RECALL = "The SDT-RNN is best by recall too (Table 3)"
RANK = "mean_rank"

TITLE = "The claims of Socher et al. (2014), and whether they hold."
NOTES = [
    "Difference: mean rank of the other system (*with*) minus that of the compared one. Lower "
    "ranks are better, so positive supports the claim. For R@N, in percent, the compared system "
    "comes first. The condition is the objective of the compared system; the other system names "
    "its own if it has another.",
    f"{AGREE}: Spearman's rank correlation {TIMES} 100 between mean rank (lowest first) and R@10 "
    "(highest first), over all systems of the data set. The interval is Fisher's for one seed, "
    "and over the seeds for several.",
    "Reported: the difference between the mean ranks that the paper prints, or the correlation "
    "over the systems whose recall it prints. Under the squared error, some of the paper's "
    "numbers contradict its claims. The mean hinge is not in the paper.",
]


def make(results: Results, stem: Path) -> None:
    """Write the claims."""
    # Random rankings have rows, too, but no claim is about them.
    trainings = retrieval.of_trainings(results)
    trainings = trainings[trainings["source"] == "measured"]
    printed = _printed(read_ranks(results.reported_file("tables")))
    measured = {RANK: resampled.mean_ranks(results.query_ranks)} | {
        f"r{cutoff}": resampled.recalls(results.query_ranks, cutoff) for cutoff in CUTOFFS
    }
    parts = [differences(trainings, values, printed, number) for number, values in measured.items()]
    parts.append(agreements(trainings, printed))
    write(stem, decide("socher_2014", pd.concat(parts, ignore_index=True)), TITLE, NOTES)


def claimed_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Select the pairs of systems that a claim compares, once for each claim.

    Columns end in `_worse` for the system that is claimed to have the higher mean rank or the lower
    recall, and in `_better` for the other.
    """
    worse = pairs["system_worse"]
    better = pairs["system_better"]
    worse_objective = pairs["objective_worse"]
    better_objective = pairs["objective_better"]
    worse_similarity = worse_objective.str.rpartition(", ")[2]
    better_similarity = better_objective.str.rpartition(", ")[2]
    # kCCA has its own objective, so it is compared with systems of the same similarity.
    has_cca = better.eq(CCA) | worse.eq(CCA)
    same_objective = worse_objective == better_objective
    same = same_objective | ((worse_similarity == better_similarity) & has_cca)
    # The same system under another objective.
    margin = better_objective.eq(MARGIN) & pairs["name_worse"].eq(pairs["name_better"])
    of_cca = worse.eq(CCA) & worse_objective.eq(OF_CCA["squared_error"])
    of_cca &= better.eq(CCA) & better_objective.eq(OF_CCA["max_margin"])
    claims = {
        "Trees beat the bag": same & pairs["name_worse"].eq(BAG) & better.isin(TREES),
        "Trees beat the centered bag": same & pairs["name_worse"].eq(CENTERED) & better.isin(TREES),
        "Trees beat binary trees (the paper: constituency trees)": same
        & worse.eq(FORMS["binary"])
        & better.isin(TREES),
        "Trees beat kernel CCA": same & worse.eq(CCA) & better.isin(TREES),
        "Counts of words help (Eq. 4 beats Eq. 3)": same
        & worse.eq(better + UNWEIGHTED)
        & pairs["name_worse"].str.replace(UNWEIGHTED, "", regex=False).eq(pairs["name_better"]),
        "Relations beat positions": same & worse.eq("DT-RNN") & better.eq("SDT-RNN"),
        "The recurrent network is worst": same
        & worse.eq("Recurrent NN")
        & better.isin(BEAT_RECURRENT),
        BY_RECALL: same & worse.isin([BAG, CCA]) & better.eq("SDT-RNN"),
        "The margin beats the squared error": (margin & worse_objective.eq(SQUARED)) | of_cca,
        "Not in the paper: the max margin beats the char-GRU's hinge": margin
        & worse_objective.eq(HINGE),
        "Not in the paper: trees beat the char-GRU": same
        & worse.isin(["char-GRU", "char-LSTM"])
        & better.isin(TREES),
    }
    return pd.concat([pairs[rows].assign(claim=claim) for claim, rows in claims.items()])


def differences(
    trainings: pd.DataFrame, measured: pd.DataFrame, printed: pd.DataFrame, number: str = RANK
) -> pd.DataFrame:
    """Compute the difference of every comparison, positive if it supports the claim.

    Args:
        trainings: the measured rows of `retrieval.of_trainings`, for single snapshots.
        measured: values of the number, from `resampled.mean_ranks` or `resampled.recalls`.
        printed: the paper's numbers, from `_printed`.
        number: the number that the claims are about, one of `retrieval.NUMBERS`.
    """
    values = printed[printed["number"] == number]
    systems = trainings.assign(kind="snapshot").merge(measured, on=RETRIEVAL_KEYS)
    systems = systems.merge(values, "left", on=["system", "objective", "direction"])
    if number != RANK:  # Table 3 has no recalls of sentences by sentences
        systems = systems[systems["direction"] != "caption_to_caption"]
    same = [*TEST_SET, "seed", "direction", "test_to_train"]
    systems = systems[[*same, "model", *LABELS, "draws", "value"]]
    pairs = systems.merge(systems, on=same, suffixes=("_worse", "_better"))
    pairs = sorted_by(pairs, ["dataset", "model_worse", "model_better"])
    table = claimed_pairs(pairs)
    table = table[table["claim"].eq(BY_RECALL) == (number != RANK)]
    if table.empty:
        return pd.DataFrame(columns=[*COMPARED, "seed", "difference", "draws"])
    # A lower mean rank is better, so the better system's rank is subtracted.
    more, less = ("worse", "better") if number == RANK else ("better", "worse")
    gains = difference(table[f"draws_{more}"], table[f"draws_{less}"])
    table = table.assign(reported=table[f"value_{more}"] - table[f"value_{less}"], **gains)
    worse = table["name_worse"]
    objective = table["objective_worse"]
    same_objective = objective == table["objective_better"]
    several = trainings["language"].nunique() > 1
    table = table.assign(
        condition=table["objective_better"] + (", " + table["language"] if several else ""),
        measure=table["direction"].map(TASKS) + ("" if number == RANK else f", {HEADINGS[number]}"),
        worse=worse.where(same_objective, worse + ", " + objective),
        better=table["name_better"],
    )
    columns = ["seed", "reported", "difference", "low", "high", "draws", "test_to_train"]
    return table[[*COMPARED, *columns]]


def agreements(trainings: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Correlate mean rank and R@10 over at least three systems, both best first.

    The result has one row per test set, seed and direction of search. Intervals are Fisher's.
    """
    rows = []
    keys = ["direction", "system", "objective"]
    paper = printed.pivot(index=keys, columns="number", values="value").dropna(subset="r10")
    both_ways = trainings[trainings["direction"] != "caption_to_caption"]
    keys = ["dataset", "language", "direction", "seed"]
    for (dataset, language, direction, seed), systems in both_ways.groupby(keys, sort=False):
        if len(systems) < 3:
            continue
        value = _rank_correlation(systems)
        low, high = fisher_interval(value, len(systems), ranks=True)
        rows.append(
            {
                "dataset": dataset,
                "condition": language if trainings["language"].nunique() > 1 else "",
                "measure": f"correlation, {TASKS[str(direction)]}",
                "seed": seed,
                "reported": 100 * _rank_correlation(pd.DataFrame(paper.loc[str(direction)])),
                "difference": 100 * value,
                "low": 100 * low,
                "high": 100 * high,
                "test_to_train": systems["test_to_train"].iloc[0],
            }
        )
    names = ["dataset", "condition", "measure", "seed", "reported", "difference", "low", "high"]
    table = pd.DataFrame(rows, columns=[*names, "test_to_train"])
    return table.assign(claim=AGREE, worse=None, better=None, draws=None)


def _rank_correlation(systems: pd.DataFrame) -> float:
    """Correlate mean rank (lowest first) and R@10 (highest first) by Spearman's coefficient."""
    return float(spearman(systems["mean_rank"].to_numpy(), -systems["r10"].to_numpy()))


def _printed(reported: pd.DataFrame) -> pd.DataFrame:
    """List the paper's numbers: columns system, objective, direction, number and value."""
    reported = reported.replace({"system": {"kCCA": CCA}})
    parts = [
        reported[["system", "objective"]].assign(
            direction=direction, number=number, value=reported[f"{direction}_{number}"]
        )
        for direction, number in product(TASKS, HEADINGS)
        if f"{direction}_{number}" in reported
    ]
    return pd.concat(parts).dropna()
