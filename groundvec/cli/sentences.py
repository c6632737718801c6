"""Sentences that users name on the command line, or in a file."""

import os
import re
import sys
from pathlib import Path

from groundvec.cli.arguments import STANDARD
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import LARGEST_TABLE, read_at_most, read_regular, text_lines
from groundvec.runtime.texts import refuse_blank

# Files that are structured otherwise than as one sentence per line.
STRUCTURED = {".csv", ".html", ".json", ".jsonl", ".parquet", ".tsv", ".xlsx", ".xml"}
# The first line of a table of captions: names of columns, or a picture's name and its caption; and
# of JSON or XML.
HEADER = re.compile(
    r"""["']?(image|file|photo|picture|path|url|caption|comment|text|sentence)\w*["']?
        (([,;\t]|\s*\|\s*)["']?\w+["']?)+  # no space after a comma, as a sentence has
        | [^\s,;|]+\.(jpe?g|png|gif|bmp|webp|tiff?|heic|avif)["']?(\#\d)?\s*[,;|\t].*
        | (\{"|\[["{]|<[?!]).*""",
    re.IGNORECASE | re.VERBOSE,
)


def is_path(argument: str) -> bool:
    """Return whether an argument is, or looks like, the name of a file or folder."""
    # Path.exists raises an error for long sentences.
    return looks_like_path(argument) or os.path.exists(argument)  # noqa: PTH110


def looks_like_path(argument: str) -> bool:
    """Return whether an argument can be no sentence, but the name of a file or folder."""
    # `-`, a path such as photos/a.jpg or photos/, or a name with an ending, such as a.jpg.
    return bool(re.fullmatch(r"-|\S*/(\S*[^\s.])?|\S+\.[A-Za-z]\w{1,4}", argument))


def check_sentence(sentence: str, remedy: str) -> None:
    """Raise InputError if a sentence is, or looks like, the name of a file or folder."""
    if is_path(sentence):
        raise InputError(
            f"{sentence} is the name of a file, or looks like one: {remedy}, or end a sentence "
            "with a full stop"
        )


def read_sentences(path: Path) -> list[str]:
    """Read the lines of a text file, or of standard input for `-`.

    Raises:
        InputError: the file is missing, no text, or a table, JSON or XML by its ending or its first
            line; or a line is empty.
    """
    if path.suffix.lower() in STRUCTURED:
        raise InputError(
            f"{path} is no text with one sentence per line, by its ending: write its sentences to "
            "a .txt file first"
        )
    try:
        if path == STANDARD:
            data = read_at_most(sys.stdin.buffer, LARGEST_TABLE, path)
        elif path.is_fifo():  # in bash, `<(command)` is the name of one
            with path.open("rb") as file:
                data = read_at_most(file, LARGEST_TABLE, path)
        else:
            data = read_regular(path, LARGEST_TABLE)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: {reason}; name a file of sentences") from None
    sentences = list(text_lines(data, path))
    if sentences and HEADER.fullmatch(sentences[0].strip()):
        raise InputError(
            f"{path} is a table, JSON or XML, by its first line ({sentences[0]}): write its "
            "sentences alone to a file, one per line"
        )
    refuse_blank(sentences, f"{path} line", first=1)
    return sentences
