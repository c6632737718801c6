"""Concatenated features."""

import json

import numpy as np
import pandas as pd
import pytest

from groundvec.features import store
from groundvec.features.concatenation import concatenate
from tests.support.features import IDS
from tests.support.refusals import refused
from tests.support.small_data import run_script


@pytest.mark.parametrize("split", ["train", "test"])
def test_features_that_cannot_be_scaled_are_refused(tmp_path, split):
    """All zeros, or none of a training picture."""
    values = np.zeros((2, 3)) if split == "train" else np.ones((2, 3))
    store.write(tmp_path / "zeros.h5", values, IDS[:2], {"backbone": "x"})
    images = pd.DataFrame({"image_id": IDS[:2], "split": split})
    with refused(r"zeros\.h5: features of training pictures are missing"):
        concatenate([tmp_path / "zeros.h5"], images)


def test_each_network_has_a_root_mean_square_of_one_over_the_training_pictures(tmp_path):
    rng = np.random.default_rng(0)
    ids = [f"id {k}" for k in range(6)]
    splits = ["train", "dev", "train", "test", "train", "dev"]
    images = pd.DataFrame({"image_id": ids, "split": splits, "path": "-", "sha256": "-"})
    images.to_csv(tmp_path / "images.csv", index=False)
    blocks = {
        name: rng.normal(0, scale, (6, width)).astype(np.float32)
        for name, scale, width in (("a", 0.01, 3), ("b", 50, 2), ("c", 1, 4))
    }
    files = [tmp_path / f"{name}.h5" for name in blocks]
    order = rng.permutation(6)  # a file has its own
    for file, block in zip(files, blocks.values(), strict=True):
        made = {"backbone": file.stem, "weights": f"{file.stem}.pth", "crops": 2}
        store.write(file, block[order], [ids[k] for k in order], made)
    options = ["--images", tmp_path / "images.csv", "--output", tmp_path / "out.h5"]
    run_script("concatenate_features", *options, "--features", *files)

    made = store.attributes(tmp_path / "out.h5")
    assert (made["backbone"], made["weights"], made["width"]) == ("a+b+c", "a.pth+b.pth+c.pth", 9)
    is_train = np.array(splits) == "train"
    expected = []
    for block, of_block in zip(blocks.values(), json.loads(made["blocks"]), strict=True):
        factor = 1 / np.sqrt(np.mean(block[is_train].astype(float) ** 2))
        assert of_block["factor"] == pytest.approx(factor, rel=1e-6)
        assert of_block["crops"] == 2
        expected.append(factor * block)
    features = store.read(tmp_path / "out.h5", ids)[:]
    np.testing.assert_allclose(features, np.hstack(expected), rtol=1e-6)
