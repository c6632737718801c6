"""The mean of a sentence's word vectors, like `bow.py` in SentEval (Conneau & Kiela 2018)."""

import logging
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from reproduction.text.vector_files import read_vectors

log = logging.getLogger(__name__)


class Baseline:
    """The mean of the vectors of a sentence's words, each counted as often as it occurs.

    Words without a vector are left out and counted in the log. A sentence without any other has the
    zero vector. If the file of vectors has no capitals, like GloVe's 6B, words are looked up in
    lower case; SentEval's example leaves "The" out.
    """

    device = "cpu"

    def __init__(self, vectors: str | Path) -> None:
        """Set the file of vectors, which `reproduction.text.vector_files.read_vectors` reads."""
        self.path = vectors

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenized sentences (tokens separated by spaces): (N, dimensions) float32.

        Each call reads the file of vectors, so pass all sentences at once.
        """
        tokens = [sentence.split() for sentence in sentences]
        words = set(chain.from_iterable(tokens))
        index, vectors = read_vectors(self.path, words | {word.lower() for word in words})
        if all(word == word.lower() for word in index):  # the file has no capitals
            tokens = [[word.lower() for word in sentence] for sentence in tokens]
        rows = [[index[word] for word in sentence if word in index] for sentence in tokens]
        lengths = np.array(list(map(len, rows)), int)
        total = sum(map(len, tokens))
        left_out = total - lengths.sum()
        log.info("%s: %d of %d tokens have no vector and are left out", self.path, left_out, total)
        # A sparse matrix (sentences, vectors) of counts: its product with the vectors has the sums.
        flat = np.fromiter(chain.from_iterable(rows), int, lengths.sum())
        starts = np.concatenate([[0], lengths.cumsum()])
        counts = csr_array((np.ones(len(flat)), flat, starts), (len(rows), len(vectors)))
        return (counts @ vectors / np.maximum(lengths, 1)[:, None]).astype(np.float32)
