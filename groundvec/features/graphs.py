"""Image networks as ONNX graphs, which ONNX Runtime computes on a CPU without torch.

A graph reads one crop `crops` (1, 3, crop, crop) uint8 and computes `features` (1, width) float32.
It takes half the time of torch or less, with the same numbers (docs/performance.md).
"""

import hashlib
import math
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_regular

# ONNX Runtime (1.31) reports its use to its makers, unless this is set before it is imported. A
# search sends nothing.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

if TYPE_CHECKING:
    from torch import nn

    from groundvec.features.transform import Transform

INPUT = "crops"
OUTPUT = "features"
OPSET = 18
# Convolutions with at least as many weights are rounded. Nine tenths of EfficientNet-Lite1's
# weights are in them. Rounding the small ones, too, doubles the error of the features.
LARGE = 2**15
# Bounds of graphs from anywhere. EfficientNet-Lite2 has 6.1 MB in 8 bits, in 832 messages (nodes,
# attributes, weights), and computes 31 million numbers by 860 million products.
MAX_BYTES = 6_500_000  # up to 0.6 GB when they are parsed: empty messages take 2 bytes in the file
MAX_MESSAGES = 2**11  # ONNX Runtime takes a minute for 60,000 nodes
# Numbers of all values together, 256 MiB. No order of the nodes has more of them in memory at a
# time; the order in the file would not bound it, as ONNX Runtime chooses its own.
MAX_NUMBERS = 2**26
MAX_OPERATIONS = 2**33
# Operators of EfficientNet-Lite. None has a graph inside or reads a file.
OPERATORS = {
    "Add",
    "Cast",
    "Clip",
    "Concat",
    "Conv",
    "DequantizeLinear",
    "Div",
    "GlobalAveragePool",
    "Mul",
    "ReduceMean",
    "Reshape",
    "Sqrt",
    "Sub",
}
# The fields that `rounded` writes, by the type of their message. All others are refused wherever
# they are: functions, graphs and tensors of attributes, sparse weights, weights in other files.
FIELDS = {
    "ModelProto": {"ir_version", "producer_name", "producer_version", "opset_import", "graph"},
    "OperatorSetIdProto": {"domain", "version"},
    "GraphProto": {"name", "doc_string", "node", "initializer", "input", "output"},
    "NodeProto": {"name", "domain", "op_type", "input", "output", "attribute"},
    "AttributeProto": {"name", "type", "f", "i", "s", "ints"},
    "TensorProto": {"name", "dims", "data_type", "raw_data"},
    "ValueInfoProto": {"name", "type"},
    "TypeProto": {"tensor_type"},
    "Tensor": {"elem_type", "shape"},
    "TensorShapeProto": {"dim"},
    "Dimension": {"dim_value"},
}
WEIGHTS = {TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT64}  # INT64: axes and shapes


class Graph:
    """A network that ONNX Runtime computes; several threads may call it at a time."""

    def __init__(self, graph: bytes) -> None:
        """Load a graph of `export` or `rounded`; `read` loads one that may come from anywhere."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # images are computed side by side, one on each core
        options.log_severity_level = 4  # errors are raised, and not printed as well
        # Rounded weights become floating-point numbers once, and not for each image.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        self.session = onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, crops: np.ndarray) -> np.ndarray:
        """Compute features (width,) float32 of crops (crops, 3, crop, crop) uint8, their mean."""
        # One crop at a time: the activations of a batch would not fit in the processor's cache.
        features = [self.session.run([OUTPUT], {INPUT: crop[None]})[0][0] for crop in crops]
        mean: np.ndarray = np.mean(features, axis=0)
        return mean


def export(network: "nn.Module", transform: "Transform") -> bytes:
    """Export a network from torch, after the normalization that its weights expect."""
    import torch

    from groundvec.features.networks import FromPixels

    crops = torch.zeros(1, 3, transform.crop, transform.crop, dtype=torch.uint8)
    fastpath = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # an operator of its own, which ONNX lacks
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            torch.inference_mode(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # the newer exporter (`dynamo`) takes a minute
            file = Path(folder, "network.onnx")
            torch.onnx.export(
                FromPixels(network, transform).eval(),
                (crops,),
                file,
                dynamo=False,
                input_names=[INPUT],
                output_names=[OUTPUT],
                opset_version=OPSET,
            )
            return file.read_bytes()
    finally:
        torch.backends.mha.set_fastpath_enabled(fastpath)


def rounded(graph: bytes) -> bytes:
    """Simplify an exported graph, and round the weights of its large convolutions to 8 bits.

    Each output channel has a scale of its own, as in `groundvec.model.weights.to_int8`.
    """
    model = onnx.load_from_string(_simplified(graph))
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    weights = {node.input[1] for node in model.graph.node if node.op_type == "Conv"}
    nodes = []
    for name in sorted(weights & initializers.keys()):
        values = numpy_helper.to_array(initializers[name])
        if values.size < LARGE:
            continue
        largest: np.ndarray = np.abs(values).max(axis=(1, 2, 3))
        # No division by 0 where all weights of a channel are 0.
        scale = (largest / np.float32(127)).clip(np.finfo(np.float32).tiny)
        codes = np.rint(values / scale[:, None, None, None]).astype(np.int8)
        model.graph.initializer.remove(initializers[name])
        model.graph.initializer.append(numpy_helper.from_array(codes, f"{name}.codes"))
        model.graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
        nodes.append(
            helper.make_node("DequantizeLinear", [f"{name}.codes", f"{name}.scale"], [name], axis=0)
        )
    nodes += model.graph.node  # a node comes after those that it reads
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.opset_import[:]  # ONNX Runtime lists all that it knows
    model.opset_import.append(helper.make_opsetid("", OPSET))
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def _simplified(graph: bytes) -> bytes:
    """Let ONNX Runtime compute the constants of a graph, such as paddings."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 4  # errors are raised, and not printed as well
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "simplified.onnx"))
        onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        return Path(options.optimized_model_filepath).read_bytes()


def read(path: Path, sha256: str, transform: "Transform", width: int) -> Graph:
    """Load a graph that may come from anywhere, after its memory and time are known to be bounded.

    It has standard operators alone (`OPERATORS`) and all its weights inside. Each of its values has
    a size that follows from the size of the crops.

    Args:
        sha256: the file's expected checksum.

    Raises:
        InputError: it is missing, has another checksum, or is not such a graph for these crops.
    """
    try:
        graph = read_regular(path, MAX_BYTES)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}): copy the model again"
        ) from None
    if hashlib.sha256(graph).hexdigest() != sha256:
        raise InputError(
            f"{path} is damaged, its checksum is not that in model.json: copy the model again"
        )
    try:
        network = Graph(_checked(graph, [1, 3, transform.crop, transform.crop], [1, width]))
        # Some mistakes, such as channels that do not fit, show only when it computes.
        network(np.zeros((1, 3, transform.crop, transform.crop), np.uint8))
        return network
    except Exception as error:  # of many types: both libraries have errors of their own
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{path} is not an image network for this model ({reason}): copy the model again"
        ) from None


def _checked(graph: bytes, input_shape: list[int], output_shape: list[int]) -> bytes:
    """Raise an error if a graph is not as `read` describes; return the message that was checked."""
    model = onnx.load_from_string(graph)
    for number, message in enumerate(_messages(model)):
        if number == MAX_MESSAGES:
            raise ValueError(f"it has more than {MAX_MESSAGES:,} nodes, attributes and weights")
        kind = message.DESCRIPTOR.name
        for field, _ in message.ListFields():
            if field.name not in FIELDS.get(kind, ()):
                raise ValueError(f"it has {field.name} in a {kind}")
    # Fields that this version of ONNX does not know might mean something to ONNX Runtime.
    model.DiscardUnknownFields()
    nodes = model.graph.node
    operators = {f"{node.domain}{node.op_type}" for node in nodes}
    if not operators <= OPERATORS:
        raise ValueError(f"it has the operator {min(operators - OPERATORS)}")
    onnx.checker.check_model(model)
    shapes: dict[str, Sequence[int]] = {}
    for tensor in model.graph.initializer:
        if tensor.data_type not in WEIGHTS:
            raise ValueError(f"{tensor.name} has numbers of another type")
        shapes[tensor.name] = numpy_helper.to_array(tensor).shape
    # Sizes are inferred, and not taken from what the graph declares.
    inferred = shape_inference.infer_shapes(model, strict_mode=True).graph
    for value in [*inferred.input, *inferred.value_info, *inferred.output]:
        kind = value.type.tensor_type
        expected_type = TensorProto.UINT8 if value.name == INPUT else TensorProto.FLOAT
        if kind.elem_type == expected_type and kind.HasField("shape"):
            shapes[value.name] = [dimension.dim_value for dimension in kind.shape.dim]
    ends = [[value.name for value in values] for values in (inferred.input, inferred.output)]
    is_alike = shapes.get(INPUT) == input_shape and shapes.get(OUTPUT) == output_shape
    if ends != [[INPUT], [OUTPUT]] or not is_alike:
        raise ValueError(f"it does not read {input_shape}, or does not compute {output_shape}")
    numbers = 0
    operations = 0
    for node in nodes:
        for name in node.output:
            shape = shapes.get(name, [0])
            if min(shape, default=1) < 1:
                raise ValueError(f"{name} has no known size, or is not float32")
            size = math.prod(shape)
            # ONNX Runtime may compute a convolution's channels in blocks of 16.
            numbers += max(size, 16 * math.prod([*shape[:1], *shape[2:]]))
            operations += size
            if node.op_type == "Conv":
                operations += size * math.prod(shapes[node.input[1]][1:])
        operations += sum(math.prod(shapes[name]) for name in node.input if name)
    if numbers > MAX_NUMBERS or operations > MAX_OPERATIONS:
        raise ValueError(f"it computes {numbers:,} numbers by {operations:,} operations")
    return model.SerializeToString(deterministic=True)


def _messages(message: Any) -> Iterator[Any]:
    """Yield a message, and then those inside it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                yield from _messages(inner)
