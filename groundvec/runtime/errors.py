"""The error for bad input, and the text of errors."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

LONGEST = 1000  # characters of a line that an error shows


class InputError(ValueError):
    """Bad input: one line that names the file or the key, with a remedy.

    More lines may follow, one per problem. Quoted text may come from anybody, so it is shortened
    and made printable.
    """

    def __init__(self, line: str = "", *more: str) -> None:
        super().__init__("\n  ".join(printable(shortened(text)) for text in [line, *more]))


def shortened(line: str) -> str:
    """Cut the middle out of a long line: its end has the reason."""
    half = LONGEST // 2
    return line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}"


def printable(text: str) -> str:
    r"""Escape characters that a terminal does not show, or that control it, such as `\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant by an unknown one; None if none is close."""
    return next(iter(get_close_matches(name, list(known), n=1)), None)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Let the block import packages that only an extra of this package installs.

    Raises:
        InputError: one is not installed; the error names the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "groundvec":
            raise  # a fault of this package
        raise InputError(
            f'{error.name} is not installed: pip install "groundvec[{name}]"'
        ) from None
