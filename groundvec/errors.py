"""The one error that users are meant to see."""

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Bad input: one line that names the file or the key and says what to do about it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import within the block what only an extra of this package installs.

    Raises:
        InputError: it is not installed; which extra has it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f'{error.name} is not installed: pip install "groundvec[{name}]"'
        ) from None
