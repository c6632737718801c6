"""Shared code of the programs in this folder, which measure encoders for tables of the pages."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from reproduction.render.tables import write_numbers


def program(
    parser: argparse.ArgumentParser, measure: Callable[[argparse.Namespace], pd.DataFrame]
) -> None:
    """Parse the arguments, measure, print the table, and write it with its provenance."""
    parser.add_argument("-o", "--output", type=Path, required=True, help="the CSV to write")
    arguments = parser.parse_args()
    table = measure(arguments)
    print(table.to_string(index=False))
    write_numbers(arguments.output, table)
