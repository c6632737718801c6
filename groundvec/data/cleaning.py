"""Sentences as characters that are seen: one spelling for whatever looks the same."""

import re
import unicodedata

LONGEST = 1000  # characters of a caption; a longer one is a mistake, and slows down its whole batch

# All of the category Cf, soft hyphens, zero-width spaces, byte-order marks and marks of direction
# among them, but for the two joiners.
_FORMAT = (
    r"[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f]+"
)
# The joiners, unless they follow what they change the look of: letters of Arabic script and of
# India and its neighbours, and emoji.
_JOINERS = (
    r"[\u200c\u200d](?<![\u0600-\u109f\u1700-\u1cff\u2600-\u27bf\ua800-\uabff\ufe0f"
    "\U00010a00-\U0001faff].)"
)
# White space and control characters, and halves of surrogate pairs, which UTF-8 cannot hold.
_SPACE = (
    r"[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]"
)
# What NFKC makes of an acute accent that stands alone, which people type for an apostrophe.
_ACUTE = rf"{_SPACE}\u0301"
# Patterns and what takes the place of each match, with NFKC after each. Python and JavaScript read
# them alike: they are written into exported files.
SUBSTITUTIONS = [(_FORMAT, ""), (_JOINERS, ""), (_ACUTE, "'"), (f"{_SPACE}+", " ")]
_COMPILED = [(re.compile(pattern), by) for pattern, by in SUBSTITUTIONS]


def clean(caption: str) -> str:
    """Bring a caption to the one spelling of its looks.

    - Unicode's normalization form NFKC: composed letters; ligatures, full-width letters and
      superscripts as plain ones; `...` for an ellipsis. The accent of `it´s` becomes an apostrophe.
    - Invisible characters (category Cf) are removed, but for the zero-width joiner and non-joiner
      where they change what is seen.
    - Every run of white space and control characters becomes one space; none is at the ends.

    Everything else stays, emoji, case and HTML's `&amp;` included.
    """
    for pattern, by in _COMPILED:
        caption = pattern.sub(by, caption)
        if len(caption) <= 10 * LONGEST:  # longer ones are refused later, and some would take hours
            caption = unicodedata.normalize("NFKC", caption)
    return caption.strip(" ")


def normalised(sentence: str) -> str:
    """Return the letters and digits of a sentence, in lower case; spaces differ by tokenizer."""
    return "".join(filter(str.isalnum, sentence.lower()))
