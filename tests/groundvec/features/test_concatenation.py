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
    ids = [f"id {k}" for k in range(4)]
    images = pd.DataFrame({"image_id": ids, "split": ["train", "dev", "train", "test"]})
    images.assign(path="-", sha256="-").to_csv(tmp_path / "images.csv", index=False)
    blocks = {"a": rng.normal(0, 0.01, (4, 3)), "b": rng.normal(0, 50, (4, 2))}
    files = [tmp_path / f"{name}.h5" for name in blocks]
    order = rng.permutation(4)  # a file has its own
    for name, file in zip(blocks, files, strict=True):
        made = {"backbone": name, "weights": f"{name}.pth", "crops": 2}
        store.write(file, blocks[name][order], [ids[k] for k in order], made)
    options = ["--images", tmp_path / "images.csv", "--output", tmp_path / "out.h5"]
    run_script("concatenate_features", *options, "--features", *files)

    made = store.attributes(tmp_path / "out.h5")
    assert (made["backbone"], made["weights"], made["width"]) == ("a+b", "a.pth+b.pth", 5)
    factors = [1 / np.sqrt(np.mean(block[[0, 2]] ** 2)) for block in blocks.values()]
    stored = json.loads(made["blocks"])
    assert [block["factor"] for block in stored] == pytest.approx(factors, rel=1e-6)
    assert [block["crops"] for block in stored] == [2, 2]
    expected = np.hstack([factors[0] * blocks["a"], factors[1] * blocks["b"]])
    np.testing.assert_allclose(store.read(tmp_path / "out.h5", ids)[:], expected, rtol=1e-6)
