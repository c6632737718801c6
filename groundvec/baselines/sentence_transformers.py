"""Models of the sentence-transformers package (Reimers & Gurevych 2019)."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError, extra


class Baseline:
    """A model of the sentence-transformers package, which is an extra."""

    def __init__(self, model: str) -> None:
        """Load a model from a folder, or by name from the hub; InputError if that is impossible."""
        with extra("sentence-transformers"):
            import sentence_transformers

            from groundvec.device import choose
        self.device = choose()

        def load(local_files_only: bool) -> Any:
            return sentence_transformers.SentenceTransformer(
                model, device=self.device, local_files_only=local_files_only
            )

        # Without a network, the package retries for a minute before it looks in its cache.
        with suppress(Exception):  # of many types
            self.model = load(local_files_only=True)
            return
        try:
            self.model = load(local_files_only=False)
        except Exception as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"sentence-transformers cannot load the model {model!r} ({reason}): give the name "
                "of one on the hub, or the folder of one"
            ) from None

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, size) float32."""
        embeddings = self.model.encode(list(sentences), show_progress_bar=False)
        return np.asarray(embeddings, np.float32)
