"""List numbers that stand in several places and differ: `python -m docs.pages.repeated`.

docs/pages/declared.yaml has a pattern for each place. Numbers from files of results need none: they
are checked as `sentences` there.
"""

import re

from docs.pages.tables import DECLARED, ROOT


def differing() -> list[str]:
    """Describe each number that differs between its places, or that a place lacks."""
    lines = []
    for number, places in DECLARED["repeated"].items():
        values = {}
        for page, pattern in places.items():
            text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
            matches = re.findall(pattern, text)
            values[page] = " and ".join(sorted(set(matches))) or "not found"
        if len(set(values.values())) > 1 or "not found" in values.values():
            lines.append(
                f"{number}: {', '.join(f'{page} {value}' for page, value in values.items())}"
            )
    return lines


if __name__ == "__main__":
    print("\n".join(differing()) or "no number differs")
