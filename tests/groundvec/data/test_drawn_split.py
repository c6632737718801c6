"""Draws of images from a data set."""

import pandas as pd
import pytest

from groundvec.data.split import drawn
from groundvec.runtime.errors import InputError


def captions_of(counts):
    rows = [
        {"split": split, "image_id": f"{split}{i}", "caption": str(k)}
        for split, count in counts.items()
        for i in range(count)
        for k in range(2)
    ]
    return pd.DataFrame(rows)


def test_a_draw_has_so_many_images_with_all_their_captions():
    captions = captions_of({"train": 30, "dev": 9, "test": 8})
    draws = [drawn(captions, [10, 3, 8], seed) for seed in (1, 1, 2)]
    for draw in draws:
        images = draw.groupby("split")["image_id"].nunique()
        assert images.to_dict() == {"train": 10, "dev": 3, "test": 8}
        assert (draw.groupby("image_id").size() == 2).all()
    pd.testing.assert_frame_equal(draws[0], draws[1])
    assert set(draws[0]["image_id"]) != set(draws[2]["image_id"])


def test_more_images_than_there_are_cannot_be_drawn():
    captions = captions_of({"train": 30, "dev": 9, "test": 8})
    with pytest.raises(InputError, match="10 dev images cannot be drawn from 9"):
        drawn(captions, [10, 10, 8], 1)
