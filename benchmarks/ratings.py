"""Measure the time to rate sentence pairs: to embed them in 4,096 numbers, and the classifier.

The sentences are random letters with the average length of STS and SICK. They have equal lengths,
because sentences are sorted by length before they are embedded. The networks are untrained, which
does not change the time.
"""

from unittest import mock

import numpy as np
import torch
from measure import Row, program, row, work
from torch import nn
from training import AuthorsEncoder, as_the_authors, grid, letters, untrained

from groundvec.evaluation import relatedness
from groundvec.evaluation.correlation import pearson

LENGTH = 59  # characters
BATCH = 64  # sentences in a batch of the plain method


def rows(small: bool) -> list[Row]:
    size, sentences, pairs = (64, 20, 60) if small else (4096, 256, 5749)
    embedded = [embedding(cell, size, sentences) for cell in ("gru", "lstm")]
    return [*embedded, classifier(size, pairs)]


def embedding(cell: str, size: int, count: int) -> Row:
    sentences = letters([LENGTH] * count)
    model = untrained(grid(cell, size), sentences).eval()
    network = AuthorsEncoder(cell, size)
    some = sentences[: max(BATCH, count // 4)]

    @torch.inference_mode()
    def plain() -> None:
        """Embed in the given order, by a Python loop over characters and torch's own network."""
        for start in range(0, len(some), BATCH):
            network(*as_the_authors(some[start : start + BATCH]))

    return row(
        f"{cell} {size:,}, sentences of {LENGTH} characters",
        "s for 1,000 characters",
        work(LENGTH * count / 1000, model.encode_sentences, sentences),
        work(LENGTH * len(some) / 1000, plain),
    )


def classifier(size: int, pairs: int) -> Row:
    """Measure fifty epochs on as many pairs as STS-B's training set."""
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((2, 3 * pairs // 2, size), np.float32) / size**0.5
    x = relatedness.features(u, v)
    scores = rng.uniform(1, 5, len(u))
    train = (x[:pairs], scores[:pairs])
    dev = (x[pairs:], scores[pairs:])
    batch = relatedness.BATCH_SIZE
    epochs = relatedness.EPOCHS_PER_CHECK

    def ours() -> None:
        with mock.patch.object(relatedness, "MAX_EPOCHS", epochs):
            relatedness.train_and_predict(train, dev, dev[0])

    def plain() -> None:
        """Train by torch's modules, gradients and Adam, as SentEval does; a fifth of the epochs."""
        network = nn.Sequential(nn.Linear(2 * size, 5), nn.Softmax(dim=-1))
        optimiser = torch.optim.Adam(network.parameters())
        inputs = torch.from_numpy(train[0])
        targets = torch.from_numpy(relatedness.targets(train[1]))
        for _ in range(epochs // 5):
            for rows in torch.randperm(pairs).split(batch):
                optimiser.zero_grad()
                nn.functional.mse_loss(network(inputs[rows]), targets[rows]).backward()
                optimiser.step()
        with torch.no_grad():
            grades = network(torch.from_numpy(dev[0])).numpy() @ relatedness.GRADES
        pearson(grades, dev[1])

    return row(
        f"classifier on {pairs:,} pairs, size {size:,}",
        "s an epoch",
        work(epochs, ours),
        work(epochs // 5, plain),
    )


if __name__ == "__main__":
    program(__doc__, rows)
