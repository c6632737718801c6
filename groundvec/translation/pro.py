"""Weights by logistic regression: pairwise ranking optimisation (Hopkins & May 2011).

The plain baseline of `groundvec.translation.mira`.
"""

import numpy as np

from groundvec.translation.mira import scale
from groundvec.translation.nbest import Lists

DRAWN, KEPT = 5_000, 50  # pairs of a list
SMALLEST = 5.0  # difference in sentence BLEU of a pair


def weights(lists: Lists, bleu: np.ndarray) -> np.ndarray:
    """Find the weights (F,) by which the better one of two hypotheses has the higher sum.

    Of each list pairs are drawn, and of those that differ by `SMALLEST` at least, those that differ
    most are kept; a logistic regression tells from the difference of their features which one is
    better.

    Args:
        bleu: of the hypotheses (N,), each by itself, from 0 to 100.
    """
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    spread = scale(lists)
    better, worse = [], []
    for start, end in zip(lists.starts[:-1].tolist(), lists.starts[1:].tolist(), strict=True):
        a, b = rng.integers(start, end, size=(2, DRAWN))
        difference = np.abs(bleu[a] - bleu[b])
        kept = np.argsort(-difference, kind="stable")[:KEPT]
        kept = kept[difference[kept] >= SMALLEST]
        a, b = a[kept], b[kept]
        first = bleu[a] > bleu[b]
        better.append(np.where(first, a, b))
        worse.append(np.where(first, b, a))
    pairs = np.concatenate(better), np.concatenate(worse)
    found = np.zeros(len(spread))
    found[lists.names.index("score")] = 1.0
    if not len(pairs[0]):  # nothing to learn from: the system's own order
        return found
    ahead = (lists.features[pairs[0]] - lists.features[pairs[1]]) / spread
    examples = np.concatenate([ahead, -ahead])
    labels = np.repeat([1, 0], len(ahead))
    model = LogisticRegression(fit_intercept=False, max_iter=1000).fit(examples, labels)
    coefficients: np.ndarray = model.coef_[0]
    return coefficients / spread
