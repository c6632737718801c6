"""Measure the time of a training step on 32 captioned images.

A step is the batch, both networks, the loss, gradients, clipping and the optimizer. Captions are
random letters with the lengths of Flickr8k's captions, and features are random numbers; neither
changes the time.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
import yaml
from measure import Row, program, row
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from groundvec.config import parts
from groundvec.config.description import complete_description
from groundvec.data.split import Captions, Split
from groundvec.device import choose, has_bfloat16
from groundvec.model.network import Model
from groundvec.objectives import hinge
from groundvec.provenance import ROOT
from groundvec.training import loop

LETTERS = "abcdefghijklmnopqrstuvwxyz '.,ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# 0 pads and 1 stands for unknown characters.
INDEX = {letter: i for i, letter in enumerate(LETTERS, 2)}
BATCH = 32  # the default `batch_size` of training
WIDTH = 2048
BEST = ROOT / "config" / "best.yaml"


def rows(small: bool) -> list[Row]:
    networks = [("gru", 16)] if small else [("gru", 1024), ("lstm", 1024), ("gru", 128)]
    batches = 2 if small else 6
    measured = [step(*network, batches) for network in networks]
    if has_bfloat16():
        in_half = partial(step, precision="bfloat16")
        measured += [in_half(*networks[0], batches), in_half(*networks[0], batches, best="best")]
        if not small:
            measured += [
                in_half(cell, size, 1) for size in (2048, 4096) for cell in ("gru", "lstm")
            ]
    return measured


def some_captions(number: int) -> list[str]:
    """Draw captions of random letters, on average 54 as in Flickr8k."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.normal(54, 18, number).astype(int), 11, 151)
    return ["a" + "".join(rng.choice(list(LETTERS), length - 2)) + "." for length in lengths]


def untrained(options: dict[str, Any], captions: list[str]) -> Model:
    """Build an untrained model, with a text that is built from these captions."""
    description = complete_description({"languages": ["en"], **options})
    text_part = description["text"]
    text = parts.find("text", text_part["name"]).build(captions, **parts.options(text_part))
    return Model(description, {"en": text}, WIDTH)


def step(cell: str, size: int, batches: int, precision: str = "float32", best: str = "") -> Row:
    """Measure a training step: ours in some precision, and the authors' method in float32.

    Args:
        cell, size: the recurrent network.
        batches: number of steps of each measurement.
        precision: the precision of ours.
        best: a model of config/best.yaml that replaces the network of ours.
    """
    options: dict[str, Any] = {"encoder": parts.grid_encoder(f"{cell}-{size}-attention")}
    if best:
        options = yaml.safe_load(BEST.read_text())["models"][best]
    captions = some_captions(BATCH * batches)
    training = {**options.get("training", {}), "batch_size": BATCH}
    model = untrained({**options, "training": training}, captions)
    # One image of random features per caption.
    numbers = np.arange(len(captions))
    features = np.random.default_rng(0).random((len(captions), WIDTH), np.float32)
    encoded = model.texts["en"].encode(captions)
    split = Split(
        numbers.astype(str), features, {"en": Captions(encoded, numbers, np.zeros_like(numbers))}
    )
    optimizer = loop.make_optimizer(model, 1000)
    loop.keep_freed_memory()
    steps = count()

    def ours() -> float:
        choose("cpu", precision=precision)
        for captions_of_batch in np.split(numbers, batches):
            batch = {"en": captions_of_batch}
            loop.train_step(model, optimizer, split, batch, seed=1, step=next(steps))
        choose("cpu")  # float32 again, for the other contestant
        return batches

    encoder = AuthorsEncoder(cell, size)
    image = nn.Linear(WIDTH, size)
    parameters = [*encoder.parameters(), *image.parameters()]
    adam = torch.optim.Adam(parameters)

    def plain() -> float:
        with h5py.File(path) as file:
            for start in range(0, len(captions), BATCH):
                batch = slice(start, start + BATCH)
                vectors = np.array([file[name][:] for name in split.image_ids[batch]])
                sentences = encoder(*as_the_authors(captions[batch]))
                pictures = nn.functional.normalize(image(torch.from_numpy(vectors)))
                loss = hinge.Objective(0.2)(pictures, {"en": sentences}, "cosine")
                adam.zero_grad()
                loss.backward()
                clip_grad_norm_(parameters, 0.5)
                adam.step()
                loss.item()
        return batches

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "features.h5")
        with h5py.File(path, "w") as file:
            for image_id, vector in zip(split.image_ids, split.features[:], strict=True):
                file[image_id] = vector
        ours()  # the first call sets up memory and kernels, so it is not measured
        what = f"a step of {f'`{best}`, plain: ' if best else ''}{cell} {size:,}"
        if precision != "float32":
            what += f", products in {precision}"
        # For the largest networks, with one batch, plain takes minutes.
        other = plain if batches > 1 else None
        return row(what, "s a batch of 32", ours, other, rounds=5)


def as_the_authors(sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Encode sentences by a Python loop over characters: indices (B, longest), lengths (B,)."""
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    indices = torch.zeros(len(sentences), int(lengths.max()), dtype=torch.long)
    for i, sentence in enumerate(sentences):
        for t, character in enumerate(sentence):
            indices[i, t] = INDEX[character]
    return indices, lengths


class AuthorsEncoder(nn.Module):
    """An encoder with torch's own layer on packed sentences, and attention over padded ones."""

    def __init__(self, cell: str, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(INDEX) + 2, 20)
        layer = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        self.rnn = layer(20, size // 2, batch_first=True, bidirectional=True)
        self.hidden = nn.Linear(size, 128)
        self.out = nn.Linear(128, size)

    def forward(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Embed sentences as unit vectors (B, size)."""
        packed = pack_padded_sequence(
            self.embedding(indices), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        weights = self.out(torch.tanh(self.hidden(states))).softmax(dim=1)
        return nn.functional.normalize((weights * states).sum(dim=1))


if __name__ == "__main__":
    program(__doc__, rows)
