"""The pictures that searches found, as a page."""

import base64
import datetime
import html
import io
import os
import string
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


def page(results: dict[str, Hits], about: str, index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it contains thumbnails, with links to the pictures.

    The links are relative, so that a folder may be sent with the page in it.

    Args:
        results: by query, the pictures that it found.
        about: a sentence about the model.
    """
    sections = []
    for query, hits in results.items():
        items = [_item(path, score, output) for path, score in hits]
        sections.append(QUERY.substitute(query=html.escape(query), items="\n".join(items)))
    return PAGE.substitute(
        title=html.escape("; ".join(results)),
        queries="\n".join(sections),
        about=html.escape(printable(about)),
        best=max(map(len, results.values())),
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
    link = os.path.relpath(path, output.resolve().parent)
    return ITEM.substitute(
        data=base64.b64encode(thumbnail.getvalue()).decode(),
        score=f"{score:.3f}",
        link=html.escape(quote(os.fsencode(link))),
        name=html.escape(shown(path)),
    )
