"""Tables that are written as text."""


def cells(text):
    """Return the cells of each row, which ` | ` separates."""
    return [[cell.strip() for cell in line.split(" | ")] for line in text.strip().splitlines()]
