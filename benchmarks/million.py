"""Measure time and memory for a million captioned images, mapped from files or held in memory.

Features are random float16 numbers, the same for every 10,000 images. Captions are random letters,
five per image. *Ours* maps the features from files, and draws batches from all images. *Plain*
holds a tenth of the images in memory, in float32, with their captions. Memory is measured in a
separate process, which only loads the split, trains and embeds.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from measure import Contestant, Row, program, row
from training import letters, trainer, untrained

from groundvec.data import dataset
from groundvec.data.split import Captions, Split, load_split
from groundvec.device import choose
from groundvec.features import store
from groundvec.text.characters import Text
from groundvec.text.encoded import Encoded

IMAGES = 1_000_000
SMALL = 2_000  # images with --small
WIDTH = 1280  # of the last stage of EfficientNet-Lite
BATCH = 32  # the default `batch_size` of training
BAG = {"name": "bag", "size": 256}
SENTENCES = letters([59] * 1000)


def rows(small: bool) -> list[Row]:
    images, steps = (SMALL, 20) if small else (IMAGES, 100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, images)
        # A separate process measures the peaks of private, mapped and all memory.
        command = [sys.executable, "-c", "import million, sys; million.watched(sys.argv[1])", name]
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
        memory = json.loads(subprocess.check_output(command, env=environment, text=True))
        split = load(folder)
        tenth = in_memory(split, images // 10)
        measured = [
            training(split, tenth, BAG, steps),
            training(split, tenth, {"name": "rnn", "cell": "gru", "size": 128}, steps // 10),
        ]
        return [result | memory | {"images": images} for result in measured]


def generate(folder: Path, images: int) -> None:
    """Write captions.csv and features.h5, a block at a time."""
    rng = np.random.default_rng(0)
    ids = [f"{number:08}.jpg" for number in range(images)]
    with (folder / "captions.csv").open("w") as file:
        file.write(",".join(dataset.CAPTION_COLUMNS) + "\n")
        for number, image in enumerate(ids):
            for k in range(5):
                sentence = SENTENCES[(5 * number + k) * 7919 % 1000]  # 7919 is prime to 1000
                file.write(f'{image},en,train,"{sentence}"\n')
    with h5py.File(folder / "features.h5", "w") as file:
        features = file.create_dataset("features", (images, WIDTH), np.float16)
        block = rng.random((min(10_000, images), WIDTH), np.float32).astype(np.float16)
        for start in range(0, images, len(block)):
            features[start : start + len(block)] = block[: images - start]
        file.create_dataset("image_ids", data=np.array(ids, "S"))


def load(folder: Path) -> Split:
    captions = dataset.read_captions(folder / "captions.csv")
    texts = {"en": Text.build(SENTENCES)}
    return load_split(captions, "train", partial(store.read, folder / "features.h5"), texts)


def in_memory(split: Split, images: int) -> Split:
    """Return the first images of a split and their captions, held in memory."""
    captions = split.captions["en"]
    count = 5 * images
    starts = captions.encoded.starts[: count + 1]
    encoded = Encoded(np.array(captions.encoded.indices[: starts[-1]]), starts)
    captions = Captions(encoded, captions.image[:count], captions.order[:count])
    return Split(split.image_ids[:images], split.features[:images], {"en": captions})


def contestant(split: Split, encoder: dict[str, Any], steps: int) -> Contestant:
    """Return a contestant that trains a model for `steps`, in one epoch after another."""
    order = chain.from_iterable(split.epoch(BATCH, 0, epoch) for epoch in count(1))
    next(order)  # shuffles, which happens once per epoch
    return trainer(untrained({"encoder": encoder}, SENTENCES, WIDTH), split, steps, order)


def training(split: Split, tenth: Split, encoder: dict[str, Any], steps: int) -> Row:
    what = " ".join(str(value) for value in encoder.values())
    ours = contestant(split, encoder, steps)
    plain = contestant(tenth, encoder, steps)
    return row(f"a step, {what}", "s", ours, plain, rounds=9)


def watched(folder: str) -> None:
    """Load, train for a while and embed all images; print the peaks in GB, as JSON."""
    choose()
    # Memory of this process alone, memory of mapped files, and their sum, as /proc names them.
    keys = {"own_gb": "RssAnon", "mapped_gb": "RssFile", "resident_gb": "VmRSS"}
    peaks = dict.fromkeys(keys, 0.0)
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):  # seconds
            status = Path("/proc/self/status").read_text()
            lines = dict(line.split(":", 1) for line in status.splitlines())
            for name, key in keys.items():
                kilobytes = int(lines[key].split()[0])
                peaks[name] = max(peaks[name], kilobytes / 1e6)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    split = load(Path(folder))
    loaded = peaks["own_gb"]
    contestant(split, BAG, 300)()
    untrained({"encoder": BAG}, SENTENCES, WIDTH).eval().encode_images(split.features)
    done.set()
    watcher.join()
    print(json.dumps(peaks | {"loading_gb": loaded}), flush=True)


if __name__ == "__main__":
    program(__doc__, rows)
