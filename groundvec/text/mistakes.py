"""Mistakes that people make when they type, made on purpose.

Every letter, or every space, is spoilt with the same probability, the rate; what is spoilt at a
rate is spoilt at every higher one too, so that curves are smooth.
"""

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

TYPING, CASE, SPACES = "typing errors", "case", "missing spaces"
KINDS = (TYPING, CASE, SPACES)


def spoil(sentences: Sequence[str], kind: str, rate: float, seed: int) -> list[str]:
    """Make mistakes in sentences.

    Args:
        kind: `typing errors`: a letter is left out, has another one before it, is another one, or
            changes places with what comes next, each as often (the four of Damerau 1964); `case`: a
            letter's is changed; `missing spaces`: a space is left out.
        rate: the share of letters, or of spaces, from 0 to 1.
        seed: of what is spoilt, which depends on the sentences before.
    """
    rng = np.random.default_rng(seed)
    spoilt = []
    for sentence in sentences:
        lots = rng.random(len(sentence))
        ways = rng.integers(4, size=len(sentence))
        others = rng.integers(len(ascii_lowercase), size=len(sentence))
        characters = list(sentence)
        # From the end, so that what comes next has been spoilt before it changes places.
        for i in np.flatnonzero(lots < rate)[::-1].tolist():
            if kind == SPACES:
                characters[i] = characters[i].replace(" ", "")
            elif kind == CASE:
                characters[i] = characters[i].swapcase()
            elif sentence[i].isalpha():
                _mistype(characters, i, ways[i], ascii_lowercase[others[i]])
        spoilt.append("".join(characters))
    return spoilt


def _mistype(characters: list[str], i: int, way: int, other: str) -> None:
    if way == 0:
        characters[i] = ""
    elif way == 1:
        characters[i] = other + characters[i]
    elif way == 2:
        characters[i] = other
    else:
        characters[i : i + 2] = characters[i : i + 2][::-1]
