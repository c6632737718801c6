"""InferSent, by hand and from damaged files."""

import pickle

import numpy as np
import pytest
import torch

import reproduction  # noqa: F401, makes the study's parts known
from groundvec.baselines import load
from tests.support.refusals import refused
from tests.support.word_vectors import MARKS, infersent, write


@pytest.mark.parametrize(
    "version, legacy, tokens", [(1, True, 10_000), (2, False, 10_000), (2, False, 9)]
)
def test_infersent_is_the_maximum_over_the_states_of_an_lstm(
    tmp_path, monkeypatch, version, legacy, tokens
):
    """In one batch or several. Only version 1 lets zero take part in the maximum over time."""
    monkeypatch.setattr("reproduction.baselines.infersent.TOKENS_PER_BATCH", tokens)
    options, state = infersent(tmp_path, version, legacy=legacy)
    values = {
        line.split(" ")[0]: list(map(float, line.split(" ")[1:]))
        for line in options["vectors"].read_text().splitlines()
    }
    sentences = ["a dog runs .", "cat", "zebra a zebra dog", "zebra", "cat runs", ""]
    result = load("infersent", **options).encode(sentences)
    assert (result.shape, result.dtype) == ((6, 6), np.float32)
    lstm = torch.nn.LSTM(4, 3, bidirectional=True)
    lstm.load_state_dict({key.removeprefix("enc_lstm."): value for key, value in state.items()})
    first, last = MARKS[version]
    for row, sentence in zip(result, sentences, strict=True):
        marked = [first, *sentence.split(), last]
        words = torch.tensor([values[word] for word in marked if word in values])
        expected = lstm(words)[0].amax(dim=0).detach().numpy()
        if version == 1:
            expected = np.maximum(expected, 0)
        np.testing.assert_allclose(row, expected, atol=1e-6)
    assert (result < 0).any() == (version == 2)


def test_infersent_needs_at_least_one_vector_a_sentence(tmp_path):
    options, _ = infersent(tmp_path)
    write(options["vectors"], "a 1 2 3 4\n")
    model = load("infersent", **options)
    assert model.encode(["a zebra"]).shape == (1, 6)
    with refused(r"v\.txt has vectors neither for </p> nor .* 'zebra'"):
        model.encode(["a", "zebra"])
    write(options["vectors"])
    with refused(r"v\.txt has vectors of 3 dimensions, .* reads 4"):
        load("infersent", **options).encode(["a dog"])


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state | {"enc_lstm.weight_hh_l0_reverse": torch.zeros(12, 4)},
        lambda state: state | {"classifier.weight": torch.zeros(3)},
    ],
)
def test_a_state_file_of_another_shape_is_named(tmp_path, change):
    options, state = infersent(tmp_path)
    torch.save(change(state), options["state"])
    with refused(r"i\.pkl is no state file of InferSent"):
        load("infersent", **options)


def test_only_state_files_are_loaded_and_none_is_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    options, _ = infersent(tmp_path)
    whole = options["state"].read_bytes()
    for content in [b"", b"no state", whole[: len(whole) // 2], pickle.dumps(Evil(), protocol=2)]:
        options["state"].write_bytes(content)
        with refused(r"i\.pkl is no state file of InferSent"):
            load("infersent", **options)
    assert not (tmp_path / "ran").exists()
