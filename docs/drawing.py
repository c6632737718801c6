"""Drawings for the pages."""

import io
import re

import matplotlib
from matplotlib.figure import Figure

from groundvec.render.style import styled


@styled
def svg(figure: Figure) -> str:
    """The drawing as text, the same every time and on every machine."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "groundvec", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"
    # The last digits differ by processor, and with them names, which are hashes of sizes.
    text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", text)
    names = dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', text))
    for place, name in enumerate(names, 1):
        text = text.replace(name, f"n{place}")
    return text
