"""Other sentence encoders to compare with: one module each, next to the YAML of its options.

The library has one; the papers' are in `reproduction/baselines`. Each module has a class
`Baseline`::

    Baseline(**options)
    baseline.encode(sentences)   (N, size) float32; tokens are separated by spaces
    baseline.device              such as `cpu`

>>> load("sentence-transformers", model="all-MiniLM-L6-v2").encode(["a dog runs ."]).shape
(1, 384)
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
    """Make the baseline of this name, without importing the other baselines' modules.

    Args:
        encoder: such as `sentence-transformers`; InputError if it is unknown. `trigrams` and other
            baselines of the papers are known after `import reproduction`.
        options: described in its YAML file, such as `model` for sentence-transformers.
    """
    return parts.find("baselines", encoder)(**options)
