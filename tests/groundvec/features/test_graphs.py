"""Image networks as ONNX graphs."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

from groundvec.features import graphs
from tests.support.features import STAND_IN
from tests.support.refusals import refused
from tests.support.tables import cells

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


def parsed(text):
    """Parse a graph, and store its weights as exports do."""
    model = onnx.parser.parse_model(text)
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
    return model


def read(path, graph):
    """Write a graph, as text or bytes, and read it as a model's."""
    if isinstance(graph, str):
        graph = parsed(graph).SerializeToString()
    path.write_bytes(graph)
    return graphs.read(path, hashlib.sha256(graph).hexdigest(), STAND_IN.transform, 3)


def test_the_features_are_the_mean_over_crops(tmp_path):
    crops = np.random.default_rng(0).integers(0, 256, (2, 3, 48, 48), np.uint8)
    features = read(tmp_path / "0.onnx", GRAPH)(crops)
    np.testing.assert_allclose(features, 1 + crops.mean(axis=(0, 2, 3)), rtol=1e-5)


def changed(change):
    """Return the serialized graph after a function changed its message."""
    model = parsed(GRAPH)
    change(model)
    return model.SerializeToString()


def add_constant(model):
    """Add an attribute whose tensor is in another file of the machine."""
    attribute = model.graph.node[0].attribute.add(name="value", type="TENSOR")
    attribute.t.external_data.add(key="location", value="/etc/passwd")


def claim(model):
    """Let the shape of the weights claim more numbers than the file has."""
    model.graph.initializer[0].dims[0] = 2**40


@pytest.mark.parametrize(
    "old, new, problem",
    cells(r"""
    Conv(pixels, weight, bias) | Expand(pixels, axes) | it has the operator Expand
    Conv(pixels, weight, bias) | com.other.Conv(pixels) | the operator com.other
    Cast<to = 1>         | Cast<to = 999>       | is not an image network
    48, 48] crops        | h, w] crops          | it has dim_param in a Dimension
    48, 48] crops        | 48, 47] crops        | does not read \[1, 3, 48, 48\]
    48] crops            | 48] crops, float[1] other | does not read \[1, 3, 48, 48\]
    (float[1, 3] features) | (float[1, 4] features) | is not an image network
    axes = {2, 3}        | axes = {1, 2}        | is not an image network
    pixels =             | of64 = Cast<to = 11>(crops) pixels = | of64 has no known size, or is no
    float[3] bias = {1, 1, 1} | double[3] bias = {1, 1, 1} | bias has numbers of another
    Conv(                | Conv<pads = [1000, 1000, 1000, 1000]>( | 67,[0-9,]+ numbers by
    Conv(                | Conv<dilations = [-1, 1]>( | is not an image network
    """),
)
def test_other_graphs_are_refused(tmp_path, capfd, old, new, problem):
    changed_text = GRAPH.replace(old, new)
    assert changed_text != GRAPH
    with refused(problem):
        read(tmp_path / "0.onnx", changed_text)
    assert not capfd.readouterr().err  # ONNX Runtime prints its errors as well


def test_many_operations_are_refused(tmp_path, monkeypatch):
    places = 48 * 48 * 3
    # The cast reads and writes all places. The convolution reads them, nine weights and three
    # biases, adds to each the products of three channels, and the mean reads them and two axes.
    operations = 2 * places + (places + 9 + 3 + 4 * places) + (places + 2 + 3)
    monkeypatch.setattr(graphs, "MAX_OPERATIONS", operations)
    read(tmp_path / "0.onnx", GRAPH)
    monkeypatch.setattr(graphs, "MAX_OPERATIONS", operations - 1)
    with refused(f"by {operations:,} operations"):
        read(tmp_path / "0.onnx", GRAPH)


@pytest.mark.parametrize(
    "content, problem",
    [
        (b"no graph", "is not an image network"),
        (changed(claim), "is not an image network"),
        # A function of the name of an operator takes its place.
        (changed(lambda model: model.functions.add(name="Add")), "functions in a ModelProto"),
        (changed(lambda model: model.training_info.add()), "training_info in a ModelProto"),
        (changed(lambda model: model.graph.sparse_initializer.add()), "sparse_initializer in a"),
        (changed(add_constant), "it has t in a AttributeProto"),
        (
            changed(lambda model: model.graph.initializer[0].external_data.add(key="location")),
            "it has external_data in a TensorProto",
        ),
        (  # a node of empty attributes
            b"\x3a\x85\x80\x80\x01\x0a\x80\x80\x80\x01" + 2**20 * b"\x2a\x00",
            "it has more than 2,048 nodes, attributes and",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, content, problem):
    with refused(problem):
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
        with refused(problem):
            graphs.read(tmp_path / f"{name}.onnx", "0" * 64, STAND_IN.transform, 3)


def test_onnx_runtime_reports_nothing_to_its_makers(tmp_path):
    program = "from groundvec.features import graphs"
    environment = {key: value for key, value in os.environ.items() if "TELEMETRY" not in key}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not list(tmp_path.iterdir())  # nor does it keep a number that identifies this machine
