"""The recursive network over trees, and the mean of word vectors."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from groundvec.text.encoded import Encoded
from reproduction.encoders import mean, trees
from reproduction.text import forms, treebank
from reproduction.text.trees import Text
from tests.support.treebanks import WILD

DIMENSION = 3


def text(dimension=DIMENSION):
    """Random vectors of seven words, after two zero vectors: of phrases and of unknown words."""
    vectors = np.random.default_rng(0).normal(size=(9, dimension)).astype(np.float32)
    vectors[:2] = 0
    return SimpleNamespace(vectors=vectors, dimension=dimension, relations=["det", "nsubj"])


def recursion(encoder, text, nodes, node):
    """Eq. 4 as it is written, node by node: the vector of a node, and the words at and below it."""
    word = nodes.words[node]
    vectors = dict(zip(text.words, encoder.vectors[2:], strict=True))
    total = encoder.word @ vectors.get(word, torch.zeros(DIMENSION, dtype=torch.double))
    size = int(word is not None)
    children = [child for child, parent in enumerate(nodes.parents) if parent == node]
    left = [child for child in children if child < node]
    for child in children:
        h, words = recursion(encoder, text, nodes, child)
        size += words
        if encoder.by_relation:
            kind = nodes.relations[child]
            kinds = text.relations
        else:  # l1 is the nearest child on the left, and r1 on the right
            rank = children.index(child) - len(left)
            kind = f"l{-rank}" if rank < 0 else f"r{rank + 1}"
            kinds = text.places
        if kind in kinds:
            h = encoder.matrices[kinds.index(kind)] @ h
        total = total + (words if encoder.weighted else 1) * h
    f = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "none": lambda x: x}
    return f[encoder.nonlinearity](total / (size if encoder.weighted else 1)), size


@pytest.mark.parametrize("form", forms.FORMS)
@given(
    st.lists(WILD, min_size=1, max_size=5, unique_by=lambda tree: tree.text),
    st.sampled_from(["position", "relation"]),
    st.booleans(),
    st.sampled_from(sorted(trees.NONLINEARITIES)),
    st.randoms(use_true_random=False),
)
def test_batches_of_trees_equal_the_recursion(
    tmp_path_factory, form, parsed, compose, weighted, nonlinearity, random
):
    """Some words, relations and places have no vector and no matrix."""
    path = tmp_path_factory.mktemp("drawn") / "trees.conllu.gz"
    treebank.write(path, "drawn", parsed)
    relations = ["prep_in", "conj", "advmod", "left"]
    text = Text(
        ["dog", "in", "front"],
        relations,
        [1] * len(relations),
        ["l1", "l2", "r1"],
        DIMENSION,
        "drawn",
        form,
        np.random.default_rng(0).normal(size=(3, DIMENSION)).astype(np.float32),
        treebank.Treebank([path]),
    )
    torch.manual_seed(0)
    encoder = trees.Encoder(text, 4, compose, weighted, nonlinearity).double()
    nn.init.normal_(encoder.matrices)
    rows = np.array(random.sample(range(len(parsed)), random.randint(1, len(parsed))))
    wanted = []
    for row in rows:
        nodes = forms.FORMS[form](parsed[row])
        wanted.append(recursion(encoder, text, nodes, nodes.parents.index(-1))[0])
    wanted = torch.stack(wanted)
    encoded = text.encode([tree.text for tree in parsed])
    found = encoder(*map(torch.from_numpy, encoded.batch(rows)))
    torch.testing.assert_close(found, wanted)
    direction = torch.randn_like(wanted)
    parameters = [encoder.word, encoder.matrices]
    of_found = torch.autograd.grad((found * direction).sum(), parameters)
    of_wanted = torch.autograd.grad(
        (wanted * direction).sum(), parameters, allow_unused=True, materialize_grads=True
    )
    torch.testing.assert_close(of_found, of_wanted)


def test_a_network_starts_near_identities():
    encoder = trees.Encoder(text(5), 3, "relation")
    assert encoder.word.shape == (3, 5)
    assert encoder.matrices.shape == (2, 3, 3)
    near = 6 * trees.NOISE
    assert (encoder.word - torch.eye(3, 5)).abs().max() < near
    assert 0 < (encoder.matrices - torch.eye(3)).abs().max() < near


def test_the_mean_is_over_known_words():
    bag = mean.Encoder(text(), DIMENSION)
    words = torch.tensor([4, 1, 0, 5, 1, 7])
    lengths = torch.tensor([4, 1, 1])
    v = bag.vectors
    wanted = torch.stack([(v[4] + v[5]) / 2, torch.zeros(DIMENSION), v[7]])
    torch.testing.assert_close(bag(words, lengths), wanted)
    assert not list(bag.parameters())
    projected = mean.Encoder(text(), 4, project=True)
    assert projected(words, lengths).shape == (3, 4)


def test_centered_vectors_have_a_mean_of_zero_over_the_training_words():
    bag = mean.Encoder(text(), DIMENSION, center=True)
    before = bag.vectors.clone()
    captions = Encoded.of(np.array([4, 1, 0, 5, 1, 4]), [4, 2])
    bag.fit_idf([captions])
    torch.testing.assert_close(bag.vectors[[4, 4, 5]].mean(dim=0), torch.zeros(DIMENSION))
    moved = before[2:] - bag.vectors[2:]
    torch.testing.assert_close(moved, moved[:1].expand_as(moved))
    assert not bag.vectors[:2].any()  # of phrases and unknown words
