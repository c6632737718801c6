"""Build the page from existing result files, without computing any of them again."""

import os
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from groundvec.card.templates import fill, listed
from groundvec.card.text import MINUS, MISSING, number
from groundvec.model.folder import checked
from groundvec.provenance import provenance
from groundvec.results.frames import read_all, read_csv, schema_of, shape_of
from groundvec.results.schemas import Claims, History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json
from reproduction.page.claims import WIDTH, claims
from reproduction.page.gallery import small_picture
from reproduction.papers import NOT_CLAIMED, known
from reproduction.render.figures import learning_curves
from reproduction.render.samples import TOP
from reproduction.render.tables import read_table
from reproduction.render.vector import svg
from reproduction.reporting.claims import FAILS, HOLDS, OPEN, VERDICTS, read
from reproduction.reporting.measures import whole
from reproduction.reporting.reported_vs_measured import ABOVE, BELOW, INSIDE, compare
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, PROVENANCE, rows_of
from reproduction.scenes.ratings import SOURCES

TASKS = {
    "to_images": "caption → pictures",
    "to_captions": "picture → captions",
    "to_sentences": "caption → captions",
}
# Signs and CSS classes of verdicts, and of reported numbers relative to an interval.
SIGNS = {HOLDS: "✓", FAILS: "✗", OPEN: "?", INSIDE: "✓", ABOVE: "▲", BELOW: "▼"}
CLASSES = {HOLDS: "good", FAILS: "bad", OPEN: "open", INSIDE: "good", ABOVE: "bad", BELOW: "bad"}
# File formats of tables and figures that the page links, and their suffixes.
FORMS = {
    "CSV": ".csv",
    "LaTeX": ".tex",
    "Markdown": ".md",
    "SVG": ".svg",
    "PDF": ".pdf",
    "PNG": ".png",
}
# The keys that are read from a gallery's file.
QUERY: dict[str, Any] = {
    "type": "object",
    "required": ["image", "caption", "found"],
    "properties": {
        "found": {"type": "array", "items": {"type": "object", "required": ["rank", "right"]}}
    },
}
SHOWN_MODEL: dict[str, Any] = {
    "type": "object",
    "required": ["dataset", "model", "seed", "language", *TASKS],
    "properties": {task: {"type": "array", "items": QUERY} for task in TASKS},
}
THUMBNAIL: dict[str, Any] = {"type": "object", "required": ["webp", "caption"]}
GALLERY: dict[str, Any] = {
    "required": ["dataset", "own", "drawn", "images", "captions", "models", "thumbnails"],
    "properties": {
        "images": {"type": "integer", "minimum": 1},
        "captions": {"type": "integer", "minimum": 1},
        "models": {"type": "array", "minItems": 1, "items": SHOWN_MODEL},
        "thumbnails": {"type": "object", "additionalProperties": THUMBNAIL},
    },
}
WIDEST = 1400  # the width of a figure with images, in pixels
FIRST = 6  # queries that are visible before a reader asks for more
SPACE = "\N{NO-BREAK SPACE}"


def page(results: Results) -> str:
    """Build the page of an experiment as HTML that needs no other file.

    It links the files of tables and figures. Papers have the order of their tables and figures.

    Args:
        results: experiment (its name), output (the path of the page), tables (CSV files, each with
            a JSON file of the same name), figures (SVG files, each with a PNG file of the same
            name), histories, retrieval, galleries (JSON files of `gallery`, one per data set), and
            optionally try_it, the HTML of a panel that runs the encoder. The folder of a table or
            figure ends in PAPER/tables or PAPER/figures.
    """
    folder = results["output"].parent
    tables = [_table(path, folder) for path in results["tables"]]
    figures = [_figure(path, folder) for path in results["figures"]]
    galleries = [_gallery(path) for path in results["galleries"]]
    try_it = results.given.get("try_it")
    thumbnails = _number_thumbnails(galleries)
    trained = results.retrieval[["dataset", "model"]].drop_duplicates()
    # The papers' claims compare models, so a single model cannot support or contradict them.
    compares = len(trained) > 1
    if not compares:
        tables = [table for table in tables if not (table["verdicts"] or table["claims"])]
    own_data = all(gallery["own"] for gallery in galleries)
    papers = _papers(tables, figures)
    shows_papers = compares and not own_data
    drawn_sets = [gallery["dataset"] for gallery in galleries if gallery["drawn"]]
    values = dict(
        experiment=results["experiment"],
        title=title(trained),
        papers=papers,
        own=own_data,
        beside=[paper for paper in papers if not paper["about"].follows] if shows_papers else [],
        best=_best(results, galleries, tables),
        galleries=galleries,
        tasks=TASKS,
        first=FIRST,
        thumbnails=thumbnails,
        numbers={gallery["dataset"]: _thumbnail_numbers(gallery) for gallery in galleries},
        training=_training(results),
        disagreements=_disagreements(tables),
        drawn=_of_drawn_scenes(tables),
        drawn_sets=[NAMES.get(name, name) for name in drawn_sets],
        provenance=_provenance(tables),
        made=provenance(),
        try_it=Markup(_read(try_it)) if try_it else "",
        signs=SIGNS,
        width=WIDTH,
        classes=CLASSES,
        names=NAMES,
    )
    filters: dict[str, Any] = {"number": number, "breakable": breakable}
    return fill(Path(__file__).with_suffix(".html"), values, filters, autoescape=True)


def title(trained: pd.DataFrame) -> str:
    """Name the run: `Flickr8k and scenes: 2 models`, or `Flickr8k: MODEL` for a single model."""
    datasets = [NAMES.get(name, name) for name in trained["dataset"].unique()]
    models = trained["model"].iloc[0] if len(trained) == 1 else f"{len(trained)} models"
    return f"{listed(datasets)}: {models}"


def breakable(cell: str) -> str:
    """Allow a line break in `27.5 ± 1.2`, a number with its interval, only before the interval."""
    return re.sub(rf"^([\d.,{MINUS}]+){SPACE}", r"\1 ", cell.replace(" ", SPACE))


def label(name: str) -> str:
    """Name a table or figure: `Table S1`, `Section 4.3.4`, `Samples, few-scenes`."""
    first, *suffix = name.split(sep="-", maxsplit=1)
    numbered = re.fullmatch(r"(table|figure|section)_?(s?\d[\d_]*)", first)
    if numbered:
        first = f"{numbered[1]} {numbered[2].replace('_', '.').upper()}"
    text = ", ".join([first.replace("_", " "), *suffix])
    return text[:1].upper() + text[1:]


def _read(path: Path) -> str:
    """Read a text file; InputError if it is missing or no text."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it first") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text: delete it and make it again") from None


def caption(text: str) -> Markup:
    """Convert a caption from reStructuredText to HTML; its emphasis may span several lines."""
    marks = {"``": "code", "**": "strong", "*": "em"}
    # A mark, text without spaces at its ends, and the same mark.
    html = re.sub(
        r"(``|\*\*|\*)(\S(?:.*?\S)??)\1",
        lambda match: f"<{marks[match[1]]}>{match[2]}</{marks[match[1]]}>",
        escape(" ".join(text.split())),
    )
    return Markup(html)


def _about(path: Path, folder: Path) -> dict[str, Any]:
    """Describe a table or figure of a paper, with links from the page's folder to its files."""
    paper = path.parts[-3] if len(path.parts) > 2 else ""
    name = path.stem
    if paper not in known():
        names = ", ".join(known())
        raise InputError(f"{path} is not in a paper's folder: pass files from one of {names}")
    item = known()[paper].item(name)
    return {
        "paper": paper,
        "name": name,
        "id": f"{paper}-{name}",
        "label": label(name),
        "caption": caption(item.text),
        "files": _files(path, folder),
        "verdicts": item.verdicts,
        "reported": bool(item.reported),
    }


def _files(path: Path, folder: Path) -> dict[str, str]:
    """Return the addresses of a table's or figure's files relative to a folder, by format."""
    forms = {form: path.with_suffix(suffix) for form, suffix in FORMS.items()}
    return {
        form: quote(Path(os.path.relpath(file, folder)).as_posix())
        for form, file in forms.items()
        if file.is_file()
    }


def _table(path: Path, folder: Path) -> dict[str, Any]:
    """Read a table: its description, its formatted cells and its CSV file."""
    about = _about(path, folder)
    content = read_csv(path)
    with shape_of(path):
        comparisons = compare(about["paper"], about["name"], content)
    return about | {
        "shown": read_table(path.with_suffix(".json")),
        "content": content,
        "claims": claims(read(path)) if {*schema_of(Claims).columns} <= {*content} else [],
        "compared": comparisons.to_dict("records"),
    }


def _figure(path: Path, folder: Path) -> dict[str, Any]:
    """Read a figure as SVG, or as a WebP image if it contains images."""
    about = _about(path, folder)
    text = _read(path)
    if "<svg" not in text:
        raise InputError(f"{path} is not an SVG file: delete it and make it again")
    if "<image" in text:
        picture = small_picture(path.with_suffix(".png"), (WIDEST, 10**5), quality=70)
        return about | picture | {"svg": ""}
    return about | {"webp": "", "svg": inline(text, about["id"])}


def inline(text: str, prefix: str) -> Markup:
    """Convert an SVG file to an element of a page, with unique ids.

    The style property `--points` has the width on paper in points.
    """
    # Remove metadata and comments.
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<!--.*?-->", "", text[text.index("<svg") :])
    # Two figures of a page may use the same ids, so each gets a prefix.
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(
        r'<svg [^>]*?viewBox="(\S+ \S+ (\S+) \S+)"[^>]*>',
        rf'<svg viewBox="\1" style="--points:\2" role="img" aria-labelledby="{prefix}-caption">',
        text,
        count=1,
    )
    return Markup(re.sub(r"\n\s*", "\n", text.replace("xlink:href", "href")))


def _papers(tables: list[dict[str, Any]], figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group tables and figures by paper, and count the claims that hold.

    Tables of claims have their own section. A paper's first table with reported numbers starts
    open.
    """
    papers = []
    # Numbered tables first, in the order of their names.
    numbered = sorted(tables, key=lambda table: (table["name"][:5] != "table", table["name"]))
    for key in dict.fromkeys(item["paper"] for item in [*tables, *figures]):
        paper = known()[key]
        own = [table for table in numbered if table["paper"] == key]
        all_claims = [claim for table in own for claim in table["claims"]]
        own_claims = [claim for claim in all_claims if not claim["claim"].startswith(NOT_CLAIMED)]
        counts = {name: sum(claim["verdicts"][name] for claim in own_claims) for name in VERDICTS}
        comparisons = [row for table in own for row in table["compared"]]
        plain = [table for table in own if not (table["verdicts"] or table["claims"])]
        # False sorts before True, and `min` returns the first of several equals.
        first = min(plain, key=lambda table: not table["reported"], default=None)
        papers.append(
            {
                "key": key,
                "about": paper,
                "claims": all_claims,
                "of_claims": [table for table in own if table["claims"]],
                "verdicts": counts,
                "tests": [table for table in own if table["verdicts"]],
                "tables": plain,
                "first": first,
                "figures": [figure for figure in figures if figure["paper"] == key],
                "compared": [table for table in own if table["compared"]],
                "inside": sum(row["verdict"] == INSIDE for row in comparisons),
                "comparisons": len(comparisons),
            }
        )
    return papers


def _gallery(path: Path) -> dict[str, Any]:
    """Read a gallery, and mark its queries as `_mark` does."""
    content = checked(path, read_json(path), GALLERY, "gallery")
    for model in content["models"]:
        for task in TASKS:
            _mark(model[task])
    names = {f"m{number}": model["model"] for number, model in enumerate(content["models"])}
    return content | {"choices": names}


def _mark(queries: list[dict[str, Any]]) -> None:
    """Mark each query as hit or miss, and whether it is past the first six.

    `late` counts all queries, and `late_alike` only hits or only misses: a reader can ask for more
    queries, or for hits or misses alone.
    """
    seen = {True: 0, False: 0}
    for position, query in enumerate(queries):
        hit = any(item["right"] and item["rank"] <= TOP for item in query["found"])
        query["hit"] = hit
        query["late"] = position >= FIRST
        query["late_alike"] = seen[hit] >= FIRST
        seen[hit] += 1


def _number_thumbnails(galleries: list[dict[str, Any]]) -> list[str]:
    """List every thumbnail once, and replace it by its number in the galleries."""
    numbers: dict[str, int] = {}
    for gallery in galleries:
        for thumbnail in gallery["thumbnails"].values():
            webp = thumbnail.pop("webp")
            thumbnail["number"] = numbers.setdefault(webp, len(numbers))
    return list(numbers)


def _thumbnail_numbers(gallery: dict[str, Any]) -> dict[str, int]:
    """Return the number of each image's thumbnail."""
    return {name: thumbnail["number"] for name, thumbnail in gallery["thumbnails"].items()}


def _best(
    results: Results, galleries: list[dict[str, Any]], tables: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the test scores of each data set's best model and of random rankings."""
    test = whole(results.retrieval)
    semantic_scores: dict[Any, float] = {}
    key = ["dataset", "model", "seed"]
    for table in tables:
        if {*key, "kind", "measure", "pearson"} <= {*table["content"]}:
            rows = table["content"].query("kind == 'ensemble' and measure == 'semantic score'")
            semantic_scores |= rows.set_index(key)["pearson"].to_dict()
    best = []
    for gallery in galleries:
        model = gallery["models"][0]
        training = (gallery["dataset"], model["model"], model["seed"])
        rows = rows_of(test, *training)
        rows = rows[rows["language"] == model["language"]].set_index("direction")
        best.append(
            model
            | {
                "dataset": gallery["dataset"],
                "images": gallery["images"],
                "captions": gallery["captions"],
                "semantic": semantic_scores.get(training),
                "scores": rows[rows["kind"] == "ensemble"].to_dict("index"),
                "chance": rows[rows["kind"] == "chance"].to_dict("index"),
                # Half an interval, 196 sqrt(p(1-p)/n), is largest for p = 0.5.
                "widest": 98 / gallery["images"] ** 0.5,
            }
        )
    return best


def _of_drawn_scenes(tables: list[dict[str, Any]]) -> bool:
    """Return whether the ratings belong to drawn scenes: computed ratings, not people's."""
    drawn = {task for task, _ in SOURCES}
    return any(not drawn.isdisjoint(table["content"].get("task", [])) for table in tables)


def _training(results: Results) -> list[dict[str, Any]]:
    """Draw the learning curves of each data set, and list the last epoch of each training."""
    histories = read_all(results["histories"], History)
    return [
        {
            "dataset": dataset,
            "id": f"training-{number}",
            "svg": inline(svg(learning_curves(rows)), f"training-{number}"),
            "last": rows.loc[rows.groupby(["model", "seed"], sort=False)["epoch"].idxmax()]
            .astype(object)
            .fillna(MISSING)
            .to_dict("records"),
        }
        for number, (dataset, rows) in enumerate(histories.groupby("dataset", sort=False))
    ]


def _disagreements(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """List the sentence pairs on which model and ratings disagree most, from their table.

    The model's prediction is a rating if a classifier was trained for the task, else a cosine.
    """
    for table in tables:
        if {"agreement", "contribution", "classifier"} <= {*table["content"]}:
            lowest = table["content"].query("agreement == 'lowest'")
            unit = lowest["classifier"].notna().map({True: "of 5", False: "cosine"})
            ordered = lowest.assign(unit=unit).sort_values("contribution")
            pairs: list[dict[str, Any]] = ordered.to_dict("records")
            return pairs
    return []


def _provenance(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """List the runs that computed the tables' rows, each with its tables by paper."""
    names = [name for name in PROVENANCE if name != "configuration"]
    runs: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for table in tables:
        columns = table["content"].reindex(columns=names).dropna(how="all")
        rows = columns.astype(object).fillna("").drop_duplicates()
        for row in rows.itertuples(index=False, name=None):
            tables_of_run = runs.setdefault(row, {})
            tables_of_run.setdefault(known()[table["paper"]].name, []).append(table["label"])
    return [
        dict(zip(names, row, strict=True)) | {"tables": tables_of_run}
        for row, tables_of_run in runs.items()
    ]
