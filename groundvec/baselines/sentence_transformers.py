"""Models of the sentence-transformers package (Reimers & Gurevych 2019)."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from groundvec.runtime.errors import InputError, extra

log = logging.getLogger(__name__)

TIMEOUT = 5  # seconds until the hub answers


class Baseline:
    """A model of the sentence-transformers package, which is an extra."""

    def __init__(self, model: str) -> None:
        """Load a model from a folder, or by name from the hub; InputError if that is impossible."""
        with extra("sentence-transformers"):
            # Without a network the package retries for minutes before it looks in its cache, and
            # importing it takes seconds.
            cached = not Path(model).is_dir() and not _hub_answers()
            if cached and not _is_cached(model):
                raise InputError(
                    f"the hub does not answer, and {model!r} is not in its cache: check the "
                    "network, or give the folder of a model"
                )
            import sentence_transformers

            from groundvec.device import choose
        self.device = choose()
        try:
            self.model = sentence_transformers.SentenceTransformer(
                model, device=self.device, local_files_only=cached
            )
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


def _hub_answers() -> bool:
    """Return whether the Hugging Face hub answers a request."""
    from huggingface_hub import constants
    from huggingface_hub.utils import get_session

    log.warning("asking %s for the model, for up to %d s", constants.ENDPOINT, TIMEOUT)
    try:
        response = get_session().head(constants.ENDPOINT, timeout=TIMEOUT)
    except Exception:  # of many types, by the network, or HF_HUB_OFFLINE
        return False
    return response.status_code < 500  # a proxy without a network answers 502 or 503


def _is_cached(model: str) -> bool:
    """Return whether a model was downloaded before."""
    from huggingface_hub import snapshot_download

    for name in (model, f"sentence-transformers/{model}"):  # the package completes short names
        with suppress(Exception):  # of many types
            snapshot_download(name, local_files_only=True)
            return True
    return False
