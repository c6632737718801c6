import hashlib
import json
import re
from pathlib import Path
from string import ascii_lowercase
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

import reproduction  # noqa: F401, whose text of trees a test names
from groundvec import SentenceEncoder
from groundvec.device import choose, has_bfloat16, rounds_to_bfloat16
from groundvec.encoders import pooling, recurrence, rnn
from groundvec.model.network import Model, load_model
from groundvec.model.stored import Weights
from groundvec.model.weights import load as load_weights
from groundvec.model.weights import save as save_weights
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_json
from groundvec.similarity import join
from groundvec.text import characters, ngrams, word_ngrams, words
from groundvec.text.encoded import UNKNOWN
from tests.support.examples import description, save_model

CELLS = ["gru-16-attention", "lstm-16-attention", "gru-16-max", "lstm-16-max"]
BAG = {"name": "bag", "size": 16, "embedding": 7}
CAPTIONS = ["A dog chases 2 cats.", "Zwei Hunde!"]
TEXT = characters.Text.build(CAPTIONS)
TEXTS = {
    "characters": TEXT,
    "words": words.Text.build(2 * CAPTIONS),
    "ngrams": ngrams.Text(2, 4, buckets=50),
    "word-ngrams": word_ngrams.Text(2, 4, buckets=50),
}
MODELS = [*((cell, "characters") for cell in CELLS), ("gru-16-max", "words")]
MODELS += [(BAG, "words"), (BAG, "ngrams"), (BAG | {"idf": True, "dropout": 0.5}, "ngrams")]
MODELS += [(BAG | {"size": 9, "state": True}, "words")]
GRU = {"name": "rnn", "cell": "gru", "size": 16}
NGRAM_RNN = {"name": "ngram-rnn", "size": 9, "embedding": 7, "units": 10}
NGRAM_RNN |= {"state": True}
MODELS += [(NGRAM_RNN, "word-ngrams")]


def model(encoder="gru-16-attention", seed=0, text="characters"):
    torch.manual_seed(seed)
    return Model(description(encoder, text), {"en": TEXTS[text]}, 12).eval()


def embed(model, captions):
    return model.encode_sentences(captions)


@pytest.mark.parametrize(("encoder", "text"), MODELS)
@given(st.lists(st.text("A dogchasesZwei2!.", max_size=60), min_size=1, max_size=6))
def test_an_embedding_does_not_depend_on_its_batch(encoder, text, others):
    one = model(encoder, text=text)
    caption = "A dog chases 2 cats."
    alone = embed(one, [caption])[0]
    together = embed(one, [*others, caption, "A " * 150])[len(others)]
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.mark.parametrize(("encoder", "text"), MODELS)
def test_embeddings_have_unit_length_and_the_size_of_the_encoder(encoder, text):
    one = model(encoder, text=text)
    captions = embed(one, ["A dog.", "", "never seen: éß🐶"])
    images = one.encode_images(np.random.default_rng(0).normal(size=(3, 12)).astype(np.float32))
    assert captions.shape == images.shape == (3, 16)
    np.testing.assert_allclose(np.linalg.norm(captions, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(images, axis=1), 1, atol=1e-6)


RNNS = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}


@pytest.mark.parametrize("large", [1, recurrence.LARGE])  # with oneDNN's products, and without
@pytest.mark.parametrize("vocabulary", [9, 500])  # smaller and larger than the batch
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("cell", ["gru", "lstm"])
@given(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_states_and_gradients_are_those_of_torch_s_own_layers(
    cell, directions, vocabulary, large, lengths
):
    with patch.object(recurrence, "LARGE", large):
        check_states_and_gradients(cell, directions, vocabulary, lengths)


def check_states_and_gradients(cell, directions, vocabulary, lengths):
    torch.manual_seed(len(lengths))
    layer = RNNS[cell](4, 5, batch_first=True, bidirectional=directions == 2)
    embedding = torch.nn.Embedding(vocabulary, 4)
    indices = torch.randint(vocabulary, (sum(lengths),))
    parameters = [*embedding.parameters(), *layer.parameters()]
    sentences = embedding(indices).split(lengths)
    expected = torch.cat([layer(sentence[None])[0][0] for sentence in sentences])
    found = recurrence.hidden_states(layer, embedding.weight, indices, torch.tensor(lengths))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    weights = torch.randn_like(expected)
    gradients = (torch.autograd.grad((x * weights).sum(), parameters) for x in (found, expected))
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-5)
    with torch.inference_mode():
        again = recurrence.hidden_states(layer, embedding.weight, indices, torch.tensor(lengths))
    torch.testing.assert_close(again, found, atol=1e-6, rtol=0)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_gradients_of_the_recurrence_are_right_in_double_precision(cell):
    torch.manual_seed(0)
    layer = RNNS[cell](3, 4, bidirectional=True).double()
    names, values = zip(*layer.named_parameters(), strict=True)
    vectors = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    indices, lengths = torch.tensor([0, 1, 2, 2, 3, 4, 1, 0]), torch.tensor([2, 5, 1])

    def states(vectors, *values):
        for name, value in zip(names, values, strict=True):
            delattr(layer, name)
            setattr(layer, name, value)
        return recurrence.hidden_states(layer, vectors, indices, lengths)

    inputs = [vectors, *(value.detach().requires_grad_() for value in values)]
    for name in names:
        layer._parameters.pop(name)
        setattr(layer, name, None)
    assert torch.autograd.gradcheck(states, inputs)


@pytest.mark.skipif(not has_bfloat16(), reason="this CPU has no products of bfloat16")
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_products_in_bfloat16_give_nearly_the_same_states_and_gradients(cell, monkeypatch):
    torch.manual_seed(0)
    layer = RNNS[cell](20, 64, bidirectional=True)
    embedding = torch.nn.Embedding(30, 20)
    lengths = torch.tensor([50, 3, 21])
    indices = torch.randint(30, (74,))
    weights = torch.randn(74, 128)

    def states_and_gradients():
        states = recurrence.hidden_states(layer, embedding.weight, indices, lengths)
        parameters = [*embedding.parameters(), *layer.parameters()]
        return [states, *torch.autograd.grad((states * weights).sum(), parameters)]

    expected = states_and_gradients()
    monkeypatch.setattr(recurrence, "rounds_to_bfloat16", lambda: True)
    monkeypatch.setattr(recurrence, "LARGE", 1)  # smaller weights are not rounded
    for found, right in zip(states_and_gradients(), expected, strict=True):
        assert found.dtype == torch.float32
        assert 0 < (found - right).norm() / right.norm() < 0.01  # a factor is off by 0.004 at most
    with torch.inference_mode():
        found = recurrence.hidden_states(layer, embedding.weight, indices, lengths)
    assert 0 < (found - expected[0]).norm() / expected[0].norm() < 0.01


@pytest.mark.parametrize("pooling", ["attention", "max"])
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_a_gpu_s_way_through_an_encoder_ends_in_the_same_vectors(cell, pooling):
    """Which is torch's own layer on packed sentences; here it is led over the CPU."""
    torch.manual_seed(0)
    encoder = rnn.Encoder(range(9), 6, cell, pooling, 20)
    indices, lengths = torch.randint(2, 9, (12,)), torch.tensor([3, 1, 6, 2])
    expected = encoder(indices, lengths)
    states = recurrence.packed_states(encoder.rnn, encoder.embedding.weight, indices, lengths)
    torch.testing.assert_close(encoder.pooling(states, lengths), expected, atol=1e-6, rtol=0)


def test_a_gpu_s_way_to_the_largest_has_the_same_numbers_and_gradients():
    values = torch.randn(12, 5, requires_grad=True)
    lengths, weights = torch.tensor([3, 1, 6, 2]), torch.randn(4, 5)
    for one, other in zip(
        *(
            (found, *torch.autograd.grad((found * weights).sum(), values))
            for found in (
                pool(values, lengths) for pool in (pooling.MaxPooling(), pooling.padded_largest)
            )
        ),
        strict=True,
    ):
        assert torch.equal(one, other)


def test_attention_by_hand():
    """a_t = softmax over t of V tanh(W h_t + b_w) + b_v, one weight a feature."""
    attention = pooling.Attention(2)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.zero_()
        attention.hidden.weight[0, 0] = (
            1.0  # the score of both features is that of tanh(h_t[0]) ...
        )
        attention.out.weight[0, 0] = 2.0  # ... times 2 for the first feature
        attention.out.weight[1, 0] = -1.0  # ... times -1 for the second
    states = torch.tensor([[9.0, 9.0], [0.0, 1.0], [1.0, 3.0]])
    t = np.tanh(1.0)
    first = np.exp([0, 2 * t]) / np.exp([0, 2 * t]).sum() @ [0.0, 1.0]
    second = np.exp([0, -t]) / np.exp([0, -t]).sum() @ [1.0, 3.0]
    result = attention(states, torch.tensor([1, 2])).detach().numpy()
    np.testing.assert_allclose(result, [[9, 9], [first, second]], rtol=1e-6)


def test_attention_stands_scores_that_no_exponential_does():
    attention = pooling.Attention(2)
    with torch.no_grad():
        attention.out.weight *= 1e4
    states = torch.randn(7, 2)
    result = attention(states, torch.tensor([4, 3]))
    assert result.isfinite().all()


def test_max_pooling_takes_the_largest_of_each_sentence():
    states = torch.tensor([[-3.0, 1.0], [-2.0, 0.0], [5.0, 5.0]])
    result = pooling.MaxPooling(2)(states, torch.tensor([2, 1]))
    assert result.tolist() == [[-2.0, 1.0], [5.0, 5.0]]


def test_the_image_encoder_starts_xavier_uniform():
    one = Model(description("gru-512-attention"), {"en": TEXT}, 1024)
    weight = one.image.projection.weight
    bound = np.sqrt(6 / (1024 + 512))
    assert 0.99 * bound < weight.abs().max() <= bound
    assert abs(weight.var() - bound**2 / 3) < 0.01 * bound**2


def saved_model(folder, seed=0, epoch=4):
    one = model(seed=seed)
    save_model(folder, one, [epoch], seed=seed)
    return one


def test_a_saved_model_embeds_as_before(tmp_path):
    one = saved_model(tmp_path)
    again = load_model(tmp_path, 4)
    captions = ["A dog.", "2 cats"]
    np.testing.assert_array_equal(embed(again, captions), embed(one, captions))


def test_the_ensemble_is_the_renormalised_sum_of_its_snapshots(tmp_path):
    one, two = saved_model(tmp_path, 1, 4), saved_model(tmp_path, 2, 8)
    write_json(tmp_path / "ensemble.json", {"epochs": [4, 8], "best": 8})
    captions = ["A dog.", "2 cats", "Zwei Hunde!"]
    total = embed(one, captions) + embed(two, captions)
    expected = total / np.sqrt((total**2).sum(axis=1))[:, None]
    np.testing.assert_allclose(
        SentenceEncoder(tmp_path).encode(captions, tokenized=True), expected, atol=1e-6
    )
    np.testing.assert_allclose(
        join([np.eye(2), np.eye(2)[::-1]], "cosine"), np.full((2, 2), np.sqrt(0.5))
    )


def test_a_sentence_of_no_known_word_stays_zero_in_an_ensemble():
    """An encoder without a bias gives zeros for it, which have no direction."""
    joined = join([np.array([[0, 0], [3, 4]], np.float32)] * 2, "cosine")
    np.testing.assert_allclose(joined, [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_a_model_of_parts_that_do_not_fit_is_refused():
    """Also where no configuration was checked: its description may come from anybody."""
    described = {**description(BAG | {"state": True}), "similarity": "dot"}
    with pytest.raises(
        InputError, match="`state` needs cosines, which `similarity: cosine` provides"
    ):
        Model(described, {"en": TEXT}, 6)


def test_a_snapshot_that_is_not_there_is_named(tmp_path):
    saved_model(tmp_path)
    with pytest.raises(InputError, match=r"epoch-009\.safetensors does not exist"):
        load_model(tmp_path, 9)


def test_damaged_or_foreign_weights_are_named(tmp_path):
    saved_model(tmp_path)
    path = tmp_path / "snapshots" / "epoch-004.safetensors"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"epoch-004\.safetensors does not hold the weights"):
        load_model(tmp_path, 4)
    saved_model(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    write_json(tmp_path / "model.json", content | {"description": description("gru-32-attention")})
    with pytest.raises(InputError, match=r"does not hold the weights of this model"):
        load_model(tmp_path, 4)


def test_weights_in_eight_bits_are_within_half_a_step_and_checked(tmp_path):
    one, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2, device="meta")
    one.weight.data = torch.tensor([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0]])
    path = tmp_path / "w.safetensors"
    save_weights(one, path, packed=True)
    load_weights(other, Weights(path))
    assert (other.weight - one.weight).abs().max() <= 2 / 127 / 2
    assert other.weight[0, 1] == -2 and (other.weight[1] == 0).all()
    assert torch.equal(other.bias, one.bias)


def test_a_large_embedding_table_is_stored_as_codes_of_four_numbers(tmp_path):
    """Rows of at most 256 different quarters, each row at a scale of its own, lose nothing."""
    torch.manual_seed(0)
    quarters = torch.randint(256, (2**14, 16))
    rows = torch.nn.functional.normalize(torch.randn(256, 4))[quarters].flatten(1)
    one = torch.nn.Embedding.from_pretrained(rows * torch.rand(2**14, 1).mul(9).add(1))
    path = tmp_path / "w.safetensors"
    save_weights(one, path, packed=True)
    assert path.stat().st_size < one.weight.numel() / 4 + 2**17  # one byte each, and the scales
    other = torch.nn.Embedding(2**14, 64, device="meta")
    load_weights(other, Weights(path))
    near = torch.nn.functional.cosine_similarity(other.weight, one.weight)
    assert near.quantile(0.01) > 0.95 and near.mean() > 0.99


MATRIX = {  # what a matrix of 16384 rows of 8 numbers is stored as
    "int8": {"weight": torch.ones(2**14, 8, dtype=torch.int8), "weight.scale": torch.ones(2**14)},
    "codes": {
        "weight": torch.full((2**14, 2), 255, dtype=torch.uint8),
        "weight.scale": torch.ones(2**14),
        "weight.codebook": torch.ones(256, 4),
    },
    "float32": {"weight": torch.ones(2**14, 8)},
}
UNFIT = "weight has numbers of another kind, or no scale or codebook that fits"
TOO_LARGE = "weight is not finite, or has numbers above 1,000,000"


@pytest.mark.parametrize("kind", MATRIX)
def test_stored_matrices_are_read(tmp_path, kind):
    save_file(MATRIX[kind], tmp_path / "w")
    assert (Weights(tmp_path / "w")("weight", 2**14, 8) == 1).all()


@pytest.mark.parametrize(
    ("kind", "change", "error"),
    [
        *(
            (kind, {"weight.scale": scale}, error)
            for kind in ("int8", "codes")
            for scale, error in [
                (None, UNFIT),
                (torch.ones(()), UNFIT),
                (torch.ones(1), UNFIT),
                (torch.ones(8), UNFIT),
                (torch.ones(2**14, 1), UNFIT),
                (torch.ones(2**14, dtype=torch.int32), UNFIT),
                (torch.full((2**14,), torch.nan), TOO_LARGE),
                (torch.full((2**14,), 1e38), TOO_LARGE),
                (torch.full((2**14,), -1e38), TOO_LARGE),
            ]
        ),
        *(
            ("codes", {"weight.codebook": codebook}, error)
            for codebook, error in [
                (None, UNFIT),
                (torch.ones(()), UNFIT),
                (torch.ones(256), UNFIT),
                (torch.ones(256, 8), UNFIT),
                (torch.ones(256, 0), UNFIT),
                (torch.ones(256, 1000, 4), UNFIT),  # of which gigabytes were decoded
                (torch.ones(256, 4, dtype=torch.int8), UNFIT),
                (torch.ones(3, 4), "weight has codes beyond its codebook"),
                (torch.full((256, 4), torch.inf), TOO_LARGE),
            ]
        ),
        ("codes", {"weight": -torch.ones(2**14, 2, dtype=torch.int8)}, UNFIT),
        ("codes", {"weight": -torch.ones(2**14, 2, dtype=torch.int64)}, UNFIT),
        ("codes", {"weight": torch.zeros(2**14, 2)}, UNFIT),
        ("codes", {"weight": torch.zeros(2**14, 2, 1, dtype=torch.uint8)}, UNFIT),
        ("codes", {"weight": torch.zeros(2**13, 4, dtype=torch.uint8)}, UNFIT),
        ("int8", {"weight": torch.zeros(2**14, 8, dtype=torch.uint8)}, UNFIT),
        ("int8", {"weight": torch.zeros(2**14, 8, dtype=torch.int16)}, UNFIT),
        ("int8", {"weight": torch.zeros(2**14, 8)}, UNFIT),
        ("int8", {"weight.codebook": torch.ones(256, 4)}, UNFIT),
        ("float32", {"weight.scale": torch.ones(2**14)}, UNFIT),
        ("float32", {"weight": torch.ones(2**14, 8, dtype=torch.bfloat16)}, UNFIT),
        ("float32", {"weight": torch.ones(2**14, 8, dtype=torch.float8_e4m3fn)}, UNFIT),
        ("float32", {"weight": torch.ones(2**14, 8, dtype=torch.complex64)}, UNFIT),
        ("float32", {"weight": torch.ones(2**14, 8, dtype=torch.bool)}, UNFIT),
        ("float32", {"weight": torch.ones(8, 2**14)}, "other names or shapes"),
        ("float32", {"weight": torch.full((2**14, 8), 1e38)}, TOO_LARGE),
        ("float32", {"weight": torch.full((2**14, 8), 1e300, dtype=torch.float64)}, TOO_LARGE),
    ],
)
def test_stored_matrices_that_do_not_fit_are_refused(tmp_path, kind, change, error):
    stored = MATRIX[kind] | change
    save_file({k: value for k, value in stored.items() if value is not None}, tmp_path / "w")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of earlier tests
    before = peak_memory()
    with pytest.raises(InputError, match=error) as caught:
        Weights(tmp_path / "w")("weight", 2**14, 8)
    assert "\n" not in str(caught.value)
    assert peak_memory() - before < 50_000


@pytest.mark.parametrize("packed", [False, True])
def test_weights_may_be_empty(tmp_path, packed):
    save_weights(torch.nn.Embedding(0, 3), tmp_path / "w.safetensors", packed)
    network = torch.nn.Embedding(0, 3, device="meta")
    load_weights(network, Weights(tmp_path / "w.safetensors"))
    assert network.weight.shape == (0, 3) and not network.weight.is_meta


def test_weights_that_carry_code_are_not_run(tmp_path):
    import pickle

    class Evil:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    saved_model(tmp_path)
    (tmp_path / "snapshots" / "epoch-004.safetensors").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError):
        load_model(tmp_path, 4)
    assert not (tmp_path / "ran").exists()


# A model folder may come from anybody, and sentences may be anything


@given(st.data())
def test_a_flipped_byte_in_a_snapshot_is_noticed(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("model")
    saved_model(folder)
    path = folder / "snapshots" / "epoch-004.safetensors"
    content = json.loads((folder / "model.json").read_text())
    sums = {"4": hashlib.sha256(path.read_bytes()).hexdigest()}
    write_json(folder / "model.json", content | {"sha256": sums})
    load_model(folder, 4)
    data_of_file = bytearray(path.read_bytes())
    data_of_file[data.draw(st.integers(0, len(data_of_file) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(data_of_file)
    with pytest.raises(InputError, match=r"epoch-004\.safetensors is damaged"):
        load_model(folder, 4)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_do_not_load(tmp_path, value):
    one = saved_model(tmp_path)
    with torch.no_grad():
        one.captions["en"].rnn.bias_hh_l0[3] = value
    save_weights(one, tmp_path / "snapshots" / "epoch-004.safetensors")
    with pytest.raises(InputError, match=r"captions\.en\.rnn\.bias_hh_l0 is not finite"):
        load_model(tmp_path, 4)


def test_vectors_that_are_not_finite_are_refused(monkeypatch):
    one = model()
    monkeypatch.setattr(one, "embed_batch", lambda *_: np.full((1, 16), np.nan, np.float32))
    with pytest.raises(InputError, match="the vectors of this model are not finite"):
        SentenceEncoder([one]).encode("A dog.")


# As large as the schema lets a model be.
HUGE = {"cell": "lstm", "size": 16384, "units": 16384, "embedding": 16384, "gaussian": 1}
LANGUAGES = [a + b for a in ascii_lowercase for b in ascii_lowercase]
VOCABULARIES = {language: {"characters": "a", "counts": [1]} for language in LANGUAGES}
DEEP = {"words": [], "relations": [], "counts": [], "places": [], "vectors": ""}
DEEP |= {"dimension": 10**10, "parser": "x", "form": "chain"}


def merged(content, change):
    """The content with some of what is deep within it replaced."""
    deep = isinstance(content, dict) and isinstance(change, dict)
    return content | {k: merged(content.get(k), v) for k, v in change.items()} if deep else change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"description": {"encoder": {"size": 10**9}}}, "1000000000 is greater than the maximum"),
        ({"description": {"encoder": HUGE}}, "does not hold the weights of this model"),
        (
            {"description": {"languages": LANGUAGES}, "texts": VOCABULARIES},
            "description.languages: ",
        ),
        ({"description": {"text": {"name": "trees"}}, "texts": {"en": DEEP}}, "dimension: 10000"),
        ({"features": []}, r"features: \[\] is not of type 'object'"),
        ({"features": {"transform": "[480"}}, r"features\.transform: Expecting"),
        ({"features": {"transform": "[]"}}, r"\[\] is not of type 'object'"),
        ({"features": {"blocks": "[{}"}}, r"features\.blocks: Expecting"),
        ({"features": {"blocks": "{}"}}, r"\{\} is not of type 'array'"),
        ({"features": {"blocks": '[{"transform": "x"}]'}}, r"features\.transform: Expecting"),
        ({"features": {"crops": 3}}, "crops: 3 is not one of"),
        ({"draw": [1, 2]}, r"draw: \[1, 2\] is too short"),
        (
            {"features": {"transform": '{"interpolation": "x"}'}},
            "interpolation: 'x' is not one of",
        ),
        ({"description": {"encoder": {"size": 16384}}}, "does not hold the weights of this model"),
        ({"description": {"encoder": {"size": "16"}}}, "encoder.size: '16' is not of type"),
        (
            {"description": {"encoder": {"name": "../x"}}},
            r"encoder.name: '\.\./x' is not one of",
        ),
        ({"description": {"encoder": {"cell": "rnn"}}}, "encoder.cell: 'rnn' is not one of"),
        ({"description": {"encoder": {"wings": 2}}}, r"\('wings' was unexpected\)"),
        ({"description": {"text": {"name": "trees?"}}}, r"text.name: 'trees\?' is not one of"),
        ({"description": {"similarity": "taste"}}, "'taste' is not one of"),
        ({"width": 10**9}, "width: 1000000000 is greater than the maximum"),
        ({"width": 60_000}, "does not hold the weights of this model"),
        ({"width": 0}, "width: 0 is less than the minimum"),
        ({"width": "12"}, "width: '12' is not of type"),
        ({"texts": {"en": {"characters": "ab", "counts": None}}}, "does not describe a model"),
        ({"texts": {"en": {"characters": "aa", "counts": [1, 1]}}}, "distinct characters"),
        ({"texts": None}, "texts: None is not of type"),
        ([], r"\[\] is not of type 'object'"),
    ],
)
def test_a_description_that_claims_too_much_is_refused_before_memory_is_taken(
    tmp_path, change, message
):
    saved_model(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    write_json(tmp_path / "model.json", merged(content, change) if change else change)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of earlier tests
    before = peak_memory()
    with pytest.raises(InputError, match=message) as error:
        load_model(tmp_path, 4)
    assert "\n" not in str(error.value)
    assert peak_memory() - before < 200_000


def peak_memory():
    """Of this process, in KiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


@pytest.mark.parametrize("epochs", [["../../x"], [-1], 4, [], [1.5], [4, 4], [10**6]])
def test_an_ensemble_that_names_no_epochs_is_refused(tmp_path, epochs):
    saved_model(tmp_path)
    write_json(tmp_path / "ensemble.json", {"epochs": epochs, "best": 4})
    with pytest.raises(InputError, match=r"ensemble\.json does not describe a model"):
        SentenceEncoder(tmp_path)


def test_programs_compute_float32_as_such():
    """TF32, cuDNN's default for recurrent networks, has ten bits of the factors."""
    before = torch.backends.fp32_precision, torch.get_num_threads()
    try:
        device = choose(threads=1)
        assert device == ("cuda" if torch.cuda.is_available() else "cpu")
        assert choose("cpu") == "cpu"
        assert torch.backends.cudnn.rnn.fp32_precision == "ieee"
        assert torch.backends.cudnn.conv.fp32_precision == "ieee"
        assert torch.backends.cuda.matmul.fp32_precision == "ieee"
        assert torch.backends.mkldnn.matmul.fp32_precision == "ieee"
        assert torch.get_num_threads() == 1
        assert not rounds_to_bfloat16()
        choose(precision="bfloat16")
        assert torch.backends.cudnn.rnn.fp32_precision == "tf32"
        assert torch.backends.mkldnn.matmul.fp32_precision == "bf16"
        flags = Path("/proc/cpuinfo")
        if flags.exists():
            able = {"avx512_bf16", "amx_bf16", "bf16"} & set(flags.read_text().split())
            assert rounds_to_bfloat16() == bool(able)
    finally:
        torch.backends.fp32_precision = before[0]
        torch.set_num_threads(before[1])


# Other parts


def test_a_bag_is_the_projected_mean_of_the_embeddings():
    one = model(BAG, text="words")
    encoder, text = one.captions["en"], TEXTS["words"]
    indices = text.encode(["a dog chases cats"]).indices.tolist()
    mean = torch.stack([encoder.embedding.weight[i] for i in indices]).mean(dim=0)
    expected = encoder.projection.weight @ mean + encoder.projection.bias
    result = encoder(torch.tensor([3, 2, *indices]), torch.tensor([2, len(indices)]))
    torch.testing.assert_close(result[1], expected)


def test_a_bag_with_idf_is_the_projected_sum_of_weighted_embeddings():
    """ "dog" is in one of four captions, "a" in three, "zebra" in none."""
    captions = ["a dog", "a cat", "a bird", "cats"]
    text = words.Text(["a", "dog", "zebra"])
    torch.manual_seed(0)
    described = description(BAG | {"idf": True, "deviation": 0.1, "state": True}, "words")
    one = Model(described, {"en": text}, 12).eval()
    encoder = one.captions["en"]
    assert encoder.embedding.weight.std() < 0.2
    one.fit_idf([("en", text.encode(captions))])
    a, dog, zebra = np.log([5 / 4, 5 / 2, 5 / 1])
    np.testing.assert_allclose(encoder.idf[2:], [a, dog, zebra], rtol=1e-6)

    vectors = encoder.embedding.weight.detach().numpy()[2:].astype(float)
    state = a * vectors[0] + dog * vectors[1] + zebra * vectors[2]
    state /= np.linalg.norm(state)
    weights, bias = (p.detach().numpy() for p in encoder.projection.parameters())
    projected = weights @ (np.sqrt(7) * state) + bias
    both = np.concatenate([projected / np.linalg.norm(projected), state]) / np.sqrt(2)
    [found] = one.encode_sentences(["a dog zebra"])
    np.testing.assert_allclose(found, both, atol=1e-6)

    image = one.encode_images(np.ones((1, 12), np.float32))
    assert image.shape == (1, 16 + 7) and (image[:, 16:] == 0).all()
    batch = torch.tensor([2, 3, 4]), torch.tensor([3])
    assert one.train().embed_captions("en", batch).shape == (1, 16)


@given(st.lists(st.text("A dogchases2!.", max_size=40), min_size=1, max_size=4))
def test_a_gru_over_words_of_ngrams_beside_a_bag(sentences):
    """Word by word, sentence by sentence, with torch's own GRU."""
    one = model(NGRAM_RNN, text="word-ngrams")
    text, encoder = TEXTS["word-ngrams"], one.captions["en"]
    captions = ["a dog", "a cat", "a bird", "cats"]
    one.fit_idf([("en", text.encode(captions))])
    bag = model(BAG | {"idf": True}, text="ngrams")
    bag.fit_idf([("en", TEXTS["ngrams"].encode(captions))])
    torch.testing.assert_close(encoder.idf, bag.captions["en"].idf)

    def unit(vector):
        return torch.nn.functional.normalize(vector, dim=-1)

    with torch.no_grad():
        for sentence, found in zip(sentences, one.encode_sentences(sentences), strict=True):
            words = torch.stack(
                [
                    (encoder.embedding.weight[row] * encoder.idf[row, None]).sum(dim=0)
                    for word in sentence.lower().rstrip(" .").split() or ["."]
                    for row in [TEXTS["ngrams"].hash([word]).indices.astype(int)]
                ]
            )
            state = unit(words.sum(dim=0)) * 7**0.5
            states = encoder.rnn((unit(words) * 7**0.5)[None])[0][0]
            pooled = encoder.pooling(states, torch.tensor([len(words)]))[0]
            projected = encoder.of_state(state) + encoder.of_order(pooled)
            expected = torch.cat([unit(projected), unit(state)]) / 2**0.5
            np.testing.assert_allclose(found, expected, atol=1e-5)


def test_image_features_are_standardised_by_those_of_the_training_images(tmp_path):
    features = np.random.default_rng(0).normal(3, 5, size=(40, 12)).astype(np.float32)
    features[:, 4] = 2.5  # it never varies
    described = description(parts={"image": {"standardise": True}})
    torch.manual_seed(0)
    one = Model(described, {"en": TEXT}, 12).eval()
    one.image.measure(features)
    others = features[:3] + 1
    deviation = features.std(axis=0, ddof=0)
    inputs = (others - features.mean(axis=0)) / np.where(deviation, deviation, np.inf)
    weights, bias = (p.detach().numpy() for p in one.image.projection.parameters())
    expected = inputs @ weights.T + bias
    found = one.image(torch.from_numpy(others)).detach()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    for packed in (False, True):
        save_weights(one, tmp_path / "weights", packed=packed)
        with torch.device("meta"):
            again = Model(described, {"en": TEXT}, 12)
        load_weights(again, Weights(tmp_path / "weights"))
        similar = again.eval().encode_images(others) * one.encode_images(others)
        assert similar.sum(axis=1).min() > 0.999
    plain = Model(description(), {"en": TEXT}, 12)
    plain.image.measure(features)
    assert set(plain.image.state_dict()) == {"projection.weight", "projection.bias"}


def test_only_cosines_are_of_unit_vectors():
    described = description()
    for similarity, unit in (("cosine", True), ("dot", False), ("euclidean", False)):
        torch.manual_seed(0)
        one = Model(described | {"similarity": similarity}, {"en": TEXT}, 12)
        images = 5 * np.ones((2, 12), np.float32)
        for vectors in (embed(one, CAPTIONS), one.encode_images(images)):
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1) == unit


def test_unknown_characters_are_read_as_a_zero_vector():
    for encoder, text in (("gru-16-max", "characters"), (BAG, "words")):
        assert (model(encoder, text=text).captions["en"].embedding.weight[UNKNOWN] == 0).all()
    np.testing.assert_allclose(*embed(model(), ["A ß dog.", "A é dog."]), atol=1e-6)
