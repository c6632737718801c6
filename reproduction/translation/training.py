"""Training of a translator, which can be killed at any moment and goes on where it was."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from groundvec.device import reseed
from groundvec.runtime.errors import InputError
from groundvec.text.encoded import AT_LEAST, UNKNOWN, Encoded
from groundvec.training.checkpoints import Checkpoints
from groundvec.training.epochs import History, Training
from reproduction.translation.beam import translate
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import Vocabulary, padded, tokenise

log = logging.getLogger(__name__)

SORTED = 20  # batches whose sentences are sorted by length, so that little padding is computed
LARGEST_NORM = 1.0  # of the gradient (Bahdanau et al. 2015, appendix B.2)
DECAY, EPSILON = 0.95, 1e-6  # Adadelta's (Zeiler 2012)


@dataclass
class Pairs:
    """Sentences and their translations in memory: as indices, and the translations as text."""

    source: Encoded
    target: Encoded
    references: list[str]

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[np.ndarray]:
        """Yield the batches of an epoch, as rows: a function of the seed and the epoch.

        Sentences are shuffled and, within `SORTED` batches, sorted by length; then these batches
        are shuffled. The last batch may be smaller.
        """
        rng = np.random.default_rng([seed, epoch])
        order = rng.permutation(len(self.source))
        for start in range(0, len(order), batch_size * SORTED):
            rows = order[start : start + batch_size * SORTED]
            lengths = self.target.lengths[rows], self.source.lengths[rows]
            rows = rows[np.lexsort(lengths)]
            starts = np.arange(0, len(rows), batch_size)
            for first in rng.permutation(starts).tolist():
                yield rows[first : first + batch_size]


def prepare(
    train: pd.DataFrame, dev: pd.DataFrame, source: str, target: str
) -> tuple[Vocabulary, Vocabulary, Pairs, Pairs]:
    """Build both vocabularies and encode both splits; InputError if no word can be learned."""
    of_source, *sources = _encode(source, train["source"], dev["source"])
    of_target, *targets = _encode(target, train["target"], dev["target"])
    first, second = (
        Pairs(texts, translations, table["target"].tolist())
        for texts, translations, table in zip(sources, targets, (train, dev), strict=True)
    )
    return of_source, of_target, first, second


def _encode(
    language: str, train: Iterable[str], dev: Iterable[str]
) -> tuple[Vocabulary, Encoded, Encoded]:
    training = tokenise(train)
    words = Vocabulary.build(language, training)
    if not words.words:
        raise InputError(
            f"no {language} word is in the training sentences {AT_LEAST} times: add pairs to learn "
            "from"
        )
    encoded = words.encode(training)
    unknown = 100 * (encoded.indices == UNKNOWN).mean()
    log.info("%s: %d words, %.1f %% of the text unknown", language, len(words.words), unknown)
    return words, encoded, words.encode(tokenise(dev))


def train(
    translator: Translator,
    vocabulary: Vocabulary,
    pairs: Pairs,
    dev: Pairs,
    settings: dict[str, Any],
    seed: int,
    work: Path,
    name: str = "translator",
) -> History:
    """Train `translator`, or resume an interrupted training in `work`; keep the best weights.

    After each epoch the development sentences are translated greedily. Training ends after
    `epochs`, or when their BLEU has not risen for `patience` epochs. Batches and dropout are
    functions of the seed and the epoch or step, so that resuming changes nothing.

    Args:
        vocabulary: the target's.
        settings: of the system, as the configuration's schema has them.

    Returns:
        The history: one row per epoch, with `best` in the one whose weights the translator has.

    Raises:
        InputError: the loss is not finite.
        Stopped: SIGTERM came.
    """
    batch_size, checkpoints = settings["batch_size"], Checkpoints(work)
    decay = 2 * settings["l2"]  # the gradient of l2 times the sum of squared weights
    weights = translator.parameters()
    optimiser = torch.optim.Adadelta(weights, rho=DECAY, eps=EPSILON, weight_decay=decay)
    history = Training(
        name=name,
        checkpoints=checkpoints,
        model=translator,
        optimiser=optimiser,
        epochs=range(1, settings["epochs"] + 1),
        batches=math.ceil(len(pairs.source) / batch_size),
        batch_size=batch_size,
        examples=len(pairs.source),
        unit="sentences",
        order=lambda epoch: pairs.epoch(batch_size, seed, epoch),
        step=make_step(translator, optimiser, pairs, seed),
        evaluate=lambda epoch: {"dev_bleu": _bleu(translator, vocabulary, dev)},
        keep=lambda history: [_best(history)],
        enough=lambda history: len(history) >= _best(history) + settings["patience"],
        advice="make the system's l2 smaller",
    ).run()
    best = _best(history)
    checkpoints.load_snapshot(translator, best)
    translator.eval()
    return [row | {"best": row["epoch"] == best} for row in history]


def make_step(
    translator: Translator, optimiser: torch.optim.Optimizer, pairs: Pairs, seed: int
) -> Callable[[np.ndarray, int], Tensor]:
    """Make the function that trains on a batch, given the number of the step; returns the loss."""
    device = next(translator.parameters()).device

    def step(rows: np.ndarray, number: int) -> Tensor:
        # The dropout of a step is its own, whatever was drawn before.
        [drawn] = np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)
        reseed(device, int(drawn >> np.uint64(1)))
        source, target = (
            torch.from_numpy(padded(encoded, rows)).to(device)
            for encoded in (pairs.source, pairs.target)
        )
        loss = translator.loss(source, target)
        optimiser.zero_grad()
        loss.backward()
        clip_grad_norm_(translator.parameters(), LARGEST_NORM)
        optimiser.step()
        return loss.detach()

    return step


def _best(history: History) -> int:
    """Return the first epoch with the highest BLEU; 0 before the first one."""
    return max(history, key=lambda row: row["dev_bleu"])["epoch"] if history else 0


def _bleu(translator: Translator, vocabulary: Vocabulary, dev: Pairs) -> float:
    from sacrebleu.metrics import BLEU

    texts = translate(translator, dev.source, vocabulary, 1).hypotheses
    return float(BLEU().corpus_score(texts, [dev.references]).score)
