"""Models of the sentence-transformers package (Reimers & Gurevych 2019)."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError, extra

TIMEOUT = 5  # seconds until the hub answers


class Baseline:
    """A model of the sentence-transformers package, which is an extra."""

    def __init__(self, model: str) -> None:
        """Load a model from a folder, or by name from the hub; InputError if that is impossible."""
        with extra("sentence-transformers"):
            import sentence_transformers
            from huggingface_hub import constants
            from huggingface_hub.utils import get_session

            from groundvec.device import choose
        self.device = choose()

        def load(local_files_only: bool) -> Any:
            return sentence_transformers.SentenceTransformer(
                model, device=self.device, local_files_only=local_files_only
            )

        with suppress(Exception):  # of many types
            self.model = load(local_files_only=True)
            return
        try:
            # Without a network, the package would retry for a minute.
            get_session().head(constants.ENDPOINT, timeout=TIMEOUT)
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
