"""Fonts of the system, for letters that the fonts of figures lack."""

import subprocess
from collections.abc import Collection
from functools import cache


@cache
def with_letters(letters: frozenset[str]) -> str | None:
    """Find the file of a system font that has all of these letters.

    Returns:
        None if there is no such font, or no fontconfig, which lists the fonts.
    """
    codes = " ".join(f"{ord(letter):x}" for letter in sorted(letters))
    command = ["fc-list", "--format=%{file}\n", f":charset={codes}:scalable=true:color=false"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    files = [file for file in listed.splitlines() if file.endswith((".ttf", ".ttc", ".otf"))]
    # The plainest: without serifs, and with the shortest name, such as without "Bold".
    return min(files, key=lambda file: ("Sans" not in file, len(file), file), default=None)


def boxes(letters: Collection[str]) -> str:
    """Write the warning about letters that are drawn as boxes, with the remedy."""
    shown = "".join(sorted(letters)[:20])
    if len(letters) > 20:
        shown += " ..."
    return f"no font here has {shown}, which are drawn as boxes: install a font"
