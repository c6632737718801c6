"""Scores of an encoder as a printed table, with the definitions that they follow."""

import re
from pathlib import Path

import pandas as pd

from groundvec.data.ratings import GROUPS, TASKS

KEYS = ["task", "subtask", "definition", "statistic", "pairs"]
DEFINITIONS = {
    "SentEval cosine": "Cosine of the two vectors, test pairs of each subtask. The sentences are "
    f"tokenized (Moses), and for {GROUPS[0]} and {GROUPS[1]} in lower case.",
    "SentEval classifier": "Softmax layer on [|u - v|, u * v], trained on the train pairs and "
    "stopped by the dev pairs (seed 1111); expected grade of the test pairs. Same sentences.",
    "MTEB cosine": "Cosine of the two vectors of the raw sentences, without training. All test "
    "pairs of a task together; for SICK also train and dev pairs. MTEB's score is Spearman.",
}
# The scores that papers quote most: task, definition and statistic.
QUOTED = {
    ("all", "SentEval cosine", "weighted mean"): "{years}, cosine, Pearson, mean weighted by pairs",
    ("STS-B", "SentEval classifier", "correlation"): "STS-B, classifier, Pearson",
    ("SICK", "SentEval classifier", "correlation"): "SICK, classifier, Pearson",
}
# Columns and values as papers write them.
HEADINGS = {
    "test_set": "test set",
    "r1": "R@1",
    "r5": "R@5",
    "r10": "R@10",
    "median_rank": "median rank",
    "mean_rank": "mean rank",
    "pearson": "Pearson",
    "spearman": "Spearman",
}
DIRECTIONS = {"caption_to_image": "Image retrieval", "image_to_caption": "Caption retrieval"}
# Scores of encoders that others published, as docs/evaluate.md shows them.
PUBLISHED = Path(__file__).with_name("published.csv")
BOLD = re.compile(r"\*\*(.*)\*\*")  # the best score, as in Markdown
# For LaTeX, whose text fonts have no < and >.
ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    | {"<": "$<$", ">": "$>$"}
)
MINUS = re.compile(r"(?<![^ [])-(?=[\d ])")  # and no hyphen


def score_table(scores: pd.DataFrame) -> str:
    """Write the scores of `groundvec.evaluate.ratings` or `retrieval`, and how they were computed.

    Correlations are times 100. The most quoted ones come first.
    """
    lines = quoted(scores) if "definition" in scores else []
    return "\n".join([*lines, printed(texts(scores), notes(scores))])


def printed(table: pd.DataFrame, notes: list[str]) -> str:
    """Write a table of texts for a terminal, with notes below it."""
    return "\n".join([table.to_string(index=False), "", *notes])


def encoder_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Write several encoders' scores: one row per encoder and one column per task.

    Args:
        table: the result of `groundvec.evaluate.table`.
    """
    scores = (100 * table["pearson"]).map("{:.1f}".format)
    marked = scores.mask(table["best"], "**" + scores + "**")
    is_classified = table["definition"].eq("SentEval classifier")
    headings = table["task"] + is_classified.map({True: ", classifier", False: ""})
    cells = table.assign(text=marked, heading=headings)
    wide = cells.pivot(index="encoder", columns="heading", values="text")
    wide = wide.loc[table["encoder"].unique(), headings.unique()]
    return wide.rename_axis(columns=None).reset_index()


def comparison_texts(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Write the rows of `groundvec.evaluate.compare`, one per task, and a note on their numbers."""
    headings = ["A", "B", "A - B", "from", "to"]
    if "direction" in rows:
        parts = [rows["direction"].map(DIRECTIONS), rows["measure"].map(HEADINGS)]
        if rows["test_set"].nunique() > 1:
            parts.append(rows["test_set"])
        values = rows[["a", "b", "difference", "low", "high"]]
        note = "Recalls in percent; the 95% interval of A - B. p: paired bootstrap over images"
    else:
        parts = [rows["task"].replace("all", "STS"), rows["subtask"]]
        values = 100 * rows[["r_a", "r_b"]]
        values = values.assign(difference=values["r_a"] - values["r_b"])
        note = "Pearson's r times 100. p: Williams' test, and for the mean a paired bootstrap"
    table = values.map("{:.1f}".format)
    table.columns = headings[: table.shape[1]]
    table.insert(0, "task", pd.concat(parts, axis=1).astype(str).agg(", ".join, axis=1))
    table["p"] = rows["p_holm"].map("{:.4f}".format).replace("0.0000", "< 0.0001")
    return table, f"{note}, corrected for all rows (Holm)."


def markdown(table: pd.DataFrame, notes: list[str]) -> str:
    """Write a table of texts as Markdown, with notes below it."""
    rows: list[list[str]] = [list(map(str, table)), ["---"] * table.shape[1]]
    rows += table.astype(str).to_numpy().tolist()
    lines = [f"| {' | '.join(row)} |" for row in rows]
    escaped = [f"- {note}".replace("|", "\\|") for note in notes]
    return "\n".join([*lines, "", *escaped]) + "\n"


def latex(table: pd.DataFrame, notes: list[str], labels: int) -> str:
    """Write a table of texts as LaTeX with booktabs, with notes above it.

    Args:
        labels: the number of columns without numbers, which come first. Numbers are aligned right:
            all have one decimal.
    """
    head, *rows = [
        " & ".join(_escaped(str(cell)) for cell in row) + r" \\"
        for row in [list(table), *table.to_numpy().tolist()]
    ]
    columns = "l" * labels + "r" * (table.shape[1] - labels)
    begin = rf"\begin{{tabular}}{{{columns}}}"
    lines = [begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    comments = [f"% {note}" for note in [*notes, r"It needs \usepackage{booktabs}."]]
    return "\n".join([*comments, *lines]) + "\n"


def _escaped(cell: str) -> str:
    """Escape a cell for LaTeX, but keep bold text."""
    escaped = MINUS.sub("$-$", cell.translate(ESCAPED))
    return BOLD.sub(r"\\textbf{\1}", escaped)


def texts(scores: pd.DataFrame) -> pd.DataFrame:
    """Write the numbers with one decimal and their intervals; correlations are times 100."""
    is_retrieval = "definition" not in scores
    factor = 1 if is_retrieval else 100
    table = scores[["direction", "test_set"] if is_retrieval else KEYS].copy()
    for name in scores:
        has_interval = f"{name}_low" in scores
        if has_interval or name == "median_rank":
            table[name] = [f"{factor * value:.1f}" for value in scores[name]]
        elif name in ("seen", "queries"):
            table[name] = scores[name]
        if has_interval:
            ends = zip(scores[f"{name}_low"], scores[f"{name}_high"], strict=True)
            table[name] += [f" [{factor * low:.1f}, {factor * high:.1f}]" for low, high in ends]
    if is_retrieval:
        table["direction"] = table["direction"].map(DIRECTIONS)
    else:
        table["statistic"] = table["statistic"].replace("mean", "unweighted mean")
    return table.rename(columns=HEADINGS)


def quoted(scores: pd.DataFrame) -> list[str]:
    """Write the scores that papers quote most, one per line, and an empty line."""
    pearson = scores.set_index(["task", "definition", "statistic"])["pearson"].to_dict()
    # The mean of all years is of the years that were asked for.
    means = scores[scores["statistic"].eq("weighted mean") & scores["task"].ne("all")]
    tasks = list(means["task"].unique())
    years = "STS 2012-2016" if tasks == list(TASKS[:5]) else ", ".join(tasks)
    lines = [
        f"{name.format(years=years)}: {100 * pearson[key]:.1f}"
        for key, name in QUOTED.items()
        if key in pearson
    ]
    mteb = scores[scores["definition"] == "MTEB cosine"]
    title = (
        f"MTEB, cosine, Spearman, unweighted mean of {len(mteb)} task{'s' if len(mteb) > 1 else ''}"
    )
    lines.append(f"{title}: {100 * mteb['spearman'].mean():.1f}")
    published = pd.read_csv(PUBLISHED)
    of_tasks = published[published["task"].isin(mteb["task"])]
    for encoder, mean in of_tasks.groupby("encoder", sort=False)["spearman"].mean().items():
        lines.append(f"  {encoder}, as published: {100 * mean:.1f}")
    return [*lines, ""]


def notes(scores: pd.DataFrame) -> list[str]:
    """Write how the scores of ratings, or of retrieval, were computed."""
    if "definition" in scores:
        definitions = [f"{name}: {DEFINITIONS[name]}" for name in scores["definition"].unique()]
        return [
            "Correlations times 100, with 95% intervals (Fisher's). Means are of the subtasks, "
            "weighted by pairs or not; concatenated: all pairs together.",
            *definitions,
        ]
    first = scores.iloc[0]  # both directions have the same test set and protocol
    counted = [
        f"{DIRECTIONS[row['direction']]}: {row['counted']}." for row in scores.to_dict("records")
    ]
    return [
        f"{first['images']:,} images, captions per image: {first['captions_per_image']}.",
        f"Similarity: {first['similarity']}. Bank: {first['bank']}. "
        f"Folds: {first['folds']} ({first['of_folds']}).",
        *counted,
        f"Ties: {first['ties']}. Median of an even number: {first['median']}. Intervals: 95%; of "
        "recalls Wilson's, of mean ranks by bootstrap over images.",
    ]
