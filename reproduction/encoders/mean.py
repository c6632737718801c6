"""The mean of fixed word vectors: the bag of words of Socher et al. 2014 (section 6)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from groundvec.text.encoded import UNKNOWN


def word_vectors(text: Any) -> Tensor:
    """Return the vectors (indices, dimension) of a text's words.

    A text of a trained model has none: zeros have their shape until the weights are loaded.
    """
    if text.vectors is None:
        return torch.zeros(len(text), text.dimension)
    return torch.from_numpy(text.vectors)


class Encoder(nn.Module):
    """Fixed word vectors -> their mean over the known words -> with `project`, one linear layer."""

    vectors: Tensor

    def __init__(self, text: Any, size: int, project: bool = False, center: bool = False) -> None:
        """Build a network over a text with vectors; `mean.yaml` describes the options."""
        super().__init__()
        self.center = center
        self.register_buffer("vectors", word_vectors(text))
        self.projection = nn.Linear(text.dimension, size) if project else nn.Identity()

    def forward(self, words: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,), their words (N,) one after another: (B, size)."""
        return self.projection(self.pooled(words, lengths))

    def pooled(self, words: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Compute the mean vectors (B, dimension), the input of the linear layer."""
        sentence = torch.arange(len(lengths)).repeat_interleave(lengths).to(words.device)
        sums = self.vectors.new_zeros(len(lengths), self.vectors.shape[1])
        sums.index_add_(0, sentence, self.vectors[words])  # unknown words add zeros
        known_words = sums.new_zeros(len(lengths))
        known_words.index_add_(0, sentence, (words > UNKNOWN).to(sums.dtype))
        return sums / known_words.clamp(min=1)[:, None]

    @torch.no_grad()
    def fit_idf(self, captions: Sequence[Any]) -> None:
        """Center the vectors of all words on their mean over the training captions.

        The training loop calls it where other encoders compute inverse document frequencies.
        """
        if self.center:
            indices = [encoded.batch(np.arange(len(encoded)))[0] for encoded in captions]
            words = torch.from_numpy(np.concatenate(indices))
            self.vectors[UNKNOWN + 1 :] -= self.vectors[words[words > UNKNOWN]].mean(dim=0)
