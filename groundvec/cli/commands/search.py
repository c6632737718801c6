"""Find the pictures that a sentence describes, or that resemble another picture.

It prints one line per picture, best first: its score and its path. The score is the similarity of
the picture and the query. A picture that is similar to most sentences is ranked lower than its
score. A picture in which the image networks see what a word stands for is ranked higher; -v prints
these classes. The vectors of pictures are cached: a later search in the same folder reads only new
and changed pictures. Files that are not pictures are skipped, and copies of a picture in other
formats or sizes are shown once.

The last argument is the query. Files and folders before it are searched; sentences before it are
further queries. End a query with a full stop if a file or folder has its name. --plus and --minus
add the vector of a sentence or picture to each query, or subtract it. So --minus moves pictures
down, and excludes none.

Examples:
  groundvec search holiday/ "a dog on a beach"
  groundvec search holiday/ "a beach" --minus "people"
  groundvec search holiday/ beach.jpg --plus "at night"
  groundvec search holiday/ "a dog" "a cat" --crops 1 --best 20 -o best.html
  groundvec search *.jpg "a dog" --model results/mine/models/mine/gru-256-max/seed1
"""

import argparse
import logging
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec.cli.arguments import STANDARD, add_model, add_output, add_tokenized
from groundvec.cli.program import show
from groundvec.cli.search_results import Hit, Hits, page, seen, shown
from groundvec.cli.sentences import is_path, looks_like_path
from groundvec.runtime import files
from groundvec.runtime.errors import InputError
from groundvec.runtime.texts import is_blank

if TYPE_CHECKING:
    from groundvec.index import Index
    from groundvec.model.folder import ModelFolder

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec search`."""
    parser.add_argument(
        "images",
        type=_path_or_sentence,
        nargs="+",
        metavar="IMAGES",
        help="pictures, and folders of them",
    )
    parser.add_argument(
        "queries",
        type=_picture_or_sentence,
        nargs="+",
        metavar="QUERY",
        help="a description of pictures, in quotation marks, or a picture, to find similar ones",
    )
    for option, effect in (("--plus", "add to"), ("--minus", "subtract from")):
        parser.add_argument(
            option,
            type=_picture_or_sentence,
            action="append",
            default=[],
            metavar="QUERY",
            help=f"a sentence or picture to {effect} each query; may be repeated",
        )
    parser.add_argument(
        "-n", "--best", type=int, default=10, help="number of pictures (default: %(default)s)"
    )
    add_output(
        parser, [".html"], "write a page with the best pictures instead of printing their paths"
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
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also print what the image networks see in each picture for the words of the query",
    )
    add_model(parser)
    add_tokenized(parser)


def main(arguments: argparse.Namespace) -> None:
    """Search, and print the paths or write a page."""
    output: Path = arguments.output
    *others, last = arguments.images + arguments.queries
    images = [argument for argument in others if isinstance(argument, Path)]
    queries = [argument for argument in others if isinstance(argument, str)] + [last]
    # Mistakes are found before the pictures are read, which may take long.
    if arguments.best < 1:
        raise InputError(f"--best is {arguments.best}: ask for one or more")
    if not images:
        raise InputError(f"{queries[0]} does not exist: name a picture or a folder of pictures")
    for query in [last, *arguments.plus, *arguments.minus]:
        if isinstance(query, Path) and not query.is_file():
            raise InputError(
                f"{query} is neither a sentence nor the file of a picture: put a sentence in "
                "quotation marks, with a full stop if it looks like a name"
            )
    # Names in the current folder that may as well have been meant as queries.
    names = [str(path) for path in [*images[1:], last] if isinstance(path, Path)]
    words = [name for name in names if not looks_like_path(name)]
    if words:
        log.warning(
            "%s: read as a file or folder, which has this name; end a sentence with a full stop",
            ", ".join(words[:3]),
        )

    from groundvec.index import Index
    from groundvec.model import hub
    from groundvec.model.sentences import chosen_language

    folder = hub.find(arguments.model)
    chosen_language(arguments.language, folder.description["languages"])
    index = Index(
        images,
        model=folder,
        device=arguments.device,
        backbone=arguments.backbone,
        crops=arguments.crops,
    )
    about = _about(index, folder)
    log.warning("%s", about)
    results: list[tuple[str, Hits]] = []
    for query in queries:
        title = shown(query)
        title += "".join(f" + {shown(added)}" for added in arguments.plus)
        title += "".join(f" - {shown(subtracted)}" for subtracted in arguments.minus)
        plus = arguments.plus
        minus = arguments.minus
        language = arguments.language
        found = index.search(query, arguments.best, language, arguments.tokenized, plus, minus)
        hits = [
            Hit(path, score, seen(index.explain(path, query, language, plus, minus)))
            for path, score in found
        ]
        results.append((title, hits))
    if output == STANDARD:
        for title, hits in results:
            if len(results) > 1:
                show(f"{title}:")
            for hit in hits:
                line = f"{hit.score:.4f}  {shown(hit.path)}"
                show(f"{line}  {hit.seen}" if arguments.verbose and hit.seen else line)
        return
    text = page(results, about, index, output)
    files.write_bytes(output, text.encode(errors="replace"))
    best = max(len(hits) for _, hits in results)
    show(f"written: {shown(output)}, with the {best} best of {len(index.paths):,} pictures")


def _path_or_sentence(argument: str) -> Path | str:
    """Return the path that an argument names, or seems to name; a sentence as it is."""
    if is_path(argument):
        return Path(argument)
    if is_blank(argument):
        raise argparse.ArgumentTypeError("a sentence is empty: describe pictures")
    return argument


def _picture_or_sentence(argument: str) -> Path | str:
    """Return the file that an argument names, or seems to name; a sentence as it is.

    The name of a folder is a sentence, since a folder is no query: people who sort photos have
    folders that are named like their queries.
    """
    path = _path_or_sentence(argument)
    is_word = not looks_like_path(argument) and not is_blank(argument)
    return argument if is_word and isinstance(path, Path) and path.is_dir() else path


def _about(index: "Index", folder: "ModelFolder") -> str:
    """Name a model's languages and training data in one line."""
    from groundvec.config.parts import options_schema

    content = folder.metadata
    data = content["dataset"]
    with suppress(InputError, KeyError):  # a source that is not installed here, or has no card
        domain = options_schema("sources", str(content["source"]))["card"]["domain"]
        summary = re.split("[.;]", domain)[0]
        data += f" ({summary[0].lower()}{summary[1:]})"
    languages = " and ".join(index.encoder.languages)
    name = folder.path.resolve().name
    about = f"{name} reads {languages}. Trained on {data}, it may miss other subjects."
    if index.normalizers.any():
        about += " Pictures that match most sentences are ranked lower than their scores."
    if index.levels.size:
        about += " Beyond that, it finds kinds of things that its image networks know."
    return about
