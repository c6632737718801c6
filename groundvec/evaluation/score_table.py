"""Scores of an encoder as a printed table, with the definitions that they follow."""

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
    ("all", "SentEval cosine", "weighted mean"): "{years}, cosine, mean weighted by pairs",
    ("STS-B", "SentEval classifier", "correlation"): "STS-B, classifier",
    ("SICK", "SentEval classifier", "correlation"): "SICK, classifier",
}
# Scores of encoders that others published, as docs/evaluate.md shows them.
PUBLISHED = Path(__file__).with_name("published.csv")
ESCAPED = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"})  # for LaTeX


def score_table(scores: pd.DataFrame) -> str:
    """Write the scores of `groundvec.evaluate.ratings` or `retrieval`, and how they were computed.

    Correlations are times 100. The most quoted ones come first.
    """
    quoted = _quoted(scores) if "definition" in scores else []
    return "\n".join([*quoted, _texts(scores).to_string(index=False), "", *_notes(scores)])


def markdown(scores: pd.DataFrame) -> str:
    """Write the scores as a Markdown table, and below it how they were computed."""
    table = _texts(scores)
    rows: list[list[str]] = [list(map(str, table)), ["---"] * table.shape[1]]
    rows += table.astype(str).to_numpy().tolist()
    lines = [f"| {' | '.join(row)} |" for row in rows]
    notes = [f"- {note}".replace("|", "\\|") for note in _notes(scores)]
    return "\n".join([*lines, "", *notes]) + "\n"


def latex(scores: pd.DataFrame) -> str:
    """Write the scores as a table of LaTeX with booktabs, and above it how they were computed."""
    table = _texts(scores)
    head, *rows = [
        " & ".join(str(cell).translate(ESCAPED) for cell in row) + r" \\"
        for row in [list(table), *table.to_numpy().tolist()]
    ]
    begin = rf"\begin{{tabular}}{{{'l' * table.shape[1]}}}"
    lines = [begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    notes = [f"% {note}" for note in _notes(scores)]
    return "\n".join([*notes, *lines]) + "\n"


def _texts(scores: pd.DataFrame) -> pd.DataFrame:
    """Write the numbers with one decimal and their intervals; correlations are times 100."""
    is_retrieval = "definition" not in scores
    factor = 1 if is_retrieval else 100
    texts = scores[["direction", "test_set"] if is_retrieval else KEYS].copy()
    for name in scores:
        has_interval = f"{name}_low" in scores
        if has_interval or name == "median_rank":
            texts[name] = [f"{factor * value:.1f}" for value in scores[name]]
        elif name in ("seen", "queries"):
            texts[name] = scores[name]
        if has_interval:
            ends = zip(scores[f"{name}_low"], scores[f"{name}_high"], strict=True)
            texts[name] += [f" [{factor * low:.1f}, {factor * high:.1f}]" for low, high in ends]
    return texts


def _quoted(scores: pd.DataFrame) -> list[str]:
    """Write the scores that papers quote most, one per line, and an empty line."""
    pearson = scores.set_index(["task", "definition", "statistic"])["pearson"]
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
    title = f"MTEB, Spearman, mean of {len(mteb)} task{'s' if len(mteb) > 1 else ''}"
    lines.append(f"{title}: {100 * mteb['spearman'].mean():.1f}")
    published = pd.read_csv(PUBLISHED)
    of_tasks = published[published["task"].isin(mteb["task"])]
    for encoder, mean in of_tasks.groupby("encoder", sort=False)["spearman"].mean().items():
        lines.append(f"  {encoder}, as published: {100 * mean:.1f}")
    return [*lines, ""]


def _notes(scores: pd.DataFrame) -> list[str]:
    """Write how the scores of ratings, or of retrieval, were computed."""
    if "definition" in scores:
        definitions = [f"{name}: {DEFINITIONS[name]}" for name in scores["definition"].unique()]
        return ["Correlations times 100, with 95% intervals (Fisher's).", *definitions]
    first = scores.iloc[0]  # both directions have the same test set and protocol
    counted = [f"{row['direction']}: {row['counted']}." for row in scores.to_dict("records")]
    return [
        f"{first['images']:,} images, captions per image: {first['captions_per_image']}.",
        f"Similarity: {first['similarity']}. Bank: {first['bank']}. "
        f"Folds: {first['folds']} ({first['of_folds']}).",
        *counted,
        f"Ties: {first['ties']}. Median of an even number: {first['median']}. Intervals: 95%; of "
        "recalls Wilson's, of mean ranks by bootstrap over images.",
    ]
