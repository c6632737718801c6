"""Find the pictures that a sentence describes best.

The best come first, a score and a path a line. The vectors of the pictures are kept in the user's
cache: a later search in the same folder reads new and changed pictures only. Files that are no
pictures, whatever they are called, are left out.

Examples:
  groundvec search holiday/ "a dog on a beach"
  groundvec search holiday/ "a dog on a beach" --crops 1 --best 20 -o dogs.html
  groundvec search *.jpg "a dog" --model results/mine/models/mine/gru-256-max/seed1 -o dogs.png
"""

import argparse
import base64
import datetime
import html
import io
import logging
import os
import re
import string
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from groundvec.cli import fonts
from groundvec.cli.commands import common
from groundvec.cli.program import show
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, printable

if TYPE_CHECKING:
    from PIL import Image, ImageFont

    from groundvec.index import Index

log = logging.getLogger(__name__)

Found = list[tuple[Path, float]]

SIDE = 320  # pixels of a thumbnail
# of a contact sheet; pixels
COLUMNS = 5
GAP = 10
LINE = 18
HEADING = 36  # pixels of a line of its heading
LATIN = {"de", "en"}  # languages of the data sets, which are written in Latin letters
HIGHEST_JPEG = 65_500  # pixels: libjpeg's limit
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
picture and the sentence.$doubts</p>
<ol>
$items
</ol>
</main>
</html>
""")
ITEM = string.Template(
    '<li><a href="$link"><img src="data:image/jpeg;base64,$data" alt="$name"></a>$score $name</li>'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "images", type=Path, nargs="+", metavar="IMAGES", help="pictures, and folders of them"
    )
    parser.add_argument("sentence", metavar="SENTENCE", help="what to look for")
    parser.add_argument(
        "-n", "--best", type=int, default=10, help="how many to show (default: %(default)s)"
    )
    common.add_output(
        parser,
        [".html", ".png", ".jpg"],
        "write a page or a picture of the best instead of their paths",
    )
    parser.add_argument(
        "--backbone",
        help="the network that computes the features, such as resnet50 (default: the model's)",
    )
    parser.add_argument(
        "--crops",
        type=int,
        choices=(1, 2, 10),
        help="of each picture: fewer are faster, more find better (default: as in training; 10 "
        "for a network that --backbone names)",
    )
    common.add_model(parser)
    common.add_tokenized(parser)


def main(arguments: argparse.Namespace) -> None:
    if arguments.best < 1:
        raise InputError(f"--best is {arguments.best}: ask for one or more")
    common.check_sentence(arguments.sentence, "say what to look for last, in quotation marks")
    files.check_output(arguments.output)

    from groundvec.index import Index

    index = Index(
        arguments.images,
        model=arguments.model,
        device=arguments.device,
        backbone=arguments.backbone,
        crops=arguments.crops,
    )
    for path in index.paths if arguments.output.exists() else []:
        if arguments.output.samefile(path):
            raise InputError(f"{path} is searched, and would be overwritten: name another output")
    found = index.search(
        arguments.sentence, arguments.best, arguments.language, arguments.tokenized
    )
    doubts = _doubts(arguments.sentence, found, index)
    for doubt in doubts:
        log.warning("%s", doubt)
    if arguments.output == common.STANDARD:
        for path, score in found:
            show(f"{score:.4f}  {_name(path)}")
        return
    if arguments.output.suffix.lower() == ".html":
        page = _page(arguments.sentence, found, doubts, index, arguments.output)
        files.write_bytes(arguments.output, page.encode(errors="replace"))
    else:
        data = io.BytesIO()
        sheet = _sheet(arguments.sentence, found)
        form = {".png": "PNG"}.get(arguments.output.suffix.lower(), "JPEG")
        if form == "JPEG" and sheet.height > HIGHEST_JPEG:
            raise InputError(
                f"{arguments.output} would be {sheet.height:,} pixels high, and a JPEG has at most "
                f"{HIGHEST_JPEG:,}: name a .png or .html, or show fewer with --best"
            )
        sheet.save(data, form)
        files.write_bytes(arguments.output, data.getbuffer())
    show(f"{_name(arguments.output)} has the {len(found)} best of {len(index.paths):,} pictures")


def _name(path: Path) -> str:
    """Return a path to print, with question marks for what is not UTF-8."""
    return printable(str(path).encode("utf-8", "replace").decode())


def _doubts(sentence: str, found: Found, index: "Index") -> list[str]:
    """Say why maybe no picture fits."""
    doubts = []
    languages = index.encoder.languages
    if LATIN.issuperset(languages) and not re.search("[A-Za-z]", sentence):
        read = " and ".join(languages)
        doubts.append(f"the sentence has no Latin letter, and the model reads {read} alone")
    return doubts


def _thumbnail(path: Path) -> "Image.Image":
    from groundvec.features import images

    image = images.load(path)
    image.thumbnail((SIDE, SIDE))
    return image


def _page(sentence: str, found: Found, doubts: list[str], index: "Index", output: Path) -> str:
    """Make a page that needs no other file: it has small pictures, with links to the files.

    The links are relative, so that a folder may be sent with the page in it.
    """
    items = []
    for path, score in found:
        data = io.BytesIO()
        _thumbnail(path).save(data, "JPEG")
        link = os.path.relpath(path, output.resolve().parent)
        items.append(
            ITEM.substitute(
                data=base64.b64encode(data.getvalue()).decode(),
                score=f"{score:.3f}",
                link=html.escape(quote(os.fsencode(link))),
                name=html.escape(_name(path)),
            )
        )
    folder = index.encoder.folder
    return PAGE.substitute(
        sentence=html.escape(sentence),
        items="\n".join(items),
        doubts=html.escape("".join(f" {doubt[0].upper()}{doubt[1:]}." for doubt in doubts)),
        best=len(found),
        pictures=f"{len(index.paths):,}",
        model=html.escape(_name(Path(folder.name))) if folder else "a model",
        date=datetime.date.today().isoformat(),
    )


def _sheet(sentence: str, found: Found) -> "Image.Image":
    """Draw the sentence, and rows of pictures with score and file name below each."""
    from PIL import Image, ImageDraw, ImageOps

    boxes: set[str] = set()
    large = _font(sentence, HEADING - 6, boxes)
    images = [ImageOps.contain(_thumbnail(path), (SIDE, SIDE)) for path, _ in found]
    rows = [
        range(start, min(start + COLUMNS, len(found))) for start in range(0, len(found), COLUMNS)
    ]
    heights = [max(images[number].height for number in row) for row in rows]
    width = GAP + min(COLUMNS, len(found)) * (SIDE + GAP)
    letters = int((width - 2 * GAP) / large.getlength("m"))
    lines = textwrap.wrap(sentence, letters, max_lines=4, placeholder=" …")
    top = 2 * GAP + HEADING * len(lines)
    sheet = Image.new("RGB", (width, top + sum(heights) + (LINE + GAP) * len(rows)), "white")
    draw = ImageDraw.Draw(sheet)
    for number, line in enumerate(lines):
        draw.text((GAP, GAP + number * HEADING), line, "black", large)
    for row, height in zip(rows, heights, strict=True):
        for column, number in enumerate(row):
            (path, score) = found[number]
            image = images[number]
            left = GAP + column * (SIDE + GAP)
            sheet.paste(image, (left + (SIDE - image.width) // 2, top + height - image.height))
            text = f"{score:.3f} {_name(Path(path.name))}"
            font = _font(text, LINE - 5, boxes)
            while font.getlength(text) > SIDE:
                text = text[:-1]
            draw.text((left, top + height + 2), text, "black", font)
        top += height + LINE + GAP
    if boxes:
        log.warning("the contact sheet: %s", fonts.boxes(boxes))
    return sheet


def _font(text: str, size: int, boxes: set[str]) -> "ImageFont.FreeTypeFont":
    """Pillow's own font, or one of the system's; letters that neither has are added to `boxes`."""
    from PIL import ImageFont

    font = cast("ImageFont.FreeTypeFont", ImageFont.load_default(size))
    box = bytes(font.getmask("\uffff"))
    lacking = {letter for letter in text if bytes(font.getmask(letter)) == box}
    file = fonts.with_letters(frozenset(text)) if lacking else None
    if file:
        return ImageFont.truetype(file, size)
    boxes |= lacking
    return font
