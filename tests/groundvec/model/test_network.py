"""Models: their images, their snapshots and descriptions."""

from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest
import torch
import yaml

import reproduction  # noqa: F401, makes the study's parts known
from groundvec import SentenceEncoder
from groundvec.device import choose, rounds_to_bfloat16
from groundvec.model.folder import ModelFolder
from groundvec.model.network import load_model
from groundvec.model.stored import Weights
from groundvec.model.weights import load as load_weights
from groundvec.model.weights import save as save_weights
from groundvec.runtime.files import read_json, write_json
from groundvec.similarity import join
from tests.support.examples import change_model, description
from tests.support.limits import grows_less_than
from tests.support.models import BAG, embed, model, saved_model
from tests.support.refusals import refused
from tests.support.tables import cells


def test_the_image_encoder_starts_xavier_uniform():
    one = model("gru-512-attention", width=1024)
    weight = one.image.projection.weight
    bound = np.sqrt(6 / (1024 + 512))
    assert 0.99 * bound < weight.abs().max() <= bound
    assert abs(weight.var() - bound**2 / 3) < 0.01 * bound**2


def test_the_ensemble_is_the_renormalized_sum_of_its_snapshots(tmp_path):
    one = saved_model(tmp_path, 1, 4)
    two = saved_model(tmp_path, 2, 8)
    write_json(tmp_path / "ensemble.json", {"epochs": [4, 8], "best": 8})
    captions = ["A dog.", "2 cats", "Zwei Hunde!"]
    total = embed(one, captions) + embed(two, captions)
    expected = total / np.sqrt((total**2).sum(axis=1))[:, None]
    np.testing.assert_allclose(
        SentenceEncoder(tmp_path).encode(captions, tokenized=True), expected, atol=1e-6
    )


def test_a_sentence_of_no_known_word_stays_zero_in_an_ensemble():
    """An encoder without a bias gives zeros for it, which have no direction."""
    joined = join([np.array([[0, 0], [3, 4]], np.float32)] * 2, "cosine")
    np.testing.assert_allclose(joined, [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_a_model_of_parts_that_do_not_fit_is_refused(tmp_path):
    """Also where no configuration was checked: its description may come from anybody."""
    saved_model(tmp_path)
    parts = description(BAG | {"state": True}) | {"similarity": "dot"}
    change_model(tmp_path, description=parts)
    with refused("`state` needs cosines, which `similarity: cosine` pr"):
        SentenceEncoder(tmp_path)


def test_vectors_that_are_not_finite_are_refused(monkeypatch):
    one = model()
    monkeypatch.setattr(one, "embed_batch", lambda *_: np.full((1, 16), np.nan, np.float32))
    with refused("the vectors of this model are not finite"):
        SentenceEncoder([one]).encode("A dog.")
    features = np.full((2, 12), np.nan, np.float32)
    assert np.isnan(one.encode_images(features)).all()  # of unusable pictures
    features[1] = 3e38
    with refused("the image vectors of this model are not finite"):
        one.encode_images(features)


# As large as the schema lets a model be.
HUGE = {"cell": "lstm", "size": 16384, "units": 16384, "embedding": 16384, "gaussian": 1}
LANGUAGES = [a + b for a in ascii_lowercase for b in ascii_lowercase]
VOCABULARIES = {language: {"characters": "a", "counts": [1]} for language in LANGUAGES}
NGRAMS = {"name": "ngrams", "shortest": 3, "longest": 2, "buckets": 9}
TWINS = {"languages": ["en", "de"], "shared": True}
SMALLER = (
    '{"resize": 5, "crop": 6, "mean": [0, 0, 0], "std": [1, 1, 1], "interpolation": "bicubic"}'
)
DEEP = {"words": [], "relations": [], "counts": [], "places": [], "vectors": ""}
DEEP |= {"dimension": 10**10, "parser": "x", "form": "chain"}


def merged(content, change):
    """Return the content with nested values replaced."""
    deep = isinstance(content, dict) and isinstance(change, dict)
    return content | {k: merged(content.get(k), v) for k, v in change.items()} if deep else change


@pytest.mark.parametrize(
    "change, message",
    [
        ({"description": {"training": {"optimizer": {"name": "x" * 3000}}}}, "xxx' is not one of"),
        ({"description": {"encoder": HUGE}}, "does not hold the weights of this model"),
        ({"description": {"languages": LANGUAGES}, "texts": VOCABULARIES}, "languages: 676"),
        ({"description": {"text": {"name": "trees"}}, "texts": {"en": DEEP}}, "dimension: 10000"),
        (
            {"features": {"transform": SMALLER}},
            r"model\.json does .*: crops of 6 pixels are larger",
        ),
        ({"description": {"text": NGRAMS}, "texts": {"en": NGRAMS}}, "shortest is above longest"),
        ({"description": TWINS, "texts": {"de": VOCABULARIES["de"]}}, "share an encoder differ"),
        ([], r"\[\] is not of type 'object'"),
        *cells(r"""
        {description: {encoder: {size: 1000000000}}}    | 1000000000 is greater than the maximum
        {description: {training: {optimizer: []}}}      | optimizer: \[\] is not of type 'object'
        {description: {encoder: {name: ../x}}}          | encoder.name: '\.\./x' is not one of
        {features: {crops: 3}}                          | crops: 3 is not one of
        {features: {blocks: '[{"transform": "x"}]'}}    | transform: Expecting
        {features: {blocks: '[{"factor": 1e308}]'}}     | factor: 1e.308 is greater than
        {features: {blocks: '[{"transform": "[1]"}]'}}  | transform: \[1\] is not of type 'object'
        {sha256: {"4": ""}}                             | sha256\.4: '' does not match
        {width: 60000}                                  | does not hold the weights of this model
        {texts: {en: {parses: /dev/zero}}}              | \('parses' was unexpected\)
        {texts: {en: {characters: ab, counts: null}}}   | does not describe a model
        {texts: {en: {characters: aa, counts: [1, 1]}}} | distinct characters
        """),
    ],
)
def test_a_description_that_claims_too_much_is_refused_before_memory_is_taken(
    tmp_path, change, message
):
    saved_model(tmp_path)
    content = read_json(tmp_path / "model.json")
    if isinstance(change, str):
        change = yaml.safe_load(change)
    write_json(tmp_path / "model.json", merged(content, change) if change else change)
    with grows_less_than(200_000), refused(message):
        load_model(ModelFolder(tmp_path), 4)


@pytest.mark.parametrize("epochs", [["../../x"], [], [4, 4], [10**6]])
def test_an_ensemble_that_names_no_epochs_is_refused(tmp_path, epochs):
    saved_model(tmp_path)
    write_json(tmp_path / "ensemble.json", {"epochs": epochs, "best": 4})
    with refused(r"ensemble\.json does not describe a model"):
        SentenceEncoder(tmp_path)


def test_programs_compute_float32_as_such():
    """TF32, cuDNN's default for recurrent networks, has ten bits of the factors."""
    before = torch.backends.fp32_precision, torch.get_num_threads()
    try:
        device = choose(threads=1)
        assert device == ("cuda" if torch.cuda.is_available() else "cpu")
        assert choose("cpu") == "cpu"
        cudnn = torch.backends.cudnn
        matmul = torch.backends.mkldnn.matmul
        for operation in (cudnn.rnn, cudnn.conv, torch.backends.cuda.matmul, matmul):
            assert operation.fp32_precision == "ieee"
        assert torch.get_num_threads() == 1
        assert not rounds_to_bfloat16()
        choose(precision="bfloat16")
        assert (cudnn.rnn.fp32_precision, matmul.fp32_precision) == ("tf32", "bf16")
        flags = Path("/proc/cpuinfo")
        if flags.exists():
            able = {"avx512_bf16", "amx_bf16", "bf16"} & set(flags.read_text().split())
            assert rounds_to_bfloat16() == bool(able)
    finally:
        torch.backends.fp32_precision = before[0]
        torch.set_num_threads(before[1])


def test_image_features_are_standardized_by_the_training_images(tmp_path):
    features = np.random.default_rng(0).normal(3, 5, size=(40, 12)).astype(np.float32)
    features[:, 4] = 2.5  # it never varies
    one = model(image={"standardize": True})
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
            again = model(image={"standardize": True})
        load_weights(again, Weights(tmp_path / "weights"))
        similar = again.encode_images(others) * one.encode_images(others)
        assert similar.sum(axis=1).min() > 0.999
    plain = model()
    plain.image.measure(features)
    assert set(plain.image.state_dict()) == {"projection.weight", "projection.bias"}
