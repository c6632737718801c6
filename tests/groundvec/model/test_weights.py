"""Files of weights, and their damage."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from groundvec import numpy_backend
from groundvec.model.folder import ModelFolder
from groundvec.model.network import load_model
from groundvec.model.stored import Weights
from groundvec.model.weights import load as load_weights
from groundvec.model.weights import save as save_weights
from tests.support.examples import save_model
from tests.support.limits import grows_less_than
from tests.support.models import BAG, model, saved_model
from tests.support.refusals import refused
from tests.support.tables import cells


def test_damaged_weights_are_named(tmp_path):
    saved_model(tmp_path)
    path = tmp_path / "snapshots" / "epoch-004.safetensors"
    path.write_bytes(path.read_bytes()[:200])
    with refused(r"epoch-004\.safetensors does not hold the weights"):
        load_model(ModelFolder(tmp_path), 4)


def test_weights_in_eight_bits_are_within_half_a_step_and_checked(tmp_path):
    one = torch.nn.Linear(3, 2)
    other = torch.nn.Linear(3, 2, device="meta")
    one.weight.data = torch.tensor([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0]])
    path = tmp_path / "w.safetensors"
    save_weights(one, path, packed=True)
    load_weights(other, Weights(path))
    assert (other.weight - one.weight).abs().max() <= 2 / 127 / 2
    assert other.weight[0, 1] == -2 and (other.weight[1] == 0).all()
    assert torch.equal(other.bias, one.bias)


def test_a_large_embedding_table_is_stored_as_codes_of_four_numbers(tmp_path, monkeypatch):
    """Rows of at most 256 different quarters, each row at a scale of its own, lose nothing."""
    monkeypatch.setattr("groundvec.model.weights.LARGE", 2**18)
    torch.manual_seed(0)
    quarters = torch.randint(256, (2**14, 4))
    rows = torch.nn.functional.normalize(torch.randn(256, 4))[quarters].flatten(1)
    one = torch.nn.Embedding.from_pretrained(rows * torch.rand(2**14, 1).mul(9).add(1))
    path = tmp_path / "w.safetensors"
    save_weights(one, path, packed=True)
    assert path.stat().st_size < one.weight.numel() / 4 + 2**17  # one byte each, and the scales
    other = torch.nn.Embedding(2**14, 16, device="meta")
    load_weights(other, Weights(path))
    near = torch.nn.functional.cosine_similarity(other.weight, one.weight)
    assert near.quantile(0.01) > 0.95 and near.mean() > 0.99


MATRIX = {  # the stored forms of a matrix of 16384 rows of 8 numbers
    "int8": {"weight": torch.ones(2**14, 8, dtype=torch.int8), "weight.scale": torch.ones(2**14)},
    "codes": {
        "weight": torch.full((2**14, 2), 255, dtype=torch.uint8),
        "weight.scale": torch.ones(2**14),
        "weight.codebook": torch.ones(256, 4),
    },
    "float32": {"weight": torch.ones(2**14, 8)},
}


@pytest.mark.parametrize("kind", MATRIX)
def test_stored_matrices_are_read(tmp_path, kind):
    save_file(MATRIX[kind], tmp_path / "w")
    assert (Weights(tmp_path / "w")("weight", 2**14, 8) == 1).all()


@pytest.mark.parametrize(
    "kind, name, number, shape, value, error",
    cells("""
    int8    | weight.scale       | none      | 16384        | 1     | no scale or codebook that fits
    int8    | weight.scale       | float32   | 8            | 1     | no scale or codebook that fits
    int8    | weight.scale       | float32   | 16384        | nan   | numbers above 1,000,000
    int8    | weight             | uint8     | 16384, 8     | 0     | no scale or codebook that fits
    int8    | weight.codebook    | float32   | 256, 4       | 1     | no scale or codebook that fits
    int8    | weight.scale.scale | float32   | 16384        | 1     | scale or codebook of another
    codes   | weight.codebook    | float32   | 256, 1000, 4 | 1     | no scale or codebook that fits
    codes   | weight.codebook    | int8      | 256, 4       | 1     | no scale or codebook that fits
    codes   | weight.codebook    | float32   | 3, 4         | 1     | has codes beyond its codebook
    float32 | weight.scale       | float32   | 16384        | 1     | no scale or codebook that fits
    float32 | weight             | complex64 | 16384, 8     | 1     | no scale or codebook that fits
    float32 | weight             | float32   | 8, 16384     | 1     | other names or shapes
    float32 | weight             | float64   | 16384, 8     | 1e300 | numbers above 1,000,000
    """),
)
def test_stored_matrices_that_do_not_fit_are_refused(
    tmp_path, kind, name, number, shape, value, error
):
    """A codebook of three dimensions would take gigabytes."""
    stored = dict(MATRIX[kind])
    if number == "none":
        del stored[name]
    else:
        sizes = [int(size) for size in shape.split(", ")]
        stored[name] = torch.full(sizes, float(value), dtype=torch.float64).to(
            getattr(torch, number)
        )
    save_file(stored, tmp_path / "w")
    with grows_less_than(50_000), refused(error):
        Weights(tmp_path / "w")("weight", 2**14, 8)


@pytest.mark.parametrize("load", [numpy_backend.Network, load_model])
@pytest.mark.parametrize(
    "name, value, error",
    [
        ("image.mean", torch.full((12,), torch.nan), "image.mean is not finite"),
        ("image.projection.bias", torch.full((16,), 1e38), "image.projection.bias is not finite"),
        ("image.projection.weight", torch.ones(0), "other names or shapes"),
        ("more", torch.ones(3), "other names or shapes|more is none of them"),
    ],
)
def test_weights_of_images_are_checked_before_images_are_read(tmp_path, load, name, value, error):
    save_model(tmp_path, model(BAG, text="words", image={"standardize": True}))
    path = tmp_path / "snapshots" / "epoch-004.safetensors"
    save_file(load_file(path) | {name: value}, path)
    with refused(error):
        load(ModelFolder(tmp_path), 4)


@pytest.mark.parametrize("packed", [False, True])
def test_weights_may_be_empty(tmp_path, packed):
    save_weights(torch.nn.Embedding(0, 3), tmp_path / "w.safetensors", packed)
    network = torch.nn.Embedding(0, 3, device="meta")
    load_weights(network, Weights(tmp_path / "w.safetensors"))
    assert network.weight.shape == (0, 3) and not network.weight.is_meta
