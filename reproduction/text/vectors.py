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

WINDOW = 5  # words before and after a word that count as its neighbours


def reduce(vectors: "np.ndarray | csr_array", dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the truncated SVD of vectors (N, D): U S (N, dimension), and S; a fixed seed.

    Raises:
        InputError: there are fewer vectors than `dimension`, or they have fewer values.
    """
    from sklearn.decomposition import TruncatedSVD  # here, for it takes a second to import

    if max(dimension, 2) > min(vectors.shape):  # of one word, scikit-learn computes nothing
        raise InputError(
            f"{vectors.shape[0]:,} words with {vectors.shape[1]:,} values each do not make vectors "
            f"of {dimension} dimensions: make `dimension` smaller"
        )
    svd = TruncatedSVD(dimension, n_iter=10, random_state=0)
    return svd.fit_transform(vectors).astype(np.float32), svd.singular_values_


def learn(sentences: Sequence[Sequence[str]], words: Sequence[str], dimension: int) -> np.ndarray:
    """Learn vectors (words, dimension) of words from their neighbours in sentences; float32.

    They are U S^0.5 of the truncated SVD of the `association` (Levy, Goldberg & Dagan 2015), and
    zeros for a word without neighbours.
    """
    information = association(sentences, words)
    if not information.nnz:
        raise InputError(
            "the captions' words have no neighbours to learn vectors from: name a file of vectors"
        )
    vectors, strengths = reduce(information, dimension)
    vectors /= np.sqrt(np.maximum(strengths, 1e-12)).astype(np.float32)
    vectors[information.sum(axis=1) == 0] = 0
    return vectors


def association(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> "csr_array":
    """Compute the positive pointwise mutual information (words, words) of words and neighbours.

    max(0, log(p(a, b) / (p(a) p(b)))), where p(a, b) is b's share of all neighbours within `WINDOW`
    words of an a, on either side. Words that are not in `words` keep their place.
    """
    from scipy.sparse import csr_array  # here, because trained trees do without SciPy

    index = {word: row for row, word in enumerate(words)}
    flat = np.array([index.get(word, -1) for word in chain.from_iterable(sentences)], int)
    sentence = np.repeat(np.arange(len(sentences)), [len(each) for each in sentences])
    counts = csr_array((len(words), len(words)))
    for distance in range(1, WINDOW + 1):
        left = flat[:-distance]
        right = flat[distance:]
        near = (sentence[:-distance] == sentence[distance:]) & (left >= 0) & (right >= 0)
        one_way = csr_array((np.ones(near.sum()), (left[near], right[near])), counts.shape)
        counts = counts + one_way + one_way.T
    pairs = counts.tocoo()
    totals = counts.sum(axis=0)
    information = np.log(pairs.data * totals.sum() / (totals[pairs.row] * totals[pairs.col]))
    result = csr_array((np.maximum(information, 0), (pairs.row, pairs.col)), counts.shape)
    result.eliminate_zeros()
    return result


def pack(vectors: np.ndarray) -> str:
    """Write vectors as text for JSON: little-endian float32 in base 64, a third of their digits."""
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode()


def unpack(text: str, count: int, dimension: int) -> np.ndarray:
    """Undo `pack`: (count, dimension) float32; InputError if the text is damaged."""
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
