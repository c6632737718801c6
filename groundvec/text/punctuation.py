"""Punctuation apart from words, as published captions have it: `A dog 's ball , on the beach .`.

People write it attached. To an encoder of characters these are other characters in another order,
so what people write is brought to the form of the captions that it was trained on.
"""

import re
from collections.abc import Iterable
from typing import Any

from groundvec.config import parts
from groundvec.data.cleaning import clean

_LETTER = "A-Za-z\u00c0-\u024f"
_MARK = '["();!?]'
# Where a space is missing. Commas and colons between digits stay, as do all stops but the last. An
# accent stays on the mark before it: behind a space it would be an apostrophe.
_GAPS = "|".join(
    [
        f"(?<=[^ ])(?={_MARK})",
        f"(?<={_MARK})(?=[^ \u0301])",
        "(?<=[^ ])(?=[,:](?![0-9]))",
        "(?<=[,:])(?=[^ 0-9\u0301])",
        r"""(?<=[^ .])(?=\.+[ "')]*$)""",
        f"(?<=[{_LETTER}])(?='[{_LETTER}])",  # the dog 's, it isn 't: as Moses cuts them
    ]
)
# Patterns and what takes the place of each match, one after another. Python and JavaScript read
# them alike: they are written into exported files.
SUBSTITUTIONS = [
    ("[\u2018\u2019\u02bc]", "'"),
    ("[\u201c-\u201f]", '"'),
    ("\u2010", "-"),
    (_GAPS, " "),
]


def substitutions(text: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the substitutions for a model's text; none if it tokenizes or parses itself.

    Args:
        text: a description's `text`.
    """
    return [] if "tokens" in parts.provided("text", text) else SUBSTITUTIONS


def set_apart(sentences: Iterable[str], text: dict[str, Any]) -> list[str]:
    """Clean sentences, and set their punctuation apart by the `substitutions` of a model's text."""
    replacing = [(re.compile(pattern), by) for pattern, by in substitutions(text)]

    def apart(sentence: str) -> str:
        sentence = clean(sentence)
        for pattern, by in replacing:
            sentence = pattern.sub(by, sentence)
        return sentence

    return [apart(sentence) for sentence in sentences]
