"""Image networks as ONNX graphs."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

from groundvec.features import graphs
from groundvec.runtime.errors import InputError
from tests.support.features import STAND_IN

# The mean of each channel, through a convolution that adds one.
GRAPH = """
<ir_version: 8, opset_import: ["": 18]>
network (uint8[1, 3, 48, 48] crops) => (float[1, 3] features)
<float[3, 3, 1, 1] weight = {1, 0, 0, 0, 1, 0, 0, 0, 1}, float[3] bias = {1, 1, 1},
 int64[2] axes = {2, 3}> {
    pixels = Cast<to = 1>(crops)
    more = Conv(pixels, weight, bias)
    features = ReduceMean<keepdims = 0>(more, axes)
}
"""


def read(path, graph):
    """Write a graph, as text or bytes, and read it as a model's."""
    if isinstance(graph, str):
        graph = onnx.parser.parse_model(graph).SerializeToString()
    path.write_bytes(graph)
    return graphs.read(path, hashlib.sha256(graph).hexdigest(), STAND_IN.transform, 3)


def test_the_features_are_the_mean_over_crops(tmp_path):
    crops = np.random.default_rng(0).integers(0, 256, (2, 3, 48, 48), np.uint8)
    features = read(tmp_path / "0.onnx", GRAPH)(crops)
    np.testing.assert_allclose(features, 1 + crops.mean(axis=(0, 2, 3)), rtol=1e-5)


def external(model):
    """Let the weights be in another file."""
    weight = model.graph.initializer[0]
    weight.data_location = onnx.TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="/etc/passwd")
    weight.ClearField("float_data")
    return model.SerializeToString()


def claim(model):
    """Let the weights have more numbers than are there."""
    model.graph.initializer[0].dims[0] = 2**40
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Conv(pixels, weight, bias)", "Expand(pixels, axes)", "it has the operator Expand"),
        ("Conv(pixels, weight, bias)", "com.other.Conv(pixels)", "the operator com.other"),
        ("Cast<to = 1>", "Cast<to = 999>", "is not an image network"),
        ("48, 48] crops", "h, w] crops", r"does not read \[1, 3, 48, 48\]"),
        ("(float[1, 3] features)", "(float[1, 4] features)", "is not an image network"),
        ("axes = {2, 3}", "axes = {1, 2}", "is not an image network"),
        # A few bytes that would take a terabyte, or years.
        ("Conv(", "Conv<pads = [250000, 250000, 250000, 250000]>(", "750,[0-9,]+ numbers by"),
        ("Conv(", "Conv<dilations = [-1, 1]>(", "is not an image network"),
    ],
)
def test_other_graphs_are_refused(tmp_path, old, new, problem):
    changed = GRAPH.replace(old, new)
    assert changed != GRAPH
    with pytest.raises(InputError, match=problem):
        read(tmp_path / "0.onnx", changed)


def test_many_products_are_refused(tmp_path, monkeypatch):
    products = 48 * 48 * 3 * 3  # of a pixel's three channels with three weights each
    monkeypatch.setattr(graphs, "MAX_PRODUCTS", products - 1)
    with pytest.raises(InputError, match=f"by {products:,} products"):
        read(tmp_path / "0.onnx", GRAPH)


@pytest.mark.parametrize(
    "content",
    [
        b"no graph",
        external(onnx.parser.parse_model(GRAPH)),
        claim(onnx.parser.parse_model(GRAPH)),
    ],
    ids=["text", "weights in another file", "more weights than there are"],
)
def test_other_files_are_refused(tmp_path, content):
    with pytest.raises(InputError, match=r"0\.onnx is not an image network"):
        read(tmp_path / "0.onnx", content)


def test_a_file_that_is_damaged_missing_or_too_large_is_refused(tmp_path):
    (tmp_path / "0.onnx").write_bytes(b"no graph")
    with (tmp_path / "large.onnx").open("wb") as file:
        file.truncate(graphs.MAX_BYTES + 1)
    for name, problem in {
        "0": r"0\.onnx is damaged, its checksum is not that in",
        "none": r"none\.onnx cannot be read \(No such file",
        "large": r"large\.onnx holds more than",
    }.items():
        with pytest.raises(InputError, match=problem):
            graphs.read(tmp_path / f"{name}.onnx", "0" * 64, STAND_IN.transform, 3)


def test_onnx_runtime_reports_nothing_to_its_makers(tmp_path):
    program = "from groundvec.features import graphs"
    environment = {key: value for key, value in os.environ.items() if "TELEMETRY" not in key}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not list(tmp_path.iterdir())  # nor does it keep a number that identifies this machine
