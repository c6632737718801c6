"""Draw a sentence's dependency tree (Socher et al. 2014, Figure 3)."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from groundvec.text.encoded import cleaned
from reproduction.papers.socher_2014.labels import sdt_rnns
from reproduction.render.style import BLUE, COLUMN, FONT_SIZE, PAGE, save, styled
from reproduction.reporting.embedded import check_one_dataset, given_treebank, read_captions
from reproduction.reporting.results import Results
from reproduction.text.forms import FORMS, Nodes, ancestors
from reproduction.text.treebank import Tree

# Lengths are in inches.
LEVEL = 0.6
ABOVE = 0.25
BELOW = 0.3
MARGIN = 0.2
CHARACTER = 0.6 * FONT_SIZE / 72  # the width of a character
NARROWEST = 0.55  # the smallest width of a node
RADIUS = 0.06  # of a node


def make(results: Results, stem: Path) -> None:
    """Draw a test caption of median length of one data set, with the SDT-RNN's first seed."""
    training = check_one_dataset(sdt_rnns(results.models)).iloc[0]
    treebank = given_treebank(results)
    captions = read_captions(results, training)
    language = training["languages"][0]
    is_test = captions["split"].eq("test") & captions["language"].eq(language)
    sentences = cleaned(captions.loc[is_test, "caption"].tolist())
    parse = middle(treebank.trees(sentences, training["text.parser"]))
    save(drawing(FORMS[training["text.form"]](parse)), stem)


def middle(trees: list[Tree]) -> Tree:
    """Return the tree with the median number of words."""
    order = sorted(trees, key=lambda tree: len(tree.words))
    return order[len(order) // 2]


@styled
def drawing(nodes: Nodes) -> Figure:
    """Draw a tree above its words."""
    depths = [len([*ancestors(node, nodes.parents)]) for node in range(len(nodes.parents))]
    pairs = zip(nodes.words, nodes.relations, strict=True)
    texts = [[word or "", relation] for word, relation in pairs]
    widths = np.array([max(CHARACTER * max(map(len, pair)) + 0.1, NARROWEST) for pair in texts])
    width = max(widths.sum() + 2 * MARGIN, COLUMN)
    height = BELOW + LEVEL * (max(depths) + 1)
    x = MARGIN + widths.cumsum() - widths / 2
    y = height - ABOVE - LEVEL * np.array(depths)
    scale = min(1, PAGE / width)
    figure = Figure((scale * width, scale * height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()

    def write(x: float, y: float, text: str) -> None:
        axes.text(x, y, text, {"fontsize": scale * FONT_SIZE}, ha="center", va="center", zorder=3)

    for node, parent in enumerate(nodes.parents):
        word, relation = texts[node]
        axes.plot([x[node]] * 2, [y[node], 0.27], ":", color="0.8", linewidth=0.8, zorder=0)
        if parent >= 0:
            # Down from the parent, across above the names of this level, and down to the node.
            bar = y[node] + LEVEL - RADIUS - 0.05
            top = y[node] + RADIUS + 0.15
            down = [y[parent], bar, bar, top]
            axes.plot(x[[parent, parent, node, node]], down, color="0.5", linewidth=0.8, zorder=1)
            write(x[node], y[node] + RADIUS + 0.08, relation)
        diameter = scale * 72 * 2 * RADIUS
        axes.plot(x[node], y[node], "o", color=BLUE, markersize=diameter, zorder=2)
        write(x[node], 0.17, word)
    return figure
