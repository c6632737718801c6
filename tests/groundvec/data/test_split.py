"""Batches of a split, and its captions."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from groundvec.data.split import (
    CAPTIONS_PER_IMAGE,
    UNENCODED,
    Captions,
    Split,
    drawn,
    encode,
    load_split,
)
from tests.support.examples import make_split, sentences
from tests.support.refusals import refused
from tests.support.trainings import CAPTIONS, SPLIT, TEXT, two_languages


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 12))
def test_an_epoch_passes_over_the_images_in_one_order(seed, epoch, size):
    batches = [batch["en"] for batch in SPLIT.epoch(size, seed, epoch)]
    kept = 11 // size * size
    assert len(batches) == SPLIT.batches(size) == 5 * (11 // size)
    passes = np.concatenate([*batches, []]).astype(int).reshape(5, kept)
    assert (CAPTIONS.order[passes] == np.arange(5)[:, None]).all()
    assert (CAPTIONS.image[passes] == CAPTIONS.image[passes[0]]).all()
    assert all(len(set(CAPTIONS.image[rows])) == size for rows in batches)


def test_the_order_changes_from_epoch_to_epoch_and_with_the_seed():
    orders = {
        tuple(np.concatenate([batch["en"] for batch in SPLIT.epoch(1, seed, epoch)]))
        for seed in (1, 2)
        for epoch in (1, 2)
    }
    assert len(orders) == 4


def test_images_with_fewer_captions_are_left_out_of_the_later_passes():
    image = np.array([0, 0, 1, 2, 3, 3, 4, 5])
    order = np.array([0, 1, 0, 0, 0, 1, 0, 0])
    split = Split(np.arange(6), np.zeros((6, 2)), {"en": Captions(None, image, order)})
    batches = [batch["en"] for batch in split.epoch(2, 0, 1)]
    assert {len(batch) for batch in batches} == {2}
    assert set(image[batches[-1]]) == {0, 3}  # those with a second caption
    assert split.batches(2) == len(batches) == 6 // 2 + 2 // 2


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(0, 99))
def test_another_caption_is_one_of_the_same_image(image, seed):
    image = np.array([sorted(set(image)).index(i) for i in image])
    captions = Captions(None, image, np.zeros_like(image))
    rows = np.arange(len(image))
    found = captions.another(rows, np.random.default_rng(seed))
    assert_array_equal(image[found], image)
    alone = np.bincount(image)[image] == 1
    assert_array_equal(found == rows, alone)


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 11))
def test_the_first_language_leads_as_if_alone_and_the_others_follow(seed, epoch, size):
    split = two_languages()
    batches = list(split.epoch(size, seed, epoch))
    alone = [batch["en"] for batch in SPLIT.epoch(size, seed, epoch)]
    assert len(batches) == split.batches(size) == len(alone)
    for batch, english in zip(batches, alone, strict=True):
        assert_array_equal(batch["en"], english)
        images = [split.captions[language].image[rows] for language, rows in batch.items()]
        assert_array_equal(*images)


def test_captions_of_other_languages_are_drawn_anew_each_epoch():
    split = two_languages()
    epochs = [
        np.concatenate([b["de"] for b in split.epoch(11, 0, epoch)]) for epoch in range(1, 41)
    ]
    assert len({tuple(epoch) for epoch in epochs}) == 40
    assert set(np.concatenate(epochs)) == set(range(len(split.captions["de"].image)))


def test_many_sentences_are_encoded_in_blocks_into_mapped_arrays(monkeypatch):
    monkeypatch.setattr("groundvec.data.split.SENTENCES_PER_BLOCK", 7)
    encoded = encode(TEXT, sentences())
    assert isinstance(encoded.indices.base, np.memmap)
    assert_array_equal(encoded.indices, CAPTIONS.encoded.indices)
    assert_array_equal(encoded.starts, CAPTIONS.encoded.starts)


def load(rows, languages=("en", "de")):
    captions = pd.DataFrame(rows, columns=["image_id", "language", "caption"])
    texts = dict.fromkeys(languages, UNENCODED)
    return load_split(captions.assign(split="train"), "train", list, texts)


def test_images_described_in_one_language_only_are_left_out_and_counted(caplog):
    rows = [("a", "en", "x"), ("b", "en", "y"), ("b", "de", "z"), ("c", "de", "w")]
    split = load(rows)
    assert split.image_ids.tolist() == ["b"]
    assert [own.encoded for own in split.captions.values()] == [["y"], ["z"]]
    assert "2 of 3 train images are left out" in caplog.text
    assert load(rows, ["en"]).image_ids.tolist() == ["a", "b"]


def test_later_captions_of_an_image_are_not_used_in_any_language():
    rows = [("a", language, f"{k}") for language in ("en", "de") for k in range(7)]
    assert [len(own.encoded) for own in load(rows).captions.values()] == [CAPTIONS_PER_IMAGE] * 2


def captions_of(counts):
    rows = [
        {"split": split, "image_id": f"{split}{i}", "caption": str(k)}
        for split, count in counts.items()
        for i in range(count)
        for k in range(2)
    ]
    return pd.DataFrame(rows)


@given(st.integers(0, 99), st.integers(2, 9))
def test_permuted_images_have_the_features_of_other_images(seed, count):
    split = make_split(count, 2)[1]
    before = split.features.copy()
    split.permute_images(seed)
    assert (split.features != before).any(axis=1).all()
    assert sorted(split.features.tolist()) == sorted(before.tolist())


def test_a_draw_has_the_requested_number_of_images_with_all_their_captions():
    captions = captions_of({"train": 30, "dev": 9, "test": 8})
    draws = [drawn(captions, [10, 3, 8], seed) for seed in (1, 1, 2)]
    for draw in draws:
        images = draw.groupby("split")["image_id"].nunique()
        assert images.to_dict() == {"train": 10, "dev": 3, "test": 8}
        assert (draw.groupby("image_id").size() == 2).all()
    pd.testing.assert_frame_equal(draws[0], draws[1])
    assert set(draws[0]["image_id"]) != set(draws[2]["image_id"])


def test_splits_that_cannot_be_made_are_refused():
    with refused("no train captions in language de: write some, or"):
        load([("a", "en", "x")])
    with refused(r"no train image .* captions in each of en, de: write"):
        load([("a", "en", "x"), ("b", "de", "y")])
    with refused("10 dev images cannot be drawn from 9"):
        drawn(captions_of({"train": 30, "dev": 9, "test": 8}), [10, 10, 8], 1)
