"""The pictures that searches found, as a page."""

import base64
import datetime
import html
import io
import os
import string
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from groundvec.runtime.errors import printable

if TYPE_CHECKING:
    from groundvec.index import Index
    from groundvec.model.classes import Evidence


class Hit(NamedTuple):
    """A picture that a search found."""

    path: Path
    score: float
    seen: str  # the classes that speak for it


Hits = list[Hit]  # the best first

SIDE = 320  # pixels of a thumbnail
PAGE = string.Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.4; }
  main { max-width: 100rem; margin: auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; }
  ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 44%), 1fr));
       gap: 1rem; padding: 0; list-style: none; }
  small { color: color-mix(in srgb, currentColor 65%, transparent); }
  li, footer { overflow-wrap: anywhere; font-size: 0.875rem; }
  footer { max-width: 40rem; margin: 2rem 0; }
  img { display: block; width: 100%; aspect-ratio: 1; object-fit: contain;
        background: color-mix(in srgb, gray 12%, transparent); }
</style>
<main>
$queries
<footer>The $best best of $pictures pictures, $date. The number is the similarity of the picture and
the query. $classes$about</footer>
</main>
</html>
""")
SEEN = "Behind it, what the image networks see for the query's words, with probabilities. "
QUERY = string.Template("<h1>$query</h1>\n<ol>\n$items\n</ol>")
ITEM = string.Template(
    '<li><a href="$link"><img src="data:image/jpeg;base64,$data" alt="$name"></a>'
    "$score $name$seen</li>"
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


def page(results: Sequence[tuple[str, Hits]], about: str, index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it contains thumbnails, with links to the pictures.

    The links are relative, so that a folder may be sent with the page in it.

    Args:
        results: each query with the pictures that it found.
        about: a sentence about the model.
    """
    sections = []
    for query, hits in results:
        items = [_item(hit, output) for hit in hits]
        sections.append(QUERY.substitute(query=html.escape(query), items="\n".join(items)))
    return PAGE.substitute(
        title=html.escape("; ".join(query for query, _ in results)),
        queries="\n".join(sections),
        about=html.escape(printable(about)),
        best=max(len(hits) for _, hits in results),
        pictures=f"{len(index.paths):,}",
        date=datetime.date.today().isoformat(),
        classes=SEEN if any(hit.seen for _, hits in results for hit in hits) else "",
    )


def _item(hit: Hit, output: Path) -> str:
    """Make a list item of a picture: its thumbnail, a link to it, its score and its name."""
    from groundvec.features import images

    image = images.load(hit.path)
    image.thumbnail((SIDE, SIDE))
    thumbnail = io.BytesIO()
    image.save(thumbnail, "JPEG")
    return ITEM.substitute(
        data=base64.b64encode(thumbnail.getvalue()).decode(),
        score=f"{hit.score:.3f}",
        link=html.escape(quote(os.fsencode(_link(hit.path, output)))),
        name=html.escape(shown(hit.path)),
        seen=f"<br><small>{html.escape(hit.seen)}</small>" if hit.seen else "",
    )


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
