"""Functions that several commands share."""

import argparse
import os
import re
import sys
from pathlib import Path

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import text_lines

STANDARD = Path("-")  # in place of a file: standard input or output


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
    """Read the lines of a text file, or of standard input for `-`; InputError if it is no text."""
    if path == STANDARD and sys.stdin is None:
        raise InputError("standard input is closed: name a file of sentences")
    try:
        data = sys.stdin.buffer.read() if path == STANDARD else path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: {reason}; name a file of sentences") from None
    return list(text_lines(data, path))
