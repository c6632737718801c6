"""Command-line arguments that several programs have, each declared once."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from groundvec.runtime import files
from groundvec.runtime.errors import InputError

ENDINGS = (".yaml", ".yml", ".json")
WHOLE = "FILE|TEXT"  # what `settings` reads
FILES: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE"}


def settings(kind: str) -> Callable[[str], dict[str, Any]]:
    """Return the `type` of an argument: a file or YAML text, completed by a definition."""

    def complete(given: dict[str, Any]) -> dict[str, Any]:
        from groundvec.config.description import complete_description
        from groundvec.config.schema import complete_by

        return complete_description(given) if kind == "model" else complete_by(given, kind, kind)

    def settings_text(value: str) -> dict[str, Any]:  # argparse's errors name the function
        return completed(value, complete)

    return settings_text


def completed(text: str, complete: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Read a file or YAML text and complete it, for `type` of an argument."""
    from groundvec.config.reading import read_yaml

    try:
        is_file = text.endswith(ENDINGS)
        if is_file:
            files.check_regular(text)
        content = Path(text).read_text("utf-8") if is_file else text
        given = read_yaml(content, text if is_file else "this")
        return complete(given if isinstance(given, dict) else {"": given})
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text} is not UTF-8: {error}") from None
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


SHARED: dict[str, dict[str, Any]] = {
    "captions": {"type": Path, "help": "a data set's captions.csv"},
    "images": {"type": Path, "help": "a data set's images.csv"},
    "features": {"type": Path, "help": "the HDF5 file of its image features"},
    "pairs": {"type": Path, "help": "a data set's parallel.csv"},
    "model": {"type": Path, "help": "the folder of a training"},
    "ratings": {"type": Path, "help": "what scripts/ratings.py wrote"},
    "work": {"type": Path, "help": "a folder for what a killed run has finished"},
    "name": {"help": "what to call it in results"},
    "source": {"metavar": "LANGUAGE", "help": "the language of the sentences, such as en"},
    "target": {"metavar": "LANGUAGE", "help": "the language of the translations, such as de"},
    "text": {"type": settings("text"), "metavar": WHOLE, "help": "what an encoder reads"},
    "baseline": {
        "type": settings("baseline"),
        "metavar": WHOLE,
        "help": "the encoder of a baseline and its options",
    },
    "treebanks": {**FILES, "default": [], "help": "a text of trees: what scripts/trees.py wrote"},
    "seed": {"type": int, "default": 1, "help": "of the weights and the batches (default: 1)"},
    "threads": {"type": int, "default": None, "help": "CPU threads to use (default: all)"},
    "device": {
        "choices": ["cpu", "cuda"],
        "default": None,
        "help": "(default: cuda if there is one)",
    },
    "tokenized": {
        "action": "store_true",
        "default": False,
        "help": "the rated sentences are tokens with spaces between them",
    },
    "mirror": {
        "type": Path,
        "default": os.environ.get("GROUNDVEC_MIRROR") or None,
        "help": "a folder that may have what is to be downloaded (default: $GROUNDVEC_MIRROR)",
    },
}


def make_parser(
    text: str | None,
    shared: str = "",
    output: str = "",
    writes: Sequence[str] = ("",),
    reads: str = "",
) -> argparse.ArgumentParser:
    """Make the parser of a program.

    Args:
        text: what `--help` says, such as the docstring of the program, which ends in examples.
        shared: names in `SHARED`. Those without a default are required, unless `?` is behind them.
        output: the help of `--output`, a required path; without it there is none.
        writes: the ends of the files that are written, behind that path. Unless these can be
            written, `groundvec.cli.program.execute` does not start the program.
        reads: a definition of schema.yaml, for `--settings` that are completed by it.
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=form)
    for each in shared.split():
        name = each.removesuffix("?")
        required = name == each and "default" not in SHARED[name]
        parser.add_argument(f"--{name}", required=required, **SHARED[name])
    if reads:
        add_settings(parser, "--settings", reads, "{}")
    if output:
        parser.add_argument("--output", type=Path, required=True, help=output)
        parser.set_defaults(writes=writes)
    return parser


def add_settings(
    parser: argparse.ArgumentParser, option: str, kind: str, default: str | None = None
) -> None:
    """Add an argument for a description that is completed by a definition of schema.yaml."""
    from groundvec.config.schema import configuration_schema

    schema = configuration_schema()["$defs"][kind]
    keys = ", ".join(
        f"{key} ({said['default']})" if "default" in said else key
        for key, said in schema["properties"].items()
    )
    what = re.split("[;.] ", schema["description"])[0].rstrip(".")
    text = f"{what}, in YAML or JSON, with its defaults: {keys}"
    parser.add_argument(
        option,
        type=settings(kind),
        default=default,
        required=default is None,
        metavar=WHOLE,
        help=text.replace("%", "%%"),
    )
