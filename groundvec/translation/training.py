"""Training of a translator, which can be killed at any moment and goes on where it was."""

import logging
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file
from torch.nn.utils import clip_grad_norm_

from groundvec.device import reseed
from groundvec.errors import InputError
from groundvec.folder import snapshot_name
from groundvec.jobs import Stopped, notice
from groundvec.progress import Progress
from groundvec.provenance import provenance
from groundvec.text.encoded import Encoded
from groundvec.training.checkpoints import Checkpoints
from groundvec.translation.beam import translate
from groundvec.translation.network import Translator
from groundvec.translation.vocabulary import AT_LEAST, Vocabulary, padded, tokenise

log = logging.getLogger(__name__)

SORTED = 20  # batches whose sentences are sorted by length, so that little padding is computed
LARGEST_NORM = 1.0  # of the gradient (Bahdanau et al. 2015, appendix B.2)
DECAY, EPSILON = 0.95, 1e-6  # Adadelta's (Zeiler 2012)
BATCHES_BETWEEN_CHECKS = 20


@dataclass
class Pairs:
    """Sentences and their translations in memory: as indices, and the translations as text."""

    source: Encoded
    target: Encoded
    references: list[str]

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[np.ndarray]:
        """The batches of an epoch, as rows: an order that is a function of the seed and the epoch.

        The sentences are shuffled, and sorted by length within `SORTED` batches, which are then
        shuffled. The last batch may be smaller.
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
    """The vocabularies of the training sentences, and both splits as these encode them.

    Raises InputError if there are too few sentences to learn a word from.
    """
    texts = [
        {column: tokenise(split[column]) for column in ("source", "target")}
        for split in (train, dev)
    ]
    of_source = Vocabulary.build(source, texts[0]["source"])
    of_target = Vocabulary.build(target, texts[0]["target"])
    first, second = [
        Pairs(
            of_source.encode(text["source"]),
            of_target.encode(text["target"]),
            table["target"].tolist(),
        )
        for text, table in zip(texts, (train, dev), strict=True)
    ]
    for name, words, encoded in (
        (source, of_source, first.source),
        (target, of_target, first.target),
    ):
        if not words.words:
            raise InputError(
                f"no {name} word is in the training sentences {AT_LEAST} times: add pairs to learn "
                "from"
            )
        unknown = 100 * (encoded.indices == 1).mean()
        log.info("%s: %d words, %.1f %% of the text unknown", name, len(words.words), unknown)
    return of_source, of_target, first, second


def train(
    translator: Translator,
    vocabulary: Vocabulary,
    pairs: Pairs,
    dev: Pairs,
    settings: dict[str, Any],
    seed: int,
    work: Path,
    name: str = "translator",
) -> list[dict[str, Any]]:
    """Train `translator`, or go on with what was interrupted in `work`; keep the best weights.

    After every epoch the development sentences are translated, by the most probable word each
    time. Training ends after `epochs`, or when so many as `patience` have not raised their BLEU.
    The batches are functions of the seed and the epoch, and dropout of the seed and the step; so a
    training that was killed and started again ends in the same weights as one that was not.

    Args:
        vocabulary: the target's.
        settings: of the system, as the configuration's schema has them.

    Returns:
        The history: a row an epoch, `best` in the one whose weights the translator has now.

    Raises:
        InputError: the loss is not finite.
        Stopped: SIGTERM came.
    """
    batch_size, patience = settings["batch_size"], settings["patience"]
    batches = math.ceil(len(pairs.source) / batch_size)
    checkpoints = Checkpoints(work)
    device = next(translator.parameters()).device
    optimiser = torch.optim.Adadelta(
        translator.parameters(),
        rho=DECAY,
        eps=EPSILON,
        # The gradient of so many times the sum of the squared weights.
        weight_decay=2 * settings["l2"],
    )
    state: dict[str, Any] = {
        **{"epoch": 0, "batch": 0, "loss": 0.0, "seconds": 0.0},
        **{"history": [], "best": 0, "dev_bleu": -1.0, "sha256": {}},
    }
    if found := checkpoints.load_finished():
        state = found
        log.info("%s: finished before, after epoch %d", name, state["epoch"])
        return _with_best(translator, checkpoints, state)
    if found := checkpoints.load_latest():
        translator.load_state_dict(found.pop("model"))
        optimiser.load_state_dict(found.pop("optimiser"))
        state = found
        log.info("%s: goes on after epoch %d, batch %d", name, state["epoch"], state["batch"])

    def save_checkpoint() -> None:
        networks = {"model": translator.state_dict(), "optimiser": optimiser.state_dict()}
        checkpoints.save(networks | state)

    def end_epoch(epoch: int, speed: float) -> None:
        translator.eval()
        bleu = _bleu(translator, vocabulary, dev)
        row = {"epoch": epoch, "step": epoch * batches, "loss": state["loss"] / batches}
        row |= {"dev_bleu": bleu, "sentences_per_second": speed, "seconds": state["seconds"]}
        state["history"].append(row | provenance(str(device)))
        state.update(epoch=epoch, batch=0, loss=0.0)
        best_before = state["best"]
        if bleu > state["dev_bleu"]:
            sums = {epoch: checkpoints.save_snapshot(translator, epoch)}
            state.update(best=epoch, dev_bleu=bleu, sha256=sums)
        save_checkpoint()
        # The best one before stays, for the checkpoint before this one names it.
        kept = {snapshot_name(number) for number in (best_before, state["best"])}
        for path in checkpoints.snapshots.iterdir():
            if path.name not in kept:
                path.unlink()
        log.info(
            "%s: epoch %d/%d, loss %.3f, dev BLEU %.2f (best %.2f), %.0f sentences/s",
            *(name, epoch, settings["epochs"], row["loss"], bleu, state["dev_bleu"], speed),
        )

    with notice() as told_to_stop:
        for epoch in range(state["epoch"] + 1, settings["epochs"] + 1):
            if epoch > state["best"] + patience:
                break
            if told_to_stop.is_set():
                _stop(name, state)
            translator.train()
            first, before, start = state["batch"], state["seconds"], time.monotonic()
            checkpoints.saved_at = start
            total = torch.tensor(state["loss"], dtype=torch.float64, device=device)
            title = f"{name} epoch {epoch}"
            bar = Progress(total=batches, initial=first, desc=title, unit="batches", leave=False)
            for batch, rows in enumerate(pairs.epoch(batch_size, seed, epoch)):
                if batch < first:
                    continue
                _seed(device, seed, (epoch - 1) * batches + batch)
                source, target = (
                    torch.from_numpy(padded(encoded, rows)).to(device)
                    for encoded in (pairs.source, pairs.target)
                )
                loss = translator.loss(source, target)
                optimiser.zero_grad()
                loss.backward()
                clip_grad_norm_(translator.parameters(), LARGEST_NORM)
                optimiser.step()
                total += loss.detach()
                bar.update()
                last = batch + 1 == batches
                if last or told_to_stop.is_set() or (batch + 1) % BATCHES_BETWEEN_CHECKS == 0:
                    if not torch.isfinite(total):
                        raise InputError(
                            f"{name}: the loss is not finite in epoch {epoch}, batch {batch + 1}: "
                            "make the system's l2 smaller"
                        )
                    seconds = before + time.monotonic() - start
                    state.update(batch=batch + 1, loss=total.item(), seconds=seconds)
                    if (told_to_stop.is_set() or checkpoints.due()) and not last:
                        save_checkpoint()
                        if told_to_stop.is_set():
                            _stop(name, state)
            bar.close()
            done = len(pairs.source) - first * batch_size
            end_epoch(epoch, done / (time.monotonic() - start))
    checkpoints.finish(state)
    return _with_best(translator, checkpoints, state)


def _stop(name: str, state: dict[str, Any]) -> None:
    where = f"epoch {state['epoch']}, batch {state['batch']}"
    raise Stopped(f"{name}: told to stop, after {where}; start it again to go on from there")


def _seed(device: torch.device, seed: int, step: int) -> None:
    """Let the dropout of a step be its own, whatever was drawn before."""
    [number] = np.random.SeedSequence([seed, step]).generate_state(1, np.uint64)
    reseed(device, int(number >> np.uint64(1)))


def _bleu(translator: Translator, vocabulary: Vocabulary, dev: Pairs) -> float:
    from sacrebleu.metrics import BLEU

    texts = translate(translator, dev.source, vocabulary, 1).hypotheses
    return float(BLEU().corpus_score(texts, [dev.references]).score)


def _with_best(
    translator: Translator, checkpoints: Checkpoints, state: dict[str, Any]
) -> list[dict[str, Any]]:
    """Give the translator the weights of the best epoch; returns the history that says which."""
    weights = load_file(checkpoints.snapshots / snapshot_name(state["best"]))
    translator.load_state_dict(weights)
    translator.eval()
    return [row | {"best": row["epoch"] == state["best"]} for row in state["history"]]
