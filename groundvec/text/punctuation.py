"""Spaces around punctuation, as in published captions: `A dog 's ball , on the beach .`.

People write punctuation attached to words. An encoder of characters has only seen it detached, so
raw sentences are brought into the form of its training captions.
"""

import re
from collections.abc import Iterable

from groundvec.config import parts
from groundvec.config.types import Part
from groundvec.data.cleaning import clean

_LETTER = "A-Za-z\u00c0-\u024f"
_MARK = '["();!?]'
# Where a space is missing. Commas and colons between digits stay attached, and so do full stops but
# the last. An accent stays attached to the mark before it: after a space it would be an apostrophe.
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
# Patterns and replacements, applied in this order. They are written into exported models, so they
# keep to the syntax that Python and JavaScript share.
SUBSTITUTIONS = [
    ("[\u2018\u2019\u02bc]", "'"),
    ("[\u201c-\u201f]", '"'),
    ("\u2010", "-"),
    (_GAPS, " "),
]


def substitutions(text: Part) -> list[tuple[str, str]]:
    """Return the substitutions for a model's text; none if it tokenizes or parses itself.

    Args:
        text: a description's `text`.
    """
    return [] if "tokens" in parts.provided("text", text) else SUBSTITUTIONS


def detach_punctuation(sentences: Iterable[str], text: Part) -> list[str]:
    """Clean sentences, and detach punctuation by the `substitutions` of a model's text."""
    compiled = [(re.compile(pattern), replacement) for pattern, replacement in substitutions(text)]
    detached = []
    for sentence in sentences:
        sentence = clean(sentence)
        for pattern, replacement in compiled:
            sentence = pattern.sub(replacement, sentence)
        detached.append(sentence)
    return detached
