"""Other sentence encoders to compare with: one module per baseline, and the YAML of its options.

Each module has a class `Baseline`::

    Baseline(**options)
    baseline.encode(sentences)   (N, size) float32, of sentences with spaces between their tokens
    baseline.device              what it computes on, such as `cpu`

>>> load("bag-of-words", vectors="glove.6B.zip/glove.6B.100d.txt").encode(["a dog runs ."]).shape
(1, 100)
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from groundvec.config import parts


class Baseline(Protocol):
    """Sentences in, vectors out."""

    device: str

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenized sentences (tokens separated by spaces): (N, size) float32."""


def load(encoder: str, **options: Any) -> Baseline:
    """Make the baseline of this name; of the baselines' modules only its own is imported.

    Args:
        encoder: such as `trigrams`; InputError if there is none.
        options: as its YAML file has them, such as `vectors` for bag-of-words.
    """
    return parts.find("baselines", encoder)(**options)
