"""Refusals of bad input."""

import pytest

from groundvec.runtime.errors import InputError


def refused(message):
    """Expect an InputError of one line that matches this regular expression."""
    return pytest.raises(InputError, match=message, check=lambda error: "\n" not in str(error))
