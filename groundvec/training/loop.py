"""The training of a model, from its initial weights to its last snapshot.

`train` has the loop over epochs and batches. `train_step` trains on a batch: it embeds captions and
images, computes the loss, and updates the weights. The functions that they call follow. The parts
of a model are in `groundvec.encoders`, `groundvec.objectives` and `groundvec.optimizers`.
"""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from groundvec.config import parts
from groundvec.config.types import Description, Text, Training
from groundvec.data.split import Captions, Split
from groundvec.device import reseed
from groundvec.evaluation.ranks import development_recall, recall_sum
from groundvec.model.network import Model, to_tensors
from groundvec.provenance import provenance
from groundvec.runtime.errors import InputError
from groundvec.runtime.jobs import catch_sigterm
from groundvec.runtime.progress import epoch_summary
from groundvec.training.checkpoints import Checkpoints, History, resumable, stopped

REMEDY = (
    "look for NaN or huge values in the image features, and try a smaller learning rate or smaller "
    "clip_image and clip_caption"
)
# Just below the 32 MB above which glibc (on 64-bit systems) always returns freed memory at once.
KEPT_MEMORY = 31 * 2**20

Batch = dict[str, np.ndarray]  # rows of captions by language, which describe the same images

log = logging.getLogger(__name__)


def train(
    description: Description,
    texts: dict[str, Text],
    split: Split,
    dev: Split,
    seed: int,
    device: str,
    work: Path,
    name: str = "training",
    model: Model | None = None,
    groups: Sequence[dict[str, Any]] | None = None,
    patience: int | None = None,
    early_epochs: int = 0,
) -> History:
    """Train a model by its description, or resume an interrupted training in `work`.

    SIGTERM is caught: after the current batch, a checkpoint is written.

    Args:
        texts: by language, the text that encodes its sentences (`groundvec.text`).
        split: the images and captions to train on.
        dev: images and captions to evaluate on after each epoch, and before the first one.
        work: a folder for checkpoints and snapshots (`groundvec.training.checkpoints`). It has the
            snapshots of `saved_epochs` when this returns.
        name: for messages.
        model: the start; by default a new one with initial weights.
        groups: the optimizer's groups of parameters; by default one of all.
        patience: stop after this many epochs without a better development recall (`best_epoch`),
            and keep the snapshot of the best one alone; by default train all epochs.
        early_epochs: see `saved_epochs`.

    Returns:
        The history: one row per epoch from 0 on, each with its `provenance`.

    Raises:
        InputError: the parts of the description do not fit, no batch fits in the data, or the loss
            is not finite.
        Stopped: SIGTERM came; a checkpoint is written.
    """
    settings = description["training"]
    batch_size = settings["batch_size"]
    last_epoch = settings["epochs"]
    batches_per_epoch = split.batches(batch_size)
    _check_text_only(settings, split.text_only_captions)

    if model is None:
        model = initial_model(description, texts, split, seed, device)

    # An objective with a closed form is fitted in an epoch without batches.
    closed_form = hasattr(model.objective, "fit")
    if batches_per_epoch == 0 and not closed_form:
        raise InputError(
            f"batch_size {batch_size} is larger than the training set of "
            f"{len(split.features)} images: make it smaller in the configuration"
        )
    # The optimizer gets the length of a cycle in steps. In it, Adam's learning rate rises and falls
    # once (Merkx & Frank 2019, section 3.3). After it, AdaGrad forgets. The weights at its end are
    # a candidate for the ensemble.
    optimizer = make_optimizer(model, settings["cycle"] * batches_per_epoch, groups)
    keep_freed_memory()

    # Resume. A finished training has its snapshots in `work`, and returns its history.
    checkpoints = Checkpoints(work, model, optimizer, name, REMEDY)
    finished = checkpoints.load_finished()
    if finished is not None:
        log.info("%s: finished before, after epoch %d", name, finished.epoch)
        return finished.history
    state = checkpoints.resume()

    with catch_sigterm() as sigterm:
        # The history has a row per epoch. Epoch 0 has no batches: it evaluates the initial weights.
        for epoch in range(len(state.history), last_epoch + 1):
            if sigterm.is_set():
                raise stopped(name, state)
            if patience and epoch - 1 - best_epoch(state.history) >= patience:
                break
            freeze_alternately(model, epoch)
            batches: Iterator[Batch] = iter(())
            if epoch > 0 and closed_form:
                model.objective.fit(model, split)
            elif epoch > 0:
                batches = split.epoch(batch_size, seed, epoch)

            first_batch = state.batch
            start = time.monotonic()
            model.train()
            for number, batch in resumable(
                batches, batches_per_epoch, epoch, state, checkpoints, sigterm
            ):
                step = (epoch - 1) * batches_per_epoch + number  # from 0, in all epochs
                state.loss += train_step(model, optimizer, split, batch, seed, step).double()

            loss = math.nan
            learning_rate = math.nan
            speed = math.nan
            if epoch > 0 and not closed_form:
                loss = float(state.loss) / batches_per_epoch
                learning_rate = optimizer.param_groups[0]["lr"]
                pairs = (batches_per_epoch - first_batch) * batch_size
                speed = pairs / (time.monotonic() - start)

            # Evaluate the model, record the epoch, and save the weights and a checkpoint.
            model.eval()
            scores = {"loss": loss, "learning_rate": learning_rate}
            scores |= development_recall(model, dev)
            # As Python's floats: torch.load refuses NumPy's, which only unpickling would restore.
            scores = {measure: float(score) for measure, score in scores.items()}
            state.history.append(
                {
                    "epoch": epoch,
                    "step": epoch * batches_per_epoch,
                    **scores,
                    "pairs_per_second": speed,
                    "seconds": state.seconds,
                    **provenance(device),  # each epoch may have been computed elsewhere
                }
            )
            kept = saved_epochs(settings, early_epochs)
            if patience:
                kept = [best_epoch(state.history)]
            checkpoints.save_epoch(state, epoch, kept)  # the next epoch's loss begins at 0
            found = scores["caption_to_image_r1"]
            among_ten = scores["caption_to_image_r10"]
            summary = (
                f"finds {found:.0f}% of {len(dev.image_ids)} development pictures first, "
                f"{among_ten:.0f}% among ten"
            )
            log.info("%s: %s", name, epoch_summary(epoch, last_epoch, summary, state.seconds))

    checkpoints.finish(state)
    return state.history


def initial_model(
    description: Description, texts: dict[str, Text], split: Split, seed: int, device: str
) -> Model:
    """Make a model with its initial weights, and with statistics of the training set."""
    # Torch draws the initial weights, and the seed determines them.
    torch.manual_seed(seed)
    model = Model(description, texts, split.features.shape[1]).to(device)
    # Two statistics of the training set are computed once and not trained: the inverse document
    # frequency of each n-gram, and the mean and standard deviation of each image feature. Only
    # models whose description asks for them have them.
    encoded_captions = [
        (language, captions.encoded) for language, captions in split.captions.items()
    ]
    if split.text_only_captions:
        first_language = next(iter(split.captions))
        encoded_captions.append((first_language, split.text_only_captions.encoded))
    model.fit_idf(encoded_captions)
    model.image.measure(split.features)
    return model


def train_step(
    model: Model, optimizer: Any, split: Split, batch: Batch, seed: int, step: int
) -> Tensor:
    """Train on a batch, and return its loss.

    Args:
        step: the number of the batch, from 0, in all epochs.
    """
    settings = model.description["training"]
    device = next(model.parameters()).device

    optimizer.prepare(step)  # set the step's learning rate
    # Whatever is random in a step, dropout and drawn captions, is a function of the seed and the
    # step. So a training that resumes here ends in the same bits as one that was never killed,
    # whatever its process drew before.
    reseed(device, int(np.random.default_rng([seed, step]).integers(2**63)))
    rng = np.random.default_rng([seed, step, 1])

    # Embed the captions of each language, and the images.
    captions: dict[str, Tensor] = {}
    for language, rows in batch.items():
        captions |= _embed_captions(model, split, language, rows, rng)
    language, rows = next(iter(batch.items()))
    text_only = None
    if split.text_only_captions:
        text_only = _embed_text_only(model, language, split.text_only_captions, rng)
    image_rows = split.captions[language].image[rows]  # each language has the same images
    features = torch.from_numpy(split.features[image_rows]).to(device)
    images = model.embed_images(features)

    # In Merkx & Frank (2019, section 3.1.2) the objective is the hinge loss over the batch.
    loss: Tensor
    if text_only is None:
        loss = model.objective(images, captions, model.similarity)
    else:
        loss = model.objective(images, captions, model.similarity, text_only)

    optimizer.zero_grad()
    loss.backward()
    # The gradients of each network are clipped to a norm of their own, as in Merkx & Frank's
    # published code. With one norm for both, a network with large gradients would scale down the
    # other network's.
    if settings["clip_image"] is not None:
        clip_grad_norm_(model.image.parameters(), settings["clip_image"])
    if settings["clip_caption"] is not None:
        clip_grad_norm_(model.captions.parameters(), settings["clip_caption"])
    optimizer.step()
    return loss.detach()


def _embed_captions(
    model: Model, split: Split, language: str, rows: np.ndarray, rng: np.random.Generator
) -> dict[str, Tensor]:
    """Embed captions (B, size), by a name for the objective.

    With `paraphrases`, another caption of each image, or each caption once more, is embedded too,
    like a further language.
    """
    captions = split.captions[language]
    groups = [rows]
    paraphrases = model.description["training"].get("paraphrases")
    if paraphrases == "itself":
        groups.append(rows)
    elif paraphrases:
        groups.append(captions.another(rows, rng))
    # One batch of the encoder takes less time than two.
    vectors = _embed(model, language, captions, np.concatenate(groups))
    return {f"{language} {number}": part for number, part in enumerate(vectors.split(len(rows)))}


def _embed_text_only(
    model: Model, language: str, captions: Captions, rng: np.random.Generator
) -> tuple[Tensor, ...]:
    """Draw images of `more_captions`, and embed two captions of each: (M, size) twice."""
    count = model.description["training"]["more_captions"]
    images = rng.choice(captions.images, count, replace=False)
    first = captions.any_of(images, rng)
    second = captions.another(first, rng)
    return _embed(model, language, captions, np.concatenate([first, second])).split(count)


def _embed(model: Model, language: str, captions: Captions, rows: np.ndarray) -> Tensor:
    """Embed the captions in these rows: (B, size)."""
    device = next(model.parameters()).device
    batch = to_tensors(captions.encoded.batch(rows), device)
    return model.embed_captions(language, batch)


def make_optimizer(model: Model, cycle: int, groups: Sequence[dict[str, Any]] | None = None) -> Any:
    """Make the optimizer that a model's description names; a cycle is a number of steps."""
    optimizer = model.description["training"]["optimizer"]
    return parts.make("optimizers", optimizer, groups or model.parameters(), cycle)


def keep_freed_memory() -> None:
    """Let glibc keep the memory that a step frees for the next step.

    By default glibc returns large blocks to the system as they are freed. Once it has freed a block
    of this size, it keeps up to twice as much (mallopt(3), "dynamic mmap threshold"). Asking the
    system for memory anew took a twelfth of a step of a GRU 128.
    """
    torch.empty(KEPT_MEMORY, dtype=torch.uint8)


def freeze_alternately(model: Model, epoch: int) -> None:
    """Train one network for the epochs of `alternate`, then the other; the image network is first.

    Socher et al. (2014, section 5) train so with squared error, which both networks together would
    make zero by moving all vectors to one point.
    """
    period = model.description["training"].get("alternate")
    if period:
        trains_images = (epoch - 1) // period % 2 == 0
        model.image.requires_grad_(trains_images)
        model.captions.requires_grad_(not trains_images)


def best_epoch(history: History) -> int:
    """Return the trained epoch, 1 or later, with the best `recall_sum`; 0 before any.

    Among equal ones it is the first, which has moved least from where it began.
    """
    recalls = {row["epoch"]: recall_sum(row) for row in history[1:]}
    return max(recalls, key=recalls.__getitem__, default=0)


def candidate_epochs(settings: Training) -> list[int]:
    """List the candidates for the ensemble: ends of cycles after both networks were trained."""
    both_trained = 2 * settings.get("alternate", 0)
    ends = range(settings["cycle"], settings["epochs"] + 1, settings["cycle"])
    return [epoch for epoch in ends if epoch >= both_trained]


def saved_epochs(settings: Training, early_epochs: int = 0) -> list[int]:
    """List the epochs to save: epoch 0, the first `early_epochs`, and the ensemble's candidates."""
    early = range(min(early_epochs, settings["epochs"]) + 1)
    return sorted({*early, *candidate_epochs(settings)})


def _check_text_only(settings: Training, captions: Captions | None) -> None:
    """Raise InputError if `more_captions` asks for more images than the data set has."""
    needed = settings.get("more_captions", 0)
    available = captions.images if captions else 0
    if needed > available:
        raise InputError(
            f"more_captions {needed}: the data set has captions of {available} other pictures: "
            "make it smaller in the configuration, or add a source of more"
        )
