"""Decide which claims of Socher et al. (2014) hold in this run."""

import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pandas as pd

from groundvec.evaluation.correlation import fisher_interval, spearman
from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014 import retrieval
from reproduction.papers.socher_2014.labels import CCA, UNWEIGHTED
from reproduction.papers.socher_2014.reported import read_ranks
from reproduction.papers.socher_2014.retrieval import HEADINGS, NUMBERS, TASKS, TEST_SET
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, claimed_pairs, decide
from reproduction.reporting.resampled import RETRIEVAL_KEYS
from reproduction.reporting.results import Results
from reproduction.reporting.systems import sorted_by

AGREE = "Mean rank and recall agree"
BY_RECALL = "The SDT-RNN is best by recall too (Table 3)"
RANK = "mean_rank"
SYSTEM = ["system", "objective"]
# The systems of each claim, for `claimed_pairs`.
CLAIMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

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
    trainings = trainings.query("source == 'measured'")
    reported = read_ranks(results.reported_file("tables")).replace({"system": {"kCCA": CCA}})
    ranks = resampled.mean_ranks(results.query_ranks)
    # A lower mean rank is better.
    draws = {RANK: ranks.assign(draws=-ranks["draws"])}
    draws |= {f"r{k}": resampled.recalls(results.query_ranks, k) for k in CUTOFFS}
    tables = [differences(trainings, draws, reported), agreements(trainings, reported)]
    write(stem, decide("socher_2014", pd.concat(tables, ignore_index=True)), TITLE, NOTES)


def differences(
    trainings: pd.DataFrame, draws: Mapping[str, pd.DataFrame], reported: pd.DataFrame
) -> pd.DataFrame:
    """Compute the difference of every comparison, positive if it supports the claim.

    Args:
        trainings: the measured rows of `retrieval.of_trainings`, for single snapshots.
        draws: the values of each of `retrieval.NUMBERS` in draws of images, the higher the better.
        reported: the paper's numbers.
    """
    measured = pd.concat(draws, names=["number", None]).reset_index("number")
    systems = trainings.assign(kind="snapshot").merge(measured, on=RETRIEVAL_KEYS)
    systems = systems.merge(_printed(reported), "left", on=[*SYSTEM, "direction", "number"])
    # Table 3 has no recalls of sentences by sentences.
    systems = systems.query(f"number == {RANK!r} or direction != 'caption_to_caption'")
    same = [*TEST_SET, "seed", "direction", "number", "test_to_train"]
    systems = systems[[*same, "model", "name", *SYSTEM, "draws", "value"]].assign(
        similarity=systems["objective"].str.rpartition(", ")[2],
        weighted=systems["name"].str.replace(UNWEIGHTED, "", regex=False),
    )
    table = claimed_pairs(systems, CLAIMS, same)
    table = table[table["claim"].eq(BY_RECALL) == table["number"].ne(RANK)]
    models = trainings["model"].tolist()
    order = {"claim": CLAIMS, "number": NUMBERS, "model_worse": models, "model_better": models}
    table = sorted_by(table, ["claim", "number", "dataset", "model_worse", "model_better"], order)
    worse = table["worse"]
    objective = table["objective_worse"]
    same_objective = objective == table["objective_better"]
    several = trainings["language"].nunique() > 1
    heading = ", " + table["number"].map(HEADINGS)
    return table.assign(
        reported=table["value_better"] - table["value_worse"],
        condition=table["objective_better"] + (", " + table["language"] if several else ""),
        measure=table["direction"].map(TASKS) + heading.where(table["number"] != RANK, ""),
        worse=worse.where(same_objective, worse + ", " + objective),
    ).reindex(columns=[*COMPARED, "seed", "reported", "draws", "test_to_train"])


def agreements(trainings: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """Correlate mean rank and R@10 over at least three systems, both best first.

    The result has one row per test set, seed and direction of search. Intervals are Fisher's.
    """
    rows = []
    keys = ["dataset", "language", "direction", "seed"]
    both_ways = trainings.query("direction != 'caption_to_caption'")
    for key, systems in both_ways.groupby(keys, sort=False):
        if len(systems) < 3:
            continue
        row = dict(zip(keys, key, strict=True))
        direction = str(row["direction"])
        value = _rank_correlation(systems["mean_rank"], systems["r10"])
        low, high = fisher_interval(value, len(systems), ranks=True)
        printed = reported.dropna(subset=f"{direction}_r10")
        of_paper = _rank_correlation(printed[f"{direction}_mean_rank"], printed[f"{direction}_r10"])
        rows.append(
            row
            | {
                "claim": AGREE,
                "condition": row["language"] if trainings["language"].nunique() > 1 else "",
                "measure": f"correlation, {TASKS[direction]}",
                "reported": 100 * of_paper,
                "difference": 100 * value,
                "low": 100 * low,
                "high": 100 * high,
                "test_to_train": systems["test_to_train"].iloc[0],
            }
        )
    return pd.DataFrame(rows)


def _rank_correlation(mean_rank: pd.Series, recall: pd.Series) -> float:
    """Correlate mean rank (lowest first) and recall (highest first) by Spearman's coefficient."""
    return float(spearman(mean_rank.to_numpy(), -recall.to_numpy()))


def _printed(reported: pd.DataFrame) -> pd.DataFrame:
    """List the paper's numbers, the higher the better: `SYSTEM`, direction, number and value."""
    parts = [
        reported[SYSTEM].assign(
            direction=direction,
            number=number,
            value=reported[f"{direction}_{number}"] * (-1 if number == RANK else 1),
        )
        for direction, number in product(TASKS, HEADINGS)
        if f"{direction}_{number}" in reported
    ]
    return pd.concat(parts)
