"""Draw a sentence's dependency tree and its words' weights (after Socher et al. 2014, Figure 3).

Eq. 4 multiplies a child's vector by l(child) / l(parent) when it is added to its parent's, where l
counts the words at and below a node. In the root's vector a node therefore has the product of these
along the path: its share of all words. The node's own word has the factor 1 / l(node). So with
identity matrices and no nonlinearity all words would have the same weight, as in a bag of words.
The weight that a word has in a trained model is learned.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from groundvec.text.encoded import cleaned
from reproduction.papers.socher_2014.labels import trained_as
from reproduction.render.style import BLUE, COLUMN, FONT_SIZE, PAGE, VERMILLION, save, styled
from reproduction.reporting.embedded import given_treebank, of_one, read_captions
from reproduction.reporting.results import Results
from reproduction.reporting.systems import best_snapshot
from reproduction.text.forms import FORMS, Nodes, ancestors
from reproduction.text.treebank import Tree

if TYPE_CHECKING:
    from groundvec.model.network import Model

# Lengths are in inches.
LEVEL = 0.6
ABOVE = 0.25
BELOW = 0.65
MARGIN = 0.2
KEY = 1.15  # width of the labels of the two rows of numbers, on the left
CHARACTER = 0.6 * FONT_SIZE / 72  # the width of a character
NARROWEST = 0.55  # the smallest width of a node
LARGEST = 0.15  # the radius of the root


def make(results: Results, stem: Path) -> None:
    """Draw a test caption of median length of one data set, with the SDT-RNN's first seed."""
    from groundvec.model.network import load_model  # torch takes seconds to import

    training = of_one(trained_as(results.models, "SDT-RNN")).iloc[0]
    treebank = given_treebank(results)
    model = load_model(training["folder"], best_snapshot(training), treebank=treebank)
    captions = read_captions(results, training)
    language = training["languages"][0]
    is_test = captions["split"].eq("test") & captions["language"].eq(language)
    sentences = cleaned(captions.loc[is_test, "caption"].tolist())
    parse = middle(treebank.trees(sentences, training["text.parser"]))
    nodes = FORMS[training["text.form"]](parse)
    save(drawing(nodes, learned(model, language, parse.text)), stem)


def middle(trees: list[Tree]) -> Tree:
    """Return the tree with the median number of words."""
    order = sorted(trees, key=lambda tree: len(tree.words))
    return order[len(order) // 2]


def by_counts(parents: list[int]) -> np.ndarray:
    """Compute the weight (N,) of each node's vector in the root's vector, by the counts of Eq. 4.

    Args:
        parents: the parent of each node, -1 for the root. Every node has a word.
    """
    words = np.zeros(len(parents))  # the number of words at and below each node
    for node in range(len(parents)):
        words[[node, *ancestors(node, parents)]] += 1
    return words / len(parents)


def learned(model: "Model", language: str, sentence: str) -> np.ndarray:
    """Compute how much the sentence's vector changes with each node's word vector.

    Returns:
        The Frobenius norm of the derivative of the root's vector with respect to each word's
        vector, as shares (N,) of their sum.
    """
    import torch

    from groundvec.model.network import to_tensors

    encoder: Any = model.captions[model.name_of(language)]
    batch = model.texts[language].encode([sentence]).batch(np.arange(1))
    words, lengths, *others = to_tensors(batch, "cpu")
    vectors = encoder.vectors
    # One row for each node, so that a word that occurs twice has two derivatives.
    encoder.vectors = vectors[words].requires_grad_()
    try:
        [root] = encoder(torch.arange(len(words)), lengths, *others)
        grad = partial(torch.autograd.grad, inputs=encoder.vectors, retain_graph=True)
        derivatives = [grad(value)[0] for value in root]
    finally:
        encoder.vectors = vectors
    norms = torch.stack(derivatives).square().sum(dim=(0, 2)).sqrt().numpy()
    return norms / norms.sum()


@styled
def drawing(nodes: Nodes, weights: np.ndarray) -> Figure:
    """Draw a tree above its words, and the weights below each word.

    The area of a node is its weight by the counts, which is also the first number below its word.
    The second number is the learned weight in percent.
    """
    depths = [len([*ancestors(node, nodes.parents)]) for node in range(len(nodes.parents))]
    pairs = zip(nodes.words, nodes.relations, strict=True)
    texts = [[word or "", relation] for word, relation in pairs]
    widths = np.array([max(CHARACTER * max(map(len, pair)) + 0.1, NARROWEST) for pair in texts])
    width = max(KEY + widths.sum() + MARGIN, COLUMN)
    height = BELOW + LEVEL * (max(depths) + 1)
    x = KEY + widths.cumsum() - widths / 2
    y = height - ABOVE - LEVEL * np.array(depths)
    scale = min(1, PAGE / width)
    figure = Figure((scale * width, scale * height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()

    def write(x: float, y: float, text: str, ha: str = "center", colour: str = "black") -> None:
        font = {"fontsize": scale * FONT_SIZE, "color": colour}
        axes.text(x, y, text, font, ha=ha, va="center", zorder=3)

    shares = by_counts(nodes.parents)
    radii = LARGEST * np.sqrt(shares)  # makes the area proportional to the weight
    for node, parent in enumerate(nodes.parents):
        word, relation = texts[node]
        axes.plot([x[node]] * 2, [y[node], 0.62], ":", color="0.8", linewidth=0.8, zorder=0)
        if parent >= 0:
            # Down from the parent, across above the names of this level, and down to the node.
            bar = y[node] + LEVEL - LARGEST - 0.05
            top = y[node] + radii[node] + 0.15
            down = [y[parent], bar, bar, top]
            axes.plot(x[[parent, parent, node, node]], down, color="0.5", linewidth=0.8, zorder=1)
            write(x[node], y[node] + radii[node] + 0.08, relation)
        diameter = scale * 72 * 2 * radii[node]
        axes.plot(x[node], y[node], "o", color=BLUE, markersize=diameter, zorder=2)
        write(x[node], 0.52, word)
        write(x[node], 0.32, f"{shares[node]:.2f}", colour=BLUE)
        write(x[node], 0.14, f"{100 * weights[node]:.0f}%", colour=VERMILLION)
    write(0.05, 0.32, "by counts (area)", "left", BLUE)
    write(0.05, 0.14, "learned", "left", VERMILLION)
    return figure
