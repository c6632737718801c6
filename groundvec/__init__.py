"""Visually grounded sentence embeddings: sentences and pictures in, vectors out.

>>> from groundvec import SentenceEncoder
>>> SentenceEncoder("flickr8k").encode(["A dog runs."])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundvec.runtime.errors import extra

if TYPE_CHECKING:  # for editors and mypy, which `__getattr__` tells nothing
    from groundvec import evaluate as evaluate
    from groundvec.encoder import ImageEncoder, SentenceEncoder
    from groundvec.index import Index, search

    __version__: str

MODULES = {
    "SentenceEncoder": "groundvec.encoder",
    "ImageEncoder": "groundvec.encoder",
    "Index": "groundvec.index",
    "search": "groundvec.index",
}
__all__ = ["ImageEncoder", "Index", "SentenceEncoder", "search"]


if not TYPE_CHECKING:  # else any other name would be in the package, too

    def __getattr__(name: str) -> Any:
        """Import what is offered only when it is asked for."""
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
