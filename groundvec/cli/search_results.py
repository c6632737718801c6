"""The pictures that searches found, as a page."""

import base64
import datetime
import html
import io
import os
import string
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from groundvec.runtime.errors import printable

if TYPE_CHECKING:
    from groundvec.index import Index

Hits = list[tuple[Path, float]]  # paths and their scores, the best first

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
  li, footer { overflow-wrap: anywhere; font-size: 0.875rem; }
  footer { max-width: 40rem; margin: 2rem 0; }
  img { display: block; width: 100%; aspect-ratio: 1; object-fit: contain;
        background: color-mix(in srgb, gray 12%, transparent); }
</style>
<main>
$queries
<footer>The $best best of $pictures pictures, $date. The number is the similarity of the picture and
the query. $about</footer>
</main>
</html>
""")
QUERY = string.Template("<h1>$query</h1>\n<ol>\n$items\n</ol>")
ITEM = string.Template(
    '<li><a href="$link"><img src="data:image/jpeg;base64,$data" alt="$name"></a>$score $name</li>'
)


def shown(text: str | Path) -> str:
    """Return a path or a sentence as printable text, with question marks for other bytes."""
    return printable(str(text).encode("utf-8", "replace").decode())


def page(results: Sequence[tuple[str, Hits]], about: str, index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it contains thumbnails, with links to the pictures.

    The links are relative, so that a folder may be sent with the page in it.

    Args:
        results: each query with the pictures that it found.
        about: a sentence about the model.
    """
    sections = []
    for query, hits in results:
        items = [_item(path, score, output) for path, score in hits]
        sections.append(QUERY.substitute(query=html.escape(query), items="\n".join(items)))
    return PAGE.substitute(
        title=html.escape("; ".join(query for query, _ in results)),
        queries="\n".join(sections),
        about=html.escape(printable(about)),
        best=max(len(hits) for _, hits in results),
        pictures=f"{len(index.paths):,}",
        date=datetime.date.today().isoformat(),
    )


def _item(path: Path, score: float, output: Path) -> str:
    """Make a list item of a picture: its thumbnail, a link to it, its score and its name."""
    from groundvec.features import images

    image = images.load(path)
    image.thumbnail((SIDE, SIDE))
    thumbnail = io.BytesIO()
    image.save(thumbnail, "JPEG")
    return ITEM.substitute(
        data=base64.b64encode(thumbnail.getvalue()).decode(),
        score=f"{score:.3f}",
        link=html.escape(quote(os.fsencode(_link(path, output)))),
        name=html.escape(shown(path)),
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
