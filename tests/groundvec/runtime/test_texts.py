"""Blank sentences."""

import pytest

from groundvec.runtime.texts import is_blank


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "\t\n",
        ".",
        "...",
        "\u2026",
        " . \u200b",
        "\ufeff",
        "\u2800",
        "\u3164",
        "\u0301",
        "\ud800",
    ],
)
def test_nothing_can_be_read(sentence):
    assert is_blank(sentence)


@pytest.mark.parametrize("sentence", ["a", "7", "?", "-", "犬", "🐶", "é.", "¿", "क", "\u200bö"])
def test_something_can_be_read(sentence):
    assert not is_blank(sentence)
