"""Character n-gram features beside an encoder's vector, in NumPy (`groundvec.model.spelling`)."""

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from groundvec.model.inference.layers import Take
from groundvec.similarity import unit
from groundvec.text.characters import Text
from groundvec.text.encoded import PADDING, UNKNOWN

LENGTHS = (3, 4)  # as there
FACTOR, MODULUS = 16_777_619, 2**31 - 1


class Spelling:
    """Characters -> counts of hashed n-grams of small letters, each times its rarity, unit norm."""

    def __init__(self, take: Take, text: Text, size: int, learned: int | None = None) -> None:
        self.learned = take("learned.weight", learned, size) if learned else None
        self.rarity = take("rarity", size)
        index = {character: i for i, character in enumerate(text.characters, start=2)}
        self.space = index.get(" ", UNKNOWN)
        small = [index.get(c.lower(), i) for c, i in index.items()]
        self.letters = np.array([self.space, UNKNOWN, *small])

    def append(self, vectors: np.ndarray, batch: Sequence[np.ndarray], cosines: bool) -> np.ndarray:
        """Add what `learned` says to vectors (B, size), and append the n-grams."""
        embed = unit if cosines else lambda values: values
        spelt = unit(self.counts(*batch) * self.rarity)
        if self.learned is not None:
            vectors = embed(vectors + embed(spelt @ self.learned.T))
        return embed(np.hstack([vectors, spelt]))

    def counts(self, indices: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Count the n-grams of each bucket in each sentence: (B, size) float32."""
        size, sentence = len(self.rarity), np.arange(len(lengths)).repeat(lengths)
        place = np.arange(len(indices)) - (lengths.cumsum() - lengths)[sentence]
        padded = np.full((len(lengths), max(int(lengths.max()) + 2, *LENGTHS)), PADDING)
        padded[sentence, place + 1] = indices
        letters = self.letters[padded]
        counts = np.zeros(len(lengths) * size, np.float32)
        for n in LENGTHS:
            windows = sliding_window_view(letters, n, axis=1)
            hashed = np.zeros_like(windows[..., 0])
            for letter in range(n):
                hashed = (hashed * FACTOR + windows[..., letter]) % MODULUS
            of_one_word = (windows[..., 1:-1] != self.space).all(axis=2)
            row, _ = np.nonzero(of_one_word)
            counts += np.bincount(row * size + hashed[of_one_word] % size, minlength=len(counts))
        return counts.reshape(len(lengths), size)
