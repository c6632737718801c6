"""Draw sample retrievals: queries, their results, and which results are right."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from groundvec.evaluation.ranks import rounding
from groundvec.features.images import load
from groundvec.similarity import scores as nearness
from reproduction.render.style import GREEN, PAGE, styled
from reproduction.reporting.embedded import Embedded

TOP = 5
# Characters of a caption in the column of queries, and of one in the list of results.
QUERY = 22
RESULT = 95


def retrieved(scores: np.ndarray, right: np.ndarray, same: float) -> list[tuple[int, int, bool]]:
    """Return the top five candidates, and the first right one if it is not among these.

    A candidate that ties with a right one ranks before it, as in `evaluation.ranks`.

    Args:
        scores: (N,) the scores of the candidates.
        right: (N,) whether each candidate is right.
        same: scores that differ by less are equal, up to rounding.

    Returns:
        The rank (from 1), the row, and whether it is right, of each.
    """
    # The score of a right candidate is lowered by `same`, so that it loses ties.
    order = np.lexsort((right, same * right - scores))
    first_right = int(right[order].argmax())
    positions = list(range(min(TOP, len(order))))
    if first_right >= TOP:
        positions.append(first_right)
    return [
        (position + 1, int(order[position]), bool(right[order[position]])) for position in positions
    ]


def search(
    embedded: Embedded, query: np.ndarray, candidates: np.ndarray, right: np.ndarray
) -> list[tuple[int, int, bool, float]]:
    """Return the `retrieved` candidates (N, size) of a query (size,), each with its score."""
    same = rounding(embedded.caption_vectors, embedded.image_vectors, embedded.similarity)
    scores = nearness(candidates, query[None], embedded.similarity)[:, 0]
    found = retrieved(scores, right, same)
    return [(rank, row, is_right, float(scores[row])) for rank, row, is_right in found]


@styled
def samples(embedded: Embedded, path_of: pd.Series, count: int = 3, seed: int = 1) -> Figure:
    """Draw the `retrieved` items for random captions, then for random images.

    Right results have a tick at their rank, and right images also a frame.

    Args:
        embedded: the test set.
        path_of: the file of each image, by its id.
        count: the number of queries in each direction, or fewer if the test set is smaller.
        seed: the seed of the random choice.
    """
    rng = np.random.default_rng(seed)
    captions = embedded.captions
    paths = path_of[embedded.image_ids].tolist()
    caption_vectors = embedded.caption_vectors
    image_vectors = embedded.image_vectors
    caption_queries = rng.choice(len(captions), min(count, len(captions)), replace=False)
    image_queries = rng.choice(len(paths), min(count, len(paths)), replace=False)
    rows = [len(caption_queries), len(image_queries)]
    figure = Figure((PAGE, 0.6 + sum(rows)), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=rows)[:, 0]

    above.suptitle(f"Caption to image, among {len(paths):,} images", weight="bold")
    grid = above.subplots(rows[0], TOP + 2, squeeze=False, width_ratios=[1.5] + [1] * (TOP + 1))
    for query, (label, *panels) in zip(caption_queries, grid, strict=True):
        text = textwrap.fill(captions[query], QUERY, max_lines=5, placeholder=" …")
        label.text(0, 0.5, text, va="center")
        label.set_axis_off()
        right = np.arange(len(paths)) == embedded.image[query]
        results = search(embedded, caption_vectors[query], image_vectors, right)
        for panel, (rank, row, is_right, _) in zip(panels, results, strict=False):
            _picture(panel, paths[row], is_right)
            panel.set_xlabel(_rank(rank, is_right), color=GREEN if is_right else "black")
        for unused in panels[len(results) :]:
            unused.remove()

    below.suptitle(f"Image to caption, among {len(captions):,} captions", weight="bold")
    grid = below.subplots(rows[1], 2, squeeze=False, width_ratios=[1, TOP + 1])
    for query, (panel, texts) in zip(image_queries, grid, strict=True):
        _picture(panel, paths[query])
        texts.set_axis_off()
        results = search(embedded, image_vectors[query], caption_vectors, embedded.image == query)
        for line, (rank, row, is_right, _) in enumerate(results):
            caption = textwrap.shorten(captions[row], RESULT, placeholder=" …")
            y = 1 - (line + 0.5) / (TOP + 1)
            color = GREEN if is_right else "black"
            texts.text(0.06, y, _rank(rank, is_right), ha="right", va="center", color=color)
            texts.text(0.08, y, caption, va="center", color=color)
    return figure


def _picture(panel: Axes, path: str, right: bool = False) -> None:
    """Show an image, with a green frame if it is right."""
    image = load(path)
    image.thumbnail((300, 300))
    panel.imshow(image)
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set(visible=True, color=GREEN if right else "0.5", lw=2.5 if right else 0.5)


def _rank(rank: int, right: bool) -> str:
    return f"✓ {rank:,}" if right else f"{rank:,}"
