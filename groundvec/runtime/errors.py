"""The one error that users are meant to see."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

LONGEST = 1000  # characters of a line that an error shows


class InputError(ValueError):
    """Bad input: one line that names the file or the key and says what to do about it.

    What it quotes may come from anybody. More lines may follow, one per problem.
    """

    def __init__(self, line: str = "", *more: str) -> None:
        super().__init__("\n  ".join(printable(shortened(text)) for text in [line, *more]))


def shortened(line: str) -> str:
    """Cut the middle out of a long line; the reason is at its end."""
    half = LONGEST // 2
    return line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}"


def printable(text: str) -> str:
    r"""Escape what does not show in a terminal, or does something to it, such as `\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that somebody probably meant by an unknown one."""
    return next(iter(get_close_matches(name, list(known), n=1)), None)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import within the block packages that only an extra of this package installs.

    Raises:
        InputError: it is not installed; which extra has it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f'{error.name} is not installed: pip install "groundvec[{name}]"'
        ) from None
