"""Visually grounded sentence embeddings: sentences and pictures in, vectors out.

>>> from groundvec import SentenceEncoder
>>> SentenceEncoder.load("flickr8k").encode(["A dog runs."])
"""

from typing import Any

OFFERED = ("ImageEncoder", "SentenceEncoder", "search")


def __getattr__(name: str) -> Any:
    """Import the encoders, and torch with them, only when they are asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("groundvec")
    if name in OFFERED:
        from groundvec import encoder

        return getattr(encoder, name)
    raise AttributeError(f"module 'groundvec' has no attribute {name!r}")
