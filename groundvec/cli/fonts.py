"""Fonts of the system, for letters that those of figures and contact sheets lack."""

import subprocess
from collections.abc import Collection
from functools import cache


@cache
def with_letters(letters: frozenset[str]) -> str | None:
    """Find a font of the system that has all of these letters: its file.

    It is None without such a font, or without fontconfig, which knows them.
    """
    codes = " ".join(f"{ord(letter):x}" for letter in sorted(letters))
    command = ["fc-list", "--format=%{file}\n", f":charset={codes}:scalable=true:color=false"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    files = [file for file in listed.splitlines() if file.endswith((".ttf", ".ttc", ".otf"))]
    # The plainest.
    return min(files, key=lambda file: ("Sans" not in file, len(file), file), default=None)


def boxes(letters: Collection[str]) -> str:
    """Name in one line the letters that are drawn as boxes, and the remedy."""
    some = "".join(sorted(letters)[:20]) + (" ..." if len(letters) > 20 else "")
    return f"no font here has {some}, which are drawn as boxes: use .html, or install a font"
