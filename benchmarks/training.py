"""What training costs: a batch of 32 captioned pictures, and the recurrence alone.

Captions are random letters with lengths like Flickr8k's, features are random numbers; neither
changes a time. A first row a network is the whole step: batch, both networks, loss, gradients,
clipping and Adam. On a machine with a GPU, the paper's sizes are measured there.

The tree networks are those of config.yaml, over the captions of the drawn scenes.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
import yaml
from measure import Contestant, Row, fastest, multiplier, program, row
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

from groundvec import scenes
from groundvec.config import parts
from groundvec.config.description import complete_description
from groundvec.data.split import Captions, Split
from groundvec.device import choose
from groundvec.encoders import recurrence
from groundvec.model.network import Model
from groundvec.objectives import hinge
from groundvec.text.characters import Text
from groundvec.training import loop

LETTERS = "abcdefghijklmnopqrstuvwxyz '.,ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BATCH, WIDTH, EMBEDDING, ATTENTION = 32, 2048, 20, 128
GATES = {"gru": 3, "lstm": 4}
ROOT = Path(__file__).parent.parent
BEST, DEMO = ROOT / "config" / "best.yaml", ROOT / "config.yaml"
BAG = {"languages": ["en"], "text": {"name": "words"}, "encoder": {"name": "bag", "size": 256}}
TREES = ("DT-RNN", "SDT-RNN")


def rows(small: bool) -> list[Row]:
    networks = [("gru", 16)] if small else [("gru", 1024), ("lstm", 1024), ("gru", 128)]
    batches = 2 if small else 6
    measured = [
        one
        for cell, size in networks
        for one in (step(cell, size, batches, "cpu"), states(cell, size))
    ]
    measured.append(step(*networks[0], batches, "cpu", "bfloat16"))
    measured.append(step(*networks[0], batches, "cpu", "bfloat16", "best"))
    measured.append(step_of_bag(2 if small else 50))
    measured += step_of_trees(2 if small else 6)
    for size in (1024, 2048, 4096):
        if torch.cuda.is_available() and not small:
            measured.append(step("gru", size, 50, "cuda"))
    return measured


def some_captions(count: int) -> list[str]:
    """Letters at random, on average 54 as in Flickr8k."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.normal(53, 18, count).astype(int), 10, 150)
    return ["".join(rng.choice(list(LETTERS), length)) + "." for length in lengths]


def step(
    cell: str,
    size: int,
    batches: int,
    device: str,
    precision: str = "float32",
    model_of_best: str = "",
) -> Row:
    """A training step, by this project in a precision, and by the authors' way in float32.

    Args:
        model_of_best: one of config/best.yaml, to be ours in place of the same network.
    """
    given = {"encoder": parts.of_grid(f"{cell}-{size}-attention")}
    if model_of_best:
        given = yaml.safe_load(BEST.read_text())["models"][model_of_best]
    description = complete_description({"languages": ["en"], **given})
    captions, letters = some_captions(BATCH * batches), Text.build([LETTERS])
    read = description["text"]
    text = parts.find("text", read["name"]).build(captions, **parts.options(read))
    split, train = trainer(description, captions, text, device)
    place, features = split.captions["en"].image, split.features[:]

    def ours() -> float:
        choose(device, precision=precision)
        train(batches)
        choose(device)  # for the others
        return finished(batches, device)

    encoder = AuthorsEncoder(cell, size, len(letters)).to(device)
    image = nn.Linear(WIDTH, size).to(device)
    both = [*encoder.parameters(), *image.parameters()]
    adam = torch.optim.Adam(both)
    index = index_of(letters)
    folder = tempfile.TemporaryDirectory()
    with h5py.File(Path(folder.name, "features.h5"), "w") as file:
        for name, vector in zip(split.image_ids, features, strict=True):
            file[name] = vector

    def plain() -> float:
        with h5py.File(Path(folder.name, "features.h5")) as file:
            for n in range(batches):
                batch = place[n * BATCH : (n + 1) * BATCH]
                vectors = np.array([file[name][:] for name in split.image_ids[batch]])
                indices, lengths = as_the_authors([captions[i] for i in batch], index)
                sentences = encoder(indices.to(device), lengths)
                pictures = nn.functional.normalize(image(torch.from_numpy(vectors).to(device)))
                loss = hinge.Objective(0.2)(pictures, {"en": sentences}, "cosine")
                adam.zero_grad()
                loss.backward()
                clip_grad_norm_(both, 0.5)
                adam.step()
                loss.item()
        return finished(batches, device)

    ours(), plain()  # what is set up once
    lengths = [list(map(len, captions[n : n + BATCH])) for n in range(0, len(captions), BATCH)]
    name = f"`{model_of_best}`, plain: {cell} {size:,}" if model_of_best else f"{cell} {size:,}"
    where = "" if device == "cpu" else f" on {torch.cuda.get_device_name()}"
    where += "" if precision == "float32" else f", products in {precision}"
    result = row(
        "training",
        f"a step of {name}{where}",
        "s a batch of 32",
        ours,
        plain,
        floor(cell, size, lengths, whole=True)
        if device == "cpu" and precision == "float32"
        else None,
        rounds=5,
        clock=None if device == "cpu" else time.perf_counter,
    )
    folder.cleanup()
    return result


def trainer(
    description: dict[str, Any],
    captions: list[str],
    text: Any,
    device: str = "cpu",
    size: int = BATCH,
) -> tuple[Split, Callable[[int], float]]:
    """A split of these captions, and a function that trains on so many batches of this size."""
    place = np.arange(len(captions))
    split = Split(
        image_ids=place.astype(str),
        features=np.random.default_rng(0).random((len(captions), WIDTH), np.float32),
        captions={"en": Captions(captions, text.encode(captions), place, np.zeros_like(place))},
    )
    model = Model(description, {"en": text}, WIDTH).to(device)
    settings = description["training"]
    make = parts.find("optimisers", settings["optimiser"]["name"])
    optimiser = make(model.parameters(), 1000, **parts.options(settings["optimiser"]))
    step = loop.make_step(model, split, optimiser, seed=1)
    numbers = cycle(range(len(captions) // size))

    def train(batches: int) -> float:
        for _ in range(batches):
            n = next(numbers)
            step({"en": place[n * size : (n + 1) * size]}, n)
        return batches

    return split, train


def finished(units: int, device: str) -> float:
    if device == "cuda":
        torch.cuda.synchronize()
    return units


def states(cell: str, size: int) -> Row:
    """The recurrence alone, forwards and backwards, beside torch's own layer."""
    captions = some_captions(BATCH)
    encoded = Text.build([LETTERS]).encode(captions)
    indices, lengths = map(torch.from_numpy, encoded.batch(np.arange(BATCH)))
    encoder = AuthorsEncoder(cell, size, 100)
    layer: Any = encoder.rnn
    gradient = torch.ones(len(indices), size)
    embedded = [encoder.embedding(part) for part in indices.split(lengths.tolist())]
    packed = pack_sequence(embedded, enforce_sorted=False)

    def ours() -> float:
        encoder.zero_grad()
        found = recurrence.hidden_states(layer, encoder.embedding.weight, indices, lengths)
        found.backward(gradient)
        return 1

    def plain() -> float:
        encoder.zero_grad()
        layer(packed)[0].data.backward(gradient, retain_graph=True)
        return 1

    return row(
        "training",
        f"the states of {cell} {size:,}, and their gradients",
        "s for 32 captions",
        ours,
        plain,
        floor(cell, size, [lengths.tolist()], whole=False),
        rounds=7,
    )


def floor(cell: str, size: int, batches: list[list[int]], whole: bool) -> Contestant:
    """The products of these batches, as fast as this machine multiplies matrices of their shapes.

    Args:
        batches: the lengths of the captions of each.
    """
    units, gates = size // 2, GATES[cell] * size // 2
    multiply = cache(multiplier)
    products = []
    for lengths in batches:
        places, (_, counts) = sum(lengths), recurrence.steps(torch.tensor(lengths))
        one_way = [multiply(gates, places, units)]  # the gradient of the weights
        for n in counts:
            one_way += [multiply(n, units, gates), multiply(n, gates, units)]
        products += 2 * one_way
        if whole:
            attention = [
                multiply(places, size, ATTENTION),
                multiply(places, ATTENTION, size),
                multiply(size, places, ATTENTION),
            ]
            image = [multiply(BATCH, WIDTH, size), multiply(WIDTH, BATCH, size)]
            products += 2 * attention + image

    def run() -> float:
        for product in products:
            product()
        return len(batches)

    return run


def step_of_bag(batches: int) -> Row:
    """A step of a bag of words, whose floor has the embeddings' means and Adam, as torch has them.

    Adam changes all embeddings in each step, those of words that the batch lacks too.
    """
    description = complete_description(BAG)
    drawn = np.random.default_rng(0).integers(8000, size=(BATCH * batches, 11))  # as Flickr8k's
    captions = [" ".join(f"w{word}" for word in each) for each in drawn]
    size = description["encoder"]["size"]
    text = parts.find("text", "words").build(captions, **parts.options(description["text"]))
    split, train = trainer(description, captions, text)
    indices, lengths = map(torch.from_numpy, split.captions["en"].encoded.batch(np.arange(BATCH)))
    starts = lengths.cumsum(0) - lengths
    model = Model(description, {"en": text}, WIDTH)
    encoder: Any = model.captions["en"]
    table: Tensor = encoder.embedding.weight
    embedding = table.shape[1]
    products = [
        *both_ways(BATCH, embedding, size),
        multiplier(BATCH, size, embedding),  # the gradient of the means
        *both_ways(BATCH, WIDTH, size),
        *of_scores(BATCH, size),
    ]
    update = optimised(model, torch.optim.Adam, fused=True)
    gradient = torch.ones(len(indices), embedding)

    def floor() -> float:
        for _ in range(batches):
            with torch.no_grad():
                nn.functional.embedding_bag(indices, table, starts, mode="mean")
            for product in products:
                product()
            table.grad = torch.zeros_like(table).index_add_(0, indices, gradient)
            update()
        return batches

    train(batches)  # what is set up once
    what = f"a step of a bag of {len(text):,} words, size {size}"
    return row("training", what, "s a batch of 32", lambda: train(batches), None, floor, rounds=15)


def step_of_trees(batches: int) -> list[Row]:
    """A step of each tree network; the floor has its products, and AdaGrad as torch has it."""
    models = yaml.safe_load(DEMO.read_text())["models"]
    with tempfile.TemporaryDirectory() as folder:
        captions = scenes.generate(Path(folder), 100, 0)[0]["caption"].tolist()
    measured = []
    for name in TREES:
        description = complete_description({"languages": ["en"], **models[name]})
        batch = description["training"]["batch_size"]
        text = parts.find("text", "trees").build(captions, **parts.options(description["text"]))
        split, train = trainer(description, captions, text, size=batch)
        floor = floor_of_trees(description, text, split)
        train(batches)
        unit = f"s a batch of {batch}"
        what = f"a step of {name} {description['encoder']['size']}"
        ours = partial(train, batches)
        measured.append(row("training", what, unit, ours, None, floor, rounds=15))
    return measured


def floor_of_trees(description: dict[str, Any], text: Any, split: Split) -> Contestant:
    """The products of all batches, those of all matrices of a height in one or each alone."""
    batch, size = description["training"]["batch_size"], description["encoder"]["size"]
    own = split.captions["en"]
    by_relation = description["encoder"]["compose"] == "relation"
    steps = []  # the products of each batch
    for start in range(0, len(own.texts) - batch + 1, batch):
        captions = np.arange(start, start + batch)
        words, _, parents, relations, places, heights, _ = own.encoded.batch(captions)
        kinds, known = (relations, text.relations) if by_relation else (places, text.places)
        below = (parents >= 0) & (kinds < len(known))
        products = both_ways(len(words), text.dimension, size)
        for height in range(heights.max()):
            counts = np.bincount(kinds[below & (heights == height)])
            products.append(fastest(of_matrices(counts[counts > 0].tolist(), size)))
        steps.append(products + both_ways(batch, WIDTH, size) + of_scores(batch, size))
    update = optimised(Model(description, {"en": text}, WIDTH), torch.optim.Adagrad)

    def run() -> float:
        for products in steps:
            for product in products:
                product()
            update()
        return len(steps)

    return run


def of_matrices(counts: list[int], size: int) -> list[Callable[[], Any]]:
    """Ways to multiply vectors by square matrices, so many by each, forwards and backwards."""
    if not counts:
        return [lambda: None]
    alone = [(torch.ones(count, size), torch.ones(size, size)) for count in counts]
    padded, matrices = (
        torch.ones(len(counts), max(counts), size),
        torch.ones(len(counts), size, size),
    )

    def separate() -> None:
        for vectors, matrix in alone:
            vectors @ matrix, vectors @ matrix, vectors.t() @ vectors

    def together() -> None:
        padded @ matrices, padded @ matrices, padded.transpose(1, 2) @ padded

    return [separate, together]


def both_ways(rows: int, width: int, size: int) -> list[Callable[[], Any]]:
    """The product of vectors (rows, width) and weights, and that of the weights' gradient."""
    return [multiplier(rows, width, size), multiplier(width, rows, size)]


def of_scores(batch: int, size: int) -> list[Callable[[], Any]]:
    """The products of a loss on all pairs of a batch, and of the gradients of both sides."""
    back = multiplier(batch, batch, size)
    return [multiplier(batch, size, batch), back, back]


def optimised(model: Model, make: Any, **options: Any) -> Callable[[], Any]:
    """One step of torch's own optimiser, which changes the weights of a model."""
    weights = list(model.parameters())
    for each in weights:
        each.grad = torch.ones_like(each)
    step: Callable[[], Any] = make(weights, **options).step
    return step


def index_of(text: Text) -> dict[str, int]:
    """Of the characters of a text."""
    return {character: i for i, character in enumerate(text.characters, 2)}


def as_the_authors(sentences: Sequence[str], index: dict[str, int]) -> tuple[Tensor, Tensor]:
    """Indices (B, longest), padded by a Python loop over the characters, and lengths (B,)."""
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    indices = torch.zeros(len(sentences), int(lengths.max()), dtype=torch.long)
    for i, sentence in enumerate(sentences):
        for t, character in enumerate(sentence):
            indices[i, t] = index[character]
    return indices, lengths


class AuthorsEncoder(nn.Module):
    """Torch's own layer on packed sentences, and attention over padded ones."""

    def __init__(self, cell: str, size: int, indices: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(indices, 20)
        layer = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        self.rnn = layer(20, size // 2, batch_first=True, bidirectional=True)
        self.hidden, self.out = nn.Linear(size, 128), nn.Linear(128, size)

    def forward(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Unit vectors (B, size)."""
        packed = pack_padded_sequence(
            self.embedding(indices), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        weights = self.out(torch.tanh(self.hidden(states))).softmax(dim=1)
        return nn.functional.normalize((weights * states).sum(dim=1))


if __name__ == "__main__":
    program(__doc__, rows)
