"""A caption encoder as one ONNX graph, which runs without Python, for example in a browser.

Its inputs and its output are:

- `indices`: (batch, longest) int64, with 0 after the end of shorter sentences. For encoders of
  words of n-grams (batch, longest, n-grams), with 0 after shorter words and sentences.
- `lengths`: (batch,) int64, in words for encoders of words of n-grams.
- `vectors`, the output: (batch, size) float32.

The file's metadata has, as JSON under `groundvec`, all that turns a sentence into indices: the
`text` of `language`, the substitutions of `cleaning` (`groundvec.data.cleaning.clean`), the
`substitutions` that separate the punctuation of raw sentences from words, and the `description` of
the model.

Each encoder that can be exported has a module of its name here, with a function::

    embedded(encoder)   a part of a graph (`graph.Part`) that computes `embedded` (batch, size) from
                        `indices`, `lengths` and the values of `COMMON`
"""

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from onnx import ModelProto, compose, helper, numpy_helper, parser

from groundvec.config import parts
from groundvec.data import cleaning
from groundvec.export.onnx.graph import FLOAT, Part, Weights, at_end
from groundvec.model.network import Model
from groundvec.model.weights import to_int8
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_bytes
from groundvec.text.punctuation import substitutions

PRECISIONS = ("float32", "float16", "int8")

# Values that several encoders need. No symbol has the index 0, which is padding. `lowest` is near
# the smallest float32: outside the sentence, it never wins a maximum and gets no attention.
COMMON = """
    padding = Constant<value = int64 {0}>()
    lowest = Constant<value_float = -3.4e38>()
    time = Constant<value = int64[1] {1}>()
    last_axis = Constant<value = int64[1] {-1}>()
    inside_rows = Greater(indices, padding)
    inside = Unsqueeze(inside_rows, last_axis)
"""


def export(
    models: Sequence[Model],
    path: str | Path,
    language: str | None = None,
    precision: str = "float32",
) -> None:
    """Write the caption encoder of an ensemble, or of one snapshot.

    Args:
        models: the snapshots.
        path: the file, such as model.onnx.
        language: the language of the sentences; by default the models' first.
        precision: of the weights in the file, one of `PRECISIONS`; all arithmetic is float32.

    Raises:
        InputError: an unknown language or precision; the encoder cannot be exported.
    """
    if precision not in PRECISIONS:
        raise InputError(f"there is no precision {precision!r}: choose {', '.join(PRECISIONS)}")
    description = models[0].description
    texts = models[0].texts
    language = models[0].language(language)
    snapshots = [_snapshot(model, language) for model in models]
    graph = _ensemble(snapshots, models[0], precision)
    # The counts of the vocabulary are not needed to look symbols up.
    text = {key: value for key, value in texts[language].as_dict().items() if key != "counts"}
    metadata = {
        "description": description,
        "language": language,
        "text": text,
        "cleaning": cleaning.SUBSTITUTIONS,
        "substitutions": substitutions(description["text"]),
    }
    helper.set_model_props(graph, {"groundvec": json.dumps(metadata, ensure_ascii=False)})
    write_bytes(path, graph.SerializeToString())


def _ensemble(snapshots: Sequence[Part], model: Model, precision: str) -> ModelProto:
    """Join snapshots in one graph: their vectors are averaged, as in `groundvec.similarity.join`.

    All snapshots read the same inputs. The names of each one's values get a prefix.
    """
    reads_ngrams = "words of n-grams" in parts.provided("text", model.description["text"])
    axes = "batch, longest, ngrams" if reads_ngrams else "batch, longest"
    inputs = f"(int64[{axes}] indices, int64[batch] lengths)"
    head = f"encoder {inputs} => (float[batch, {model.size}] vectors)"
    prefixes = [f"snapshot{number}_" for number in range(1, len(snapshots) + 1)]
    joined = f"joined = Mean({', '.join(f'{prefix}vectors' for prefix in prefixes)})\n"
    joined += at_end("joined", "vectors", model.similarity)
    whole = parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> {head} {{ {joined} }}')
    # ONNX wants nodes after the nodes that they read: move the last nodes behind the snapshots'.
    last_nodes = list(whole.graph.node)
    del whole.graph.node[:]
    for prefix, (lines, weights) in zip(prefixes, snapshots, strict=True):
        to_float32, stored = store(weights, precision)
        graph = parser.parse_graph(f"{head} {{ {to_float32} {lines} }}")
        for name, value in stored.items():
            graph.initializer.append(numpy_helper.from_array(value, name))
        compose.add_prefix_graph(graph, prefix, rename_inputs=False, inplace=True)
        whole.graph.node.extend(graph.node)
        whole.graph.initializer.extend(graph.initializer)
    whole.graph.node.extend(last_nodes)
    return whole


def _snapshot(model: Model, language: str) -> Part:
    """Write one snapshot's `vectors` as lines of a graph, with its weights.

    Raises:
        InputError: the encoder has no module here.
    """
    name = model.description["encoder"]["name"]
    exported = parts.exported()
    if name not in exported:
        raise InputError(f"the encoder {name} cannot become ONNX: only {', '.join(exported)} can")
    module = import_module(parts.module("export/onnx", name))
    lines, weights = module.embedded(model.captions[model.name_of(language)])
    return COMMON + lines + at_end("embedded", "vectors", model.similarity), weights


def store(weights: Weights, precision: str) -> Part:
    """Convert weights to a precision, and write the lines that convert them back to float32.

    In int8, each row of a matrix has a scale: its largest number is 127 or -127. Biases, integers
    and, in float16, arrays with a number beyond its range are stored as they are.
    """
    lines = ""
    stored = {}
    for name, value in weights.items():
        exact = {
            "float32": True,
            "float16": np.abs(value).max(initial=0) > np.finfo(np.float16).max,
            "int8": name.endswith("bias"),
        }
        if value.dtype.kind == "i" or exact[precision]:
            stored[name] = value
        elif precision == "float16":
            stored[f"{name}_half"] = value.astype(np.float16)
            lines += f"{name} = Cast<to = {FLOAT}>({name}_half)\n"
        else:
            stored[f"{name}_int8"], stored[f"{name}_scale"] = to_int8(value)
            lines += f"{name}_whole = Cast<to = {FLOAT}>({name}_int8)\n"
            lines += f"{name} = Mul({name}_whole, {name}_scale)\n"
    return lines, stored
