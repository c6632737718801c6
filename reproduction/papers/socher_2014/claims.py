"""The claims of Socher et al. (2014), and whether they hold here."""

from itertools import product
from pathlib import Path

import pandas as pd

from groundvec.card.text import TIMES
from groundvec.evaluation import bootstrap
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
from reproduction.render.tables import write_numbers
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, decide
from reproduction.reporting.resampled import WAY
from reproduction.reporting.results import Results

TREES = ["DT-RNN", "SDT-RNN"]
OTHERS = [BAG, "CT-RNN", CCA, *TREES]  # than the recurrent network
LABELS = ["system", "name", "objective"]
AGREE = "Mean rank and recall agree"
BY_RECALL = "The SDT-RNN is best by recall too (Table 3)"
RANK = "mean_rank"

TITLE = "The claims of Socher et al. (2014), and whether they hold."
NOTES = [
    "The measure is the mean rank, of which lower is better: the difference is that of the system "
    "that is said to be worse, minus that of the other. Of R@N, in percent, it is the other way "
    "round. The condition is the objective of the "
    "better system; that of the worse one stands with it where it is another.",
    "Where the data set is a draw, each seed has its own pictures. Draws overlap: the variance "
    "over n seeds is multiplied by 1/n + test/train pictures in place of 1/n (Nadeau & Bengio "
    "2003).",
    f"{AGREE}: Spearman's rank correlation {TIMES} 100, over all systems of the data set, of the "
    "mean rank (lowest first) and R@10 (highest first). Of one seed Fisher's interval, of several "
    "one over the seeds.",
    "Reported: the difference of the mean ranks that the paper prints, or the correlation over the "
    "systems whose recall it prints. Under the squared error some of its numbers are against its "
    "claims; the mean hinge is not in the paper.",
]


def make(results: Results, stem: Path) -> None:
    """Write the claims; the differences of every seed are called stem-draws.csv."""
    trainings = retrieval.of_trainings(results)
    trainings = trainings[trainings["source"] == "measured"]
    printed = _printed(read_ranks(results["reported"]))
    measured = {RANK: resampled.mean_ranks(results.query_ranks)} | {
        f"r{cutoff}": resampled.recalls(results.query_ranks, cutoff) for cutoff in CUTOFFS
    }
    parts = [differences(trainings, of, printed, number) for number, of in measured.items()]
    parts.append(agreements(trainings, printed))
    seeds = pd.concat(parts, ignore_index=True)
    write(stem, decide("socher_2014", seeds), TITLE, NOTES)
    numbers = seeds.drop(columns=["draws", "test_to_train"])
    write_numbers(stem.with_name(f"{stem.name}-draws.csv"), numbers)


def compared(models: pd.DataFrame) -> pd.DataFrame:
    """Pair the two models of each claim, of the same data set.

    Columns end in `_worse`, said to have the higher mean rank or the lower recall, and `_better`.
    """
    both = models.merge(models, on="dataset", suffixes=("_worse", "_better"))
    worse = both["system_worse"]
    better = both["system_better"]
    of_worse = both["objective_worse"]
    of_better = both["objective_better"]
    similarity = of_worse.str.rpartition(", ")[2] == of_better.str.rpartition(", ")[2]
    # kCCA has an objective of its own.
    alike = (of_worse == of_better) | (similarity & (better.eq(CCA) | worse.eq(CCA)))
    margin = of_better.eq(MARGIN) & both["name_worse"].eq(both["name_better"])
    of_cca = worse.eq(CCA) & of_worse.eq(OF_CCA["squared_error"])
    of_cca &= better.eq(CCA) & of_better.eq(OF_CCA["max_margin"])
    claims = {
        "Trees beat the bag": alike & both["name_worse"].eq(BAG) & better.isin(TREES),
        "Trees beat the centered bag": alike & both["name_worse"].eq(CENTERED) & better.isin(TREES),
        "Trees beat binary trees (the paper: constituency trees)": alike
        & worse.eq(FORMS["binary"])
        & better.isin(TREES),
        "Trees beat kernel CCA": alike & worse.eq(CCA) & better.isin(TREES),
        "Counts of words help (Eq. 4 beats Eq. 3)": alike
        & worse.eq(better + UNWEIGHTED)
        & both["name_worse"].str.replace(UNWEIGHTED, "", regex=False).eq(both["name_better"]),
        "Relations beat positions": alike & worse.eq("DT-RNN") & better.eq("SDT-RNN"),
        "The recurrent network is worst": alike & worse.eq("Recurrent NN") & better.isin(OTHERS),
        BY_RECALL: alike & worse.isin([BAG, CCA]) & better.eq("SDT-RNN"),
        "The margin beats the squared error": (margin & of_worse.eq(SQUARED)) | of_cca,
        "Not in the paper: the max margin beats the char-GRU's hinge": margin & of_worse.eq(HINGE),
        "Not in the paper: trees beat the char-GRU": alike
        & worse.isin(["char-GRU", "char-LSTM"])
        & better.isin(TREES),
    }
    return pd.concat([both[which].assign(claim=claim) for claim, which in claims.items()])


def differences(
    trainings: pd.DataFrame, measured: pd.DataFrame, printed: pd.DataFrame, number: str = RANK
) -> pd.DataFrame:
    """Compute how much better a number is for the system that is said to be better.

    Args:
        trainings: the measured rows of `retrieval.of_trainings`, of single snapshots.
        measured: the number, from `resampled.mean_ranks` or `resampled.recalls`.
        printed: the paper's numbers, from `_printed`.
        number: one of `retrieval.NUMBERS`, for the claims about it.
    """
    trainings = trainings.assign(kind="snapshot").merge(measured, on=WAY)
    table = compared(trainings[["dataset", "model", *LABELS]].drop_duplicates())
    table = table[table["claim"].eq(BY_RECALL) == (number != RANK)]
    if number != RANK:  # as in Table 3
        trainings = trainings[trainings["direction"] != "caption_to_caption"]
    same = [*TEST_SET, "seed", "direction", "test_to_train"]
    keys = ["dataset", "model_worse"]
    for side in ("worse", "better"):
        scores = trainings[[*same, "model", "draws"]]
        names = {name: f"{name}_{side}" for name in ("model", "draws")}
        table = table.merge(scores.rename(columns=names), on=keys)
        keys = [*same, "model_better"]
        theirs = printed[printed["number"] == number].add_suffix(f"_{side}")
        table = table.merge(theirs.rename(columns={f"direction_{side}": "direction"}), "left")
    if table.empty:
        return pd.DataFrame(columns=[*COMPARED, "seed", "difference", "draws"])
    # A mean rank is the better the lower it is: the other's is the larger value.
    more, less = ("worse", "better") if number == RANK else ("better", "worse")
    gains = bootstrap.difference(table[f"draws_{more}"], table[f"draws_{less}"])
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

    There is a row for each test set, seed and direction of search. The intervals are Fisher's.
    """
    rows = []
    keys = ["direction", "system", "objective"]
    paper = printed.pivot(index=keys, columns="number", values="value").dropna(subset="r10")
    both_ways = trainings[trainings["direction"] != "caption_to_caption"]
    keys = ["dataset", "language", "direction", "seed"]
    for (dataset, language, direction, seed), own in both_ways.groupby(keys, sort=False):
        if len(own) > 2:
            value, theirs = (
                spearman(of["mean_rank"].to_numpy(), -of["r10"].to_numpy())
                for of in (own, paper.loc[str(direction)])
            )
            numbers = (100 * of for of in (theirs, value, *fisher_interval(value, len(own))))
            condition = language if trainings["language"].nunique() > 1 else ""
            measure = f"correlation, {TASKS[str(direction)]}"
            overlap = own["test_to_train"].iloc[0]
            rows.append((dataset, condition, measure, seed, *numbers, overlap))
    names = ["dataset", "condition", "measure", "seed", "reported", "difference", "low", "high"]
    table = pd.DataFrame(rows, columns=[*names, "test_to_train"])
    return table.assign(claim=AGREE, worse=None, better=None, draws=None)


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
