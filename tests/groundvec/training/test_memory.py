"""A training reads image features from their file: it never has all of them in memory."""

import numpy as np
import pandas as pd

from groundvec.features import store
from groundvec.runtime.files import write_json
from groundvec.text.characters import Text
from tests.support.limits import allocates_less_than
from tests.support.small_data import run_script
from tests.support.trainings import train

IMAGES = 500
WIDTH = 16384
SIZE = 4 * IMAGES * WIDTH  # 33 MB of float32


def test_features_are_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BLOCK_BYTES", 2**20)  # which are read and checked at a time
    train(tmp_path / "first")  # imports the packages of a training
    ids = [f"{number}.jpg" for number in range(IMAGES)]
    features = np.random.default_rng(0).random((IMAGES, WIDTH), np.float32)
    store.write(tmp_path / "features.h5", features, ids, {"backbone": "x"})
    del features
    columns = {"image_id": ids, "language": "en", "split": "train", "caption": "A dog runs."}
    captions = pd.DataFrame(columns)
    captions.loc[:9, "split"] = "dev"
    captions.to_csv(tmp_path / "captions.csv", index=False)
    write_json(tmp_path / "text.json", Text.build(["A dog runs."]).as_dict())
    encoder = "{name: rnn, cell: gru, size: 16, pooling: max}"
    files = {"captions": "captions.csv", "features": "features.h5", "texts": "text.json"}
    options = [word for name, file in files.items() for word in (f"--{name}", tmp_path / file)]
    options += ["--work", tmp_path / "work", "--output", tmp_path / "model"]
    options += ["--name", "gru", "--dataset", "x", "--device", "cpu", "--description"]
    options += [f"{{languages: [en], encoder: {encoder}, training: {{epochs: 1, cycle: 1}}}}"]
    with allocates_less_than(SIZE / 2):
        run_script("train", *options)
