"""Measure the time of a training step on 32 captioned images, and of the recurrence alone.

Captions are random letters with the lengths of Flickr8k's captions, and features are random
numbers; neither changes the time. The first row of each network is the whole step: batch, both
networks, loss, gradients, clipping and Adam. A GPU, if there is one, is measured with the paper's
sizes.

The tree networks are the models of config.yaml, on captions of generated scenes.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
import yaml
from measure import Contestant, Row, fastest, multiplier, program, row, work
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

from groundvec.config import parts
from groundvec.config.description import complete_description
from groundvec.data.split import Captions, Split
from groundvec.device import choose, has_bfloat16
from groundvec.encoders import recurrence
from groundvec.model.network import Model
from groundvec.objectives import hinge
from groundvec.provenance import ROOT
from groundvec.text.characters import Text
from groundvec.training import loop
from reproduction import scenes

LETTERS = "abcdefghijklmnopqrstuvwxyz '.,ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# 0 pads and 1 stands for unknown characters.
INDEX = {letter: i for i, letter in enumerate(LETTERS, 2)}
BATCH = 32  # the default `batch_size` of training
WIDTH = 2048
ATTENTION = 128
# Blocks of weights of a recurrent network, for the lower bounds.
GATES = {"gru": 3, "lstm": 4}
BEST = ROOT / "config" / "best.yaml"
DEMO = ROOT / "config.yaml"
BAG = {"text": {"name": "words"}, "encoder": {"name": "bag", "size": 256}}
TREES = ("DT-RNN", "SDT-RNN")
Call = Callable[[], Any]


def rows(small: bool) -> list[Row]:
    networks = [("gru", 16)] if small else [("gru", 1024), ("lstm", 1024), ("gru", 128)]
    batches = 2 if small else 6
    measured = []
    for network in networks:
        measured += [step(*network, batches), states(*network)]
    if has_bfloat16():
        in_half = partial(step, precision="bfloat16")
        measured += [in_half(*networks[0], batches), in_half(*networks[0], batches, best="best")]
        if not small:
            measured += [in_half(cell, size, 1) for size in (2048, 4096) for cell in GATES]
    measured += [step_of_bag(2 if small else 50), *step_of_trees(batches)]
    if torch.cuda.is_available() and not small:
        measured += [step("gru", size, 50, "cuda") for size in (1024, 2048, 4096)]
    return measured


def grid(cell: str, size: int) -> dict[str, Any]:
    return {"encoder": parts.grid_encoder(f"{cell}-{size}-attention")}


def letters(lengths: Iterable[int]) -> list[str]:
    """Draw sentences of random letters."""
    rng = np.random.default_rng(0)
    return ["a" + "".join(rng.choice(list(LETTERS), length - 2)) + "." for length in lengths]


def some_captions(count: int) -> list[str]:
    """Draw captions of random letters, on average 54 as in Flickr8k."""
    return letters(np.clip(np.random.default_rng(0).normal(54, 18, count).astype(int), 11, 151))


def untrained(options: dict[str, Any], captions: list[str], width: int = WIDTH) -> Model:
    """Build an untrained model, with a text that is built from these captions."""
    description = complete_description({"languages": ["en"], **options})
    text_part = description["text"]
    text = parts.find("text", text_part["name"]).build(captions, **parts.options(text_part))
    return Model(description, {"en": text}, width)


def split_of(captions: list[str], text: Any) -> Split:
    """Make a split with one image of random features per caption."""
    rows = np.arange(len(captions))
    features = np.random.default_rng(0).random((len(captions), WIDTH), np.float32)
    encoded = Captions(text.encode(captions), rows, np.zeros_like(rows))
    return Split(rows.astype(str), features, {"en": encoded})


def trainer(
    model: Model, split: Split, batches: int, order: Iterable[Any] | None = None
) -> Contestant:
    """Return a contestant that trains on the next batches of `order`, by default row by row."""
    size = model.description["training"]["batch_size"]
    rows = np.arange(len(split.features))
    starts = range(0, len(rows) - size + 1, size)
    order = iter(order or cycle({"en": rows[start : start + size]} for start in starts))
    optimiser = loop.make_optimiser(model, 1000)
    loop.keep_freed_memory()
    numbers = count()

    def train_batches() -> None:
        for batch in islice(order, batches):
            loop.train_step(model, optimiser, split, batch, seed=1, step=next(numbers))

    return work(batches, train_batches)


def step(
    cell: str,
    size: int,
    batches: int,
    device: str = "cpu",
    precision: str = "float32",
    best: str = "",
) -> Row:
    """Measure a training step: ours in some precision, and the authors' method in float32.

    Args:
        cell, size: the recurrent network.
        batches: number of steps of each measurement.
        device: the device.
        precision: the precision of ours.
        best: a model of config/best.yaml that replaces the network of ours.
    """
    options = yaml.safe_load(BEST.read_text())["models"][best] if best else grid(cell, size)
    captions = some_captions(BATCH * batches)
    training = {**options.get("training", {}), "batch_size": BATCH}
    model = untrained({**options, "training": training}, captions).to(device)
    split = split_of(captions, model.texts["en"])
    train = trainer(model, split, batches)

    def ours() -> float:
        choose(device, precision=precision)
        train()
        choose(device)  # float32 again, for the other contestants
        return finished(batches, device)

    encoder = AuthorsEncoder(cell, size).to(device)
    image = nn.Linear(WIDTH, size).to(device)
    parameters = [*encoder.parameters(), *image.parameters()]
    adam = torch.optim.Adam(parameters)

    def plain() -> float:
        with h5py.File(path) as file:
            for start in range(0, len(captions), BATCH):
                batch = slice(start, start + BATCH)
                vectors = np.array([file[name][:] for name in split.image_ids[batch]])
                indices, lengths = as_the_authors(captions[batch])
                sentences = encoder(indices.to(device), lengths)
                pictures = nn.functional.normalize(image(torch.from_numpy(vectors).to(device)))
                loss = hinge.Objective(0.2)(pictures, {"en": sentences}, "cosine")
                adam.zero_grad()
                loss.backward()
                clip_grad_norm_(parameters, 0.5)
                adam.step()
                loss.item()
        return finished(batches, device)

    batch_starts = range(0, len(captions), BATCH)
    lengths = [[len(text) for text in captions[n : n + BATCH]] for n in batch_starts]
    has_floor = device == "cpu" and not best
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "features.h5")
        with h5py.File(path, "w") as file:
            for image_id, vector in zip(split.image_ids, split.features[:], strict=True):
                file[image_id] = vector
        ours()  # the first call sets up memory and kernels, so it is not measured
        what = f"a step of {f'`{best}`, plain: ' if best else ''}{cell} {size:,}"
        if device != "cpu":
            what += f" on {torch.cuda.get_device_name()}"
        if precision != "float32":
            what += f", products in {precision}"
        return row(
            what,
            "s a batch of 32",
            ours,
            plain if batches > 1 else None,  # takes minutes for the largest networks
            floor(cell, size, lengths, whole=True, precision=precision) if has_floor else None,
            rounds=5,
            clock=None if device == "cpu" else time.perf_counter,
        )


def finished(units: float, device: str) -> float:
    """Wait until the GPU has finished, and return the units of work."""
    if device == "cuda":
        torch.cuda.synchronize()
    return units


def states(cell: str, size: int) -> Row:
    """Compare the forward and backward pass of the recurrence with torch's own layer."""
    captions = some_captions(BATCH)
    encoded = Text.build(captions).encode(captions)
    indices, lengths = map(torch.from_numpy, encoded.batch(np.arange(BATCH)))
    encoder = AuthorsEncoder(cell, size)
    layer: Any = encoder.rnn
    gradient = torch.ones(len(indices), size)
    embedded = [encoder.embedding(part) for part in indices.split(lengths.tolist())]
    packed = pack_sequence(embedded, enforce_sorted=False)

    def ours() -> None:
        encoder.zero_grad()
        hidden = recurrence.hidden_states(layer, encoder.embedding.weight, indices, lengths)
        hidden.backward(gradient)

    def plain() -> None:
        encoder.zero_grad()
        layer(packed)[0].data.backward(gradient, retain_graph=True)

    what = f"the states of {cell} {size:,}, and their gradients"
    products = floor(cell, size, [lengths.tolist()], whole=False)
    return row(what, "s for 32 captions", work(1, ours), work(1, plain), products, rounds=7)


def floor(
    cell: str, size: int, batches: list[list[int]], whole: bool, precision: str = "float32"
) -> Contestant:
    """Return a contestant that computes the matrix products of batches by the fastest library.

    Args:
        cell, size: the recurrent network.
        batches: the lengths of each batch's captions.
        whole: whether to include attention and image network.
        precision: the precision of the products.
    """
    units = size // 2
    gates = GATES[cell] * size // 2
    multiply = cache(multiplier if precision == "float32" else in_bfloat16)
    products = []
    for lengths in batches:
        places = sum(lengths)
        (_, counts) = recurrence.steps(torch.tensor(lengths))
        one_way = [multiply(gates, places, units)]  # the gradient of the weights
        for n in counts:
            one_way += [multiply(n, units, gates), multiply(n, gates, units)]
        products += 2 * one_way
        if whole:
            shapes = [(places, size, ATTENTION), (places, ATTENTION, size)]
            attention = [multiply(*shape) for shape in [*shapes, (size, places, ATTENTION)]]
            images = [multiply(BATCH, WIDTH, size), multiply(WIDTH, BATCH, size)]
            products += 2 * attention + images
    return work(len(batches), lambda: [product() for product in products])


def in_bfloat16(m: int, k: int, n: int) -> Call:
    """Return oneDNN's product of bfloat16 matrices (m, k) and (k, n)."""
    factor = torch.ones(m, k).bfloat16()
    multiply = torch.ops.mkldnn._linear_pointwise
    return partial(multiply, factor, half_weight(k, n), None, "none", [], "")


@cache
def half_weight(k: int, n: int) -> Tensor:
    """Return a weight (n, k) in bfloat16, in oneDNN's layout."""
    weight: Tensor = torch.ops.mkldnn._reorder_linear_weight(torch.ones(n, k).bfloat16())
    return weight


def step_of_bag(batches: int) -> Row:
    """Measure a step of a bag of words; its floor is torch's `EmbeddingBag` and Adam.

    Adam changes all embeddings in each step, even of words that are not in the batch.
    """
    # The numbers of words, in the vocabulary and per caption, are like Flickr8k's.
    drawn = np.random.default_rng(0).integers(8000, size=(BATCH * batches, 11))
    captions = [" ".join(f"w{word}" for word in words) for words in drawn]
    model = untrained(BAG, captions)
    text = model.texts["en"]
    split = split_of(captions, text)
    train = trainer(model, split, batches)
    indices, lengths = map(torch.from_numpy, split.captions["en"].encoded.batch(np.arange(BATCH)))
    starts = lengths.cumsum(0) - lengths
    other = untrained(BAG, captions)
    encoder: Any = other.captions["en"]
    table: Tensor = encoder.embedding.weight
    size = other.description["encoder"]["size"]
    embedding = table.shape[1]
    products = [
        *both_ways(BATCH, embedding, size),
        multiplier(BATCH, size, embedding),  # the gradient of the means
        *both_ways(BATCH, WIDTH, size),
        *of_scores(BATCH, size),
    ]
    update = optimised(other, torch.optim.Adam, fused=True)
    gradient = torch.ones(len(indices), embedding)

    def floor() -> None:
        with torch.no_grad():
            nn.functional.embedding_bag(indices, table, starts, mode="mean")
        for product in products:
            product()
        table.grad = torch.zeros_like(table).index_add_(0, indices, gradient)
        update()

    train()  # the first call sets up memory, so it is not measured
    what = f"a step of a bag of {len(text):,} words, size {size}"
    return row(what, "s a batch of 32", train, None, work(1, floor, times=batches), rounds=15)


def step_of_trees(batches: int) -> list[Row]:
    """Measure a step of each tree network; its floor is its matrix products and torch's AdaGrad."""
    models = yaml.safe_load(DEMO.read_text())["models"]
    with tempfile.TemporaryDirectory() as folder:
        captions = scenes.generate(Path(folder), 100, 0)[0]["caption"].tolist()
    measured = []
    for name in TREES:
        model = untrained(models[name], captions)
        other = untrained(models[name], captions)
        split = split_of(captions, model.texts["en"])
        train = trainer(model, split, batches)
        train()
        settings = model.description
        what = f"a step of {name} {settings['encoder']['size']}"
        unit = f"s a batch of {settings['training']['batch_size']}"
        measured.append(row(what, unit, train, None, floor_of_trees(other, split), rounds=15))
    return measured


def floor_of_trees(model: Model, split: Split) -> Contestant:
    """Return a contestant that computes all matrix products of a tree network and the update."""
    encoder = model.description["encoder"]
    text = model.texts["en"]
    batch = model.description["training"]["batch_size"]
    size = encoder["size"]
    encoded = split.captions["en"].encoded
    steps = []  # the products of each batch
    for start in range(0, len(encoded) - batch + 1, batch):
        captions = np.arange(start, start + batch)
        words, _, parents, relations, places, heights, _ = encoded.batch(captions)
        by_relation = encoder["compose"] == "relation"
        kinds, matrices = (relations, text.relations) if by_relation else (places, text.places)
        below = (parents >= 0) & (kinds < len(matrices))
        products = both_ways(len(words), text.dimension, size)
        for height in range(heights.max()):
            # The vectors of one height that share a matrix, together or padded to one product.
            counts = np.bincount(kinds[below & (heights == height)])
            products.append(fastest(of_matrices(counts[counts > 0].tolist(), size)))
        steps.append(products + both_ways(batch, WIDTH, size) + of_scores(batch, size))
    update = optimised(model, torch.optim.Adagrad)
    return work(len(steps), lambda: [call() for step in steps for call in (*step, update)])


def of_matrices(counts: list[int], size: int) -> list[Call]:
    """Return functions that multiply `counts[i]` vectors by matrix i, forwards and backwards."""
    if not counts:
        return [lambda: None]
    alone = [(torch.ones(count, size), torch.ones(size, size)) for count in counts]
    padded = torch.ones(len(counts), max(counts), size)
    matrices = torch.ones(len(counts), size, size)
    return [
        lambda: [(x @ matrix, x @ matrix, x.t() @ x) for x, matrix in alone],
        lambda: (padded @ matrices, padded @ matrices, padded.transpose(1, 2) @ padded),
    ]


def both_ways(rows: int, width: int, size: int) -> list[Call]:
    """Return the products of vectors (rows, width) and weights, and of the weights' gradient."""
    return [multiplier(rows, width, size), multiplier(width, rows, size)]


def of_scores(batch: int, size: int) -> list[Call]:
    """Return the products of a loss on all pairs of a batch, and of the gradients of both sides."""
    back = multiplier(batch, batch, size)
    return [multiplier(batch, size, batch), back, back]


def optimised(model: Model, make: Any, **options: Any) -> Call:
    """Return the step of torch's own optimizer on a model's weights."""
    weights = list(model.parameters())
    for weight in weights:
        weight.grad = torch.ones_like(weight)
    return make(weights, **options).step


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
            self.embedding(indices), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        weights = self.out(torch.tanh(self.hidden(states))).softmax(dim=1)
        return nn.functional.normalize((weights * states).sum(dim=1))


if __name__ == "__main__":
    program(__doc__, rows)
