"""The mean of a sentence's word vectors, as SentEval's example `bow.py` (Conneau & Kiela 2018)."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from groundvec.text.vectors import look_up


class Baseline:
    """The mean of the vectors of a sentence's words, each as often as it occurs.

    Words without a vector are left out and counted in the log; a sentence without any other gets
    the zero vector, whose cosine with everything is 0.
    """

    device = "cpu"

    def __init__(self, vectors: str | Path) -> None:
        """Take the vectors from a file as `groundvec.text.vectors.read_vectors` reads it."""
        self.path = vectors

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenised sentences (tokens separated by spaces): (N, dimensions) float32.

        Each call reads the file of vectors: give it all sentences at once.
        """
        rows, vectors = look_up([sentence.split() for sentence in sentences], self.path)
        lengths = np.array([len(words) for words in rows], int)
        flat = np.fromiter(chain.from_iterable(rows), int, lengths.sum())
        starts = np.concatenate([[0], lengths.cumsum()])
        counts = csr_array((np.ones(len(flat)), flat, starts), (len(rows), len(vectors)))
        means: np.ndarray = counts @ vectors / np.maximum(lengths, 1)[:, None]
        return means.astype(np.float32)
