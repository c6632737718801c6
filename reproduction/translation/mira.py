"""Train weights that sort lists by BLEU: k-best batch MIRA (Cherry & Foster 2012, Algorithm 1)."""

import numpy as np
from numpy.typing import NDArray

from reproduction.translation.nbest import Lists

ORDERS = 4  # BLEU counts 1-grams to 4-grams
AGGRESSIVENESS = 0.01  # C of Algorithm 1, the largest step
DECAY = 0.999  # gamma of Algorithm 1, the decay of earlier sentences in the background
EPOCHS = 60  # passes over the sentences


def scale(lists: Lists) -> NDArray[np.float64]:
    """Compute (F,) the standard deviation of each feature from the lists' means.

    Features are divided by it before training, so that one step size suits all of them. It is 1 for
    a feature that is constant within each list.
    """
    features = lists.features.to_numpy()
    means = np.add.reduceat(features, lists.starts[:-1]) / np.diff(lists.starts)[:, None]
    spread = np.sqrt(((features - means[lists.sentence]) ** 2).mean(axis=0))
    return np.where(spread > 1e-12, spread, 1.0)


def corpus_bleu(totals: np.ndarray) -> np.ndarray:
    """Compute BLEU from 0 to 1 for sums of statistics; it is 0 if an n-gram order has no match.

    Args:
        totals: (..., 10) the length, the reference's length, the matches of 1-grams to 4-grams, and
            the numbers of these n-grams (`reproduction.translation.scores.bleu_statistics`).
    """
    length = totals[..., 0]
    reference = totals[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.log(totals[..., 2 : 2 + ORDERS]) - np.log(totals[..., 2 + ORDERS :])
        brevity = np.minimum(1 - reference / length, 0)
        bleu = np.exp(precisions.mean(axis=-1) + brevity)
    return np.where(np.isfinite(bleu), bleu, 0.0)


def weights(lists: Lists, statistics: np.ndarray) -> np.ndarray:
    """Train weights (F,) so that the hypotheses with the highest weighted sums have a high BLEU.

    For one sentence after another, the hope is the hypothesis with a high BLEU and a high sum, and
    the fear the one with a low BLEU and a high sum. The weights are changed just enough that the
    hope's sum exceeds the fear's by their difference in BLEU, by a step of at most
    `AGGRESSIVENESS`. A sentence's BLEU includes a background, the decaying sum of the statistics of
    earlier hopes, which starts with ones; it is scaled by the length of the references (Chiang et
    al. 2008). The result is the mean of the weights of one epoch, the one with the best BLEU
    of these lists.

    Args:
        lists: the lists of the development sentences.
        statistics: (N, 10) the hypotheses' statistics for `corpus_bleu`.
    """
    spread = scale(lists)
    features = lists.features.to_numpy() / spread
    statistics = statistics.astype(float)
    is_score = lists.features.columns.to_numpy() == "score"
    current = is_score.astype(float)  # the system's own order
    background = np.ones(statistics.shape[1])
    rng = np.random.default_rng(1)
    best = current
    best_bleu = -1.0
    slices = [slice(a, b) for a, b in zip(lists.starts[:-1], lists.starts[1:], strict=True)]
    for _ in range(EPOCHS):
        total = np.zeros_like(current)
        for sentence in rng.permutation(len(slices)).tolist():
            rows = slices[sentence]
            values = features[rows]
            counts = statistics[rows]
            sums = values @ current
            with_background = counts + background
            bleu = corpus_bleu(with_background) * with_background[:, 1]
            hope = np.argmax(sums + bleu)
            fear = np.argmax(sums - bleu)
            difference = values[hope] - values[fear]
            loss = bleu[hope] - bleu[fear] - difference @ current
            squared_norm = difference @ difference
            if loss > 0 and squared_norm > 0:
                current = current + min(AGGRESSIVENESS, loss / squared_norm) * difference
            background = DECAY * background + counts[hope]
            total += current
        mean = total / len(slices)
        bleu = float(corpus_bleu(statistics[lists.chosen(features @ mean)].sum(axis=0)))
        if bleu > best_bleu:
            best = mean
            best_bleu = bleu
    return best / spread
