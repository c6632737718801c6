"""Weights that order lists by BLEU: k-best batch MIRA (Cherry & Foster 2012, Algorithm 1)."""

import numpy as np
from numpy.typing import NDArray

from reproduction.translation.nbest import Lists

ORDERS = 4  # BLEU's n-grams
AGGRESSIVENESS = 0.01  # C
DECAY = 0.999  # gamma, of what earlier sentences count in the background
EPOCHS = 60


def scale(lists: Lists) -> NDArray[np.float64]:
    """Compute (F,) the standard deviation of each feature from the lists' means.

    Weights are found of features divided by it, so that one step size fits all. A feature that is
    the same all over a list has 1.
    """
    means = np.add.reduceat(lists.features, lists.starts[:-1]) / np.diff(lists.starts)[:, None]
    spread = np.sqrt(((lists.features - means[lists.sentence]) ** 2).mean(axis=0))
    return np.where(spread > 1e-12, spread, 1.0)


def corpus_bleu(totals: np.ndarray) -> np.ndarray:
    """BLEU of sums (..., 10) of statistics, from 0 to 1, and 0 where an n-gram order has no match.

    Args:
        totals: the length, the reference's length, matches of 1-grams to 4-grams, and how many
            there are (`reproduction.translation.scores.bleu_statistics`).
    """
    length = totals[..., 0]
    reference = totals[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.log(totals[..., 2 : 2 + ORDERS]) - np.log(totals[..., 2 + ORDERS :])
        brevity = np.minimum(1 - reference / length, 0)
        bleu = np.exp(precisions.mean(axis=-1) + brevity)
    return np.where(np.isfinite(bleu), bleu, 0.0)


def weights(lists: Lists, statistics: np.ndarray, epochs: int = EPOCHS) -> np.ndarray:
    """Find the weights (F,) by which the highest sums of features have a high BLEU.

    One sentence after another, the weights are moved just so far that the hypothesis of hope (high
    BLEU and high sum) is ahead of that of fear (low BLEU and high sum) by their difference in BLEU,
    or by a step of at most `AGGRESSIVENESS`. A sentence's BLEU is computed with a background: the
    decaying sum of the statistics of the hopes so far, beginning with ones; it is scaled by the
    length of the references (Chiang et al. 2008). Of the means of each epoch's weights the one is
    returned that gives the best BLEU of these lists.

    Args:
        statistics: of the hypotheses, for BLEU (N, 10), as `corpus_bleu` has them.
    """
    spread = scale(lists)
    features = lists.features / spread
    statistics = statistics.astype(float)
    current = np.zeros(features.shape[1])
    current[lists.names.index("score")] = 1.0  # the system's own order
    background = np.ones(statistics.shape[1])
    rng = np.random.default_rng(1)
    best = current
    best_bleu = -1.0
    slices = [slice(a, b) for a, b in zip(lists.starts[:-1], lists.starts[1:], strict=True)]
    for _ in range(epochs):
        total = np.zeros_like(current)
        for sentence in rng.permutation(len(slices)).tolist():
            rows = slices[sentence]
            own = features[rows]
            counts = statistics[rows]
            sums = own @ current
            with_background = counts + background
            bleu = corpus_bleu(with_background) * with_background[:, 1]
            hope = np.argmax(sums + bleu)
            fear = np.argmax(sums - bleu)
            ahead = own[hope] - own[fear]
            loss = bleu[hope] - bleu[fear] - ahead @ current
            if loss > 0 and (length := ahead @ ahead) > 0:
                current = current + min(AGGRESSIVENESS, loss / length) * ahead
            background = DECAY * background + counts[hope]
            total += current
        mean = total / len(slices)
        bleu = float(corpus_bleu(statistics[lists.chosen(features @ mean)].sum(axis=0)))
        if bleu > best_bleu:
            best = mean
            best_bleu = bleu
    return best / spread
