"""On how many tasks one system is significantly better than another (Merkx & Frank 2019, 4.3)."""

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

# Two systems that both have r = 1 differ by rounding on some processors: neither is better.
ROUNDING = 1e-9
NOTES = [
    "Of so many subtasks, on how many A has a significantly higher Pearson's r than B (A better), "
    "and B than A. Tasks with training pairs count with their classifier, others with the cosine.",
    "Williams: his test for two dependent correlations that share the ratings (Williams "
    "1959; Steiger 1980), two-sided at 5%. Holm: after Holm's correction for the number of "
    "subtasks. It needs both systems' predictions, which are not published.",
    "Interval: r lies above the whole 95% interval (Fisher's) of the other's. This is not a test "
    "at 5%: two independent samples of the same r would differ so in about 17% of cases.",
]
REPORTED_NOTE = (
    "Reported: as printed in the supplement of Merkx & Frank (2019). Over all 26 subtasks its "
    "numbers give, by the intervals, the counts of its section 4.3."
)
SYSTEMS_NOTE = (
    "The measured model of a data set is the ensemble of {}; with an epoch, the single snapshot of "
    "the same training with the best R@10 on the development set."
)


def make(results: Results, stem: Path) -> None:
    """Write the counts, and every single test beside them."""
    reported = read_correlations(results["reported"])
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
    """Count the subtasks on which one of two systems is better, for every two systems.

    Args:
        systems: predictions, from `systems.main_systems`.
        reported: from `read_correlations`; subtasks that were not measured are left out.
        tested: the result of `tests` for `systems`. Reported systems have no tests.
    """
    keys = ["name", "task", "subtask"]
    pairs = systems.assign(prediction=prediction(systems))
    groups = pairs.groupby(keys, sort=False)[["prediction", "rating"]]
    ours = groups.apply(lambda own: pd.Series({"r": pearson(*own.to_numpy().T), "n": len(own)}))
    ours = ours.reset_index()
    theirs = reported.merge(ours[["task", "subtask"]].drop_duplicates())
    theirs = theirs.rename(columns={"pearson": "r", "pairs": "n"})
    theirs["name"] = theirs["system"] + " (reported)"
    correlations = pd.concat([ours, theirs[list(ours)]])

    significant = {
        f"{side}_{test}": tested[p].lt(LEVEL) & tested["t"].mul(sign).gt(0)
        for test, p in (("williams", "p"), ("holm", "p_holm"))
        for side, sign in (("a", 1), ("b", -1))
    }
    sizes = tested.assign(**significant).groupby(["a", "b"])[list(significant)].sum()
    table = outside_intervals(correlations).merge(sizes.astype("Int64"), "left", on=["a", "b"])
    reported_ones = table[["a", "b"]].isin(theirs["name"].tolist()).sum(axis=1)
    kinds = {0: "Measured", 1: "Measured and reported", 2: "Reported"}
    table["group"] = reported_ones.map(kinds)
    columns = ["group", "a", "b", "subtasks", *significant, "a_interval", "b_interval"]
    return table.sort_values("group", kind="stable")[columns].reset_index(drop=True)


def outside_intervals(correlations: pd.DataFrame) -> pd.DataFrame:
    """Count on how many subtasks a system's r lies above the whole interval of another's.

    It must exceed the interval's end by more than rounding, so that equals never do.
    """
    _, high = fisher_interval(correlations["r"].to_numpy(float), correlations["n"].to_numpy(float))
    groups = dict(iter(correlations.assign(high=high).groupby("name", sort=False)))
    rows = []
    for a, b in combinations(groups, 2):
        both = groups[a].merge(groups[b], on=["task", "subtask"], suffixes=("_a", "_b"))
        a_above = (both["r_a"] > both["high_b"] + ROUNDING).sum()
        b_above = (both["r_b"] > both["high_a"] + ROUNDING).sum()
        rows.append((a, b, len(both), a_above, b_above))
    return pd.DataFrame(rows, columns=["a", "b", "subtasks", "a_interval", "b_interval"])
