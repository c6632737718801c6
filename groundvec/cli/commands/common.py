"""Functions that several commands share."""

import argparse
import csv
import json
import os
import re
import shlex
import sys
from pathlib import Path

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import text_lines

STANDARD = Path("-")  # in place of a file: standard input or output
SHOWN = 20  # lines that tell how a file is laid out
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
TABLES = (".csv", ".tsv")
COLUMNS = ("caption", "captions", "sentence", "sentences", "text")  # names of a single one


def add_model(parser: argparse.ArgumentParser) -> None:
    """Let a command choose the model that it uses, the language, and where it computes."""
    parser.add_argument(
        "--model",
        default="flickr8k",
        help="the name of one that comes with groundvec, or a trained one's folder "
        "(default: %(default)s)",
    )
    parser.add_argument("--language", help="of the sentences, such as en (default: the model's)")
    parser.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")


def add_tokenized(parser: argparse.ArgumentParser) -> None:
    """Let a command read sentences that are in the form of the training captions already."""
    parser.add_argument(
        "--tokenized",
        action="store_true",
        help='punctuation stands apart from words already, as in "A dog \'s ball .": leave it',
    )


def add_output(parser: argparse.ArgumentParser, endings: list[str], help: str) -> None:
    """Let a command write a file whose form is that of its ending."""

    def output(name: str) -> Path:
        if name == "-" or Path(name).suffix.lower() in endings:
            return Path(name)
        raise argparse.ArgumentTypeError(f"{name} does not end in {' or '.join(endings)}")

    parser.add_argument("-o", "--output", type=output, default=STANDARD, metavar="FILE", help=help)
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")


def check_sentence(sentence: str, remedy: str) -> None:
    """Raise InputError for what is, or looks like, the name of a file or folder."""
    # Path.exists fails on long sentences.
    named_so = re.fullmatch(r"-|\S*/(\S*[^\s.])?|\S+\.[A-Za-z]\w{1,4}", sentence)
    if named_so or os.path.exists(sentence):  # noqa: PTH110
        raise InputError(
            f"{sentence} is the name of a file, or looks like one: {remedy}, or end a sentence "
            "with a full stop"
        )


def read_lines(path: Path) -> list[str]:
    """Read the lines of a text file, or of standard input for `-`.

    Raises:
        InputError: it is missing, no text, or laid out as a table, JSON or XML.
    """
    if path == STANDARD and sys.stdin is None:
        raise InputError("standard input is closed: name a file of sentences")
    try:
        data = sys.stdin.buffer.read() if path == STANDARD else path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: {reason}; name a file of sentences") from None
    lines = list(text_lines(data, path))
    if layout := _other_layout(path, [line for line in lines[:SHOWN] if line.strip()]):
        name = "standard input" if path == STANDARD else path
        raise InputError(f"{name} is {layout}")
    return lines


def _other_layout(path: Path, first: list[str]) -> str:
    """Describe a layout other than a sentence per line, and the remedy; nothing for sentences.

    A false alarm would keep somebody from encoding sentences, which have commas, tabs, quotation
    marks and brackets too: only what the first lines agree on counts.
    """
    beginning = "\n".join(first)
    file = "FILE" if path == STANDARD else shlex.quote(str(path))
    if re.match(r'\s*(\[\s*)?\{\s*"[^"]*"\s*:', beginning):
        return (
            f"JSON: write its sentences to a text file first, such as by {_jq(first[0])} {file} "
            "> new.txt"
        )
    if re.match(r"\s*<(\?xml|!doctype|html)\b", beginning, re.IGNORECASE):
        return "XML or HTML: write its sentences to a text file first, one per line"
    suffix = path.suffix.lower()
    for separator, name in SEPARATORS.items():
        try:
            if separator == "\t":  # whose fields have no quotation marks around them
                rows = list(csv.reader(first, delimiter=separator, quoting=csv.QUOTE_NONE))
            else:
                rows = list(csv.reader(first, delimiter=separator))
        except csv.Error:
            continue
        if _is_table(rows, separator, suffix):
            return (
                f"a table with {name} between its columns: write its sentences to a text file "
                f"first: {_cut(rows, separator, file)} > new.txt"
            )
    return ""


def _cut(rows: list[list[str]], separator: str, file: str) -> str:
    """Return a command that prints the column of most words, without its name."""
    spaces = [sum(field.count(" ") for field in column) for column in zip(*rows, strict=True)]
    column = spaces.index(max(spaces))
    skip = " | tail -n +2" if _has_names(rows) else ""
    if separator == "\t":
        return f"cut -f{column + 1} {file}{skip}"
    reader = f"csv.reader(sys.stdin, delimiter='{separator}')"
    return (
        f'python3 -c "import csv, sys; [print(row[{column}]) for row in {reader}]" < {file}{skip}'
    )


def _jq(line: str) -> str:
    """Return a command that prints a text of each object: the one of most words, if known."""
    try:
        entries = json.loads(line)
        texts = {key: value for key, value in entries.items() if isinstance(value, str)}
        key = max(texts, key=lambda key: texts[key].count(" "))
    except (ValueError, AttributeError, RecursionError):  # an object of several lines, or a list
        return "jq -r '.[].caption'"
    return f"jq -r {shlex.quote(f'.[{json.dumps(key)}]')}"


def _is_table(rows: list[list[str]], separator: str, suffix: str) -> bool:
    """Return whether rows have the same fields, and these are no clauses of sentences."""
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return False
    if len(rows[0]) == 1:
        return separator == "," and suffix in TABLES and rows[0][0].lower() in COLUMNS
    if separator == "\t":
        return True
    # In sentences a space follows a comma; a list of words without spaces is no table either.
    clauses = any(field.startswith(" ") for row in rows for field in row[1:])
    if suffix in TABLES:
        return _has_names(rows) or not clauses
    texts = any(" " in field for row in rows[1:] for field in row)
    return len(rows) > 2 and _has_names(rows) and texts and not clauses


def _has_names(rows: list[list[str]]) -> bool:
    """Return whether the first row has names of columns."""
    return all(re.fullmatch(r"[^\W\d][\w.-]*|", field.strip()) for field in rows[0])
