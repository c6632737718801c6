"""Concatenated features."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.features import store
from groundvec.features.concatenation import concatenate
from groundvec.runtime.errors import InputError
from scripts import concatenate_features
from tests.support.features import IDS, run


@pytest.mark.parametrize("split", ["train", "test"])
def test_features_that_cannot_be_scaled_are_refused(tmp_path, split):
    """All zeros, or none of a training picture."""
    values = np.zeros((2, 3)) if split == "train" else np.ones((2, 3))
    store.write(tmp_path / "zeros.h5", values, IDS[:2], {"backbone": "x"})
    images = pd.DataFrame({"image_id": IDS[:2], "split": split})
    with pytest.raises(
        InputError, match=r"zeros\.h5: features of training pictures are missing, or all 0"
    ):
        concatenate([tmp_path / "zeros.h5"], images)


@given(st.data())
def test_each_network_has_a_root_mean_square_of_one_over_the_training_pictures(
    tmp_path_factory, data
):
    folder = tmp_path_factory.mktemp("several")
    seed = data.draw(st.integers(0, 99))
    splits = data.draw(st.lists(st.sampled_from(["train", "dev", "test"]), min_size=2, max_size=9))
    splits[0] = "train"
    rng = np.random.default_rng(seed)
    ids = [f"id {k}" for k in range(len(splits))]
    images = pd.DataFrame({"image_id": ids, "split": splits})
    blocks = [
        rng.normal(0, scale, (len(ids), width)).astype(np.float32)
        for scale, width in ((0.01, 3), (50, 2), (1, 4))
    ]
    files = [folder / f"{name}.h5" for name in "abc"]
    order = rng.permutation(len(ids))  # a file has its own
    for file, block in zip(files, blocks, strict=True):
        made = {"backbone": file.stem, "weights": f"{file.stem}.pth", "crops": 2}
        store.write(file, block[order], [ids[k] for k in order], made)
    images.assign(path="-", sha256="-").to_csv(folder / "images.csv", index=False)
    options = ["--images", folder / "images.csv", "--output", folder / "out.h5"]
    run(concatenate_features, *options, "--features", *files)

    features = store.read(folder / "out.h5", ids)[:]
    made = store.attributes(folder / "out.h5")
    assert (made["backbone"], made["weights"], made["width"]) == ("a+b+c", "a.pth+b.pth+c.pth", 9)
    start = 0
    for block, of_block in zip(blocks, json.loads(made["blocks"]), strict=True):
        squares = [
            float(number) ** 2
            for row, split in zip(block, splits, strict=True)
            for number in row
            if split == "train"
        ]
        factor = (len(squares) / sum(squares)) ** 0.5
        assert of_block["factor"] == pytest.approx(factor, rel=1e-6)
        assert of_block["crops"] == 2
        part = features[:, start : start + block.shape[1]]
        assert np.array_equal(part, np.float32(of_block["factor"]) * block)
        start += block.shape[1]
    assert start == features.shape[1]
