"""Command-line arguments that several scripts have, each declared once."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from groundvec.cli.arguments import at_least
from groundvec.runtime import files
from groundvec.runtime.errors import InputError

ENDINGS = (".yaml", ".yml", ".json")  # a setting that ends so is a file, and not YAML text
FILE_OR_TEXT = "FILE|TEXT"  # the placeholder of such a setting in `--help`
FILES: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE"}


def settings(kind: str) -> Callable[[str], Any]:
    """Return a `type` of argparse for settings that a definition of schema.yaml completes."""

    def complete(content: dict[str, Any]) -> Any:
        from groundvec.config.description import complete_description
        from groundvec.config.schema import complete_by

        if kind == "model":
            return complete_description(content)
        return complete_by(content, kind, kind)

    return partial(completed, complete=complete)


def completed(text: str, complete: Callable[[dict[str, Any]], Any]) -> Any:
    """Read a YAML or JSON file, or YAML text, and complete it; raise argparse's error."""
    from reproduction.reading import read_yaml

    try:
        is_file = text.endswith(ENDINGS)
        yaml_text = files.read_regular(text, files.SMALL).decode() if is_file else text
        content = read_yaml(yaml_text, text if is_file else "this")
        # The schema's check reports the empty key, with the content that is no mapping.
        return complete(content if isinstance(content, dict) else {"": content})
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be read: {error}") from None
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


SHARED: dict[str, dict[str, Any]] = {
    "captions": {"type": Path, "help": "a data set's captions.csv"},
    "images": {"type": Path, "help": "a data set's images.csv"},
    "features": {"type": Path, "help": "the HDF5 file of its image features"},
    "pairs": {"type": Path, "help": "a data set's parallel.csv"},
    "model": {"type": Path, "help": "the folder of a training"},
    "ratings": {"type": Path, "help": "the output of scripts/ratings.py"},
    "work": {"type": Path, "help": "a folder for the finished work of a killed run"},
    "name": {"help": "its name in results"},
    "source": {"metavar": "LANGUAGE", "help": "the language of the sentences, such as en"},
    "target": {"metavar": "LANGUAGE", "help": "the language of the translations, such as de"},
    "text": {
        "type": settings("text"),
        "metavar": FILE_OR_TEXT,
        "help": "the text that an encoder reads",
    },
    "baseline": {
        "type": settings("baseline"),
        "metavar": FILE_OR_TEXT,
        "help": "the encoder of a baseline and its options",
    },
    "treebanks": FILES
    | {"default": [], "help": "the output of scripts/trees.py, for a text of trees"},
    "seed": {
        "type": at_least(0),
        "default": 1,
        "help": "seed of the weights and the batches (default: 1)",
    },
    "threads": {"type": at_least(1), "default": None, "help": "CPU threads to use (default: all)"},
    "device": {
        "choices": ["cpu", "cuda"],
        "default": None,
        "help": "(default: cuda if available)",
    },
    "tokenized": {
        "action": "store_true",
        "default": False,
        "help": "the rated sentences are tokens with spaces between them",
    },
    "mirror": {
        "type": Path,
        "default": os.environ.get("GROUNDVEC_MIRROR") or None,
        "help": "a folder that may have the files to download (default: $GROUNDVEC_MIRROR)",
    },
}


def make_parser(
    text: str | None,
    shared: str = "",
    output: str = "",
    writes: Sequence[str] = ("",),
    reads: str = "",
) -> argparse.ArgumentParser:
    """Make the parser of a script.

    Args:
        text: the text of `--help`, such as the docstring of the script, which ends in examples.
        shared: names in `SHARED`. Those without a default are required.
        output: the help of `--output` or `-o`, a required path; without it there is no such
            argument.
        writes: the ends of the files that are written, after that path. If one of them cannot be
            written, `groundvec.cli.program.execute` does not start the script.
        reads: a definition of schema.yaml that completes `--settings`.
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=form)
    for name in shared.split():
        required = "default" not in SHARED[name]
        parser.add_argument(f"--{name}", required=required, **SHARED[name])
    if reads:
        add_settings(parser, "--settings", reads, "{}")
    if output:
        parser.add_argument("-o", "--output", type=Path, required=True, help=output)
        parser.set_defaults(writes=writes)
    return parser


def add_settings(
    parser: argparse.ArgumentParser, option: str, kind: str, default: str | None = None
) -> None:
    """Add an argument for settings that a definition of schema.yaml completes."""
    from groundvec.config.schema import configuration_schema

    schema = configuration_schema()["$defs"][kind]
    keys = []
    for key, property_schema in schema["properties"].items():
        has_default = "default" in property_schema
        keys.append(f"{key} ({property_schema['default']})" if has_default else key)
    first_sentence = re.split("[;.] ", schema["description"])[0].rstrip(".")
    text = f"{first_sentence}, in YAML or JSON, with its defaults: {', '.join(keys)}"
    parser.add_argument(
        option,
        type=settings(kind),
        default=default,
        required=default is None,
        metavar=FILE_OR_TEXT,
        help=text.replace("%", "%%"),
    )
