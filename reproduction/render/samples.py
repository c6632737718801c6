"""Draw sample retrievals: queries, their results, and which results are right."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from groundvec.evaluation.ranks import rounding
from groundvec.similarity import scores as nearness
from reproduction.render.pictures import GAP, LINE, MARGIN, PICTURE, page, picture, wrap, write
from reproduction.render.style import GREEN, PAGE, styled
from reproduction.reporting.embedded import Embedded

TOP = 5
TICK = "✓"

# Lengths are in inches.
ROW = PICTURE + LINE + GAP
RETRIEVED = PAGE - MARGIN - (TOP + 1) * PICTURE - TOP * GAP  # where the retrieved images begin
CAPTIONS = MARGIN + PICTURE + 0.6  # where the retrieved captions begin


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
    image_rows = np.arange(len(paths))
    images_found = {}
    for query in rng.choice(len(captions), min(count, len(captions)), replace=False):
        right = image_rows == embedded.image[query]
        images_found[query] = search(embedded, caption_vectors[query], image_vectors, right)
    captions_found = {}
    for query in rng.choice(len(paths), min(count, len(paths)), replace=False):
        right = embedded.image == query
        results = search(embedded, image_vectors[query], caption_vectors, right)
        captions_found[query] = [
            (rank, wrap(captions[row], PAGE - CAPTIONS - MARGIN, 2), right)
            for rank, row, right, _ in results
        ]
    return _drawing(captions, paths, images_found, captions_found)


def _drawing(
    captions: list[str],
    paths: list[str],
    images_found: dict[int, Any],
    captions_found: dict[int, Any],
) -> Figure:
    """Draw the results of caption queries, and below them the results of image queries."""
    heights = {
        query: max(PICTURE, LINE * sum(len(lines) for _, lines, _ in results)) + GAP
        for query, results in captions_found.items()
    }
    figure, axes = page(MARGIN + 5 * LINE + ROW * len(images_found) + sum(heights.values()))
    y = MARGIN
    write(axes, MARGIN, y, f"Caption to image, among {len(paths):,} images", weight="bold")
    y += 2 * LINE
    for query, results in images_found.items():
        lines = wrap(captions[query], RETRIEVED - MARGIN - GAP, int(ROW / LINE) - 1)
        write(axes, MARGIN, y + PICTURE / 2, "\n".join(lines), va="center")
        for column, (rank, row, right, _) in enumerate(results):
            x = RETRIEVED + column * (PICTURE + GAP)
            picture(axes, x, y, paths[row], right)
            _rank(axes, x + PICTURE / 2, y + PICTURE + 0.04, rank, right, ha="center")
        y += ROW
    y += LINE
    write(axes, MARGIN, y, f"Image to caption, among {len(captions):,} captions", weight="bold")
    y += 2 * LINE
    for query, results in captions_found.items():
        picture(axes, MARGIN, y + (heights[query] - GAP - PICTURE) / 2, paths[query])
        line = y
        for rank, lines, right in results:
            _rank(axes, CAPTIONS - 0.1, line, rank, right, ha="right")
            write(axes, CAPTIONS, line, "\n".join(lines), color=GREEN if right else "black")
            line += LINE * len(lines)
        y += heights[query]
    return figure


def _rank(axes: Axes, x: float, y: float, rank: int, right: bool, ha: str) -> None:
    style = {"color": GREEN, "weight": "bold"} if right else {}
    write(axes, x, y, f"{TICK} {rank:,}" if right else f"{rank:,}", ha=ha, **style)
