r"""Find the pictures that a sentence describes, or that resemble another picture.

It prints one line per picture, best first: its score and its path. A high score fits better than a
low one; scores of other queries do not compare. -v also prints the cosine, and what the image
networks see in the picture for the words of the query. The vectors of pictures are cached: a later
search in the same folder reads only new and changed pictures. Files that are not pictures are
skipped, and copies of a picture in other formats or sizes are shown once.

The last argument is the query. Files and folders before it are searched; sentences before it are
further queries. End a query with a full stop if a file or folder has its name. Without a query, the
program asks for one after another, until an empty line.

--plus and --minus add the vector of a sentence or picture to each query, or subtract it. So --minus
moves pictures down, and excludes none. A number and a colon before it are its weight; the query has
a weight of 1. "2: snow" and "2:30 at night", with a space or digit after the colon, are sentences.

Examples:
  groundvec search holiday/ "a dog on a beach"
  groundvec search holiday/
  groundvec search holiday/ "a beach" --minus "people"
  groundvec search holiday/ beach.jpg --plus "2:snow" --minus "0.5:people"
  groundvec search holiday/ "a dog" "a cat" --crops 1 --best 20 -o best.html --open
  groundvec search holiday/ "a dog" --paths | xargs -d '\n' cp -t best
  groundvec search *.jpg "a dog" --model results/mine/models/mine/gru-256-max/seed1
"""

import argparse
import logging
import os
import re
import shlex
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec.cli.arguments import STANDARD, add_model, add_output, add_tokenized, at_least
from groundvec.cli.program import show
from groundvec.cli.search_results import page, seen, shown
from groundvec.cli.sentences import is_path, looks_like_path
from groundvec.runtime import files
from groundvec.runtime.errors import InputError
from groundvec.runtime.texts import is_blank

if TYPE_CHECKING:
    from groundvec.cli.search_results import Hits
    from groundvec.index import Index, Query

# A weight and its term. A time of day or a ratio, such as 16:9, and a number of a list are none.
WEIGHTED = re.compile(r"(\d{1,3}|\d{0,3}\.\d+):([^\s\d].*)", re.DOTALL)
# A query with a weight, or a weight behind a term, such as snow:2. With a full stop, a sentence.
MISPLACED = re.compile(r"[\d.]+:[^\s\d].*[^.]|.*[^\W\d]\s*:\s*[\d.]*\d", re.DOTALL)

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
    queries = parser.add_argument(
        "queries",
        type=_picture_or_sentence,
        nargs="+",
        default=[],
        metavar="QUERY",
        help="a description of pictures, in quotation marks, or a picture, to find similar ones; "
        "by default the program asks",
    )
    # With `*` in place of `+`, options between the positional arguments would end them.
    queries.required = False
    for option, effect in (("--plus", "add to"), ("--minus", "subtract from")):
        parser.add_argument(
            option,
            type=_weighted,
            action="append",
            default=[],
            metavar="QUERY",
            help=f"a sentence or picture to {effect} each query; 2:snow counts twice; may be "
            "repeated",
        )
    parser.add_argument(
        "-n",
        "--best",
        type=at_least(1),
        default=10,
        help="number of pictures (default: %(default)s)",
    )
    add_output(
        parser, [".html"], "write a page with the best pictures instead of printing their paths"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
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
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--paths", action="store_true", help="print paths alone, for other programs")
    form.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also print the cosine, and what the image networks see for the words of the query",
    )
    add_model(parser)
    add_tokenized(parser)


def main(arguments: argparse.Namespace) -> None:
    """Search, and print the paths or write a page; without a query, ask for queries."""
    *others, last = arguments.images + arguments.queries
    images = [argument for argument in others if isinstance(argument, Path)]
    queries = [argument for argument in others if isinstance(argument, str)]
    is_searched = isinstance(last, Path) and (not arguments.queries or last.is_dir())
    (images if is_searched else queries).append(last)
    # Mistakes are found before the pictures are read, which may take long.
    if not images:
        remedy = "name a picture or a folder of pictures"
        if os.path.exists(last):  # noqa: PTH110, which raises an error for long sentences
            remedy = f"name the pictures first: {_quoted([last], queries[:-1])}"
        raise InputError(f"{queries[0]} does not exist: {remedy}")
    if not queries and not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise InputError("there is no query: describe pictures in quotation marks")
    if arguments.output == STANDARD and arguments.open:
        raise InputError("--open has no page: name one, such as -o best.html")
    if arguments.output != STANDARD and arguments.paths:
        raise InputError("--paths prints, and -o writes a page: leave one of them out")
    for query in queries + [term for term, _ in arguments.plus + arguments.minus]:
        _check_query(query)
    if len(queries) > 1 and all(isinstance(query, str) and _is_word(query) for query in queries):
        log.warning("each word is a query; for one, type quotation marks: %s", _quoted([], queries))
    # Names in the current folder that may as well have been meant as queries.
    names = [str(path) for path in [*images[1:], *queries] if isinstance(path, Path)]
    words = [name for name in names if not looks_like_path(name)]
    if words and queries:
        log.warning(
            "%s: read as a file or folder, which has this name; end a sentence with a full stop",
            ", ".join(words[:3]),
        )

    from groundvec.encoder import SentenceEncoder
    from groundvec.index import Index
    from groundvec.model.sentences import chosen_language

    encoder = SentenceEncoder(arguments.model, device=arguments.device)
    chosen_language(arguments.language, encoder.languages)
    index = Index(images, encoder, backbone=arguments.backbone, crops=arguments.crops)
    about = _about(index)
    if files.is_first(about):
        log.warning("%s", about)
    if queries:
        _answer(queries, index, about, arguments)
        return
    for query in _asked():
        try:
            _check_query(query)
            _answer([query], index, about, arguments)
        except InputError as error:
            log.error("%s", error)


def _is_word(query: str) -> bool:
    """Return whether a query is one word, and not marked as a sentence by a full stop."""
    return len(query.split()) == 1 and not query.endswith(".")


def _quoted(images: "Sequence[Query]", queries: "Sequence[Query]") -> str:
    """Write arguments for a shell; several queries of one word are one sentence."""
    words = [str(query) for query in queries]
    if all(map(_is_word, words)):
        words = [" ".join(words)]
    return shlex.join([*map(str, images), *words])


def _answer(
    queries: "Sequence[Query]", index: "Index", about: str, arguments: argparse.Namespace
) -> None:
    """Search for each query, and print the paths or write a page."""
    output: Path = arguments.output
    plus = _sums(arguments.plus)
    minus = _sums(arguments.minus)
    language = arguments.language
    results: list[tuple[str, Hits]] = []
    for query in queries:
        title = shown(query)
        for sign, terms in (("+", plus), ("-", minus)):
            for term, weight in terms.items():
                factor = "" if weight == 1 else f"{weight:g}:"
                title += f" {sign} {factor}{shown(term)}"
        found = index.search(query, arguments.best, language, arguments.tokenized, plus, minus)
        hits = [(hit, seen(index.explain(hit.path, query, language, plus, minus))) for hit in found]
        results.append((title, hits))
    if output != STANDARD:
        text = page(results, about, index, output)
        files.write_bytes(output, text.encode(errors="replace"))
        best = max(len(hits) for _, hits in results)
        show(f"written: {shown(output)}, with the {best} best of {len(index.paths):,} pictures")
        if arguments.open and not webbrowser.open(output.absolute().as_uri()):
            log.warning("no browser was found: open %s in one", output)
        return
    for title, hits in results:
        if len(results) > 1 and not arguments.paths:
            show(f"{title}:")
        for hit, classes in hits:
            if arguments.paths:
                _print_path(hit.path)
                continue
            line = f"{hit.score:z.2f}  {shown(hit.path)}"
            if arguments.verbose:
                line += f"  cosine {hit.similarity:z.2f}" + (f"; {classes}" if classes else "")
            show(line)


def _print_path(path: Path) -> None:
    """Print a path for other programs, in its own bytes; on a terminal, as it is shown."""
    name = str(path)
    if name.startswith("-"):  # or a program takes it for an option
        name = f"./{name}"
    if sys.stdout.isatty():
        show(shown(name))
    elif "\n" in name:
        log.warning("%s is left out: it has a line break", path)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(os.fsencode(name) + b"\n")


def _asked() -> "Iterator[Query]":
    """Yield the queries that a user types, until an empty line, Ctrl-D or Ctrl-C."""
    with suppress(ImportError):
        import readline  # noqa: F401, lets `input` edit lines, and recall earlier ones
    try:
        while True:
            line = input("query: ").strip()
            if is_blank(line):
                return
            yield _picture_or_sentence(line)
    except (EOFError, KeyboardInterrupt):
        show("")  # ends the line of the prompt


def _check_query(query: "Query") -> None:
    """Raise InputError for a path that is no file, and a weight that is in no place for one."""
    if isinstance(query, str) and MISPLACED.fullmatch(query):
        raise InputError(
            f"{query}: only a term of --plus and --minus has a weight, which comes first, as in "
            "--plus 2:snow; end a sentence with a full stop"
        )
    if isinstance(query, Path) and not query.is_file():
        raise InputError(
            f"{query} is neither a sentence nor the file of a picture: put a sentence in "
            "quotation marks, with a full stop if it looks like a name"
        )


def _weighted(argument: str) -> "tuple[Query, float]":
    """Return the sentence or picture that an argument names, with its weight."""
    match = WEIGHTED.fullmatch(argument)
    if not match or os.path.exists(argument):  # noqa: PTH110
        return _picture_or_sentence(argument), 1.0
    weight = float(match[1])
    if not weight:
        raise argparse.ArgumentTypeError(f"{argument}: a weight of 0 changes nothing, leave it out")
    return _picture_or_sentence(match[2]), weight


def _sums(terms: "list[tuple[Query, float]]") -> "dict[Query, float]":
    """Return the weight of each term, which may be repeated."""
    sums = {term: 0.0 for term, _ in terms}
    for term, weight in terms:
        sums[term] += weight
    return sums


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


def _about(index: "Index") -> str:
    """Name a model's languages and training data in one line."""
    from groundvec.config.parts import options_schema

    folder = index.encoder.model_folder
    assert folder is not None
    content = folder.metadata
    data = content["dataset"]
    with suppress(InputError, KeyError):  # a source that is not installed here, or has no card
        domain = options_schema("sources", str(content["source"]))["card"]["domain"]
        summary = re.split("[.,;]", domain)[0]
        data += f" ({summary[0].lower()}{summary[1:]})"
    if index.levels.size:
        data += f" and {index.levels.shape[1]:,} kinds of things"
    languages = " and ".join(index.encoder.languages)
    name = folder.path.resolve().name
    return f"{name} reads {languages}. Trained on {data}, it may miss other subjects."
