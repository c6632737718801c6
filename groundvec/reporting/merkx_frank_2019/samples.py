"""Sample retrievals as a picture: queries, what was retrieved for them, and what is right.

Not in the paper.
"""

import textwrap
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font
from matplotlib.patches import Rectangle

from groundvec.data import schema
from groundvec.data.split import drawn, load_split
from groundvec.errors import InputError
from groundvec.evaluation.retrieval import SAME, rounding
from groundvec.features.images import load
from groundvec.reporting.results import Results
from groundvec.reporting.style import FONT, FONT_SIZE, GREEN, PAGE, save, styled
from groundvec.reporting.systems import described
from groundvec.similarity import join
from groundvec.similarity import scores as nearness

TOP = 5
TICK = "✓"

# Lengths in inches.
LINE = 1.3 * FONT_SIZE / 72
MARGIN, GAP = 0.1, 0.16
PICTURE = 0.8  # the side of the square that a picture is fitted into
ROW = PICTURE + LINE + GAP
RETRIEVED = PAGE - MARGIN - (TOP + 1) * PICTURE - TOP * GAP  # where retrieved pictures begin
CAPTIONS = MARGIN + PICTURE + 0.6  # where retrieved captions begin


def make(results: Results, stem: Path) -> None:
    """Draw what the selected model's ensemble retrieves of one data set's test set."""
    if len(results.selected) > 1:
        names = ", ".join(results.selected)
        raise InputError(f"samples are of one data set: give the results of one of {names}")
    [(dataset, (model, seed))] = results.selected.items()
    about = described(results.models, dataset, model, seed)
    files = (results[kind] for kind in ("captions", "images", "features"))
    save(samples(**embedded(Path(about["folder"]), about["languages"][0], *files)), stem)


def embedded(
    folder: Path, language: str, captions: Path, images: Path, features: Path
) -> dict[str, Any]:
    """The arguments of `samples` for the ensemble of a training and the test set of its data.

    Raises:
        InputError: there are no test captions in this language, or no row of an image.
    """
    # Torch takes seconds to import, and no other table or figure needs it.
    from groundvec.device import choose
    from groundvec.features import store
    from groundvec.model import load_ensemble, read_description

    models = load_ensemble(folder, device=choose("cpu"))
    table, similarity = schema.read_captions(captions), models[0].similarity
    about = read_description(folder)
    if "draw" in about:
        table = drawn(table, about["draw"], about["seed"])
    split = load_split(table, "test", partial(store.read, features), models[0].texts)
    own = split.captions[language]
    path_of = schema.read_images(images).set_index("image_id")["path"]
    missing = set(split.image_ids) - set(path_of.index)
    if missing:
        raise InputError(
            f"{images} has no row of the image {min(missing)} (of {len(missing)} in all "
            f"that {captions} has captions of): build the data set again"
        )
    return {
        "captions": own.texts,
        "paths": path_of[split.image_ids].tolist(),
        "caption_vectors": join(
            [model.encode_captions(own.encoded, language, progress=True) for model in models],
            similarity,
        ),
        "image_vectors": join(
            [model.encode_images(split.features) for model in models], similarity
        ),
        "image": own.image,
        "similarity": similarity,
    }


def retrieved(
    scores: np.ndarray, own: np.ndarray, same: float = SAME
) -> list[tuple[int, int, bool]]:
    """The top five, and behind them the first right one where it is not among them.

    As in `evaluation.retrieval`, a candidate that ties with a right one comes before it.

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
def samples(
    captions: Sequence[str],
    paths: Sequence[str],
    caption_vectors: np.ndarray,
    image_vectors: np.ndarray,
    image: np.ndarray,
    similarity: str = "cosine",
    count: int = 3,
    seed: int = 1,
) -> Figure:
    """Draw what is `retrieved` for random captions, then for random images.

    What is right has a tick at its rank, a picture also a frame.

    Args:
        captions: M texts.
        paths: N files of pictures.
        caption_vectors, image_vectors: embedded, (M, size) and (N, size).
        image: (M,) the row of each caption's image.
        similarity: how they are compared (`groundvec.similarity`).
        count: how many queries each way, fewer where there are no more.
        seed: of their choice.
    """
    rng = np.random.default_rng(seed)
    same = rounding(caption_vectors, image_vectors)

    def near(candidates: np.ndarray, query: np.ndarray) -> np.ndarray:
        return nearness(candidates, query[None], similarity)[:, 0]

    of_captions = {
        query: retrieved(
            near(image_vectors, caption_vectors[query]), np.arange(len(paths)) == own, same
        )
        for query in rng.choice(len(captions), min(count, len(captions)), replace=False)
        for own in [image[query]]
    }
    of_images = {
        query: [
            (rank, _wrap(captions[row], PAGE - CAPTIONS - MARGIN, 2), right)
            for rank, row, right in retrieved(
                near(caption_vectors, image_vectors[query]), image == query, same
            )
        ]
        for query in rng.choice(len(paths), min(count, len(paths)), replace=False)
    }
    heights = {
        query: max(PICTURE, LINE * sum(len(lines) for _, lines, _ in found)) + GAP
        for query, found in of_images.items()
    }

    height = MARGIN + 5 * LINE + ROW * len(of_captions) + sum(heights.values())
    figure = Figure((PAGE, height))
    # One pair of axes for all, in inches from the upper left corner.
    page = figure.add_axes((0, 0, 1, 1), xlim=(0, PAGE), ylim=(height, 0))
    page.set_axis_off()
    y = MARGIN
    _write(page, MARGIN, y, f"Caption to image, among {len(paths):,} images", weight="bold")
    y += 2 * LINE
    for query, found in of_captions.items():
        lines = _wrap(captions[query], RETRIEVED - MARGIN - GAP, int(ROW / LINE) - 1)
        _write(page, MARGIN, y + PICTURE / 2, "\n".join(lines), va="center")
        for column, (rank, row, right) in enumerate(found):
            x = RETRIEVED + column * (PICTURE + GAP)
            _picture(page, x, y, paths[row], right)
            _rank(page, x + PICTURE / 2, y + PICTURE + 0.04, rank, right, ha="center")
        y += ROW
    y += LINE
    _write(page, MARGIN, y, f"Image to caption, among {len(captions):,} captions", weight="bold")
    y += 2 * LINE
    for query, found_captions in of_images.items():
        _picture(page, MARGIN, y + (heights[query] - GAP - PICTURE) / 2, paths[query])
        line = y
        for rank, lines, right in found_captions:
            _rank(page, CAPTIONS - 0.1, line, rank, right, ha="right")
            _write(page, CAPTIONS, line, "\n".join(lines), color=GREEN if right else "black")
            line += LINE * len(lines)
        y += heights[query]
    return figure


def _write(page: Axes, x: float, y: float, text: str, va: str = "top", **font: str) -> None:
    page.text(x, y, text, font, va=va, linespacing=1.1)


def _rank(page: Axes, x: float, y: float, rank: int, right: bool, ha: str) -> None:
    style = {"color": GREEN, "weight": "bold"} if right else {}
    _write(page, x, y, f"{TICK} {rank:,}" if right else f"{rank:,}", ha=ha, **style)


def _picture(page: Axes, x: float, y: float, path: str, right: bool = False) -> None:
    picture = load(path)
    picture.thumbnail((300, 300))
    width, height = (PICTURE * side / max(picture.size) for side in picture.size)
    x, y = x + (PICTURE - width) / 2, y + (PICTURE - height) / 2
    page.imshow(picture, extent=(x, x + width, y + height, y), aspect="auto")
    colour, line = (GREEN, 2.5) if right else ("0.5", 0.5)
    page.add_patch(Rectangle((x, y), width, height, fill=False, ec=colour, lw=line))


@cache
def _font() -> FT2Font:
    font = FT2Font(findfont(FONT))
    font.set_size(FONT_SIZE, 72)
    return font


def _wrap(text: str, width: float, lines: int) -> list[str]:
    """Break a text into lines of about `width`; what does not fit into so many lines is cut.

    A character that the font does not have, such as most emoji, becomes a box.
    """
    font = _font()
    known = font.get_charmap()
    text = "".join(c if ord(c) in known else "□" for c in text)
    font.set_text(text)
    measured = font.get_width_height()[0] / 64 / 72
    characters = max(1, int(0.93 * width * len(text) / max(measured, 0.01)))
    return textwrap.wrap(text, characters, max_lines=lines, placeholder=" …") or [""]
