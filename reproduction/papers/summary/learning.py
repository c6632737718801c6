"""Learning curves: loss and recall by epoch, and recall by the minutes of training."""

from pathlib import Path

from reproduction.render.figures import learning_curves
from reproduction.render.style import save
from reproduction.reporting.results import Results


def make(results: Results, stem: Path) -> None:
    """Draw the curves."""
    save(learning_curves(results.history), stem)
