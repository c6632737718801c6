"""Shared code of the programs in this folder, which measure encoders for tables of the pages."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.render.tables import write_numbers

MODEL = {"help": "a folder, or the name of one that comes with groundvec"}
FOLDERS = {"type": Path, "nargs": "+", "help": "STS and SICK, unpacked"}
SCORES = {"type": Path, "required": True, "help": "scores of `groundvec evaluate ratings`"}


def program(
    text: str, measure: Callable[[argparse.Namespace], pd.DataFrame], **options: dict[str, Any]
) -> None:
    """Parse the arguments, measure, print the table, and write it with its provenance.

    Args:
        text: the description of the program.
        measure: computes the table from the arguments.
        options: options of `parser.add_argument` for each argument of the program, by its name;
            `__` in a name stands for `--`.
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=form)
    for name, settings in options.items():
        parser.add_argument(name.replace("__", "--"), **settings)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    table = measure(arguments)
    print(table.to_string(index=False))
    write_numbers(arguments.output, table)
