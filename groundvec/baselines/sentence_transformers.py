"""Models of the sentence-transformers package (Reimers & Gurevych 2019)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from groundvec.runtime.errors import InputError, extra

TIMEOUT = 10  # seconds until the hub answers


class Baseline:
    """A model of the sentence-transformers package, which is an extra."""

    def __init__(self, model: str) -> None:
        """Load a model from a folder, or by name from the hub; InputError if that is impossible."""
        with extra("sentence-transformers"):
            import sentence_transformers

            from groundvec.device import choose
        self.device = choose()
        # Without a network the package retries for minutes before it looks in its cache.
        cached = not Path(model).is_dir() and not _hub_answers()
        try:
            self.model = sentence_transformers.SentenceTransformer(
                model, device=self.device, local_files_only=cached
            )
        except Exception as error:
            reason = " ".join(str(error).split())
            remedy = "give the name of one on the hub"
            if cached:
                reason = "the hub does not answer, and the model is not in its cache"
                remedy = "check the network"
            raise InputError(
                f"sentence-transformers cannot load the model {model!r} ({reason}): {remedy}, or "
                "the folder of one"
            ) from None

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, size) float32."""
        embeddings = self.model.encode(list(sentences), show_progress_bar=False)
        return np.asarray(embeddings, np.float32)


def _hub_answers() -> bool:
    """Return whether the Hugging Face hub answers a request."""
    from huggingface_hub import constants
    from huggingface_hub.utils import get_session

    try:
        response = get_session().head(constants.ENDPOINT, timeout=TIMEOUT)
    except Exception:  # of many types, by the network, or HF_HUB_OFFLINE
        return False
    return response.status_code < 500  # a proxy without a network answers 502 or 503
