"""Average mean ranks and recalls of single snapshots over seeds (Socher et al. 2014)."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING
from groundvec.runtime.errors import InputError
from reproduction.papers.socher_2014.labels import BINARISED, FORMS, HINGE, MARGIN, labelled
from reproduction.papers.socher_2014.reported import LOSSES, OF_CCA, read_ranks
from reproduction.render.retrieval_table import test_set
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.measures import whole
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import t_interval, variance_over_items
from reproduction.reporting.systems import PROVENANCE, best_snapshot, in_order, sorted_by

# The paper's tasks, by the direction of retrieval.
TASKS = {
    "caption_to_caption": "sentence similarity",
    "caption_to_image": "image search",
    "image_to_caption": "describing images",
}
HEADINGS = {"mean_rank": "mean rank", "r1": "R@1", "r5": "R@5", "r10": "R@10"}
NUMBERS = list(HEADINGS)
PAPER_QUERIES = [500, 100]  # the sentences and images of the paper's test set
RANDOM = "Random (calculated)"
# The order of a data set's rows. Systems that the paper lacks follow in their order of appearance.
SYSTEMS = ["Random", RANDOM, "BoW", "CT-RNN", "Recurrent NN", "kCCA", "kCCA (linear)"]
SYSTEMS += ["DT-RNN", "SDT-RNN"]
TEST_SET = ["dataset", "test_set", "language"]
TRAINING = ["dataset", "model", "seed"]
ENDS = ("", "_low", "_high")
ORIGIN = ["epochs", *PROVENANCE]
RANK_KEYS = [*TEST_SET, "source", "objective", "system", "name", "model"]

NOTES = [
    "Mean rank, from 1. Sentence similarity: the nearest other sentence of the same image, among "
    "the test set's other sentences. Image search: the right image among all images. Describing "
    "images: the best of an image's own sentences among all sentences, without its other own ones. "
    "Lower is better. A candidate with the same score as the right one ranks before it.",
    "Measured: the single snapshot of a training with the best R@10 on the development set among "
    "those at the end of a cycle. The paper has no ensembles. For several seeds, the mean and its "
    "95% t interval, which includes the variance over the test images. If the data set is a draw, "
    "each seed drew its own images; draws overlap, so the variance over seeds is multiplied by "
    "1/n + test/train images instead of 1/n (Nadeau & Bengio 2003). "
    "For one seed, the 95% interval over the test images.",
    "Random: a random ranking, calculated.",
]
REPORTED = (
    "Reported: as printed in Socher et al. (2014), for 100 images of Pascal1K with five sentences "
    "each. These rows are shown with test sets of the same size."
)
RECALL = (
    "R@N: percent of the queries whose right image or sentence is among the first N. For one seed "
    "its interval is ± 1.96 sqrt(p(1-p)/n) for n queries, as if an image's captions were "
    "independent."
)
CT_RNN = (
    f"{BINARISED}: instead of constituency trees, it reads dependency trees that were binarized "
    "from the head outwards."
)


def of_trainings(results: Results) -> pd.DataFrame:
    """Select the test scores of the best snapshot of every training, and of random rankings.

    Raises:
        InputError: scores lack their model, or a model lacks the scores of its snapshots.
    """
    models = labelled(results.models)
    test = in_order(whole(results.all_retrieval), models)
    test = sorted_by(test, ["direction"], {"direction": TASKS})
    trainings = models[[*TRAINING, "system", "objective", "name", "test_to_train"]].assign(
        source="measured",
        kind="snapshot",
        epochs=[str(best_snapshot(training)) for _, training in models.iterrows()],
    )
    measured = trainings.merge(test, "left", on=[*TRAINING, "kind", "epochs"])
    missing = measured.loc[measured["direction"].isna(), TRAINING]
    if len(missing):
        raise InputError(
            "found no test scores of the best snapshot of "
            f"{'/'.join(map(str, missing.iloc[0]))}: pass its file of retrieval scores as well, or "
            "make it again"
        )
    # Every file has the scores of random rankings, which are the same for each test set.
    chance = test.query("kind == 'chance'").drop_duplicates([*TEST_SET, "direction"])
    labels = dict.fromkeys(["system", "name", "model"], RANDOM)
    chance = chance.assign(source="computed", objective="", test_to_train=0.0, **labels)
    table = pd.concat([chance, measured], ignore_index=True)
    for number in NUMBERS[1:]:
        half = table[f"{number}_ci"]
        table[f"{number}_low"] = table[number] - half
        table[f"{number}_high"] = table[number] + half
    columns = [f"{number}{end}" for number in NUMBERS for end in ENDS]
    rest = ["seed", "epochs", "direction", *columns, "queries", "test_to_train"]
    return table[[*RANK_KEYS, *rest, *PROVENANCE]]


def over_seeds(trainings: pd.DataFrame) -> pd.DataFrame:
    """Average the seeds of each system.

    Returns:
        One row per system. Columns such as `image_to_caption_r10_low` hold each direction's numbers
        and their intervals. Several epochs or origins are joined by semicolons.
    """
    rows = []
    for key, system in trainings.groupby(RANK_KEYS, sort=False):
        row = dict(zip(RANK_KEYS, key, strict=True)) | {"seeds": system["seed"].nunique()}
        for direction, scores in system.groupby("direction", sort=False):
            overlap = scores["test_to_train"].iloc[0]  # each draw has its own test images
            for number in NUMBERS:
                row |= averaged(scores, number, f"{direction}_{number}", overlap)
            row[f"{direction}_queries"] = round(scores["queries"].mean())
        rows.append(row | origin(system))
    columns = [
        f"{direction}_{name}"
        for direction in TASKS
        for name in (*(f"{n}{end}" for n in NUMBERS for end in ENDS), "queries")
    ]
    table = pd.DataFrame(rows).reindex(columns=[*RANK_KEYS, "seeds", *columns, *ORIGIN])
    # Scores of random rankings are exact, so they have no interval.
    ends = table.columns[table.columns.str.endswith(ENDS[1:])]
    table.loc[table["source"] == "computed", ends] = np.nan
    return table


def averaged(seeds: pd.DataFrame, column: str, name: str, overlap: float = 0.0) -> dict[str, float]:
    """Average a number over seeds, with its interval; a single seed keeps its own interval.

    Args:
        seeds: one row per seed, with the ends of its interval in `COLUMN_low` and `COLUMN_high`.
        name: name of the number in the result.
        overlap: test/train images of a draw, for which each seed has its own test images.
    """
    values = seeds[column]
    low = seeds[f"{column}_low"]
    high = seeds[f"{column}_high"]
    if len(values) == 1:
        ends = low.iloc[0], high.iloc[0]
    else:
        # Seeds with the same test images also vary by these images; seeds of a draw have their own.
        ends = t_interval(values, 0.0 if overlap else variance_over_items(low, high), overlap)
    return dict(zip((f"{name}{end}" for end in ENDS), (values.mean(), *ends), strict=True))


def origin(seeds: pd.DataFrame) -> dict[str, str]:
    """Join the epochs and the provenance of several seeds by semicolons."""
    columns = seeds.columns.intersection(ORIGIN, sort=False)
    return {name: "; ".join(seeds[name].dropna().astype(str).unique()) for name in columns}


def write_ranks(results: Results, stem: Path, squared: bool, title: str) -> None:
    """Write the mean ranks of the systems of Table 2 if `squared`, else of Table 1."""
    table = over_seeds(of_trainings(results))
    of_table2 = table["objective"].str.contains("squared error|Euclidean distance")
    in_table = of_table2.eq(squared) | table["source"].ne("measured")
    reported = read_ranks(results.reported_file("tables"))
    reported = reported[reported["loss"].eq("squared_error") == squared]
    write(stem, with_reported(table[in_table], reported), list(TASKS), ["mean_rank"], title)


def sorted_systems(table: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by test set, source (measured last), objective, and system in the paper's order.

    Other systems follow in their order of appearance.
    """
    first = {
        "source": ["reported", "computed", "measured"],
        "objective": ["", MARGIN, HINGE],
        "system": SYSTEMS,
    }
    # kCCA has its own objective, and is shown among the systems that it is compared with.
    family = {of_cca: LOSSES[loss] for loss, of_cca in OF_CCA.items()}
    keyed = table.assign(objective=table["objective"].replace(family))
    keys = [key for key in (*TEST_SET, *first) if key in table]
    return table.loc[sorted_by(keyed, keys, first).index].reset_index(drop=True)


def with_reported(table: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """Join reported rows, measured rows and random rankings, in the order of `sorted_systems`.

    Reported rows are shown with test sets that have as many images and English sentences as the
    paper's, because the ranks by chance are the same there. Without such a test set they get their
    own heading.
    """
    measured = table.query("source == 'measured'")[TEST_SET].drop_duplicates()
    if measured.empty:
        raise InputError("no system of this table was measured: pass the results of one")
    table = table.merge(measured)  # leaves out random rankings of other test sets
    queries = table[["caption_to_image_queries", "image_to_caption_queries"]]
    # A test set of the paper's size has the same ranks by chance.
    alike = queries.eq(PAPER_QUERIES).all(axis=1) & table["language"].eq("en")
    groups = table.loc[alike, TEST_SET].drop_duplicates()
    if groups.empty:
        groups = pd.DataFrame([["pascal1k", str(PAPER_QUERIES[1]), "en"]], columns=TEST_SET)
    reported = groups.merge(reported.assign(source="reported"), how="cross")
    columns = [*TEST_SET, "source", *table.columns.drop([*TEST_SET, "source"]), "paper"]
    both = pd.concat([reported, table], ignore_index=True).reindex(columns=columns)
    whole = ["seeds", *(column for column in columns if column.endswith("_queries"))]
    return sorted_systems(both).astype(dict.fromkeys(whole, "Int64"))


def write(
    stem: Path, table: pd.DataFrame, directions: list[str], numbers: list[str], title: str
) -> None:
    """Write the result of `with_reported`: these directions, and these numbers of each."""
    text = table[["source", "name", "objective"]].rename(columns={"name": "system"})
    measured = table["source"] == "measured"
    text["seeds"] = table["seeds"].astype(str).where(measured, MISSING)
    headings = {
        f"{direction}_{number}": HEADINGS[number] for direction in directions for number in numbers
    }
    for column in headings:
        text[column] = column_with_interval(table, column)
    tasks = [TASKS[direction] for direction in directions]
    notes = [*NOTES, REPORTED]
    if len(numbers) == 1:
        text.columns = [*text.columns[:4], *tasks]
        spans = {}
    else:
        text.columns = [*text.columns[:4], *headings.values()]
        spans = dict.fromkeys(tasks, len(numbers))
        notes.append(RECALL)
    if (measured & table["system"].eq(FORMS["binary"])).any():
        notes.append(CT_RNN)
    align = "lllr" + "r" * len(headings)
    write_table(stem, table, text, align, title, notes, test_set(table), spans)
