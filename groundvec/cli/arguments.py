"""Command-line arguments that several commands of `groundvec` have, each declared once."""

import argparse
from collections.abc import Callable
from pathlib import Path

STANDARD = Path("-")  # in place of a file: standard input or output
FOLDERS = "; missing folders are made"  # in the help of outputs


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model that a command uses, the language, and the device."""
    parser.add_argument(
        "--model",
        default="flickr8k",
        help="a model that comes with groundvec, the folder of a trained one, or USER/NAME on the "
        "Hugging Face hub (default: %(default)s)",
    )
    parser.add_argument("--language", help="of the sentences, such as en (default: the model's)")
    parser.add_argument("--device", help="cpu or cuda (default: cuda if available)")


def add_tokenized(parser: argparse.ArgumentParser) -> None:
    """Add the option for sentences that are tokenized as the training captions are."""
    parser.add_argument(
        "--tokenized",
        action="store_true",
        help='the sentences are tokenized already, as in "A dog \'s ball ."',
    )


def file_ending_in(endings: list[str]) -> Callable[[str], Path]:
    """Return an argument's type: a file whose name has one of these endings."""

    def path(name: str) -> Path:
        if Path(name).suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(f"{name} does not end in {' or '.join(endings)}")
        return Path(name)

    return path


def at_least(smallest: int) -> Callable[[str], int]:
    """Return an argument's type: a whole number that is not smaller, of 32 bits, as seeds have."""

    def whole_number(text: str) -> int:
        number = int(text)
        if number < smallest:
            raise argparse.ArgumentTypeError(f"{number} is less than {smallest}")
        if number >= 2**32:
            raise argparse.ArgumentTypeError(f"{number} is more than {2**32 - 1}")
        return number

    return whole_number


def add_output(parser: argparse.ArgumentParser, endings: list[str], help: str) -> None:
    """Add the file that a command writes, whose ending chooses its format.

    `groundvec.cli.program.execute` checks that it can be written.
    """
    named_file = file_ending_in(endings)

    def output(name: str) -> Path:
        return STANDARD if name == "-" else named_file(name)

    help += FOLDERS
    parser.add_argument("-o", "--output", type=output, default=STANDARD, metavar="FILE", help=help)
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    parser.set_defaults(writes=("",))
