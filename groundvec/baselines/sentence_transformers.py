"""Any model of the sentence-transformers package, by name (Reimers & Gurevych 2019)."""

from collections.abc import Sequence

import numpy as np

from groundvec.runtime.errors import InputError, extra


class Baseline:
    """A model of the sentence-transformers package, which is not among this project's own."""

    def __init__(self, model: str) -> None:
        """Load a model from a folder, or by name from the hub; InputError if that is impossible."""
        with extra("sentence-transformers"):
            import sentence_transformers

            from groundvec.device import choose
        self.device = choose()
        try:
            self.model = sentence_transformers.SentenceTransformer(model, device=self.device)
        except Exception as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"sentence-transformers cannot load the model {model!r} ({reason}): "
                "give the name of one on the Hugging Face hub, or the folder of one"
            ) from None

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, size) float32."""
        embeddings = self.model.encode(list(sentences), show_progress_bar=False)
        return np.asarray(embeddings, np.float32)
