"""Visually grounded sentence embeddings: sentences and pictures in, vectors out.

>>> from groundvec import SentenceEncoder
>>> SentenceEncoder("flickr8k").encode(["A dog runs."])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundvec.runtime.errors import extra

if TYPE_CHECKING:  # editors and type checkers do not follow `__getattr__`
    from groundvec import evaluate as evaluate
    from groundvec.encoder import SentenceEncoder
    from groundvec.image_encoder import ImageEncoder
    from groundvec.index import Index

    __version__: str

MODULES = {
    "SentenceEncoder": "groundvec.encoder",
    "ImageEncoder": "groundvec.image_encoder",
    "Index": "groundvec.index",
}
__all__ = ["ImageEncoder", "Index", "SentenceEncoder"]


if not TYPE_CHECKING:  # a type checker would accept any name of the package

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used: torch and pandas take seconds."""
        if name == "__version__":
            from importlib.metadata import version

            return version("groundvec")
        if name == "evaluate":
            with extra("evaluate"):
                return import_module("groundvec.evaluate")
        if name in MODULES:
            return getattr(import_module(MODULES[name]), name)
        raise AttributeError(f"module 'groundvec' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "evaluate", "__version__"]
