"""Refuse blank sentences, at every entrance."""

import re
import unicodedata
from collections.abc import Sequence

from groundvec.runtime.errors import InputError

# Most sentences have one of these, which decides quickly.
_PLAIN = re.compile("[0-9A-Za-z]")
# Full stops, which encoders ignore at the end of a sentence, in all forms that are read as `.`
# and `...`; and the letters and symbols of Unicode that show nothing.
_UNSEEN = set(".\u2024\u2025\u2026\ufe19\ufe52\uff0e\u115f\u1160\u3164\uffa0\u2800")


def is_blank(sentence: str) -> bool:
    """Return whether a sentence has nothing but spaces, invisible characters and full stops."""
    if _PLAIN.search(sentence):
        return False
    # Categories of Unicode: C has control characters and others without a form, M marks that
    # combine with a letter before them, and Z spaces.
    return all(c in _UNSEEN or unicodedata.category(c)[0] in "CMZ" for c in sentence)


def refuse_blank(sentences: Sequence[str], place: str = "sentence", first: int = 0) -> None:
    """Raise InputError for the first blank sentence, such as `a.txt line 3` or `sentence 0`.

    A model has a vector for it, which means nothing.

    Args:
        place: the words before its number.
        first: the number of the first sentence.
    """
    for number, sentence in enumerate(sentences, first):
        if is_blank(sentence):
            raise InputError(
                f"{place} {number} is empty ({sentence!r}): write text, or leave it out"
            )
