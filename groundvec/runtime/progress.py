"""Progress of long work: a bar on a terminal or in a notebook, a line now and then in a log."""

import logging
import sys
from typing import Any

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30

log = logging.getLogger(__name__)


class Progress(tqdm):  # type: ignore[type-arg]  # its stubs take one, tqdm itself none
    """tqdm's bar (https://tqdm.github.io), with its arguments."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Start at once; a log's first line comes after `SECONDS_BETWEEN_LINES`.

        A bar inside another one is removed when it ends.
        """
        options.setdefault("leave", None)
        self.terminal = sys.stderr.isatty() or "ipykernel" in sys.modules
        if not self.terminal:
            options |= {"mininterval": SECONDS_BETWEEN_LINES, "delay": SECONDS_BETWEEN_LINES}
        super().__init__(*args, **options)
        if not self.terminal:
            whole = "{desc}: {n_fmt} of {total_fmt} {unit}, {percentage:.0f} %, {remaining} left"
            self.bar_format = whole if self.total else "{desc}: {n_fmt} {unit}"

    def display(self, *args: Any, **options: Any) -> None:
        """Draw the bar, or log a line."""
        if self.terminal:
            super().display(*args, **options)
        elif self.n != self.total:
            log.info("%s", str(self))  # the current text of the bar

    def close(self) -> None:
        """End the bar; in a log there is nothing to end."""
        if self.terminal:
            super().close()
        self.disable = True


def epoch_summary(epoch: int, last_epoch: int, result: str, seconds: float) -> str:
    """Describe an epoch of a training in one line, such as `epoch 2/8, loss 0.1, 3.0 min left`.

    Args:
        epoch: the number of the epoch; 0 is before the training.
        last_epoch: the number of the last one.
        seconds: the time of all epochs so far.
    """
    line = f"epoch {epoch}/{last_epoch}, {result}"
    if epoch > 0:
        line += f", {seconds / epoch * (last_epoch - epoch) / 60:.1f} min left"
    return line
