"""Captions that look the same get one spelling."""

import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data.cleaning import LONGEST, clean
from tests.support.limits import takes_less_than
from tests.support.tables import cells


@pytest.mark.parametrize(
    "raw, cleaned",
    cells(r"""
    "  A dog .  "                                 | "A dog ."
    "A\tdog\r\nruns \n fast"                      | "A dog runs fast"
    "A\x00dog\x1b\x7f\x85runs"                    | "A dog runs"
    "A\u00a0dog\u2028runs\u3000fast"              | "A dog runs fast"
    "half \ud83d of a pair"                       | "half of a pair"
    "Ein Müller-Hund, 2 Jahre! 🐕‍🦺🇩🇪"              | "Ein Müller-Hund, 2 Jahre! 🐕‍🦺🇩🇪"
    "\t\n "                                       | ""
    "\ufeffbe\u00adach\u200b \u200edog\u200f"     | "beach dog"
    "cafe\u0301 \ufb01xed \uff24og\u2026 x\u00b2" | "café fixed Dog... x2"
    "Wie geht\u00b4s"                             | "Wie geht's"
    "do\u200dg \u0645\u06cc\u200c\u062e"          | "dog \u0645\u06cc\u200c\u062e"
    "A &amp; B"                                   | "A &amp; B"
    """),
)
def test_clean(raw, cleaned):
    assert clean(yaml.safe_load(raw)) == yaml.safe_load(cleaned)


ODD = "e\u0301\u00b4\u1680\u2028\u200c\u200d\u06cc\u180e\ufeff\ufe0f❤\ud800 \x00\u1100\u1161\u0600"


@given(st.text(max_size=12) | st.text(ODD, max_size=12))
def test_text_that_looks_the_same_is_cleaned_to_the_same(text):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert clean(unicodedata.normalize(form, text)) == clean(text) == clean(clean(text))


def test_invisible_characters_follow_unicode_s_categories():
    for c in map(chr, range(0x110000)):
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zs"):
            assert clean(f"{c}a") == "a", hex(ord(c))
    for c in ("\u200c", "\u200d"):  # kept between letters of some scripts
        assert clean(f"\u06cc{c}\u06cc") == f"\u06cc{c}\u06cc"


def test_marks_without_end_take_no_time():
    with takes_less_than(10):  # normalization alone takes minutes
        assert len(clean("a" + "\u0301\u0316" * 200_000)) > LONGEST  # which is refused, or cut
