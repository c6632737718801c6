"""The recursive network over trees, and the mean of word vectors."""

from types import SimpleNamespace

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from groundvec.text.encoded import Encoded
from reproduction.encoders import mean, trees

WORDS, DIMENSION, RELATIONS, PLACES = 9, 3, ["nsubj", "dobj", "prep_at"], ["l1", "l2", "r1"]


def text(rng, dimension=DIMENSION):
    vectors = rng.normal(size=(WORDS, dimension)).astype(np.float32)
    vectors[:2] = 0
    return SimpleNamespace(vectors=vectors, dimension=dimension, relations=RELATIONS, places=PLACES)


class Node:
    def __init__(self, word, relation, place):
        self.word, self.relation, self.place, self.children = word, relation, place, []


@st.composite
def nodes(draw, most=7):
    """The root of a tree, with its children in it; the kinds beyond are of none in training."""
    made = [
        Node(
            draw(st.integers(0, WORDS - 1)),
            draw(st.integers(0, len(RELATIONS))),
            draw(st.integers(0, len(PLACES))),
        )
        for _ in range(draw(st.integers(1, most)))
    ]
    for number, node in enumerate(made[1:], 1):
        made[draw(st.integers(0, number - 1))].children.append(node)
    return made[0]


def flat(node):
    return [node, *(below for child in node.children for below in flat(child))]


def height(node):
    return 1 + max(map(height, node.children)) if node.children else 0


def batch(roots):
    """The trees as `Trees.batch` gives them."""
    rows = [node for root in roots for node in flat(root)]
    number = {id(node): row for row, node in enumerate(rows)}
    parents = {id(child): number[id(node)] for node in rows for child in node.children}
    columns = {
        "words": [node.word for node in rows],
        "lengths": [len(flat(root)) for root in roots],
        "parents": [parents.get(id(node), -1) for node in rows],
        "relations": [node.relation if id(node) in parents else 0 for node in rows],
        "places": [node.place if id(node) in parents else 0 for node in rows],
        "heights": [height(node) for node in rows],
        "sizes": [len(flat(node)) for node in rows],
    }
    return [torch.tensor(column) for column in columns.values()]


def recursion(encoder, node):
    """Eq. 4 as it is written, node by node."""
    size = len(flat(node)) if encoder.weighted else 1
    total = encoder.word @ encoder.vectors[node.word]
    for child in node.children:
        h = recursion(encoder, child)
        kind = child.relation if encoder.by_relation else child.place
        weight = len(flat(child)) if encoder.weighted else 1
        total = total + weight * (encoder.matrices[kind] @ h if kind < len(encoder.matrices) else h)
    f = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "none": lambda x: x}
    return f[encoder.nonlinearity](total / size)


@given(
    st.lists(nodes(), min_size=1, max_size=5),
    st.sampled_from(["position", "relation"]),
    st.booleans(),
    st.sampled_from(sorted(trees.NONLINEARITIES)),
    st.integers(0, 9),
)
def test_levels_give_what_the_recursion_gives(roots, compose, weighted, nonlinearity, seed):
    torch.manual_seed(seed)
    encoder = trees.Encoder(
        text(np.random.default_rng(seed)), 4, compose, weighted, nonlinearity
    ).double()
    nn.init.normal_(encoder.matrices)
    wanted = torch.stack([recursion(encoder, root) for root in roots])
    found = encoder(*batch(roots))
    torch.testing.assert_close(found, wanted)
    direction = torch.randn_like(wanted)
    parameters = [encoder.word, encoder.matrices]
    of_found = torch.autograd.grad((found * direction).sum(), parameters)
    of_wanted = torch.autograd.grad(
        (wanted * direction).sum(), parameters, allow_unused=True, materialize_grads=True
    )
    torch.testing.assert_close(of_found, of_wanted)


def test_a_network_starts_near_identities():
    encoder = trees.Encoder(text(np.random.default_rng(0), 5), 3, "relation")
    assert encoder.word.shape == (3, 5)
    assert encoder.matrices.shape == (len(RELATIONS), 3, 3)
    near = 6 * trees.NOISE
    assert (encoder.word - torch.eye(3, 5)).abs().max() < near
    assert 0 < (encoder.matrices - torch.eye(3)).abs().max() < near


def test_the_mean_is_that_of_known_words():
    bag = mean.Encoder(text(np.random.default_rng(0)), DIMENSION)
    words, lengths = torch.tensor([4, 1, 0, 5, 1, 7]), torch.tensor([4, 1, 1])
    v = bag.vectors
    wanted = torch.stack([(v[4] + v[5]) / 2, torch.zeros(DIMENSION), v[7]])
    torch.testing.assert_close(bag(words, lengths), wanted)
    assert not list(bag.parameters())
    projected = mean.Encoder(text(np.random.default_rng(0)), 4, project=True)
    assert projected(words, lengths).shape == (3, 4)


def test_centered_vectors_have_a_mean_of_zero_over_the_training_words():
    bag = mean.Encoder(text(np.random.default_rng(0)), DIMENSION, center=True)
    before = bag.vectors.clone()
    captions = Encoded.of(np.array([4, 1, 0, 5, 1, 4]), [4, 2])
    bag.fit_idf([captions])
    torch.testing.assert_close(bag.vectors[[4, 4, 5]].mean(dim=0), torch.zeros(DIMENSION))
    moved = before[2:] - bag.vectors[2:]
    torch.testing.assert_close(moved, moved[:1].expand_as(moved))
    assert not bag.vectors[:2].any()  # of phrases and unknown words
