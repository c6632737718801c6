"""One spelling for captions that look the same: white space, accents, invisible characters."""

import re
import unicodedata

# Characters of a caption. A longer one is a mistake, and slows its batch down, as all captions of a
# batch are padded to the longest.
LONGEST = 1000

# Unicode's category Cf without the two joiners: soft hyphens, zero-width spaces, byte-order marks,
# marks of direction and others.
_FORMAT = (
    r"[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f]+"
)
# The joiners (U+200C, U+200D), unless they follow a character whose look they change: letters of
# Arabic script and of scripts of India and its neighbors, and emoji.
_JOINERS = (
    r"[\u200c\u200d](?<![\u0600-\u109f\u1700-\u1cff\u2600-\u27bf\ua800-\uabff\ufe0f"
    "\U00010a00-\U0001faff].)"
)
# White space and control characters, and halves of surrogate pairs, which UTF-8 cannot hold.
_SPACE = (
    r"[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]"
)
# NFKC turns a lone acute accent, which people type for an apostrophe, into these two characters.
_ACUTE = rf"{_SPACE}\u0301"
# Patterns with their replacements; NFKC is applied after each. They mean the same in Python and in
# JavaScript: exported models contain them.
SUBSTITUTIONS = [(_FORMAT, ""), (_JOINERS, ""), (_ACUTE, "'"), (f"{_SPACE}+", " ")]
_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in SUBSTITUTIONS]


def clean(caption: str) -> str:
    """Give a caption the same spelling as others that look the same.

    - Unicode's normalization form NFKC: composed letters; ligatures, full-width letters and
      superscripts as plain ones; `...` for an ellipsis. The accent of `it´s` becomes an apostrophe.
    - Invisible characters (category Cf) are removed; zero-width joiners and non-joiners stay where
      they change the look.
    - Every run of white space and control characters becomes one space; none is at the ends.

    Everything else stays, including emoji, case and HTML's `&amp;`.
    """
    for pattern, replacement in _COMPILED:
        caption = pattern.sub(replacement, caption)
        # Captions that are much too long are refused later, and NFKC may take hours for some.
        if len(caption) <= 10 * LONGEST:
            caption = unicodedata.normalize("NFKC", caption)
    return caption.strip(" ")


def letters_and_digits(sentence: str) -> str:
    """Return the letters and digits of a sentence, in lower case.

    Spaces are left out, as different tokenizers put them in different places.
    """
    return "".join(character for character in sentence.lower() if character.isalnum())
