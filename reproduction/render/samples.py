"""Sample retrievals as a picture: queries, what was retrieved for them, and what is right."""

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

# Lengths in inches.
ROW = PICTURE + LINE + GAP
RETRIEVED = PAGE - MARGIN - (TOP + 1) * PICTURE - TOP * GAP  # where retrieved pictures begin
CAPTIONS = MARGIN + PICTURE + 0.6  # where retrieved captions begin


def retrieved(scores: np.ndarray, own: np.ndarray, same: float) -> list[tuple[int, int, bool]]:
    """Take the top five, and behind them the first right one if it is not among them.

    A candidate that ties with a right one comes before it, as in `evaluation.ranks`.

    Args:
        scores: (N,) of the candidates.
        own: (N,) whether each is right.
        same: a difference of scores that is rounding.

    Returns:
        For each its rank from 1, its row, and whether it is right.
    """
    order = np.lexsort((own, same * own - scores))
    first = int(own[order].argmax())
    places = [*range(min(TOP, len(order))), *([first] if first >= TOP else [])]
    return [(place + 1, int(order[place]), bool(own[order[place]])) for place in places]


@styled
def samples(embedded: Embedded, path_of: pd.Series, count: int = 3, seed: int = 1) -> Figure:
    """Draw the `retrieved` items for random captions, then for random images.

    A right one has a tick at its rank, a picture also a frame.

    Args:
        path_of: the file of each image, by its id.
        count: of the queries each way, fewer if there are no more.
        seed: of their choice.
    """
    rng = np.random.default_rng(seed)
    captions = embedded.captions
    paths = path_of[embedded.image_ids].tolist()
    of_texts = embedded.caption_vectors
    of_pictures = embedded.image_vectors
    same = rounding(of_texts, of_pictures, embedded.similarity)

    def near(candidates: np.ndarray, query: np.ndarray) -> np.ndarray:
        return nearness(candidates, query[None], embedded.similarity)[:, 0]

    rows = np.arange(len(paths))
    of_captions = {
        query: retrieved(near(of_pictures, of_texts[query]), rows == embedded.image[query], same)
        for query in rng.choice(len(captions), min(count, len(captions)), replace=False)
    }
    of_images = {
        query: [
            (rank, wrap(captions[row], PAGE - CAPTIONS - MARGIN, 2), right)
            for rank, row, right in retrieved(
                near(of_texts, of_pictures[query]), embedded.image == query, same
            )
        ]
        for query in rng.choice(len(paths), min(count, len(paths)), replace=False)
    }
    return _drawing(captions, paths, of_captions, of_images)


def _drawing(
    captions: list[str], paths: list[str], of_captions: dict[int, Any], of_images: dict[int, Any]
) -> Figure:
    heights = {
        query: max(PICTURE, LINE * sum(len(lines) for _, lines, _ in found)) + GAP
        for query, found in of_images.items()
    }
    figure, axes = page(MARGIN + 5 * LINE + ROW * len(of_captions) + sum(heights.values()))
    y = MARGIN
    write(axes, MARGIN, y, f"Caption to image, among {len(paths):,} images", weight="bold")
    y += 2 * LINE
    for query, found in of_captions.items():
        lines = wrap(captions[query], RETRIEVED - MARGIN - GAP, int(ROW / LINE) - 1)
        write(axes, MARGIN, y + PICTURE / 2, "\n".join(lines), va="center")
        for column, (rank, row, right) in enumerate(found):
            x = RETRIEVED + column * (PICTURE + GAP)
            picture(axes, x, y, paths[row], right)
            _rank(axes, x + PICTURE / 2, y + PICTURE + 0.04, rank, right, ha="center")
        y += ROW
    y += LINE
    write(axes, MARGIN, y, f"Image to caption, among {len(captions):,} captions", weight="bold")
    y += 2 * LINE
    for query, found in of_images.items():
        picture(axes, MARGIN, y + (heights[query] - GAP - PICTURE) / 2, paths[query])
        line = y
        for rank, lines, right in found:
            _rank(axes, CAPTIONS - 0.1, line, rank, right, ha="right")
            write(axes, CAPTIONS, line, "\n".join(lines), color=GREEN if right else "black")
            line += LINE * len(lines)
        y += heights[query]
    return figure


def _rank(axes: Axes, x: float, y: float, rank: int, right: bool, ha: str) -> None:
    style = {"color": GREEN, "weight": "bold"} if right else {}
    write(axes, x, y, f"{TICK} {rank:,}" if right else f"{rank:,}", ha=ha, **style)
