"""Word vectors of trees: learned from captions, reduced, and packed as text."""

import base64
import binascii
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from groundvec.runtime.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WINDOW = 5  # words before and after a word that count as its neighbors


def reduce(vectors: "np.ndarray | csr_array", dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the truncated SVD of vectors (N, D), with a fixed seed: U S (N, dimension), and S.

    Raises:
        InputError: there are fewer vectors than `dimension`, or they have fewer values.
    """
    from sklearn.decomposition import TruncatedSVD  # here, because its import takes a second

    if max(dimension, 2) > min(vectors.shape):  # scikit-learn needs two words or more
        raise InputError(
            f"{vectors.shape[0]:,} words with {vectors.shape[1]:,} values each do not make vectors "
            f"of {dimension} dimensions: make `dimension` smaller"
        )
    svd = TruncatedSVD(dimension, n_iter=10, random_state=0)
    return svd.fit_transform(vectors).astype(np.float32), svd.singular_values_


def learn(sentences: Sequence[Sequence[str]], words: Sequence[str], dimension: int) -> np.ndarray:
    """Learn vectors (words, dimension) of words from their neighbors in sentences; float32.

    They are U S^0.5 of the truncated SVD of the `association` (Levy, Goldberg & Dagan 2015), and
    zeros for a word without neighbors.
    """
    information = association(sentences, words)
    if not information.nnz:
        raise InputError(
            "the captions' words have no neighbors to learn vectors from: name a file of vectors"
        )
    vectors, singular_values = reduce(information, dimension)
    # U S / S^0.5. A singular value of 0 has a column of zeros, which stays.
    vectors /= np.sqrt(np.maximum(singular_values, 1e-12)).astype(np.float32)
    vectors[information.sum(axis=1) == 0] = 0
    return vectors


def association(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> "csr_array":
    """Compute the positive pointwise mutual information (words, words) of words and neighbors.

    It is max(0, log(p(a, b) / (p(a) p(b)))). Among all pairs of words at a distance of at most
    `WINDOW` in a sentence, p(a, b) is the share of the pair (a, b). Words that are not in `words`
    make no pairs, but keep their positions.
    """
    from scipy.sparse import csr_array  # here, because trained trees do without SciPy

    index = {word: row for row, word in enumerate(words)}
    # All sentences are one array: words at a distance are that array shifted against itself.
    flat = np.array([index.get(word, -1) for word in chain.from_iterable(sentences)], int)
    sentence = np.repeat(np.arange(len(sentences)), [len(tokens) for tokens in sentences])
    counts = csr_array((len(words), len(words)))
    for distance in range(1, WINDOW + 1):
        left = flat[:-distance]
        right = flat[distance:]
        same_sentence = sentence[:-distance] == sentence[distance:]
        pair = same_sentence & (left >= 0) & (right >= 0)
        one_way = csr_array((np.ones(pair.sum()), (left[pair], right[pair])), counts.shape)
        counts = counts + one_way + one_way.T
    pairs = counts.tocoo()
    totals = counts.sum(axis=0)
    information = np.log(pairs.data * totals.sum() / (totals[pairs.row] * totals[pairs.col]))
    result = csr_array((np.maximum(information, 0), (pairs.row, pairs.col)), counts.shape)
    result.eliminate_zeros()
    return result


def pack(vectors: np.ndarray) -> str:
    """Encode vectors as text for JSON: little-endian float32 in base 64.

    It is a third of the length of their digits.
    """
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode()


def unpack(text: str, count: int, dimension: int) -> np.ndarray:
    """Decode the text of `pack`: (count, dimension) float32; InputError if it is damaged."""
    try:
        vectors = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
        vectors = vectors.reshape(count, dimension).astype(np.float32)
    except (binascii.Error, ValueError) as error:
        raise InputError(
            f"the word vectors of this text are damaged ({error}): make it again"
        ) from None
    if not np.isfinite(vectors).all():
        raise InputError("the word vectors of this text are not finite: make it again")
    return vectors
