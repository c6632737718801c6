"""Find the pictures that a sentence describes best.

The best come first: one line per picture, its score and its path. The score is the similarity of
the picture and the sentence. Pictures that are similar to most sentences come later than their
scores say. The vectors of the pictures are kept in the user's cache: a later search in the same
folder reads new and changed pictures only. Files that are no pictures, whatever their names, are
left out.

Examples:
  groundvec search holiday/ "a dog on a beach"
  groundvec search holiday/ "a dog on a beach" --crops 1 --best 20 -o dogs.html
  groundvec search *.jpg "a dog" --model results/mine/models/mine/gru-256-max/seed1 -o dogs.png
"""

import argparse
import io
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec.cli import search_results
from groundvec.cli.arguments import STANDARD, add_model, add_output, add_tokenized
from groundvec.cli.program import show
from groundvec.cli.sentences import check_sentence
from groundvec.runtime import files
from groundvec.runtime.errors import InputError

if TYPE_CHECKING:
    from groundvec.index import Index

LATIN = {"de", "en"}  # languages of the data sets, which are written in Latin letters
HIGHEST_JPEG = 65_500  # pixels: libjpeg's limit

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec search`."""
    parser.add_argument(
        "images", type=Path, nargs="+", metavar="IMAGES", help="pictures, and folders of them"
    )
    parser.add_argument("sentence", metavar="SENTENCE", help="a description of the pictures")
    parser.add_argument(
        "-n", "--best", type=int, default=10, help="number of pictures (default: %(default)s)"
    )
    add_output(
        parser,
        [".html", ".png", ".jpg"],
        "write a page or a contact sheet of the best pictures instead of their paths",
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
    add_model(parser)
    add_tokenized(parser)


def main(arguments: argparse.Namespace) -> None:
    """Search, and print the paths or write a page or a contact sheet."""
    output: Path = arguments.output
    if arguments.best < 1:
        raise InputError(f"--best is {arguments.best}: ask for one or more")
    check_sentence(arguments.sentence, "put the description last, in quotation marks")
    files.check_output(output)

    from groundvec.index import Index

    index = Index(
        arguments.images,
        model=arguments.model,
        device=arguments.device,
        backbone=arguments.backbone,
        crops=arguments.crops,
    )
    if output.exists():
        for path in index.paths:
            if output.samefile(path):
                raise InputError(
                    f"{path} is searched, and would be overwritten: name another output"
                )
    hits = index.search(arguments.sentence, arguments.best, arguments.language, arguments.tokenized)
    doubts = _doubts(arguments.sentence, index)
    for doubt in doubts:
        log.warning("%s", doubt)
    if output == STANDARD:
        for path, score in hits:
            show(f"{score:.4f}  {search_results.shown_path(path)}")
        return
    if output.suffix.lower() == ".html":
        page = search_results.page(arguments.sentence, hits, doubts, index, output)
        files.write_bytes(output, page.encode(errors="replace"))
    else:
        files.write_bytes(output, _contact_sheet(arguments.sentence, hits, output))
    name = search_results.shown_path(output)
    show(f"{name} has the {len(hits)} best of {len(index.paths):,} pictures")


def _doubts(sentence: str, index: "Index") -> list[str]:
    """List the reasons why possibly no picture fits."""
    languages = index.encoder.languages
    if LATIN.issuperset(languages) and not re.search("[A-Za-z]", sentence):
        read = " and ".join(languages)
        return [f"the sentence has no Latin letter, and the model reads only {read}"]
    return []


def _contact_sheet(sentence: str, hits: search_results.Hits, output: Path) -> memoryview:
    """Draw a contact sheet in the format that the output's ending chooses."""
    sheet = search_results.contact_sheet(sentence, hits)
    image_format = "PNG" if output.suffix.lower() == ".png" else "JPEG"
    if image_format == "JPEG" and sheet.height > HIGHEST_JPEG:
        raise InputError(
            f"{output} would be {sheet.height:,} pixels high, and a JPEG has at most "
            f"{HIGHEST_JPEG:,}: name a .png or .html, or show fewer with --best"
        )
    data = io.BytesIO()
    sheet.save(data, image_format)
    return data.getbuffer()
