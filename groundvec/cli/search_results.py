"""The pictures that a search found, as a page or a contact sheet."""

import base64
import datetime
import html
import io
import logging
import os
import string
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from groundvec.cli import fonts
from groundvec.runtime.errors import printable

if TYPE_CHECKING:
    from PIL import Image, ImageFont

    from groundvec.index import Index

Hits = list[tuple[Path, float]]  # paths and their scores, the best first

SIDE = 320  # pixels of a thumbnail
# Pixels of a contact sheet, but for the number of its columns.
COLUMNS = 5
GAP = 10
LINE = 18  # height of the line below a picture
HEADING = 36  # height of a line of the sentence
PAGE = string.Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$sentence</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.4; }
  main { max-width: 100rem; margin: auto; padding: 0 1rem; }
  ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
       gap: 1rem; padding: 0; list-style: none; }
  li { overflow-wrap: anywhere; font-size: 0.875rem; }
  img { display: block; width: 100%; aspect-ratio: 1; object-fit: contain;
        background: color-mix(in srgb, gray 12%, transparent); }
</style>
<main>
<h1>$sentence</h1>
<p>The $best best of $pictures pictures, by $model, $date. The number is the similarity of the
picture and the sentence.$order$doubts</p>
<ol>
$items
</ol>
</main>
</html>
""")
BY_BANK = " In their order, pictures that are similar to most sentences come later."
ITEM = string.Template(
    '<li><a href="$link"><img src="data:image/jpeg;base64,$data" alt="$name"></a>$score $name</li>'
)

log = logging.getLogger(__name__)


def shown_path(path: Path) -> str:
    """Return a path as printable text, with question marks for bytes that are not UTF-8."""
    return printable(str(path).encode("utf-8", "replace").decode())


def page(sentence: str, hits: Hits, doubts: list[str], index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it contains thumbnails, with links to the pictures.

    The links are relative, so that a folder may be sent with the page in it.
    """
    items = []
    for path, score in hits:
        thumbnail = io.BytesIO()
        _thumbnail(path).save(thumbnail, "JPEG")
        link = os.path.relpath(path, output.resolve().parent)
        item = ITEM.substitute(
            data=base64.b64encode(thumbnail.getvalue()).decode(),
            score=f"{score:.3f}",
            link=html.escape(quote(os.fsencode(link))),
            name=html.escape(shown_path(path)),
        )
        items.append(item)
    sentences = [f" {doubt[0].upper()}{doubt[1:]}." for doubt in doubts]
    folder = index.encoder.folder
    return PAGE.substitute(
        sentence=html.escape(sentence),
        items="\n".join(items),
        order=BY_BANK if index.normalizers.any() else "",
        doubts=html.escape("".join(sentences)),
        best=len(hits),
        pictures=f"{len(index.paths):,}",
        model=html.escape(shown_path(Path(folder.name))) if folder else "a model",
        date=datetime.date.today().isoformat(),
    )


def contact_sheet(sentence: str, hits: Hits) -> "Image.Image":
    """Draw the sentence, and rows of pictures with score and file name below each."""
    from PIL import Image, ImageDraw, ImageOps

    missing: set[str] = set()
    heading_font = _font(sentence, HEADING - 6, missing)
    images = [ImageOps.contain(_thumbnail(path), (SIDE, SIDE)) for path, _ in hits]
    rows = [range(start, min(start + COLUMNS, len(hits))) for start in range(0, len(hits), COLUMNS)]
    # A row is as high as its highest picture, so that wide pictures leave no empty space.
    heights = [max(images[number].height for number in row) for row in rows]
    width = GAP + min(COLUMNS, len(hits)) * (SIDE + GAP)
    letters_per_line = int((width - 2 * GAP) / heading_font.getlength("m"))  # the widest letter
    lines = textwrap.wrap(sentence, letters_per_line, max_lines=4, placeholder=" …")
    top = 2 * GAP + HEADING * len(lines)
    height = top + sum(heights) + (LINE + GAP) * len(rows)
    sheet = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(sheet)
    for number, line in enumerate(lines):
        draw.text((GAP, GAP + number * HEADING), line, "black", heading_font)
    for row, row_height in zip(rows, heights, strict=True):
        for column, number in enumerate(row):
            path, score = hits[number]
            image = images[number]
            left = GAP + column * (SIDE + GAP)
            # Centered in its column, on the bottom of its row.
            sheet.paste(image, (left + (SIDE - image.width) // 2, top + row_height - image.height))
            text = f"{score:.3f} {shown_path(Path(path.name))}"
            font = _font(text, LINE - 5, missing)
            while font.getlength(text) > SIDE:
                text = text[:-1]
            draw.text((left, top + row_height + 2), text, "black", font)
        top += row_height + LINE + GAP
    if missing:
        log.warning("the contact sheet: %s", fonts.boxes(missing))
    return sheet


def _thumbnail(path: Path) -> "Image.Image":
    """Load a picture, at most SIDE pixels wide and high."""
    from groundvec.features import images

    image = images.load(path)
    image.thumbnail((SIDE, SIDE))
    return image


def _font(text: str, size: int, missing: set[str]) -> "ImageFont.FreeTypeFont":
    """Return Pillow's own font, or a font of the system for letters that Pillow's lacks.

    Letters that neither has are added to `missing`.
    """
    from PIL import ImageFont

    font = cast("ImageFont.FreeTypeFont", ImageFont.load_default(size))
    # A font draws the same box for every letter that it lacks, such as this noncharacter.
    box = bytes(font.getmask("\uffff"))
    lacking = {letter for letter in text if bytes(font.getmask(letter)) == box}
    file = fonts.with_letters(frozenset(text)) if lacking else None
    if file:
        return ImageFont.truetype(file, size)
    missing |= lacking
    return font
