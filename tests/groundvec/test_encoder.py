"""Vectors of sentences, and their similarities."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from numpy.testing import assert_allclose, assert_array_equal

from groundvec import ImageEncoder, SentenceEncoder
from groundvec.model.folder import ModelFolder, snapshot_name
from groundvec.model.packing import pack
from groundvec.model.shipped import NEWEST, PRETRAINED, find_local
from groundvec.runtime.errors import InputError
from tests.support.examples import save_model
from tests.support.limits import takes_less_than
from tests.support.models import CAPTIONS, model
from tests.support.refusals import refused
from tests.support.tables import cells


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    save_model(folder, model())
    return SentenceEncoder(folder)


def test_text_that_looks_the_same_has_the_same_vector(encoder):
    """The tests of `data.cleaning` draw any text."""
    vectors = encoder.encode(["A caf\u00e9.", "A cafe\u0301.", "\ufeffA\u200b ca\u00adf\u00e9."])
    assert_allclose(vectors, vectors[[0] * 3], atol=1e-6)


def test_long_sentences_are_cut_with_a_warning(encoder):
    message = "1 of 2 sentences are cut after 1000 characters; the first begins 'dogs"
    # A million characters, uncut, took minutes.
    with takes_less_than(20), pytest.warns(UserWarning, match=message):
        long = encoder.encode(["dogs " * 200_000, "A dog."])
    assert_allclose(long[0], encoder.encode(["dogs " * 200])[0], atol=1e-6)


@pytest.mark.parametrize("text", ["characters", "words"])
def test_a_vector_is_the_same_alone_in_any_batch_and_in_any_order(text):
    encoder = SentenceEncoder([model(text=text, seed=seed) for seed in (0, 1)])
    sentences = ["A dog.", "?", "never seen: éß🐶", "Zwei Hunde! " * 20, "A dog chases 2 cats."]
    alone = np.stack([encoder.encode(sentence) for sentence in sentences])
    assert alone.dtype == np.float32
    for size in (1, 2, 100, None):
        assert_allclose(encoder.encode(sentences, batch_size=size), alone, atol=1e-6)
    turned = encoder.encode(sentences[::-1], show_progress_bar=True)
    assert_allclose(turned[::-1], alone, atol=1e-6)
    assert encoder.encode([]).shape == (0, 16)


def test_normalize_embeddings_makes_unit_vectors():
    encoder = SentenceEncoder([model(similarity="dot")])
    vectors = encoder.encode(CAPTIONS)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert not np.allclose(lengths, 1)
    assert_allclose(
        encoder.encode(CAPTIONS, normalize_embeddings=True), vectors / lengths, atol=1e-6
    )


@pytest.mark.parametrize("kind", ["cosine", "dot", "euclidean"])
def test_similarity_is_the_model_s_own(kind):
    encoder = SentenceEncoder([model(similarity=kind)])
    others = ["A cat.", "A dog.", "Zwei"]
    one = encoder.encode(CAPTIONS)
    other = encoder.encode(others)
    expected = np.array(
        [[-((x - y) ** 2).sum() if kind == "euclidean" else sum(x * y) for y in other] for x in one]
    )
    assert_allclose(encoder.similarity(CAPTIONS, others), expected, atol=1e-5)
    assert_allclose(encoder.similarity(CAPTIONS[0], others), expected[0], atol=1e-5)
    assert_allclose(encoder.similarity(CAPTIONS, others[2]), expected[:, 2], atol=1e-5)
    assert encoder.similarity(CAPTIONS[0], others[2]) == pytest.approx(expected[0, 2], abs=1e-5)


def test_a_name_without_a_version_is_the_newest():
    versions: dict[str, list[int]] = {}
    for folder in PRETRAINED.iterdir():
        name, version = folder.name.rsplit("-v", 1)
        versions.setdefault(name, []).append(int(version))
    assert {name: f"{name}-v{max(of)}" for name, of in versions.items()} == NEWEST
    newest = PRETRAINED / NEWEST["flickr8k"]
    assert find_local("flickr8k") == find_local(NEWEST["flickr8k"]) == newest


def test_a_packed_model_is_the_ensemble_in_eight_bits(tmp_path):
    save_model(tmp_path / "whole", [model(seed=seed) for seed in range(3)], [0, 4, 8])
    (tmp_path / "whole" / "ensemble.json").write_text('{"epochs": [4, 8], "best": 8}')
    pack(tmp_path / "whole", tmp_path / "packed", images=False)
    assert ModelFolder(tmp_path / "packed").ensemble == {"epochs": [4, 8], "best": 8}
    whole, packed = (SentenceEncoder(tmp_path / name) for name in ("whole", "packed"))
    assert_allclose(packed.encode(CAPTIONS), whole.encode(CAPTIONS), atol=2e-2)
    size = (tmp_path / "whole/snapshots/epoch-004.safetensors").stat().st_size
    small = sorted((tmp_path / "packed" / "snapshots").iterdir())
    assert [path.name for path in small] == ["epoch-004.safetensors", "epoch-008.safetensors"]
    assert all(path.stat().st_size < 0.6 * size for path in small)
    with refused("packed already exists"):
        pack(tmp_path / "whole", tmp_path / "packed", images=False)


def test_options_have_the_names_and_the_defaults_of_sentence_transformers(encoder):
    defaults = yaml.safe_load("""  # of version 6.2
        prompt_name: null
        prompt: null
        batch_size: 32
        show_progress_bar: null
        output_value: sentence_embedding
        precision: float32
        convert_to_numpy: true
        convert_to_tensor: false
        device: null
        normalize_embeddings: false
        truncate_dim: null
        pool: null
        chunk_size: null
    """)
    vectors = encoder.encode(CAPTIONS, **defaults)
    assert_allclose(vectors, encoder.encode(CAPTIONS), atol=1e-6)
    tensors = encoder.encode(CAPTIONS, convert_to_numpy=False, convert_to_tensor=True)
    assert isinstance(tensors, torch.Tensor) and tensors.dtype == torch.float32
    assert_allclose(tensors, vectors, atol=1e-6)
    assert_array_equal(encoder.encode_query(CAPTIONS, **defaults), vectors)
    assert_array_equal(encoder.encode_document(CAPTIONS, **defaults), vectors)
    loaded = SentenceEncoder(encoder.folder)
    assert encoder.get_sentence_embedding_dimension() == loaded.dim == 16
    name = encoder.folder.name
    assert repr(encoder) == f"SentenceEncoder({name!r}, dim=16, languages=['en'], device='cpu')"


@pytest.mark.parametrize(
    "form, tolerance",
    [
        (lambda vectors: torch.tensor(vectors, requires_grad=True), 1e-6),
        (lambda vectors: np.round(127 * vectors).astype(np.int8), 0.02),  # whose products overflow
        (lambda vectors: np.round(2**62 * vectors.astype(float)).astype(np.int64), 1e-6),
        (lambda vectors: 1e300 * vectors.astype(float), 1e-6),  # whose squares overflow
        (lambda vectors: [*map(torch.tensor, vectors)], 1e-6),
        (lambda vectors: pd.Series([*vectors]), 1e-6),
    ],
)
def test_vectors_of_any_kind_have_cosines(encoder, form, tolerance):
    captions = encoder.encode(CAPTIONS)
    others = ["A cat.", "A dog."]
    a = form(captions)
    b = encoder.encode(others)
    near = encoder.similarity(a, b)
    assert near.dtype == np.float32
    assert_allclose(near, captions @ b.T, atol=tolerance)
    assert_allclose(encoder.similarity(a, others), near, atol=1e-6)
    assert_allclose(encoder.similarity(b, a).T, near, atol=1e-6)
    assert_allclose(np.diag(encoder.similarity(a, a)), 1, atol=1e-6)


def test_the_cosine_of_a_vector_of_zeros_is_0(encoder):
    near = encoder.similarity(np.zeros((1, 16), int), CAPTIONS)
    assert_array_equal(near, [[0, 0]])
    assert encoder.similarity(np.zeros((0, 16)), CAPTIONS).shape == (0, 2)


def test_other_measures_keep_the_length_of_vectors():
    encoder = SentenceEncoder([model(similarity="dot")])
    hundreds = np.full(16, 100, np.int8)
    assert encoder.similarity(hundreds, 2 * np.ones(16)) == 16 * 200
    with refused("products overflow 32-bit floats"):
        encoder.similarity(1e30 * np.ones(16), 1e30 * np.ones(16))


@pytest.mark.parametrize("epochs, best", [(None, 12), ([4], 4)])
def test_a_saved_model_is_the_snapshots_in_use_and_gives_the_same_vectors(tmp_path, epochs, best):
    """The card, with its scores, is the ensemble's."""
    folder = tmp_path / "model"
    save_model(folder, [model(seed=seed) for seed in range(3)], [4, 8, 12])
    (folder / "ensemble.json").write_text('{"epochs": [8, 12], "best": 12}')
    (folder / "README.md").write_text("scores")
    encoder = SentenceEncoder(folder, epochs=epochs)
    encoder.save_pretrained(tmp_path / "saved")
    copied = SentenceEncoder(tmp_path / "saved")
    assert_array_equal(copied.encode(CAPTIONS), encoder.encode(CAPTIONS))
    kept = sorted(path.name for path in (tmp_path / "saved/snapshots").iterdir())
    used = epochs or [8, 12]
    assert kept == [snapshot_name(epoch) for epoch in used]
    assert ModelFolder(tmp_path / "saved").ensemble == {"epochs": used, "best": best}
    assert (tmp_path / "saved/README.md").exists() == (epochs is None)
    for path in (tmp_path / "saved").rglob("*.*"):  # whoever edits a copy, edits nothing else
        assert path.stat().st_nlink == 1
    with refused("saved already exists: name another folder"):
        encoder.save_pretrained(tmp_path / "saved")
    with refused("has no folder"):
        SentenceEncoder([model()]).save_pretrained(tmp_path / "other")


def test_several_threads_use_one_encoder(encoder):
    sentences = [f"A dog chases {number} cats." for number in range(200)]
    expected = encoder.encode(sentences)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: encoder.encode(sentences), range(8)))
    for vectors in found:
        assert_allclose(vectors, expected, atol=1e-6)


# Refusals


@pytest.mark.parametrize(
    "sentences, message",
    [
        (b"A dog.", "pass a list of strings, not bytes"),
        (pd.DataFrame({"A dog.": [1]}), "pass a list of strings, not DataFrame"),
        (["A dog.", "\u200b"], r"sentence 1 is empty \(.\\u200b.\): write text, or leave it out"),
        (pd.Series(["A dog.", float("nan")]), "sentence 1 is not text but float"),
        ([["A dog."]], "sentence 0 is not text but list"),
    ],
)
def test_encode_names_input_other_than_sentences(encoder, sentences, message):
    with refused(message):
        encoder.encode(sentences)


@pytest.mark.parametrize(
    "options, error, message",
    cells(r"""
    truncate_dim: 64        | TypeError  | no option 'truncate_dim': write encode\(...\)\[:
    precision: int8         | TypeError  | no option 'precision': write encode
    convert_to_numpy: false | TypeError  | no option 'convert_to_numpy': leave it out
    prompt: query           | TypeError  | no option 'prompt': put it before each sentence
    normalise: true         | TypeError  | no option 'normalise': see its help
    batch_size: 0           | InputError | batch_size is 0: it must be 1 or more, a whole number
    language: fr            | InputError | no language 'fr': choose one of en
    device: cpu             | TypeError  | no option 'device': write SentenceEncoder\(model, dev
    """),
)
def test_wrong_options_are_refused_with_the_remedy(encoder, options, error, message):
    with pytest.raises((TypeError, InputError), match=message) as caught:
        encoder.encode(CAPTIONS, **yaml.safe_load(options))
    assert caught.typename == error


@pytest.mark.parametrize(
    "vectors, message",
    [
        (np.ones((2, 16), bool), r"b: bool of shape \(2, 16\): give sentences, or vectors of 16 n"),
        (torch.ones((2, 3)), r"b: float32 of shape \(2, 3\): give"),
        (np.array([[1.0] * 16, [np.nan] * 16]), r"b: row 1 \(from 0\) is not finite"),
        ([[1.0] * 16, [1.0] * 15], "b is no array"),
        (["A dog.", np.ones(16)], "sentence 1 is not text but ndarray"),
        (torch.ones(2, 16).to_sparse(), "b is no array .*to_dense"),
        (None, "pass a list of strings, not NoneType"),
    ],
)
def test_similarity_names_input_other_than_vectors(encoder, vectors, message):
    with refused(message):
        encoder.similarity(CAPTIONS, vectors)


@pytest.mark.parametrize(
    "model, device, message",
    [
        ("nowhere", None, "no model nowhere: give the folder .*: flickr8k, flickr8k-bag, "),
        (Path(__file__).parent, None, "there is no model .*groundvec: give the folder"),
        ("~nobody-of-that-name/x", None, "there is no model ~nobody-of-that-name/x: give"),
        (["flickr8k"], None, "^model is .*: give it as str"),
        ("flickr8k", "cuda:17", "^cuda:17.* cannot be used"),
        ([], None, r"^\[\] is no model"),
    ],
)
def test_a_model_or_device_that_cannot_be_used_is_named(model, device, message):
    with refused(message):
        SentenceEncoder(model, device=device)


@pytest.mark.parametrize("epochs", [[], 9, [4, 4], [4.0]])
@pytest.mark.parametrize("kind", [SentenceEncoder, ImageEncoder])
def test_epochs_that_are_no_list_of_epochs_are_named(kind, epochs):
    with refused(r"^epochs is .*: give (a list of|it as Seq)"):
        kind("flickr8k", epochs=epochs)


def test_an_epoch_without_a_snapshot_is_named():
    with refused(r"epoch-099\S* does not exist: .* name an epoch that is"):
        SentenceEncoder("flickr8k", epochs=[99])
