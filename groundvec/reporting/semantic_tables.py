"""Tables 1 and 3 and the supplement's table of Merkx & Frank (2019): semantic similarity."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.errors import InputError
from groundvec.evaluation.retrieval import DECIMALS
from groundvec.reporting.results import (
    CORRELATIONS,
    NAMES,
    PROVENANCE,
    headline,
    in_grid_order,
    main_systems,
    means,
    prediction,
    semantic_measures,
)
from groundvec.reporting.write import MINUS, MISSING, TIMES, decimals, write_table

TABLE1_NOTES = [
    "The systems' cosine similarities are correlated with the ratings of the test pairs. Where "
    "there are training pairs, also the predictions of a classifier trained on them.",
    "Dropped: pairs that have no rating and are left out.",
    "The ratings are people's; only those of Scenes are computed, from the facts of drawn scenes.",
]
# The pairs of the paper's Table 3: how both sentences begin, letters and digits only.
EXAMPLES = (
    ("STS 2012", "SMTeuroparl", "weoftenpontificate", "weareproudoftenheretorepresentthecitizens"),
    ("STS 2012", "MSRpar", "southasiafollows", "ofthe11millioninfectedinsouthasia"),
    ("STS 2013", "FNWN", "thisframecontainswords", "lackinginspecificresources"),
    ("STS 2016", "Question-Question", "howdoimakeaheightadj", "howcanibuildawallmounted"),
)
TABLE3_NOTES = [
    "Example: a pair that Table 3 of Merkx & Frank (2019) shows. The others are chosen by rule.",
    "Rating: from 0 (nothing in common) to 5 (the same meaning). Model: its own similarity; the "
    "cosine (at most 1), or for tasks with training pairs the rating that the classifier predicts.",
    "The rule: a pair's contribution is the product of its rating and its similarity, both "
    "standardised over the subtask; Pearson's r is the mean of these. Highest is the pair that "
    "contributes most to r, lowest the one that contributes least; of equals the first. "
    "Similarities count to a millionth.",
    "Sentences are given as the model reads them. The model is the one with the best R@10 on the "
    "development set.",
]
INTERVALS = (
    f"{{}} {TIMES} 100, the upper and lower half of the 95% interval after it: Fisher's, "
    f"tanh(atanh r ± 1.96/√(n{MINUS}3)) over n pairs; of a mean with weights w, √Σ(w h)² for "
    "the halves h of the subtasks."
)
SUPPLEMENT_NOTES = [
    "Cosine: of the cosine similarity with the ratings. Classifier: of the ratings that "
    "SentEval's classifier, trained on the task's training pairs, predicts for its test pairs.",
    "Mean: of the subtasks' correlations. Weighted mean: the same, weighted by pairs. "
    "Concatenated: one correlation over the pairs of all subtasks together. The task all stands "
    "for all tasks without training pairs.",
    "The measured model of a data set is the ensemble with the best R@10 on the development set; "
    "the untrained one is the same network before training.",
]
REPORTED_NOTE = (
    "Reported: as printed in the supplement of Merkx & Frank (2019); its means are computed from "
    "those numbers."
)
MODELS_NOTES = [
    "Semantic score: the mean of the other measures without STS-B, whose pairs are taken from "
    "STS 2012 to 2016.",
    "Of several subtasks it is the mean of their correlations weighted by pairs (cosine); of a "
    "task with training pairs, the correlation by SentEval's classifier.",
    "The ensemble is of the snapshots with the best R@10 on the development set; snapshot 0 is the "
    "untrained network.",
]


SOURCES_NOTE = (
    "Sources are the organisers'. Table 1 of Merkx & Frank (2019) exchanges those of SMTeuroparl "
    "and OnWN of 2012, and those of FNWN and HDL of 2013."
)


def write_table1(stem: str | Path, tasks: pd.DataFrame) -> None:
    """Write Table 1, the tasks and their pairs, as `write.write_table` does.

    Args:
        tasks: as `results.read_tasks` gives them.
    """
    supervised = tasks["train"] > 0
    total = {"task": "Total", "subtask": "", "source": "", "train": 0, "dev": 0}
    total |= tasks.loc[~supervised, ["test", "dropped"]].sum().to_dict()
    parts = [tasks[~supervised], pd.DataFrame([total]), tasks[supervised]]
    if supervised.all():
        del parts[:2]
    shown = pd.concat(parts, ignore_index=True)
    text = shown[["task", "subtask", "source"]].fillna("")
    for column in ("train", "dev", "test", "dropped"):
        text[column] = [f"{count:,.0f}" for count in shown[column]]
    groups = np.where(shown["train"] > 0, "With training pairs", "Test pairs only")
    text.loc[shown["train"] == 0, ["train", "dev"]] = MISSING
    text.loc[text["task"] == text["task"].shift(), "task"] = ""
    title = "Ratings of the similarity of two sentences: tasks, subtasks and pairs."
    of_sts = tasks["task"].isin(["STS 2012", "STS 2013"]).any()
    notes = [*TABLE1_NOTES, SOURCES_NOTE] if of_sts else TABLE1_NOTES
    write_table(stem, tasks, text, "lllrrrr", title, notes, groups)


def table3(
    similarities: pd.DataFrame, pairs: pd.DataFrame, selected: dict[str, tuple[str, int]]
) -> pd.DataFrame:
    """For each selected model the paper's examples, and each subtask's best and worst agreement.

    Agreement is a pair's contribution to Pearson's r, z(rating) * z(prediction). Predictions count
    to a millionth: below it, those of equal sentences differ by float32's rounding.

    Args:
        similarities: as `results.read_similarities` gives them.
        pairs: as `groundvec.data.ratings.read_pairs` gives them.
        selected: as `results.selected` gives it.

    Returns:
        Columns name (of the model), system, epochs, task, subtask, agreement (example, highest or
        lowest), contribution, pair, score, cosine, classifier, prediction, sentence_a and
        sentence_b.

    Raises:
        InputError: the similarities are not of these pairs.
    """
    systems = main_systems(similarities, selected)
    systems = systems[systems["model"] == "ensemble"].reset_index(drop=True)
    of = ["task", "subtask", "score"]
    theirs = pairs[of].reindex(systems["pair"]).reset_index(drop=True)
    same = (theirs[of[:2]] == systems[of[:2]]).all(axis=1)
    same &= np.isclose(theirs["score"], systems["score"])
    if not same.all():
        row = systems.loc[same.idxmin()]
        raise InputError(
            f"the similarities of {row['system']} are not of these pairs (pair {row['pair']}, "
            f"{row['task']} {row['subtask']}): make them again"
        )
    systems["prediction"] = prediction(systems)
    subtasks = systems.round({"prediction": 6}).groupby(["name", "task", "subtask"], sort=False)
    # Of ratings or predictions that are all the same, none contributes.
    rating, predicted = (
        subtasks[column].transform(_standardised) for column in ("score", "prediction")
    )
    systems["contribution"] = (rating * predicted).round(DECIMALS)
    contribution = systems.groupby(["name", "task", "subtask"], sort=False)["contribution"]
    ends = {"highest": contribution.idxmax(), "lowest": contribution.idxmin()}
    chosen = [systems.loc[rows].assign(agreement=end) for end, rows in ends.items()]
    # A subtask's highest, and below it its lowest.
    order = np.arange(2 * contribution.ngroups).reshape(2, -1).T.ravel()
    examples = [systems[systems["pair"] == pair] for pair in _examples(pairs)]
    table = pd.concat(
        [
            *(rows.assign(agreement="example") for rows in examples),
            pd.concat(chosen, ignore_index=True).iloc[order],
        ]
    )
    table = table.merge(pairs[["sentence_a", "sentence_b"]], left_on="pair", right_index=True)
    columns = ["name", "system", "epochs", "task", "subtask", "agreement", "contribution", "pair"]
    columns += ["score", "cosine", "classifier", "prediction", "sentence_a", "sentence_b"]
    return table[columns]


def _examples(pairs: pd.DataFrame) -> list[int]:
    """The rows of the paper's examples, as far as they are among the pairs; in its order."""
    found = []
    for task, subtask, *beginnings in EXAMPLES:
        rows = pairs[(pairs["task"] == task) & (pairs["subtask"] == subtask)]
        for column, beginning in zip(("sentence_a", "sentence_b"), beginnings, strict=True):
            plain = rows[column].str.lower().str.replace(r"[^a-z0-9]", "", regex=True)
            rows = rows[plain.str.startswith(beginning)]
        found += rows.index[:1].tolist()
    return found


def _standardised(values: pd.Series) -> pd.Series:
    """z-scores; 0 where all values are the same."""
    if np.ptp(values) == 0:
        return pd.Series(0.0, values.index)
    return (values - values.mean()) / values.std(ddof=0)


def write_table3(stem: str | Path, table: pd.DataFrame) -> None:
    """Write what `table3` gives as `write.write_table` does."""
    text = pd.DataFrame(
        {
            "subtask": table["task"] + " " + table["subtask"],
            "agreement": table["agreement"],
            "rating": decimals(table["score"], 2),
            "model": decimals(table["prediction"], 2),
            "sentence a": table["sentence_a"],
            "sentence b": table["sentence_b"],
        }
    )
    text.loc[table["agreement"] == "lowest", "subtask"] = ""
    sentence = r"p{0.29\linewidth}"
    align = ["l", "l", "r", "r", sentence, sentence]
    title = "Pairs on which the model and the ratings agree most and least."
    write_table(stem, table, text, align, title, TABLE3_NOTES, table["name"])


def supplement(
    scores: pd.DataFrame, reported: pd.DataFrame, selected: dict[str, tuple[str, int]]
) -> pd.DataFrame:
    """Reported and measured correlations of the main systems, a row each.

    Args:
        scores, reported, selected: as `results.read_scores`, `results.read_reported_sts` and
            `results.selected` give them.

    Returns:
        Columns source (reported or measured), name, system, dataset, cell, seed, model, epochs,
        task, subtask, statistic, method, pairs, the correlations with their intervals, and where
        the measured ones are from. Of the reported, those of subtasks that were measured, and
        their mean and weighted mean where all subtasks of a task are reported.
    """
    measured = main_systems(scores, selected).assign(source="measured")
    subtasks = headline(measured)[["task", "subtask", "method"]].drop_duplicates()
    theirs = reported.merge(subtasks, on=["task", "subtask"]).assign(statistic="correlation")
    unsupervised = subtasks[subtasks["method"] == "cosine"]
    count = pd.concat([unsupervised["task"], unsupervised["task"].map(lambda _: "all")])
    cosines = theirs[theirs["method"] == "cosine"]
    cosines = pd.concat([cosines, cosines.assign(task="all")])
    keys = ["system", "task"]
    found = cosines.groupby(keys)["subtask"].transform("size")
    whole = cosines[found == cosines["task"].map(count.value_counts())]
    pairs = whole.groupby(keys, sort=False)["pairs"].sum().to_numpy()
    for statistic, weights in (("mean", None), ("weighted mean", "pairs")):
        mean = means(whole, keys, weights).assign(subtask="all", method="cosine", pairs=pairs)
        theirs = pd.concat([theirs, mean.assign(statistic=statistic)])
    theirs = theirs.assign(source="reported", name=theirs.pop("system") + " (reported)")
    columns = ["system", "dataset", "cell", "seed", "model", "epochs", "task", "subtask"]
    columns += ["statistic", "method", "pairs", *CORRELATIONS, *PROVENANCE]
    return pd.concat([theirs, measured], ignore_index=True)[["source", "name", *columns]]


def write_supplement(stem: Path, table: pd.DataFrame) -> None:
    """Write what `supplement` gives: Pearson's r as `write.write_table` does.

    The same of Spearman's, which was only measured, is called stem-spearman.
    """
    measured = table[table["source"] == "measured"]
    notes = SUPPLEMENT_NOTES
    if len(measured) < len(table):
        notes = [*notes, REPORTED_NOTE]
    _write_supplement(stem, table, "pearson", "Pearson's r", notes)
    beside = stem.with_name(f"{stem.name}-spearman")
    _write_supplement(beside, measured, "spearman", "Spearman's rank correlation", SUPPLEMENT_NOTES)


def _write_supplement(
    stem: Path, table: pd.DataFrame, measure: str, name: str, notes: list[str]
) -> None:
    correlation = table["statistic"] == "correlation"
    supervised = table["task"].isin(table["task"][table["method"] == "classifier"])
    blocks = [
        headline(table).assign(block="Each subtask"),
        table[~correlation].assign(block="Means of subtasks, and their pairs concatenated"),
        table[correlation & supervised].assign(block="Tasks with training pairs, by both methods"),
    ]
    shown = pd.concat(blocks, ignore_index=True)
    of_subtask = shown["statistic"] == "correlation"
    shown["measure"] = shown["method"].where(of_subtask, shown["statistic"])
    shown["cell"] = with_interval(shown, measure)
    keys = ["block", "task", "subtask", "measure"]
    rows = shown.loc[shown["source"] == "measured", [*keys, "pairs"]].drop_duplicates(keys)
    cells = shown.pivot(index=keys, columns="name", values="cell")[shown["name"].unique()]
    text = rows.merge(cells, left_on=keys, right_index=True).fillna(MISSING)
    text["pairs"] = [f"{pairs:,.0f}" for pairs in text["pairs"]]
    write_table(
        stem,
        table,
        text.drop(columns="block"),
        "lllr" + "r" * cells.shape[1],
        f"{name} of ratings and predicted similarities.",
        [INTERVALS.format(name), *notes],
        text["block"],
        landscape=True,
    )


def with_interval(table: pd.DataFrame, measure: str = "pearson") -> list[str]:
    """Correlations in percent with both halves of their intervals: 49.1 +5.2 -5.6."""
    r, low, high = (table[f"{measure}{end}"] * 100 for end in ("", "_low", "_high"))
    halves = zip(decimals(r), decimals(high - r), decimals(r - low), strict=True)
    return [
        MISSING if value == MISSING else f"{value} +{up} {MINUS}{down}"
        for value, up, down in halves
    ]


def models(scores: pd.DataFrame) -> pd.DataFrame:
    """`results.semantic_measures` of every ensemble, snapshot and baseline, and their origin."""
    measures = semantic_measures(scores).sort_values("model", kind="stable")
    baseline = measures["model"] == "baseline"
    table = pd.concat([in_grid_order(measures[~baseline]), measures[baseline]])
    keys = ["system", "model", "epochs"]
    return table.merge(scores[[*keys, *PROVENANCE]].drop_duplicates(keys), on=keys)


def write_models(stem: str | Path, table: pd.DataFrame) -> None:
    """Write what `models` gives as `write.write_table` does, a row for each model."""
    ours = table["model"] != "baseline"
    shown = pd.DataFrame(
        {
            "group": table["dataset"].replace(NAMES).where(ours, "Baselines"),
            "model": (table["cell"] + ", seed " + table["seed"].astype(str)).where(
                ours, table["system"]
            ),
            "epochs": (table["model"] + " " + table["epochs"]).where(ours, ""),
            "measure": table["measure"],
            "cell": with_interval(table),
        }
    )
    keys = ["group", "model", "epochs"]
    cells = shown.pivot(index=keys, columns="measure", values="cell")[shown["measure"].unique()]
    text = shown[keys].drop_duplicates().merge(cells, left_on=keys, right_index=True)
    text = text.fillna(MISSING)
    write_table(
        stem,
        table,
        text.drop(columns="group"),
        "ll" + "r" * cells.shape[1],
        "Correlation of every model with the ratings.",
        [INTERVALS.format("Pearson's r"), *MODELS_NOTES],
        text["group"],
    )
