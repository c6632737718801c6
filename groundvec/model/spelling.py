"""Hashed character n-gram TF-IDF features beside the vector of an encoder.

A space that was learned from pictures has little room for what no picture showed: sentences about
a stock exchange and about a parliament are near each other in it. Here n-grams of characters tell
them apart, and count the more the fewer training captions have them, so that what is unheard of
counts most (inverse document frequency, Sparck Jones 1972). None of this is trained; what a linear
layer learns of them to say of pictures, a bag of n-grams, can be added to what an encoder says.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from groundvec.similarity import embed
from groundvec.text.characters import Text
from groundvec.text.encoded import PADDING, ROWS, UNKNOWN, Encoded

LENGTHS = (3, 4)  # of n-grams, the spaces before and after a word included
FACTOR, MODULUS = 16_777_619, 2**31 - 1  # of the hash; no product is beyond 64 bits


class Spelling(nn.Module):
    """Characters -> counts of hashed n-grams of small letters, each times its rarity, unit norm."""

    def __init__(self, text: Text, size: int, learned: int | None = None) -> None:
        """Build for a vocabulary; until `fit_idf`, all n-grams are as rare.

        Args:
            text: what makes the indices.
            size: of the vectors; n-grams of the same bucket count as one.
            learned: the output size of a linear layer over them, `learned`, if there is one.
        """
        super().__init__()
        self.learned = nn.Linear(size, learned, bias=False) if learned else None
        index = {character: i for i, character in enumerate(text.characters, start=2)}
        self.space = index.get(" ", UNKNOWN)
        # Of each index that of its small letter; of padding, a space.
        small = [index.get(c.lower(), i) for c, i in index.items()]
        self.letters = [self.space, UNKNOWN, *small]
        self.rarity: Tensor
        self.register_buffer("rarity", torch.ones(size))

    def forward(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,), their indices (N,) one after another: (B, size).

        Zeros, where a sentence has only n-grams that every caption has, such as its full stop.
        """
        return normalize(self.counts(indices, lengths) * self.rarity, dim=1)

    def append(self, vectors: Tensor, batch: Sequence[Tensor], similarity: str) -> Tensor:
        """Add what `learned` says to vectors (B, size); outside training, append the n-grams too.

        Images have zeros there, so that all their cosines with captions are as many times smaller:
        retrieval is as it was.
        """
        if self.training and not self.learned:
            return vectors
        spelt = self(*batch)
        if self.learned:
            vectors = embed(vectors + embed(self.learned(spelt), similarity), similarity)
        return vectors if self.training else embed(torch.cat([vectors, spelt], dim=1), similarity)

    def counts(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Count the n-grams of each bucket in each sentence: (B, size) int64."""
        device, size = indices.device, len(self.rarity)
        sentence = torch.arange(len(lengths)).repeat_interleave(lengths)
        place = torch.arange(len(indices)) - (lengths.cumsum(0) - lengths)[sentence]
        longest = max(int(lengths.max()) + 2, *LENGTHS)
        padded = torch.full((len(lengths), longest), PADDING, device=device)
        padded[sentence.to(device), place.to(device) + 1] = indices
        letters = torch.tensor(self.letters, device=device)[padded]
        buckets = torch.cat([self.buckets(letters, n) for n in LENGTHS], dim=1)
        # One more for what is no n-gram of a word.
        first = torch.arange(len(lengths), device=device)[:, None] * (size + 1)
        counts = torch.bincount((buckets + first).flatten(), minlength=len(lengths) * (size + 1))
        return counts.view(len(lengths), -1)[:, :size]

    def buckets(self, letters: Tensor, n: int) -> Tensor:
        """Hash each n-gram of sentences (B, L): (B, L + 1 - n); `size` if it has a space within."""
        windows = letters.unfold(1, n, 1)
        hashed = torch.zeros_like(windows[:, :, 0])
        for letter in windows.unbind(2):
            hashed = (hashed * FACTOR + letter) % MODULUS
        of_one_word = (windows[:, :, 1:-1] != self.space).all(dim=2)
        return torch.where(of_one_word, hashed % len(self.rarity), len(self.rarity))

    @torch.no_grad()
    def fit_idf(self, captions: Encoded) -> None:
        """Learn how rare n-grams are: log((1 + captions) / (1 + captions that have it))."""
        having = torch.zeros_like(self.rarity)
        for rows in np.split(np.arange(len(captions)), range(ROWS, len(captions), ROWS)):
            indices, lengths = map(torch.from_numpy, captions.batch(rows))
            having += (self.counts(indices.to(having.device), lengths) > 0).sum(dim=0)
        self.rarity.copy_(((1 + len(captions)) / (1 + having)).log())
