"""Draw a sentence's dependency tree (Socher et al. 2014, Figure 3)."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from groundvec.text.encoded import cleaned
from reproduction.papers.socher_2014.labels import sdt_rnns
from reproduction.render.style import BLUE, FONT_SIZE, save, styled
from reproduction.reporting.embedded import check_one_dataset, given_treebank, read_captions
from reproduction.reporting.results import Results
from reproduction.text.forms import FORMS, Nodes, ancestors
from reproduction.text.treebank import Tree

# In inches.
LEVEL = 0.5
CHARACTER = 0.6 * FONT_SIZE / 72


def make(results: Results, stem: Path) -> None:
    """Draw a test caption of median length of one data set, with the SDT-RNN's first seed."""
    training = check_one_dataset(sdt_rnns(results.models)).iloc[0]
    treebank = given_treebank(results)
    captions = read_captions(results, training)
    test = captions.query(f"split == 'test' and language == {training['languages'][0]!r}")
    sentences = cleaned(test["caption"].tolist())
    parse = middle(treebank.trees(sentences, training["text.parser"]))
    save(drawing(FORMS[training["text.form"]](parse)), stem)


def middle(trees: list[Tree]) -> Tree:
    """Return the tree with the median number of words."""
    order = sorted(trees, key=lambda tree: len(tree.words))
    return order[len(order) // 2]


@styled
def drawing(nodes: Nodes) -> Figure:
    """Draw a tree above its words."""
    words = [word or "" for word in nodes.words]
    pairs = zip(words, nodes.relations, strict=True)
    widths = np.array([max(map(len, pair)) + 2 for pair in pairs])  # in characters
    x = widths.cumsum() - widths / 2
    depths = [len([*ancestors(node, nodes.parents)]) for node in range(len(nodes.parents))]
    bottom = max(depths) + 1
    figure = Figure((CHARACTER * widths.sum(), LEVEL * (bottom + 1)))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, widths.sum()), ylim=(bottom + 0.5, -0.5))
    axes.set_axis_off()
    axes.plot(x, depths, "o", color=BLUE, markersize=8)
    for node, parent in enumerate(nodes.parents):
        depth = depths[node]
        axes.plot([x[node]] * 2, [depth, bottom - 0.2], ":", color="0.8", zorder=0)
        axes.text(x[node], bottom, words[node], ha="center", va="center")
        if parent >= 0:
            # From the parent to the side, and down to the relation above the node.
            above = depth - 0.35
            corner = depths[parent]
            axes.plot(x[[parent, node, node]], [corner, corner, above], color="0.5", zorder=1)
            axes.text(x[node], depth - 0.25, nodes.relations[node], ha="center", va="center")
    return figure
