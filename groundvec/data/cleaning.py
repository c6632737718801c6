"""Sentences without white space that means nothing."""

import re

LONGEST = 1000  # characters of a caption; a longer one is a mistake, and slows down its whole batch

# White space and control characters, and halves of surrogate pairs, which UTF-8 cannot hold.
_GAP = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


def clean(caption: str) -> str:
    """Turn every run of white space and control characters into one space, and strip the ends.

    Everything else, emoji included, stays as it is.
    """
    return _GAP.sub(" ", caption).strip()
