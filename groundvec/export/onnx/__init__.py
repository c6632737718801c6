"""A caption encoder as one ONNX graph, which runs where there is no Python: in a browser, say.

It reads `indices` (batch, longest), int64, with 0 at the right of shorter sentences, and `lengths`
(batch,), int64; it gives `vectors` (batch, size), float32. How a sentence becomes indices stands in
the file's metadata, as JSON under `groundvec`: the `text` of `language`, the substitutions of
`cleaning` (`groundvec.data.cleaning.clean`), those that set the punctuation of raw sentences apart,
`substitutions`, and the `description` of the model.

For each encoder that can be exported there is a module of its name here, with a function::

    embedded(encoder)   a part of a graph (`graph.Part`) that computes `embedded` (batch, size) of
                        `indices`, `lengths` and what `COMMON` has

Of words of n-grams, `indices` are (batch, longest, n-grams), with 0 behind shorter words and
sentences; `lengths` are in words.
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

# What several encoders need. A sentence has no index 0, which stands for padding.
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
        language: whose sentences it reads; the models' first if none is named.
        precision: of the weights in the file, one of `PRECISIONS`; all arithmetic is float32.

    Raises:
        InputError: there is no such language or precision; the encoder cannot be exported.
    """
    if precision not in PRECISIONS:
        raise InputError(f"there is no precision {precision!r}: choose {', '.join(PRECISIONS)}")
    description = models[0].description
    texts = models[0].texts
    language = models[0].language(language)
    model = _ensemble([snapshot(each, language) for each in models], models[0], precision)
    text = {key: value for key, value in texts[language].as_dict().items() if key != "counts"}
    about = {
        "description": description,
        "language": language,
        "text": text,
        "cleaning": cleaning.SUBSTITUTIONS,
        "substitutions": substitutions(description["text"]),
    }
    helper.set_model_props(model, {"groundvec": json.dumps(about, ensure_ascii=False)})
    write_bytes(path, model.SerializeToString())


def _ensemble(snapshots: Sequence[Part], model: Model, precision: str) -> ModelProto:
    """Snapshots side by side, and their vectors joined like by `groundvec.similarity.join`."""
    size = model.size
    of_words = "words of n-grams" in parts.provided("text", model.description["text"])
    axes = "batch, longest, ngrams" if of_words else "batch, longest"
    inputs = f"(int64[{axes}] indices, int64[batch] lengths)"
    head = f"encoder {inputs} => (float[batch, {size}] vectors)"
    names = [f"snapshot{number}_" for number in range(1, len(snapshots) + 1)]
    joined = f"joined = Mean({', '.join(f'{name}vectors' for name in names)})\n"
    joined += at_end("joined", "vectors", model.similarity)
    whole = parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> {head} {{ {joined} }}')
    ends = list(whole.graph.node)
    del whole.graph.node[:]
    for name, (lines, weights) in zip(names, snapshots, strict=True):
        to_float32, stored = store(weights, precision)
        graph = parser.parse_graph(f"{head} {{ {to_float32} {lines} }}")
        graph.initializer.extend(numpy_helper.from_array(*item[::-1]) for item in stored.items())
        compose.add_prefix_graph(graph, name, rename_inputs=False, inplace=True)
        whole.graph.node.extend(graph.node)
        whole.graph.initializer.extend(graph.initializer)
    whole.graph.node.extend(ends)
    return whole


def snapshot(model: Model, language: str) -> Part:
    """Write one snapshot's `vectors` as lines of a graph, with its weights.

    Raises:
        InputError: there is no module for the encoder.
    """
    name = model.description["encoder"]["name"]
    if name not in (known := parts.exported()):
        raise InputError(f"the encoder {name} cannot become ONNX: only {', '.join(known)} can")
    module = import_module(parts.module("export/onnx", name))
    lines, weights = module.embedded(model.captions[model.name_of(language)])
    return COMMON + lines + at_end("embedded", "vectors", model.similarity), weights


def store(weights: Weights, precision: str) -> Part:
    """Write lines that make float32 of the stored weights.

    In int8 each row of a matrix has a scale, by which its largest number is 127 or -127; biases are
    kept.
    """
    lines = ""
    stored = {}
    for name, value in weights.items():
        whole = value.dtype.kind == "i"
        if whole or precision == "float32" or (precision == "int8" and name.endswith("bias")):
            stored[name] = value
        elif precision == "float16":
            stored[f"{name}_half"] = value.astype(np.float16)
            lines += f"{name} = Cast<to = {FLOAT}>({name}_half)\n"
        else:
            stored[f"{name}_int8"], stored[f"{name}_scale"] = to_int8(value)
            lines += f"{name}_whole = Cast<to = {FLOAT}>({name}_int8)\n"
            lines += f"{name} = Mul({name}_whole, {name}_scale)\n"
    return lines, stored
