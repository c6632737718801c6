"""The table in the supplement of Merkx & Frank (2019): correlations with ratings."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import MINUS, MISSING, decimals
from groundvec.evaluation.files import SEEN_NOTE, headline
from groundvec.evaluation.overlap import KEYS, SEEN
from groundvec.results.schemas import Overlap, Scores
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.tables import TIMES, wide, write_table
from reproduction.reporting.measures import means
from reproduction.reporting.results import CORRELATIONS, UNSEEN_CORRELATIONS, Results
from reproduction.reporting.systems import (
    NAMES,
    PROVENANCE,
    criterion,
    every_system,
    main_systems,
    model_name,
)

INTERVALS = (
    f"{{}} {TIMES} 100, followed by the upper and lower half of the 95% interval: Fisher's, "
    f"tanh(atanh r ± 1.96/√(n{MINUS}3)) over n pairs; for a mean with weights w, √Σ(w h)² with "
    "the halves h of the subtasks."
)
NOTES = [
    "Cosine: correlation of the ratings with the cosines of the embeddings. Classifier: with the "
    "predictions of SentEval's classifier, which is trained on the task's training pairs.",
    "Mean: mean of the subtasks' correlations. Weighted mean: the same, weighted by pairs. "
    "Concatenated: one correlation over the pairs of all subtasks together. The task all means all "
    "tasks without training pairs.",
]
REPORTED_NOTE = (
    "Reported: as printed in the supplement of Merkx & Frank (2019), except the lower ends of "
    "Deft-forum, which were exchanged there (by Fisher's formula). Reported means are computed "
    "from these numbers."
)
MODELS_NOTES = [
    "Semantic score: the mean of the other measures without STS-B, whose pairs are taken from "
    "STS 2012 to 2016.",
    "For several subtasks, the mean of their correlations weighted by pairs (cosine); for a task "
    "with training pairs, the correlation by SentEval's classifier.",
    "The ensemble combines the snapshots with the best R@10 on the development set. Snapshot 0 is "
    "the untrained network.",
]
SYSTEMS_NOTE = (
    "The measured model of a data set is the ensemble of {}. A name with an epoch is the best "
    "single snapshot of the same training at the end of a cycle, by R@10 on the development set. "
    "The paper does not name which of the two it reports. Untrained: the same network before "
    "training."
)


def make(results: Results, stem: Path) -> None:
    """Write the supplement's table, the same with rank correlations, and a table of every model."""
    reported = read_correlations(results.reported_file("table_s1"))
    snapshots = results.best_snapshots
    table = table_s1(results.scores, results.overlap, reported, results.selected, snapshots)
    measured = table.query("source == 'measured'")
    notes = [*NOTES, SEEN_NOTE, SYSTEMS_NOTE.format(criterion(results.select))]
    reported_notes = [REPORTED_NOTE] if len(measured) < len(table) else []
    _write(stem, table, "pearson", "Pearson's r", [*notes, *reported_notes])
    spearman_stem = stem.with_name(f"{stem.name}-spearman")
    _write(spearman_stem, measured, "spearman", "Spearman's rank correlation", notes)
    models_stem = stem.with_name(f"{stem.name}-models")
    _write_models(models_stem, every_system(results.scores, results.models))


def table_s1(
    scores: Scores,
    overlap: Overlap,
    reported: pd.DataFrame,
    selected: dict[str, tuple[str, int]],
    snapshots: dict[str, int],
) -> pd.DataFrame:
    """Join the reported and measured correlations of the main systems.

    Reported subtasks are those that were measured. Reported means are computed if all subtasks of a
    task are reported. Only trained models have the columns `seen` and `unseen_...`.
    """
    measured = main_systems(scores, selected, snapshots).assign(source="measured")
    keys = ["system", "kind", "epochs", *KEYS]
    measured = measured.merge(overlap[[*keys, *SEEN, *UNSEEN_CORRELATIONS]], "left", keys)
    subtasks = headline(measured)[["task", "subtask", "method"]].drop_duplicates()
    printed = reported.merge(subtasks, on=["task", "subtask"]).assign(statistic="correlation")
    # Every subtask counts for its task, and for the task `all`.
    unsupervised = subtasks.query("method == 'cosine'")
    tasks = pd.concat([unsupervised["task"], unsupervised["task"].map(lambda _: "all")])
    cosines = printed.query("method == 'cosine'")
    cosines = pd.concat([cosines, cosines.assign(task="all")])
    keys = ["system", "task"]
    count = cosines.groupby(keys)["subtask"].transform("size")
    whole = cosines[count == cosines["task"].map(tasks.value_counts())]
    pairs = whole.groupby(keys, sort=False)["pairs"].sum().to_numpy()
    for statistic, weights in (("mean", None), ("weighted mean", "pairs")):
        mean = means(whole, keys, weights).assign(subtask="all", method="cosine", pairs=pairs)
        printed = pd.concat([printed, mean.assign(statistic=statistic)])
    printed = printed.assign(source="reported", name=printed.pop("system") + " (reported)")
    columns = ["system", "dataset", "model", "seed", "kind", "epochs", "encoder", "task", "subtask"]
    columns += ["statistic", "method", "pairs", *CORRELATIONS, *SEEN, *UNSEEN_CORRELATIONS]
    columns = ["source", "name", *columns, *PROVENANCE]
    return pd.concat([printed, measured], ignore_index=True)[columns]


def _write(stem: Path, table: pd.DataFrame, measure: str, name: str, notes: list[str]) -> None:
    """Write a measure of the main systems: each subtask, then the means, then supervised tasks."""
    correlation = table["statistic"] == "correlation"
    # Tasks with a classifier are listed twice: by the classifier first, later by both methods.
    supervised = table["task"].isin(table["task"][table["method"] == "classifier"])
    blocks = [
        headline(table).assign(block="Each subtask"),
        table[~correlation].assign(block="Means of subtasks, and their pairs concatenated"),
        table[correlation & supervised].assign(block="Tasks with training pairs, by both methods"),
    ]
    stacked = pd.concat(blocks, ignore_index=True)
    of_subtask = stacked["statistic"] == "correlation"
    stacked["measure"] = stacked["method"].where(of_subtask, stacked["statistic"])
    stacked["text"] = with_interval(stacked, measure)
    # Columns: the numbers of seen pairs, the systems, and the ensembles and untrained networks
    # again on unseen pairs.
    trained = stacked.dropna(subset="seen")
    ensembles = trained.query("kind == 'ensemble'")
    names = "seen (" + ensembles["dataset"].replace(NAMES) + ")"
    seen = ensembles.assign(name=names, text=ensembles["seen"].map("{:,.0f}".format))
    unseen = pd.concat([ensembles, trained.query("epochs == '0'")])
    unseen["text"] = with_interval(unseen, f"unseen_{measure}")
    unseen["name"] += ", unseen pairs"
    stacked = pd.concat([seen, stacked, unseen], ignore_index=True)
    keys = ["block", "task", "subtask", "measure"]
    # Rows are in the order of the measured subtasks.
    rows = stacked.query("source == 'measured'")[[*keys, "pairs"]].drop_duplicates(keys)
    values = stacked.pivot(index=keys, columns="name", values="text")[stacked["name"].unique()]
    text = rows.merge(values, left_on=keys, right_index=True).fillna(MISSING)
    text["pairs"] = [f"{pairs:,.0f}" for pairs in text["pairs"]]
    title = f"{name} of the ratings and the systems' predictions."
    align = "lllr" + "r" * values.shape[1]
    notes = [INTERVALS.format(name), *notes]
    groups = text.pop("block")
    write_table(stem, table, text, align, title, notes, groups, landscape=True)


def with_interval(table: pd.DataFrame, measure: str = "pearson") -> list[str]:
    """Write correlations in percent with both halves of their intervals: 49.1 +5.2 -5.6."""
    r = 100 * table[measure]
    low = 100 * table[f"{measure}_low"]
    high = 100 * table[f"{measure}_high"]
    halves = zip(decimals(r), decimals(high - r), decimals(r - low), strict=True)
    return [
        MISSING if value == MISSING else f"{value} +{up} {MINUS}{down}"
        for value, up, down in halves
    ]


def _write_models(stem: Path, table: pd.DataFrame) -> None:
    """Write the semantic measures of every ensemble, snapshot and baseline."""
    trained = table["kind"] != "baseline"
    cells = table[["measure"]].assign(
        group=table["dataset"].replace(NAMES).where(trained, "Baselines"),
        model=model_name(table).where(trained, table["system"]),
        epochs=(table["kind"] + " " + table["epochs"]).where(trained, ""),
        text=with_interval(table),
    )
    text = wide(cells, ["group", "model", "epochs"])
    title = "Correlation of every model with the ratings."
    notes = [INTERVALS.format("Pearson's r"), *MODELS_NOTES]
    groups = text.pop("group")
    write_table(stem, table, text, "ll" + "r" * (text.shape[1] - 2), title, notes, groups)
