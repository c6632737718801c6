"""Short trainings on a small split."""

from unittest.mock import patch

import numpy as np
import torch
from safetensors.torch import load_file

from groundvec.data.split import Captions, Split
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from groundvec.training import loop
from tests.support.examples import description, make_split

TEXT, SPLIT = make_split()
CAPTIONS = SPLIT.captions["en"]
SHORT = description(epochs=4, cycle=2, batch_size=4, learning_rate_max=1e-2)
BOTH = {"languages": ["en", "de"], "objective": {"name": "multilingual", "beta": 0.5}}
WORDLY = {
    "name": "rnn",
    "cell": "gru",
    "size": 6,
    "units": 4,
    "bidirectional": False,
    "pooling": "last",
    "dropout": 0.5,
    "gaussian": 0.1,
}


def recalls(value):
    """Return the scores of an epoch whose recalls are all equal."""
    scores = {f"{direction}_r{k}": value for direction in DIRECTIONS for k in CUTOFFS}
    return {**scores, "dev_recall": value}


def no_recall(model, dev):
    return recalls(np.float64(0))


def train(work, split=SPLIT, described=SHORT, seed=3, evaluate=no_recall):
    """Train; `evaluate` stands for the recall on development images."""
    with patch.object(loop, "development_recall", evaluate):
        texts = dict.fromkeys(split.captions, TEXT)
        return loop.train(described, texts, split, split, seed, "cpu", work, early_epochs=8)


def weights(work, epoch=4):
    return load_file(work / "snapshots" / f"epoch-{epoch:03}.safetensors")


def assert_equal(one, two):
    assert one.keys() == two.keys()
    assert all(torch.equal(one[key], two[key]) for key in one)


def two_languages():
    """A split of eleven images, the i-th with five English and i % 3 + 1 German captions."""
    counts = np.arange(11) % 3 + 1
    image = np.repeat(np.arange(11), counts)
    order = np.concatenate([np.arange(count) for count in counts])
    texts = [f"bild {i}, satz {k}" for i, k in zip(image, order, strict=True)]
    german = Captions(TEXT.encode(texts), image, order)
    captions = {**SPLIT.captions, "de": german}
    return Split(SPLIT.image_ids, SPLIT.features, captions)
