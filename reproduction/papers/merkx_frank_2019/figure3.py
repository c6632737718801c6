"""Figure 3 of Merkx & Frank (2019): every subtask of the semantic evaluation."""

from pathlib import Path

import pandas as pd

from groundvec.evaluation.files import headline
from groundvec.results.schemas import Scores
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.figures import CORRELATION, forest
from reproduction.render.style import save
from reproduction.reporting.measures import as_values
from reproduction.reporting.results import Results
from reproduction.reporting.systems import main_systems


def make(results: Results, stem: Path) -> None:
    """Draw Figure 3."""
    reported = read_correlations(results.reported_file("table_s1"))
    table = correlation_by_subtask(results.scores, results.selected, reported)
    save(forest(table, f"{CORRELATION} (95% interval); in brackets, the number of pairs"), stem)


def correlation_by_subtask(
    scores: Scores, selected: dict[str, tuple[str, int]], reported: pd.DataFrame
) -> pd.DataFrame:
    """List Pearson's r of every system on every subtask, for `forest`.

    Untrained networks and baselines that count trigrams are marked as baselines, which know
    spelling only. Reported numbers, with hollow markers, are those of measured subtasks.
    """
    measured = as_values(main_systems(headline(scores), selected)).assign(open=False)
    is_baseline = measured["kind"].eq("snapshot") | measured["encoder"].eq("trigrams")
    measured["series"] = measured["name"] + is_baseline.map({True: " (baseline)", False: ""})
    rows = measured.drop_duplicates(["task", "subtask"])
    pairs = rows["pairs"].map(" ({:,.0f})".format)
    rows = rows[["task", "subtask"]].assign(row=rows["task"] + " " + rows["subtask"] + pairs)
    printed = as_values(reported).assign(open=True, series=reported["system"] + " (reported)")
    return pd.concat([measured, printed]).merge(rows).assign(panel="")
