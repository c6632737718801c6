"""What rating costs: to embed sentences by an encoder of 4,096 numbers, and the classifier.

The sentences are random letters, as many as those of STS and SICK have on average, and alike long,
since sentences are sorted before they are embedded. The networks are untrained, which changes no
time.
"""

from unittest import mock

import numpy as np
import torch
from measure import Row, multiplier, program, row
from torch import nn
from training import AuthorsEncoder, as_the_authors, index_of

from groundvec.config import parts
from groundvec.config.description import complete_description
from groundvec.evaluation import relatedness
from groundvec.evaluation.correlation import pearson
from groundvec.model.network import Model
from groundvec.text.characters import Text

LETTERS = "abcdefghijklmnopqrstuvwxyz '."
LENGTH = 59  # characters
BATCH = 64  # sentences; of the plain way


def rows(small: bool) -> list[Row]:
    size, sentences, pairs = (64, 20, 60) if small else (4096, 256, 5749)
    return [
        *(embedding(cell, size, sentences) for cell in ("gru", "lstm")),
        classifier(size, pairs),
    ]


def some_sentences(count: int) -> list[str]:
    """Letters at random."""
    letters = np.random.default_rng(0).choice(list(LETTERS), (count, LENGTH - 1))
    return ["a" + "".join(each) for each in letters]


def untrained(cell: str, size: int) -> Model:
    grid = parts.of_grid(f"{cell}-{size}-attention")
    description = complete_description({"languages": ["en"], "encoder": grid})
    return Model(description, {"en": Text.build([LETTERS])}, width=2048).eval()


def embedding(cell: str, size: int, count: int) -> Row:
    sentences, model = some_sentences(count), untrained(cell, size)
    network, index = AuthorsEncoder(cell, size, len(model.texts["en"])), index_of(model.texts["en"])
    units, gates = size // 2, {"gru": 3, "lstm": 4}[cell]
    multiply = multiplier(256, units, gates * units)
    characters = sum(map(len, sentences))

    def ours() -> float:
        model.encode_sentences(sentences)
        return characters / 1000

    @torch.inference_mode()
    def plain() -> float:
        """In the order given; a Python loop over the characters, then torch's own network."""
        some = sentences[: max(BATCH, count // 4)]
        for start in range(0, len(some), BATCH):
            network(*as_the_authors(some[start : start + BATCH], index))
        return sum(map(len, some)) / 1000

    def floor() -> float:
        """Each character's state by the hidden weights, in both directions."""
        for _ in range(8):
            multiply()
        return 4 * 256 / 1000

    what = f"{cell} {size:,}, sentences of {characters / count:.0f} characters"
    return row("ratings", what, "s for 1,000 characters", ours, plain, floor)


def classifier(size: int, pairs: int) -> Row:
    """Fifty epochs on as many pairs as STS-B has to train on."""
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((2, 3 * pairs // 2, size), np.float32) / size**0.5
    x, scores = relatedness.features(u, v), rng.uniform(1, 5, len(u))
    train, dev = (x[:pairs], scores[:pairs]), (x[pairs:], scores[pairs:])
    batch = relatedness.BATCH_SIZE
    forward, backward = multiplier(batch, 2 * size, 5), multiplier(5, batch, 2 * size)
    epochs = relatedness.EPOCHS_PER_CHECK

    def ours() -> float:
        with mock.patch.object(relatedness, "MAX_EPOCHS", epochs):
            relatedness.train_and_predict(train, dev, dev[0])
        return epochs

    def plain() -> float:
        """As SentEval: torch's modules, gradients and Adam; a fifth of the epochs."""
        network = nn.Sequential(nn.Linear(2 * size, 5), nn.Softmax(dim=-1))
        optimiser = torch.optim.Adam(network.parameters())
        inputs, targets = (
            torch.from_numpy(train[0]),
            torch.from_numpy(relatedness.targets(train[1])),
        )
        for _ in range(epochs // 5):
            for rows in torch.randperm(pairs).split(batch):
                optimiser.zero_grad()
                nn.functional.mse_loss(network(inputs[rows]), targets[rows]).backward()
                optimiser.step()
        with torch.no_grad():
            grades = network(torch.from_numpy(dev[0])).numpy() @ relatedness.GRADES
        pearson(grades, dev[1])
        return epochs // 5

    def floor() -> float:
        for _ in range(pairs // batch):
            forward()
            backward()
        return 1

    what = f"classifier on {pairs:,} pairs, size {size:,}"
    return row("ratings", what, "s an epoch", ours, plain, floor)


if __name__ == "__main__":
    program(__doc__, rows)
