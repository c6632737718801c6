"""Count the subtasks on which one system is significantly better (Merkx & Frank 2019, sec. 4.3)."""

from itertools import combinations
from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING
from groundvec.evaluation.correlation import fisher_interval, pearson
from groundvec.evaluation.significance import compare
from groundvec.runtime.errors import InputError
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.tables import write_numbers, write_table
from reproduction.reporting.claims import LEVEL
from reproduction.reporting.measures import prediction
from reproduction.reporting.results import Results
from reproduction.reporting.systems import criterion, main_systems

# On some processors two systems with r = 1 differ by rounding; neither of them is better.
ROUNDING = 1e-9
NOTES = [
    "A better: the number of subtasks on which A has a significantly higher Pearson's r than B. "
    "Predictions are the classifier's for tasks with training pairs, and cosines for the others.",
    "Williams: Williams' test for two dependent correlations that share the ratings (Williams "
    "1959; Steiger 1980), two-sided at 5%. Holm: after Holm's correction for the number of "
    "subtasks. The test needs the predictions of both systems, which the paper did not publish.",
    "Interval: r is above the whole 95% interval (Fisher's) of the other system's r. This is not a "
    "test at 5%: two independent samples of the same r would differ so in about 17% of cases.",
]
REPORTED_NOTE = (
    "Reported: as printed in the supplement of Merkx & Frank (2019). Over all 26 subtasks, the "
    "intervals of its numbers give the counts of section 4.3."
)
SYSTEMS_NOTE = (
    "The measured model of a data set is the ensemble of {}. A name with an epoch is the single "
    "snapshot of the same training with the best R@10 on the development set."
)


def make(results: Results, stem: Path) -> None:
    """Write the counts to `stem`, and every single test to `stem`-tests.csv."""
    reported = read_correlations(results.reported_file("table_s1"))
    systems = main_systems(results.predictions, results.selected, results.best_snapshots)
    tested = tests(systems)
    table = counts(systems, reported, tested)
    headings = {"a": "A", "b": "B", "subtasks": "subtasks"}
    for test, name in (("williams", "Williams"), ("holm", "Holm"), ("interval", "interval")):
        headings |= {f"a_{test}": f"A better, {name}", f"b_{test}": f"B better, {name}"}
    text = table[list(headings)].astype(object).fillna(MISSING).astype(str)
    text = text.rename(columns=headings)
    notes = [*NOTES, SYSTEMS_NOTE.format(criterion(results.select))]
    notes += [REPORTED_NOTE] if "Reported" in set(table["group"]) else []
    title = "On how many subtasks one system is significantly better than another."
    align = "ll" + "r" * 7
    groups = table["group"]
    write_table(stem, table, text, align, title, notes, groups, landscape=True)
    write_numbers(stem.with_name(f"{stem.name}-tests.csv"), tested)


def tests(systems: pd.DataFrame) -> pd.DataFrame:
    """Compare every two systems on every subtask."""
    groups = {str(name): rows for name, rows in systems.groupby("name", sort=False)}
    tables = []
    for a, b in combinations(groups, 2):
        try:
            tables.append(compare(groups[a], groups[b]).assign(a=a, b=b))
        except InputError as error:
            raise InputError(f"{a} and {b}: {error}") from None
    columns = ["a", "b", "task", "subtask", "n", "r_a", "r_b", "t", "p", "p_holm"]
    return pd.concat(tables, ignore_index=True)[columns]


def counts(systems: pd.DataFrame, reported: pd.DataFrame, tested: pd.DataFrame) -> pd.DataFrame:
    """Count the subtasks on which one of two systems is better, for all pairs of systems.

    Args:
        systems: predictions from `systems.main_systems`.
        reported: correlations from `read_correlations`; subtasks that were not measured are left
            out.
        tested: the result of `tests` for `systems`. Reported systems have no tests.
    """
    keys = ["name", "task", "subtask"]
    pairs = systems.assign(prediction=prediction(systems))
    groups = pairs.groupby(keys, sort=False)[["prediction", "rating"]]
    measured = groups.apply(
        lambda rows: pd.Series({"r": pearson(*rows.to_numpy().T), "n": len(rows)})
    )
    measured = measured.reset_index()
    printed = reported.merge(measured[["task", "subtask"]].drop_duplicates())
    printed = printed.rename(columns={"pearson": "r", "pairs": "n"})
    printed["name"] = printed["system"] + " (reported)"
    correlations = pd.concat([measured, printed[list(measured)]])

    # t is positive if A is better.
    significant = {
        f"{side}_{test}": tested[p].lt(LEVEL) & tested["t"].mul(sign).gt(0)
        for test, p in (("williams", "p"), ("holm", "p_holm"))
        for side, sign in (("a", 1), ("b", -1))
    }
    sizes = tested.assign(**significant).groupby(["a", "b"])[list(significant)].sum()
    table = outside_intervals(correlations).merge(sizes.astype("Int64"), "left", on=["a", "b"])
    reported_systems = table[["a", "b"]].isin(printed["name"].tolist()).sum(axis=1)
    # Pairs are grouped by how many of the two systems are reported.
    groups_by_number = {0: "Measured", 1: "Measured and reported", 2: "Reported"}
    table["group"] = reported_systems.map(groups_by_number)
    columns = ["group", "a", "b", "subtasks", *significant, "a_interval", "b_interval"]
    return table.sort_values("group", kind="stable")[columns].reset_index(drop=True)


def outside_intervals(correlations: pd.DataFrame) -> pd.DataFrame:
    """Count the subtasks on which a system's r is above the whole interval of another's.

    It has to exceed the interval's end by more than `ROUNDING`, so equal values never count.
    """
    _, high = fisher_interval(correlations["r"].to_numpy(float), correlations["n"].to_numpy(float))
    groups = dict(iter(correlations.assign(high=high).groupby("name", sort=False)))
    rows = []
    for a, b in combinations(groups, 2):
        shared = groups[a].merge(groups[b], on=["task", "subtask"], suffixes=("_a", "_b"))
        a_above = (shared["r_a"] > shared["high_b"] + ROUNDING).sum()
        b_above = (shared["r_b"] > shared["high_a"] + ROUNDING).sum()
        rows.append((a, b, len(shared), a_above, b_above))
    return pd.DataFrame(rows, columns=["a", "b", "subtasks", "a_interval", "b_interval"])
