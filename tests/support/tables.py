"""Tables that are written as text, and their rows."""

import pandas as pd


def cells(text):
    """Return the cells of each row, which ` | ` separates."""
    return [[cell.strip() for cell in line.split(" | ")] for line in text.strip().splitlines()]


def row_of(table, **values):
    """Return the only row with these values, as a dictionary."""
    [row] = table[(table[list(values)] == pd.Series(values)).all(axis=1)].to_dict("records")
    return row
