"""Writes the tables of docs/reliability.md, when the environment names that file."""

import os
from pathlib import Path


def write_section(title: str, body: str) -> None:
    """Replace the section `## title`, which goes to the next one, in $GROUNDVEC_RELIABILITY."""
    if name := os.environ.get("GROUNDVEC_RELIABILITY"):
        before, _, rest = Path(name).read_text("utf-8").partition(f"## {title}\n")
        _, following, after = rest.partition("\n## ")
        Path(name).write_text(f"{before}## {title}\n\n{body}{following}{after}", "utf-8")
