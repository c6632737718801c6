"""Measure encoders and write a table for the pages: functions that this folder's programs share."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.render.tables import write_numbers

MODEL = {"help": "a folder, or the name of one that comes with groundvec"}
FOLDERS = {"type": Path, "nargs": "+", "help": "STS and SICK, unpacked"}
BESIDE = {"type": Path, "required": True, "help": "scores of `groundvec evaluate ratings`"}


def program(
    text: str, measure: Callable[[argparse.Namespace], pd.DataFrame], **options: dict[str, Any]
) -> None:
    """Parse the arguments, measure, print the table, and write it with its provenance.

    Args:
        options: the program's own arguments, by their names, as `parser.add_argument` takes them;
            `__` in a name stands for `--`.
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=form)
    for name, about in options.items():
        parser.add_argument(name.replace("__", "--"), **about)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    table = measure(arguments)
    print(table.to_string(index=False))
    write_numbers(arguments.output, table)
