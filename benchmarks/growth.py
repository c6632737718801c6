"""How time and memory grow: with images, captions, sentence length, embedding size and models.

Each case is measured at several sizes, which take turns. The exponent is the slope through the
upper sizes, in logarithms: at 1 twice as much takes twice as long, at 2 four times.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import features
import numpy as np
import pandas as pd
import ratings
import workflow
import yaml
from measure import Contestant, Row, exponent, in_turn, peak_memory, processor, program, threads

from groundvec.data.split import load_split
from groundvec.evaluation.retrieval import evaluate
from groundvec.features import backbones
from groundvec.features.extract import extract
from groundvec.text.characters import Text


def rows(small: bool) -> list[Row]:
    def sizes(largest: int) -> list[int]:
        return [largest // 400, largest // 200] if small else [largest >> n for n in (3, 2, 1, 0)]

    with tempfile.TemporaryDirectory() as name:
        return [
            growth("retrieval, size 256", "images", sizes(8000), retrieval),
            growth("loading a split", "captions", sizes(400_000), loading),
            growth("embedding 64 sentences, gru 1,024", "characters each", sizes(400), lengths),
            growth("embedding 64 sentences, gru", "embedding size", sizes(4096), embedding_sizes),
            growth("dry run", "models", [1, 2] if small else sizes(200), planning(name)),
            growth("ten-crop features", "images", [1, 2] if small else sizes(32), extraction(name)),
        ]


def growth(what: str, against: str, sizes: list[int], make: Callable[[int], Contestant]) -> Row:
    """Measure a case at all sizes; `make` turns a size into what is measured."""
    runs = {str(size): make(size) for size in sizes}
    clock = processor if threads() == 1 else time.perf_counter
    seconds = in_turn(runs, 1 if len(sizes) < 3 else 3, clock)
    points = []
    for size in sizes:
        run = runs[str(size)]
        memory = peak_memory(run)
        points.append([size, median(seconds[str(size)]), memory])
    return {
        "stage": "growth",
        "what": what,
        "against": against,
        "unit": f"s for {sizes[-1]:,} {against}",
        "ours": points[-1][1],
        "plain": None,
        "floor": None,
        "ratio_plain": None,
        "ratio_floor": None,
        "threads": threads(),
        "points": points,
        "exponent": exponent(points),
    }


def extraction(folder: str) -> Callable[[int], Contestant]:
    images = features.pictures(Path(folder), 32)
    lite = backbones.load("efficientnet_lite0")

    def make(count: int) -> Contestant:
        def run() -> float:
            with tempfile.TemporaryDirectory() as work:
                extract(images[:count], lite, Path(work), "cpu", threads())
            return 1

        return run

    return make


def retrieval(images: int) -> Contestant:
    embedded = np.random.default_rng(0).standard_normal((6 * images, 256), np.float32)
    image = np.repeat(np.arange(images), 5)
    return lambda: len(evaluate(embedded[images:], embedded[:images], image)) / 2


def loading(captions: int) -> Contestant:
    """Captions in a table, and features of width 16, become a split in memory."""
    texts = ratings.some_sentences(1000)
    table = pd.DataFrame({"caption": [texts[i % 1000] for i in range(captions)]})
    table = table.assign(language="en", split="train", image_id=table.index // 5)
    text = Text.build(texts)

    def run() -> float:
        load_split(table, "train", lambda ids: np.zeros((len(ids), 16), np.float32), {"en": text})
        return 1

    return run


def embedding(size: int, characters: int) -> Contestant:
    model, sentences = ratings.untrained("gru", size), ["a" * characters] * 64
    return lambda: len(model.encode_sentences(sentences)) / 64


def lengths(characters: int) -> Contestant:
    return embedding(1024, characters)


def embedding_sizes(size: int) -> Contestant:
    return embedding(2 * (size // 2), 50)


def planning(folder: str) -> Callable[[int], Contestant]:
    project = Path(folder, "project")
    workflow.copy_project(project)

    def make(models: int) -> Contestant:
        described = {f"m{n}": {"encoder": {"name": "bag", "size": n + 1}} for n in range(models)}
        dataset = {"source": "flickr8k", "backbone": "resnet152", "models": list(described)}
        experiment = {"experiment": "many", "models": described, "datasets": {"flickr8k": dataset}}
        path = project / f"{models}.yaml"
        path.write_text(yaml.safe_dump(experiment))
        return workflow.Command([*workflow.SNAKEMAKE, "-n", "--configfile", path.name], project)

    return make


if __name__ == "__main__":
    program(__doc__, rows)
