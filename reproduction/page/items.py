"""Read the tables and figures of papers for the page."""

import base64
import os
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from groundvec.results.frames import read_csv
from groundvec.runtime.errors import InputError
from reproduction.page.gallery import small_picture
from reproduction.papers import NOT_CLAIMED, captions, known
from reproduction.reporting.claims import VERDICTS, read
from reproduction.reporting.reported_vs_measured import compare, values_of
from reproduction.reporting.results import shape_of

# File formats of tables and figures that the page links, and their suffixes.
FORMS = {
    "CSV": ".csv",
    "LaTeX": ".tex",
    "Markdown": ".md",
    "SVG": ".svg",
    "PDF": ".pdf",
    "PNG": ".png",
}
WIDEST = 1400  # the width of a figure with images, in pixels
POINT = 1.84  # CSS pixels that a point of a figure has on the page, where letters are of 7.5 points
# The width and the height of an SVG file that matplotlib wrote, in points.
SVG_SIZE = re.compile(r'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"')
# The title, the rows and the notes of a table that `render.tables` wrote.
PARTS = re.compile(r"(?s)<h1>(.*?)</h1>.*?<table>(.*?)</table>.*?<ul>(.*?)</ul>")


def label(name: str) -> str:
    """Name a table or figure: `Table S1`, `Section 4.3.4`, `Samples, few-scenes`."""
    first, *suffix = name.split(sep="-", maxsplit=1)
    numbered = re.fullmatch(r"(table|figure|section)_?(s?\d[\d_]*)", first)
    if numbered:
        first = f"{numbered[1]} {numbered[2].replace('_', '.').upper()}"
    text = ", ".join([first.replace("_", " "), *suffix])
    return text[:1].upper() + text[1:]


def read_text(path: Path) -> str:
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


def _describe(path: Path, folder: Path) -> dict[str, Any]:
    """Describe a table or figure of a paper, with links from the page's folder to its files."""
    paper = path.parts[-3] if len(path.parts) > 2 else ""
    name = path.stem
    if paper not in known():
        names = ", ".join(known())
        raise InputError(f"{path} is not in a paper's folder: pass files from one of {names}")
    captions_of_paper = captions(paper)
    module = name.split("-")[0]
    if module not in captions_of_paper:
        names = ", ".join(captions_of_paper)
        raise InputError(f"{path} is no table or figure of {paper}: pass files of {names}")
    return {
        "paper": paper,
        "name": name,
        "id": f"{paper}-{name}",
        "label": label(name),
        "caption": caption(read_text(captions_of_paper[module])),
        "files": _files(path, folder),
        "verdicts": module in known()[paper].verdicts,
        "reported": values_of(paper, name) is not None,
    }


def _files(path: Path, folder: Path) -> dict[str, str]:
    """Return the addresses of a table's or figure's files relative to a folder, by format."""
    forms = {form: path.with_suffix(suffix) for form, suffix in FORMS.items()}
    return {
        form: quote(Path(os.path.relpath(file, folder)).as_posix())
        for form, file in forms.items()
        if file.is_file()
    }


def _verdicts(path: Path) -> dict[str, int]:
    """Count the verdicts on a paper's claims."""
    claims = read(path)
    is_claimed = ~claims["claim"].str.startswith(NOT_CLAIMED)
    counts = claims.loc[is_claimed, "verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}


def table(path: Path, folder: Path) -> dict[str, Any]:
    """Read a table: its description, its formatted cells and its files."""
    description = _describe(path, folder)
    content = read_csv(path)
    with shape_of(path):
        comparisons = compare(description["paper"], description["name"], content)
    html = path.with_suffix(".html")
    parts = PARTS.search(read_text(html))
    if not parts:
        raise InputError(f"{html} is not a table of this project: delete it and make it again")
    title, rows, notes = map(Markup, parts.groups())
    return description | {
        "title": title,
        "rows": rows,
        "notes": notes,
        "content": content,
        "counts": _verdicts(path) if description["name"] == "claims" and len(content) else {},
        "compared": comparisons.to_dict("records"),
    }


def figure(path: Path, folder: Path) -> dict[str, Any]:
    """Read a figure as an image: SVG, or WebP if it contains images.

    The key `image` has the image as a data URI; `width` and `height` are in CSS pixels.
    """
    description = _describe(path, folder)
    text = read_text(path)
    size = SVG_SIZE.search(text)
    if not size:
        raise InputError(f"{path} is not an SVG file: delete it and make it again")
    if "<image" in text:
        picture = small_picture(path.with_suffix(".png"), (WIDEST, 10**5), quality=70)
        image = f"data:image/webp;base64,{picture.pop('webp')}"
        return description | picture | {"image": image, "folded": True}
    width, height = (round(POINT * float(points)) for points in size.groups())
    image = f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"
    return description | {"image": image, "width": width, "height": height, "folded": False}
