"""Measure how time and memory grow with images, captions, lengths, embedding size and models.

Each case is measured at several sizes, which take turns. The exponent is the slope through the
larger sizes on logarithmic axes: with 1, doubling the size doubles the time; with 2, it quadruples
the time.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import features
import numpy as np
import pandas as pd
import workflow
import yaml
from measure import (
    Contestant,
    Row,
    clock_of,
    exponent,
    in_turn,
    peak_memory,
    program,
    threads,
    work,
)
from training import grid, letters, untrained

from groundvec.data.dataset import read_captions
from groundvec.data.split import load_split
from groundvec.evaluation.retrieval import rank_both_ways, scored
from groundvec.features import backbones
from groundvec.text.characters import Text


def rows(small: bool) -> list[Row]:
    def sizes(largest: int) -> list[int]:
        return [largest // 400, largest // 200] if small else [largest >> n for n in (3, 2, 1, 0)]

    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        workflow.copy_project(project)
        images = features.pictures(Path(name), 32)
        lite = backbones.load("efficientnet_lite0")
        few = [1, 2] if small else None

        def extraction(count: int) -> Contestant:
            return features.extraction(images[:count], lite, "cpu", threads(), 1)

        embed = "embedding 64 sentences, gru"
        return [
            growth("retrieval, size 256", "images", sizes(8000), retrieval),
            growth("loading a split", "captions", sizes(400_000), partial(loading, Path(name))),
            growth(f"{embed} 1,024", "characters each", sizes(400), partial(embedding, 1024)),
            growth(embed, "embedding size", sizes(4096), lambda size: embedding(size // 2 * 2, 50)),
            growth("dry run", "models", few or sizes(200), partial(planning, project)),
            growth("ten-crop features", "images", few or sizes(32), extraction),
        ]


def growth(what: str, against: str, sizes: list[int], make: Callable[[int], Contestant]) -> Row:
    """Measure a case at all sizes; `make` returns the contestant of a size."""
    runs = {str(size): make(size) for size in sizes}
    # Two sizes are a test of the benchmark, which needs no repetition.
    seconds = in_turn(runs, 1 if len(sizes) < 3 else 3, clock_of(threads()))
    points = [[int(size), median(seconds[size]), peak_memory(run)] for size, run in runs.items()]
    unit = f"s for {sizes[-1]:,} {against}"
    return {
        "what": what,
        "against": against,
        "unit": unit,
        "ours": points[-1][1],
        "plain": None,
        "floor": None,
        "ratio_plain": None,
        "ratio_floor": None,
        "threads": threads(),
        "points": points,
        "exponent": exponent(points),
    }


def retrieval(images: int) -> Contestant:
    embedded = np.random.default_rng(0).standard_normal((6 * images, 256), np.float32)
    image = np.repeat(np.arange(images), 5)
    return work(1, lambda: scored(rank_both_ways(embedded[images:], embedded[:images], image)))


def loading(folder: Path, captions: int) -> Contestant:
    """Load a split from a captions.csv, and features of width 16."""
    path = folder / f"{captions}.csv"  # 1,000 texts, again and again
    texts = letters([59] * 1000)
    rows = {"image_id": np.arange(captions) // 5, "language": "en", "split": "train"}
    pd.DataFrame(rows | {"caption": np.resize(texts, captions)}).to_csv(path, index=False)

    def read(ids: np.ndarray) -> np.ndarray:
        return np.zeros((len(ids), 16), np.float32)

    return work(
        1, lambda: load_split(read_captions(path), "train", read, {"en": Text.build(texts)})
    )


def embedding(size: int, characters: int) -> Contestant:
    model = untrained(grid("gru", size), ["a"]).eval()
    return work(1, model.encode_sentences, ["a" * characters] * 64)


def planning(project: Path, models: int) -> Contestant:
    described = {f"m{n}": {"encoder": {"name": "bag", "size": n + 1}} for n in range(models)}
    dataset = {"source": "flickr8k", "backbone": "resnet152", "models": list(described)}
    experiment = {"experiment": "many", "models": described, "datasets": {"flickr8k": dataset}}
    path = project / f"{models}.yaml"
    path.write_text(yaml.safe_dump(experiment))
    return workflow.Command([*workflow.SNAKEMAKE, "-n", "--configfile", path.name], project)


if __name__ == "__main__":
    program(__doc__, rows)
