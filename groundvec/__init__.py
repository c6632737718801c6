"""Visually grounded sentence embeddings: sentences in, vectors out.

>>> from groundvec import SentenceEncoder
>>> SentenceEncoder("results/demo/models/scenes/gru-128-attention/seed1").encode(["A dog runs."])
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Import the encoder, and torch with it, only when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("groundvec")
    if name == "SentenceEncoder":
        from groundvec.model import SentenceEncoder

        return SentenceEncoder
    raise AttributeError(f"module 'groundvec' has no attribute {name!r}")
