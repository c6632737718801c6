"""What a model says of a sentence's letters, beside what pictures taught it."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
import torch
from examples import description, make_split, save_model
from hypothesis import example, given
from hypothesis import strategies as st

from groundvec import SentenceEncoder
from groundvec.evaluation.ranks import development_recall
from groundvec.model.network import Model
from groundvec.model.spelling import Spelling
from groundvec.text.characters import Text
from groundvec.training import loop

CAPTIONS = ["A dog runs.", "a Dog, a cat", "Two cats sleep on the grass ."]
TEXT = Text.build(CAPTIONS)
SIZE = 64


def tensors(sentences):
    encoded = TEXT.encode(sentences)
    return [torch.from_numpy(part) for part in encoded.batch(np.arange(len(sentences)))]


def by_hand(sentence):
    """The buckets of a sentence's n-grams: as often as it has them."""
    index = {character: i for i, character in enumerate(TEXT.characters, 2)}
    words = sentence.split()
    if not sentence.rstrip().endswith("."):
        words.append(".")
    found = Counter()
    for word in words:
        letters = [index.get(c.lower(), index[c]) if c in index else 1 for c in f" {word} "]
        for n in (3, 4):
            for start in range(len(letters) - n + 1):
                hashed = 0
                for letter in letters[start : start + n]:
                    hashed = (hashed * 16_777_619 + letter) % (2**31 - 1)
                found[hashed % SIZE] += 1
    return found


@example(["."])  # shorter than an n-gram
@given(st.lists(st.text(" abcdogtAD.é,", max_size=30), min_size=1, max_size=4))
def test_counts_are_those_of_a_loop_over_words(sentences):
    counts = Spelling(TEXT, SIZE).counts(*tensors(sentences))
    assert counts.shape == (len(sentences), SIZE)
    for row, sentence in zip(counts.tolist(), sentences, strict=True):
        assert {i: n for i, n in enumerate(row) if n} == by_hand(sentence)


def test_what_fewer_captions_have_weighs_more():
    spelling = Spelling(TEXT, SIZE)
    spelling.fit_idf(TEXT.encode(CAPTIONS))
    having = Counter(bucket for caption in CAPTIONS for bucket in by_hand(caption))
    expected = [math.log(4 / (1 + having[bucket])) for bucket in range(SIZE)]
    np.testing.assert_allclose(spelling.rarity, expected, atol=1e-6)
    one, other, same, empty = spelling(*tensors(["dog runs.", "Cats sleep.", "DOG  runs", ""]))
    assert one @ one == pytest.approx(1) and 0 < one @ other < 0.5
    assert one @ same < 1  # D, O and G as capitals were not in the captions
    assert empty @ empty == 0  # all have its full stop


def trained(tmp_path, **spelling):
    text, split = make_split()
    torch.manual_seed(1)
    parts = {"spelling": {"size": SIZE, **spelling}}
    described = description(parts=parts, epochs=1, cycle=1, batch_size=4)
    model = Model(described, {"en": text}, 6)
    loop.train(model, split, 1, tmp_path / "work", partial(development_recall, dev=split))
    return model.eval(), split


def test_pictures_have_zeros_and_are_found_as_without_it(tmp_path):
    model, split = trained(tmp_path)
    images = model.encode_images(split.features)
    captions = model.encode_captions(split.captions["en"].encoded, "en")
    assert images.shape == (11, 8 + SIZE) and captions.shape == (55, 8 + SIZE)
    assert not images[:, 8:].any()
    np.testing.assert_allclose(np.linalg.norm(captions, axis=1), 1, atol=1e-6)
    batch = [torch.from_numpy(part) for part in split.captions["en"].encoded.batch(np.arange(55))]
    with torch.no_grad():
        model.train()
        meant = (
            model.embed_captions("en", batch)
            @ model.embed_images(torch.from_numpy(split.features)).T
        )
    np.testing.assert_allclose(captions @ images.T, meant / math.sqrt(2), atol=1e-6)


def test_a_trained_model_keeps_what_it_counted(tmp_path):
    model, split = trained(tmp_path)
    counted = Spelling(model.texts["en"], SIZE)
    counted.fit_idf(split.captions["en"].encoded)
    assert torch.equal(model.spelling["en"].rarity, counted.rarity)
    save_model(tmp_path / "model", model)
    encoder = SentenceEncoder.load(tmp_path / "model")
    sentences = ["picture 3, caption 2", "", "no picture of it"]
    assert encoder.size == 8 + SIZE
    np.testing.assert_allclose(
        encoder.encode(sentences, tokenised=True), model.encode_sentences(sentences), atol=1e-6
    )
    again = trained(tmp_path)[0]  # finished before
    assert torch.equal(again.spelling["en"].rarity, counted.rarity)


def test_what_a_layer_learns_of_letters_is_added_to_what_the_encoder_says(tmp_path):
    model, split = trained(tmp_path, learned=True)
    spelling, encoder = model.spelling["en"], model.captions["en"]
    torch.manual_seed(1)
    untrained = Model(model.description, {"en": model.texts["en"]}, 6).spelling["en"]
    assert (spelling.learned.weight != untrained.learned.weight).any()
    batch = [torch.from_numpy(part) for part in split.captions["en"].encoded.batch(np.arange(55))]
    with torch.no_grad():
        spelt, meant = spelling(*batch), encoder(*batch)
        by_letters = spelt @ spelling.learned.weight.T
    meant, by_letters = (each / each.norm(dim=1, keepdim=True) for each in (meant, by_letters))
    both = meant + by_letters
    expected = torch.cat([both / both.norm(dim=1, keepdim=True), spelt], dim=1) / math.sqrt(2)
    found = model.encode_captions(split.captions["en"].encoded, "en")
    np.testing.assert_allclose(found, expected, atol=1e-6)
    save_model(tmp_path / "model", model)
    np.testing.assert_allclose(
        SentenceEncoder.load(tmp_path / "model").encode(split.captions["en"].texts, tokenised=True),
        found,
        atol=1e-6,
    )
