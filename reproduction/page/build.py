"""Put the page together from files that were written before; nothing is computed again."""

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
SIGNS = {HOLDS: "✓", FAILS: "✗", OPEN: "?", INSIDE: "✓", ABOVE: "▲", BELOW: "▼"}
CLASSES = {HOLDS: "good", FAILS: "bad", OPEN: "open", INSIDE: "good", ABOVE: "bad", BELOW: "bad"}
# Forms of tables and figures that the page links, and their suffixes.
FORMS = {
    "CSV": ".csv",
    "LaTeX": ".tex",
    "Markdown": ".md",
    "SVG": ".svg",
    "PDF": ".pdf",
    "PNG": ".png",
}
# What is read of a gallery's file.
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
WIDEST = 1400  # of a figure of photographs, in pixels
FIRST = 6  # queries that are shown before a reader asks for more
SPACE = "\N{NO-BREAK SPACE}"


def page(results: Results) -> str:
    """Make the page of an experiment: HTML that needs no other file, and links the tables' files.

    Args:
        results: experiment (its name), output (the page's own path), tables (CSV, with the JSON
            beside each), figures (SVG, with the PNG beside each), histories, retrieval, galleries
            (JSON of `gallery`, one per data set), and maybe try_it, HTML of a panel in which to try
            the encoder. The last two parts of a table's or figure's folder are its paper's name and
            `tables` or `figures`. Papers stand in the order of their tables and figures.
    """
    folder = results["output"].parent
    tables = [_table(path, folder) for path in results["tables"]]
    figures = [_figure(path, folder) for path in results["figures"]]
    shown = [_gallery(path) for path in results["galleries"]]
    try_it = results.given.get("try_it")
    thumbnails = _number_thumbnails(shown)
    trained = results.retrieval[["dataset", "model"]].drop_duplicates()
    # Papers compare models: of a single one there is nothing that they could be right about.
    claimed = len(trained) > 1
    tables = [t for t in tables if claimed or not (t["verdicts"] or t["claims"])]
    own = all(gallery["own"] for gallery in shown)
    papers = _papers(tables, figures)
    values = dict(
        experiment=results["experiment"],
        title=title(trained),
        papers=papers,
        own=own,
        beside=[p for p in papers if not p["about"].follows] if claimed and not own else [],
        best=_best(results, shown, tables),
        galleries=shown,
        tasks=TASKS,
        first=FIRST,
        thumbnails=thumbnails,
        numbers={
            gallery["dataset"]: {name: t["number"] for name, t in gallery["thumbnails"].items()}
            for gallery in shown
        },
        training=_training(results),
        disagreements=_disagreements(tables),
        drawn=_of_drawn_scenes(tables),
        drawn_sets=[NAMES.get(g["dataset"], g["dataset"]) for g in shown if g["drawn"]],
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
    """Name the run: `Flickr8k and scenes: 2 models`; of one model its name."""
    datasets = [NAMES.get(name, name) for name in trained["dataset"].unique()]
    what = trained["model"].iloc[0] if len(trained) == 1 else f"{len(trained)} models"
    return f"{listed(datasets)}: {what}"


def breakable(cell: str) -> str:
    """Let a line break `27.5 ± 1.2`, a number with its interval, before the interval only."""
    return re.sub(rf"^([\d.,{MINUS}]+){SPACE}", r"\1 ", cell.replace(" ", SPACE))


def label(name: str) -> str:
    """Name a table or figure: `Table S1`, `Section 4.3.4`, `Samples, few-scenes`."""
    first, *others = name.split(sep="-", maxsplit=1)
    if numbered := re.fullmatch(r"(table|figure|section)_?(s?\d[\d_]*)", first):
        first = f"{numbered[1]} {numbered[2].replace('_', '.').upper()}"
    text = ", ".join([first.replace("_", " "), *others])
    return text[:1].upper() + text[1:]


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it first") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text: delete it and make it again") from None


def caption(text: str) -> Markup:
    """Turn a caption of reStructuredText, whose emphasis may go over several lines, into HTML."""
    marks = {"``": "code", "**": "strong", "*": "em"}
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
        raise InputError(f"{path} is not in a folder of a paper: name one in {names}")
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
    """Return the addresses, from a folder, of the forms that a table or figure is there in."""
    forms = {form: path.with_suffix(suffix) for form, suffix in FORMS.items()}
    return {
        form: quote(Path(os.path.relpath(file, folder)).as_posix())
        for form, file in forms.items()
        if file.is_file()
    }


def _table(path: Path, folder: Path) -> dict[str, Any]:
    """Read a table: its place, its shown cells, and its CSV file."""
    about = _about(path, folder)
    content = read_csv(path)
    with shape_of(path):
        beside = compare(about["paper"], about["name"], content)
    return about | {
        "shown": read_table(path.with_suffix(".json")),
        "content": content,
        "claims": claims(read(path)) if {*schema_of(Claims).columns} <= {*content} else [],
        "compared": beside.to_dict("records"),
    }


def _figure(path: Path, folder: Path) -> dict[str, Any]:
    """Read a figure: as SVG, or as a picture if there are pictures in it."""
    about = _about(path, folder)
    text = _read(path)
    if "<svg" not in text:
        raise InputError(f"{path} is not an SVG file: delete it and make it again")
    if "<image" in text:
        picture = small_picture(path.with_suffix(".png"), (WIDEST, 10**5), quality=70)
        return about | picture | {"svg": ""}
    return about | {"webp": "", "svg": inline(text, about["id"])}


def inline(text: str, prefix: str) -> Markup:
    """Make an SVG file an element of a page, whose names do not meet those of others.

    The style knows its width on paper, in points, as `--points`.
    """
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<!--.*?-->", "", text[text.index("<svg") :])
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

    Claims are shown as such, and not as a table too. Of a paper's tables the first that stands
    beside reported numbers is open.
    """
    papers = []
    numbered = sorted(tables, key=lambda table: (table["name"][:5] != "table", table["name"]))
    for key in dict.fromkeys(item["paper"] for item in [*tables, *figures]):
        paper = known()[key]
        own = [table for table in numbered if table["paper"] == key]
        found = [claim for table in own for claim in table["claims"]]
        of_paper = [claim for claim in found if not claim["claim"].startswith(NOT_CLAIMED)]
        lying = [row for table in own for row in table["compared"]]
        counts = {name: sum(claim["verdicts"][name] for claim in of_paper) for name in VERDICTS}
        others = [table for table in own if not (table["verdicts"] or table["claims"])]
        first = min(others, key=lambda table: not table["reported"], default=None)
        papers.append(
            {
                "key": key,
                "about": paper,
                "claims": found,
                "of_claims": [table for table in own if table["claims"]],
                "verdicts": counts,
                "tests": [table for table in own if table["verdicts"]],
                "tables": others,
                "first": first,
                "figures": [figure for figure in figures if figure["paper"] == key],
                "compared": [table for table in own if table["compared"]],
                "inside": sum(row["verdict"] == INSIDE for row in lying),
                "lying": len(lying),
            }
        )
    return papers


def _gallery(path: Path) -> dict[str, Any]:
    content = checked(path, read_json(path), GALLERY, "gallery")
    for model in content["models"]:
        for task in TASKS:
            _mark(model[task])
    names = {f"m{place}": model["model"] for place, model in enumerate(content["models"])}
    return content | {"choices": names}


def _mark(queries: list[dict[str, Any]]) -> None:
    """Say of each query whether it is a hit, and whether it is beyond the first of all or of such.

    Those are shown when a reader asks for more, or for hits or misses alone.
    """
    seen = {True: 0, False: 0}
    for place, query in enumerate(queries):
        hit = any(item["right"] and item["rank"] <= TOP for item in query["found"])
        query |= {"hit": hit, "late": place >= FIRST, "late_alike": seen[hit] >= FIRST}
        seen[hit] += 1


def _number_thumbnails(galleries: list[dict[str, Any]]) -> list[str]:
    """List every thumbnail once, and give its number to the places that show it."""
    numbers: dict[str, int] = {}
    for gallery in galleries:
        for about in gallery["thumbnails"].values():
            about["number"] = numbers.setdefault(about.pop("webp"), len(numbers))
    return list(numbers)


def _best(
    results: Results, galleries: list[dict[str, Any]], tables: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Take the test scores of the best model of each data set, and those of chance."""
    test = whole(results.retrieval)
    semantic: dict[Any, float] = {}
    key = ["dataset", "model", "seed"]
    for table in tables:
        if {*key, "kind", "measure", "pearson"} <= {*table["content"]}:
            rows = table["content"].query("kind == 'ensemble' and measure == 'semantic score'")
            semantic |= rows.set_index(key)["pearson"].to_dict()
    found = []
    for gallery in galleries:
        model = gallery["models"][0]
        own = (gallery["dataset"], model["model"], model["seed"])
        rows = rows_of(test, *own)
        rows = rows[rows["language"] == model["language"]].set_index("direction")
        widest = 98 / gallery["images"] ** 0.5  # half an interval, 196 sqrt(p(1-p)/n), for p = 0.5
        about = {"dataset": own[0], "semantic": semantic.get(own), "widest": widest}
        about |= {name: gallery[name] for name in ("images", "captions")}
        for name, kind in (("scores", "ensemble"), ("chance", "chance")):
            about[name] = rows[rows["kind"] == kind].to_dict("index")
        found.append({**model, **about})
    return found


def _of_drawn_scenes(tables: list[dict[str, Any]]) -> bool:
    """Return whether the ratings are of drawn scenes: computed, and not people's."""
    drawn = {task for task, _ in SOURCES}
    return any(not drawn.isdisjoint(table["content"].get("task", [])) for table in tables)


def _training(results: Results) -> list[dict[str, Any]]:
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
    """Take the pairs of sentences on which model and ratings disagree most, from their table.

    The model's prediction is a rating where a classifier was trained for the task, or a cosine.
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
    """List the runs that gave the tables' rows, and which tables."""
    names = [name for name in PROVENANCE if name != "configuration"]
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for table in tables:
        columns = table["content"].reindex(columns=names).dropna(how="all")
        rows = columns.astype(object).fillna("").drop_duplicates()
        for row in rows.itertuples(index=False, name=None):
            of_paper = found.setdefault(row, {}).setdefault(known()[table["paper"]].name, [])
            of_paper.append(table["label"])
    return [dict(zip(names, key, strict=True)) | {"tables": of} for key, of in found.items()]
