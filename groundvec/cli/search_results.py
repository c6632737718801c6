"""The pictures that searches found, as a page."""

import base64
import datetime
import html
import io
import os
import re
import string
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from groundvec.runtime.errors import printable
from groundvec.runtime.files import LARGEST_PICTURE, open_regular

if TYPE_CHECKING:
    from groundvec.index import Hit, Index
    from groundvec.model.classes import Evidence

    # The best first, each with the classes that speak for it.
    Hits = list[tuple[Hit, str]]

SIDE = 480  # pixels of a thumbnail
TAKEN = re.compile(r"((?:18|19|20)\d\d):(\d\d):(\d\d)\b.*", re.DOTALL)  # a date of EXIF
# Nothing is loaded, and the only script is the one that filters the pictures.
PAGE = string.Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="generator" content="groundvec">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:;
  style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.4; }
  main { max-width: 100rem; margin: auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; }
  input { font: inherit; padding: 0.4rem 0.6rem; width: min(24rem, 100%); box-sizing: border-box; }
  ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr));
       gap: 1.5rem 1rem; padding: 0; list-style: none; }
  small { color: color-mix(in srgb, currentColor 65%, transparent); }
  h1, li, footer { overflow-wrap: break-word; min-width: 0; }
  li, footer { font-size: 0.875rem; }
  footer { max-width: 40rem; margin: 2rem 0; }
  img { display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: contain;
        background: color-mix(in srgb, gray 12%, transparent); }
</style>
<main>
<p><input type="search" placeholder="Filter by name, folder, date, class"
  aria-label="Filter the pictures" hidden></p>
$queries
<footer>The $best best of $pictures pictures, $date. A high score fits better than a low one; scores
of other queries do not compare. The date is when a picture was taken, or else when its file was
changed. $classes$about</footer>
</main>
<script>
  const field = document.querySelector("input");
  field.hidden = false;
  field.oninput = () => {
    const words = field.value.toLowerCase().split(" ");
    for (const item of document.querySelectorAll("li")) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  };
</script>
</html>
""")
SEEN = "The last line is what the image networks see for the query's words, with probabilities. "
QUERY = string.Template("<h1>$query</h1>\n<ol>\n$items\n</ol>")
ITEM = string.Template(
    '<li><a href="$link"><img src="data:image/jpeg;base64,$data" alt="$path"></a>'
    "<b>$name</b> <small>$score<br>$folder$date$seen</small></li>"
)


def shown(text: str | Path) -> str:
    """Return a path or a sentence as printable text, with question marks for other bytes."""
    return printable(str(text).encode("utf-8", "replace").decode())


def seen(evidence: "list[Evidence]") -> str:
    """Name the words of a query that counted, with the classes that were seen for them.

    A word is not named if the first class has its name: "tiger 0.93", but "coffee: espresso 0.93".
    """
    parts = []
    for word, weight, classes in evidence:
        if classes:
            names = ", ".join(f"{name} {posterior:.2f}" for name, posterior in classes.items())
            is_same = word.casefold() == next(iter(classes)).casefold()
            sign = "" if weight >= 0 else "- "
            parts.append(f"{sign}{names}" if is_same else f"{sign}{word}: {names}")
    return printable("; ".join(parts))  # the names come from a file


def page(results: "Sequence[tuple[str, Hits]]", about: str, index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it contains thumbnails, with links to the pictures.

    The links are relative, so that a folder may be sent with the page in it.

    Args:
        results: each query with the pictures that it found.
        about: a sentence about the model.
    """
    sections = []
    for query, hits in results:
        items = [_item(hit, classes, output) for hit, classes in hits]
        sections.append(QUERY.substitute(query=html.escape(query), items="\n".join(items)))
    return PAGE.substitute(
        title=html.escape("; ".join(query for query, _ in results)),
        queries="\n".join(sections),
        about=html.escape(printable(about)),
        best=max(len(hits) for _, hits in results),
        pictures=f"{len(index.paths):,}",
        date=datetime.date.today().isoformat(),
        classes=SEEN if any(classes for _, hits in results for _, classes in hits) else "",
    )


def _item(hit: "Hit", classes: str, output: Path) -> str:
    """Make a list item of a picture: its thumbnail with a link, name, score, folder and date."""
    from groundvec.features import images

    image = images.load(hit.path)
    image.thumbnail((SIDE, SIDE))
    thumbnail = io.BytesIO()
    image.save(thumbnail, "JPEG")
    folder = shown(hit.path.parent)
    return ITEM.substitute(
        data=base64.b64encode(thumbnail.getvalue()).decode(),
        score=f"{hit.score:z.2f}",
        link=html.escape(quote(os.fsencode(_link(hit.path, output)))),
        path=html.escape(shown(hit.path)),
        name=_breakable(shown(hit.path.name)),
        folder="" if folder == "." else f"{_breakable(folder)}, ",
        date=_date(hit.path),
        seen=f"<br>{html.escape(classes)}" if classes else "",
    )


def _breakable(name: str) -> str:
    """Return a name as HTML that a browser breaks between its words."""
    words = re.split(r"(?<=[/_.-])(?=[^/_.-])", name)
    return "<wbr>".join(map(html.escape, words))


def _date(path: Path) -> str:
    """Return the day that a picture was taken, by its EXIF, or else its file was changed."""
    from PIL import ExifTags, Image

    from groundvec.features.images import FORMATS

    with suppress(Exception), open_regular(path, LARGEST_PICTURE) as file:  # EXIF may be damaged
        exif = Image.open(file, formats=FORMATS).getexif()
        own = exif.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.DateTimeOriginal)
        match = TAKEN.fullmatch(str(own or exif.get(ExifTags.Base.DateTime)))
        if match:
            return "-".join(match.groups())
    return datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()


def _link(path: Path, output: Path) -> str:
    """Return the path of a picture relative to the folder of a page.

    A browser resolves it from the address that the user opened, without following links. So the
    paths stay as they were typed. Links are followed only if the picture is in the page's folder,
    but is named by another path.
    """
    for picture, page_file in (
        (_without_dots(path), _without_dots(output)),
        (path.resolve(), output.resolve()),
    ):
        if picture.is_relative_to(page_file.parent):
            return str(picture.relative_to(page_file.parent))
    return os.path.relpath(_without_dots(path), _without_dots(output).parent)


def _without_dots(path: Path) -> Path:
    """Return an absolute path without `..`, which after a link leads to the link's target."""
    path = path.absolute()
    return path.resolve() if ".." in path.parts else path
