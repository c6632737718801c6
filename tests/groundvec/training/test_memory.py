"""Data of a quarter of MSCOCO's size train in little more memory than their features take."""

import re
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from groundvec.runtime.files import write_json
from groundvec.text.characters import Text

ROOT = Path(__file__).parents[3]
IMAGES = 30_822
CAPTIONS = 154_192
WIDTH = 2048
SPLITS = {"train": 28_322, "dev": 1_250, "test": 1_250}
WORDS = np.array(["a", "the", "dog", "woman", "ball", "red", "two", "people", "street", "rides"])


def generate(folder):
    rng = np.random.default_rng(0)
    ids = [f"{i:012}.jpg" for i in range(IMAGES)]
    with h5py.File(folder / "features.h5", "w") as file:
        features = file.create_dataset("features", (IMAGES, WIDTH), np.float32)
        block = rng.random((10_000, WIDTH), np.float32)
        for start in range(0, IMAGES, len(block)):
            features[start : start + len(block)] = block[: IMAGES - start]
        file["image_ids"] = ids
    split = np.repeat([*SPLITS], [*SPLITS.values()])
    image = np.sort(np.r_[np.arange(IMAGES).repeat(5), rng.choice(IMAGES, CAPTIONS - 5 * IMAGES)])
    words = WORDS[rng.integers(0, len(WORDS), (12, CAPTIONS))]
    caption = words[0].astype(object)
    for column in words[1:]:
        caption = caption + " " + column
    table = {
        "image_id": np.array(ids)[image],
        "language": "en",
        "split": split[image],
        "caption": caption,
    }
    pd.DataFrame(table).to_csv(folder / "captions.csv", index=False)


@pytest.mark.slow
def test_a_quarter_of_mscoco_s_size_trains_within_1_2_gb(tmp_path):
    generate(tmp_path)
    write_json(tmp_path / "v.json", Text.build([" ".join(WORDS)]).as_dict())
    described = "{languages: [en], encoder: {name: rnn, cell: gru, size: 16, pooling: max}}"
    command = [sys.executable, "scripts/train.py", "--description", described, "--threads", "1"]
    command += ["--name", "gru-16-max", "--dataset", "mscoco"]
    command += ["--captions", tmp_path / "captions.csv", "--features", tmp_path / "features.h5"]
    command += ["--texts", tmp_path / "v.json", "--device", "cpu"]
    command += ["--work", tmp_path / "work", "--output", tmp_path / "model"]
    command += ["--log", tmp_path / "a.log"]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        deadline = time.monotonic() + 600
        log = tmp_path / "a.log"
        while not log.exists() or "epoch 0/32" not in log.read_text():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.5)
        time.sleep(5)  # some hundred batches of the first epoch
        assert process.poll() is None
        status = Path(f"/proc/{process.pid}/status").read_text()
    finally:
        process.kill()
        process.wait()
        (tmp_path / "features.h5").unlink()  # 252 MB
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1e6
    print(f"peak host memory {peak:.2f} GB")
    assert peak < 1.2  # 1.04 was measured: a copy of the features, 0.25 GB, is beyond
