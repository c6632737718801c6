"""Mean ranks and recalls of single snapshots, over the seeds of a model (Socher et al. 2014)."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING
from groundvec.evaluation.seeds import of_items, t_interval
from groundvec.runtime.errors import InputError
from reproduction.papers.socher_2014.labels import BINARISED, FORMS, HINGE, MARGIN, labelled
from reproduction.papers.socher_2014.reported import LOSSES, OF_CCA, read_ranks
from reproduction.render.retrieval_table import test_set
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.measures import whole
from reproduction.reporting.results import Results
from reproduction.reporting.systems import PROVENANCE, best_snapshot, in_order, sorted_by

# The paper's tasks, by the direction of retrieval.
TASKS = {
    "caption_to_caption": "sentence similarity",
    "caption_to_image": "image search",
    "image_to_caption": "describing images",
}
HEADINGS = {"mean_rank": "mean rank", "r1": "R@1", "r5": "R@5", "r10": "R@10"}
NUMBERS = list(HEADINGS)
PAPERS = [500, 100]  # the sentences and images of the paper's test set
RANDOM = {"chance": "Random (calculated)", "random": "Random (simulated)"}
# In a data set's rows; systems that are not the paper's follow in their order of appearance.
SYSTEMS = ["Random", *RANDOM.values(), "BoW", "CT-RNN", "Recurrent NN", "kCCA", "kCCA (linear)"]
SYSTEMS += ["DT-RNN", "SDT-RNN"]
TEST_SET = ["dataset", "test_set", "language"]
TRAINING = ["dataset", "model", "seed"]
ENDS = ("", "_low", "_high")
ORIGIN = ["epochs", *PROVENANCE]
SYSTEM = [*TEST_SET, "source", "objective", "system", "name", "model"]

NOTES = [
    "Mean rank, from 1: of the nearest other sentence of the same image among the test set's other "
    "sentences (sentence similarity); of the right image among the images (image search); of the "
    "best of an image's own sentences among all (describing images, where an image's other "
    "sentences do not count). Lower is better. A candidate with the same score as the right one "
    "ranks before it.",
    "Measured: the single snapshot of a training with the best R@10 on the development set among "
    "those at the end of a cycle; no ensembles, which the paper does not have. Of several seeds "
    "the mean over them and its 95% t interval; where the data set is a draw, each seed drew its "
    "own images, and since draws overlap the variance is multiplied by 1/n + test/train images in "
    "place of 1/n (Nadeau & Bengio 2003). Of one seed, the 95% interval over the test images.",
    "Random: a ranking by chance, calculated, and simulated with random vectors.",
]
REPORTED = (
    "Reported: as printed in Socher et al. (2014), of 100 images of Pascal1K with five sentences "
    "each. It stands with test sets of the same size."
)
RECALL = (
    "R@N: percent of the queries whose right image or sentence is among the first N; its interval "
    "of one seed is 1.96 sqrt(p(1-p)/n) of n queries to both sides, as if an image's captions were "
    "independent."
)
CT_RNN = (
    f"{BINARISED}: it has no constituency trees, but binary trees made of the dependency trees: "
    "head-outward binarisation."
)


def of_trainings(results: Results) -> pd.DataFrame:
    """Take the test scores of the best snapshot of every training, and of chance.

    Raises:
        InputError: there are scores without a model, or a model without scores of its snapshots.
    """
    models = labelled(results.models)
    test = in_order(whole(results.all_retrieval), models)
    test = sorted_by(test, ["direction"], {"direction": TASKS})
    of_training = dict(iter(test.groupby(TRAINING)))
    parts = []
    for _, about in models.iterrows():
        rows = of_training.get(tuple(about[TRAINING]), test[:0])
        rows = rows[rows["kind"].eq("snapshot") & rows["epochs"].eq(str(best_snapshot(about)))]
        if rows.empty:
            training = "/".join(map(str, about[TRAINING]))
            raise InputError(
                f"there are no test scores of the best snapshot of {training}: give its file of "
                "retrieval scores too, or make it again"
            )
        labels = {name: about[name] for name in ("system", "objective", "name", "test_to_train")}
        parts.append(rows.assign(source="measured", **labels))
    # Every model's scores come with the same chance.
    chance = test[test["kind"].isin(list(RANDOM))]
    chance = chance.drop_duplicates([*TEST_SET, "kind", "direction"])
    name = chance["kind"].map(RANDOM)
    source = chance["kind"].map({"chance": "computed", "random": "simulated"})
    chance = chance.assign(source=source, system=name, name=name, model=name, objective="")
    table = pd.concat([chance, *parts], ignore_index=True).fillna({"test_to_train": 0.0})
    for number in NUMBERS[1:]:
        half = table[f"{number}_ci"]
        table[f"{number}_low"] = table[number] - half
        table[f"{number}_high"] = table[number] + half
    columns = [f"{number}{end}" for number in NUMBERS for end in ENDS]
    rest = ["seed", "epochs", "direction", *columns, "queries", "test_to_train"]
    return table[[*SYSTEM, *rest, *PROVENANCE]]


def over_seeds(trainings: pd.DataFrame) -> pd.DataFrame:
    """Average a system's seeds, one row per system.

    Columns such as `image_to_caption_r10_low` have each direction's numbers with their intervals.
    Several epochs or origins are joined by semicolons.
    """
    rows = []
    for key, system in trainings.groupby(SYSTEM, sort=False):
        row = dict(zip(SYSTEM, key, strict=True)) | {"seeds": system["seed"].nunique()}
        for direction, scores in system.groupby("direction", sort=False):
            overlap = scores["test_to_train"].iloc[0]  # draws have test pictures of their own
            for number in NUMBERS:
                name = f"{direction}_{number}"
                row |= averaged(scores, number, name, overlap)
                if row["source"] == "computed":  # it is exact
                    row[f"{name}_low"] = row[f"{name}_high"] = np.nan
            row[f"{direction}_queries"] = round(scores["queries"].mean())
        rows.append(row | origin(system))
    columns = [
        f"{direction}_{name}"
        for direction in TASKS
        for name in (*(f"{n}{end}" for n in NUMBERS for end in ENDS), "queries")
    ]
    return pd.DataFrame(rows).reindex(columns=[*SYSTEM, "seeds", *columns, *ORIGIN])


def averaged(seeds: pd.DataFrame, column: str, name: str, overlap: float = 0.0) -> dict[str, float]:
    """Average a number over seeds: its mean and interval, of one seed its own.

    Args:
        seeds: a row for each, with the ends of its interval in `COLUMN_low` and `COLUMN_high`.
        name: of the number in the result.
        overlap: test/train pictures of a draw, whose seeds have their own test pictures.
    """
    values, low, high = (seeds[f"{column}{end}"] for end in ENDS)
    if len(values) == 1:
        ends = low.iloc[0], high.iloc[0]
    else:
        ends = t_interval(values, 0.0 if overlap else of_items(low, high), overlap)
    return dict(zip((f"{name}{end}" for end in ENDS), (values.mean(), *ends), strict=True))


def origin(seeds: pd.DataFrame) -> dict[str, str]:
    """Join the epochs of several seeds, and where they are from, by semicolons."""
    columns = seeds.columns.intersection(ORIGIN, sort=False)
    return {name: "; ".join(seeds[name].dropna().astype(str).unique()) for name in columns}


def write_ranks(results: Results, stem: Path, squared: bool, title: str) -> None:
    """Write the mean ranks of the systems of Table 2 (`squared`), or else of Table 1."""
    models = results.models
    table = over_seeds(of_trainings(results))
    own = models["similarity"].eq("euclidean") | models["objective.name"].eq("squared_error")
    names = ["dataset", "model"]
    own_names = pd.MultiIndex.from_frame(models.loc[own, names])
    shown = pd.MultiIndex.from_frame(table[names]).isin(own_names) == squared
    shown |= table["source"].ne("measured").to_numpy()
    reported = read_ranks(results["reported"])
    reported = reported[reported["loss"].eq("squared_error") == squared]
    write(stem, beside(table[shown], reported), list(TASKS), ["mean_rank"], title)


def sorted_systems(table: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by test set, source (measured last) and objective, systems in the paper's order.

    Other systems follow in their order of appearance.
    """
    known = {
        "source": ["reported", "computed", "simulated", "measured"],
        "objective": ["", MARGIN, HINGE],
        "system": SYSTEMS,
    }
    # kCCA has an objective of its own, and stands among the systems that it is compared with.
    family = {of_cca: LOSSES[loss] for loss, of_cca in OF_CCA.items()}
    keyed = table.assign(objective=table["objective"].replace(family))
    keys = [key for key in (*TEST_SET, *known) if key in table]
    return table.loc[sorted_by(keyed, keys, known).index].reset_index(drop=True)


def beside(table: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """Join reported rows with measured ones and chance, in the order of `sorted_systems`.

    They stand with the test sets of as many images and English sentences as the paper's, whose
    ranks by chance are the same; if none was measured, below a heading of their own.
    """
    ours = table.loc[table["source"] == "measured", TEST_SET].drop_duplicates()
    if ours.empty:
        raise InputError("no system of this table was measured: give the results of one")
    table = table.merge(ours)  # where nothing was, chance says nothing
    queries = table[["caption_to_image_queries", "image_to_caption_queries"]]
    alike = queries.eq(PAPERS).all(axis=1) & table["language"].eq("en")
    groups = table.loc[alike, TEST_SET].drop_duplicates()
    if groups.empty:
        groups = pd.DataFrame([["pascal1k", str(PAPERS[1]), "en"]], columns=TEST_SET)
    theirs = groups.merge(reported.assign(source="reported"), how="cross")
    columns = [*TEST_SET, "source", *table.columns.drop([*TEST_SET, "source"]), "paper"]
    both = pd.concat([theirs, table], ignore_index=True).reindex(columns=columns)
    whole = ["seeds", *(column for column in columns if column.endswith("_queries"))]
    return sorted_systems(both).astype(dict.fromkeys(whole, "Int64"))


def write(
    stem: Path, table: pd.DataFrame, directions: list[str], numbers: list[str], title: str
) -> None:
    """Write the result of `beside`, with these directions and these numbers of each."""
    text = table[["source", "name", "objective"]].rename(columns={"name": "system"})
    measured = table["source"] == "measured"
    text["seeds"] = table["seeds"].astype(str).where(measured, MISSING)
    shown = {f"{way}_{number}": HEADINGS[number] for way in directions for number in numbers}
    for column in shown:
        text[column] = column_with_interval(table, column)
    alone = len(numbers) == 1
    tasks = [TASKS[direction] for direction in directions]
    text.columns = [*text.columns[:4], *(tasks if alone else shown.values())]
    spans = {} if alone else dict.fromkeys(tasks, len(numbers))
    notes = [*NOTES, REPORTED, *([] if alone else [RECALL])]
    notes += [CT_RNN] if (measured & table["system"].eq(FORMS["binary"])).any() else []
    align = "lllr" + "r" * len(shown)
    write_table(stem, table, text, align, title, notes, test_set(table), spans)
