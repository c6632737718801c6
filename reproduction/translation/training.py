"""Train a translator, and resume an interrupted training."""

import logging
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from groundvec.device import reseed
from groundvec.provenance import provenance
from groundvec.runtime.errors import InputError
from groundvec.runtime.jobs import catch_sigterm
from groundvec.runtime.progress import epoch_summary
from groundvec.text.encoded import MIN_COUNT, UNKNOWN, Encoded
from groundvec.training.checkpoints import Checkpoints, History, resumable, stopped
from reproduction.translation.beam import translate
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import Vocabulary, padded, tokenize

log = logging.getLogger(__name__)

REMEDY = "make the system's l2 smaller"
SORTED = 20  # batches whose sentences are sorted by length together, which saves padding
LARGEST_NORM = 1.0  # gradients are clipped to this norm (Bahdanau et al. 2015, appendix B.2)
DECAY = 0.95  # rho of Adadelta (Zeiler 2012)
EPSILON = 1e-6  # of Adadelta


@dataclass
class Pairs:
    """Encoded sentences and translations, and the translations as text."""

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
            # Sort by the length of the source, then by the length of the target.
            rows = rows[np.lexsort((self.target.lengths[rows], self.source.lengths[rows]))]
            starts = np.arange(0, len(rows), batch_size)
            for first in rng.permutation(starts).tolist():
                yield rows[first : first + batch_size]


def prepare(
    train: pd.DataFrame, dev: pd.DataFrame, source: str, target: str
) -> tuple[Vocabulary, Vocabulary, Pairs, Pairs]:
    """Build both vocabularies, and encode both splits.

    Raises:
        InputError: no word is frequent enough for a vocabulary.
    """
    source_words, train_source, dev_source = _encode(source, train["source"], dev["source"])
    target_words, train_target, dev_target = _encode(target, train["target"], dev["target"])
    train_pairs = Pairs(train_source, train_target, train["target"].tolist())
    dev_pairs = Pairs(dev_source, dev_target, dev["target"].tolist())
    return source_words, target_words, train_pairs, dev_pairs


def _encode(
    language: str, train: Iterable[str], dev: Iterable[str]
) -> tuple[Vocabulary, Encoded, Encoded]:
    """Build a vocabulary of the training sentences, and encode both splits with it."""
    training = tokenize(train)
    vocabulary = Vocabulary.build(language, training)
    if not vocabulary.words:
        raise InputError(
            f"no {language} word is in the training sentences {MIN_COUNT} times: add pairs to "
            "learn from"
        )
    encoded = vocabulary.encode(training)
    unknown = 100 * (encoded.indices == UNKNOWN).mean()
    log.info("%s: %d words, %.1f %% of the text unknown", language, len(vocabulary.words), unknown)
    return vocabulary, encoded, vocabulary.encode(tokenize(dev))


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
        translator: an untrained translator.
        vocabulary: the target vocabulary.
        pairs, dev: the training and development sentences.
        settings: the system's settings from the configuration.
        seed: the seed of batches and dropout.
        work: the folder for checkpoints.
        name: the name for messages.

    Returns:
        The history: one row per epoch, with `best` in the one whose weights the translator has.

    Raises:
        InputError: the loss is not finite.
        Stopped: SIGTERM was received.
    """
    batch_size = settings["batch_size"]
    last_epoch = settings["epochs"]
    batches_per_epoch = math.ceil(len(pairs.source) / batch_size)  # the last may be smaller
    device = next(translator.parameters()).device
    # The penalty is `l2` times the sum of squared weights, whose gradient is 2 * `l2` a weight.
    optimizer = torch.optim.Adadelta(
        translator.parameters(), rho=DECAY, eps=EPSILON, weight_decay=2 * settings["l2"]
    )

    # Resume. A finished training has its best weights in `work`.
    checkpoints = Checkpoints(work, translator, optimizer, name, REMEDY)
    finished = checkpoints.load_finished()
    if finished is not None:
        log.info("%s: finished before, after epoch %d", name, finished.epoch)
        return _load_best(translator, checkpoints, finished.history)
    state = checkpoints.resume()

    with catch_sigterm() as sigterm:
        for epoch in range(len(state.history) + 1, last_epoch + 1):
            if sigterm.is_set():
                raise stopped(name, state)
            if len(state.history) >= _best(state.history) + settings["patience"]:
                break

            first_batch = state.batch
            start = time.monotonic()
            translator.train()
            batches = pairs.epoch(batch_size, seed, epoch)
            for number, rows in resumable(
                batches, batches_per_epoch, epoch, state, checkpoints, sigterm
            ):
                step = (epoch - 1) * batches_per_epoch + number  # from 0, in all epochs
                state.loss += train_step(translator, optimizer, pairs, rows, seed, step).double()
            sentences = len(pairs.source) - first_batch * batch_size
            speed = sentences / (time.monotonic() - start)

            translator.eval()
            bleu = _bleu(translator, vocabulary, dev)
            scores = {"loss": float(state.loss) / batches_per_epoch, "dev_bleu": bleu}
            state.history.append(
                {
                    "epoch": epoch,
                    "step": epoch * batches_per_epoch,
                    **scores,
                    "sentences_per_second": speed,
                    "seconds": state.seconds,
                    **provenance(str(device)),  # another machine may have computed earlier epochs
                }
            )
            # Only the best snapshot so far is needed.
            checkpoints.save_epoch(state, epoch, kept=[_best(state.history)])
            result = f"loss {scores['loss']:.4g}, development BLEU {bleu:.1f}"
            log.info("%s: %s", name, epoch_summary(epoch, last_epoch, result, state.seconds))

    checkpoints.finish(state)
    return _load_best(translator, checkpoints, state.history)


def train_step(
    translator: Translator,
    optimizer: torch.optim.Optimizer,
    pairs: Pairs,
    rows: np.ndarray,
    seed: int,
    step: int,
) -> Tensor:
    """Train on a batch, and return its loss.

    Args:
        translator: the translator, whose weights are updated.
        optimizer: its optimizer.
        pairs: the training sentences.
        rows: the rows of the batch's sentences.
        seed: the seed of the training.
        step: the number of the batch, from 0, in all epochs.
    """
    device = next(translator.parameters()).device
    # Dropout is a function of the seed and the step, so that a training that resumes here ends in
    # the same bits as one that was never killed. A seed of torch has 63 bits.
    [random_bits] = np.random.SeedSequence([seed, step]).generate_state(1, np.uint64)
    reseed(device, int(random_bits >> np.uint64(1)))
    source = torch.from_numpy(padded(pairs.source, rows)).to(device)
    target = torch.from_numpy(padded(pairs.target, rows)).to(device)
    loss = translator.loss(source, target)
    optimizer.zero_grad()
    loss.backward()
    # A recurrent network's gradient can explode; this bounds the step that follows from it.
    clip_grad_norm_(translator.parameters(), LARGEST_NORM)
    optimizer.step()
    return loss.detach()


def _best(history: History) -> int:
    """Return the first epoch with the highest BLEU; 0 before the first one."""
    if not history:
        return 0
    best = max(history, key=lambda row: row["dev_bleu"])
    return int(best["epoch"])


def _load_best(translator: Translator, checkpoints: Checkpoints, history: History) -> History:
    """Load the translator's best weights, and return the history with a column `best`."""
    best = _best(history)
    checkpoints.load_snapshot(best)
    translator.eval()
    return [{**row, "best": row["epoch"] == best} for row in history]


def _bleu(translator: Translator, vocabulary: Vocabulary, dev: Pairs) -> float:
    """Compute BLEU of greedy translations of the development sentences."""
    from sacrebleu.metrics import BLEU

    texts = translate(translator, dev.source, vocabulary, 1).hypotheses
    return float(BLEU().corpus_score(texts, [dev.references]).score)
