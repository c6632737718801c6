"""The mean of a sentence's word vectors, like `bow.py` in SentEval (Conneau & Kiela 2018)."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from reproduction.text.vector_files import look_up


class Baseline:
    """The mean of the vectors of a sentence's words, each counted as often as it occurs.

    Words without a vector are left out and counted in the log. A sentence without any other has the
    zero vector.
    """

    device = "cpu"

    def __init__(self, vectors: str | Path) -> None:
        """Set the file of vectors, which `reproduction.text.vector_files.look_up` reads."""
        self.path = vectors

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenized sentences (tokens separated by spaces): (N, dimensions) float32.

        Each call reads the file of vectors, so pass all sentences at once.
        """
        rows, vectors = look_up([sentence.split() for sentence in sentences], self.path)
        lengths = np.array(list(map(len, rows)), int)
        # A sparse matrix (sentences, vectors) of counts: its product with the vectors has the sums.
        flat = np.fromiter(chain.from_iterable(rows), int, lengths.sum())
        starts = np.concatenate([[0], lengths.cumsum()])
        counts = csr_array((np.ones(len(flat)), flat, starts), (len(rows), len(vectors)))
        return (counts @ vectors / np.maximum(lengths, 1)[:, None]).astype(np.float32)
