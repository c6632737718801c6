"""A caption encoder as one ONNX graph, which runs where there is no Python: in a browser, say.

It reads `indices` (batch, longest), int64, with 0 at the right of shorter sentences, and `lengths`
(batch,), int64; it gives `vectors` (batch, size), float32. How a sentence becomes indices stands in
the file's metadata, as JSON under `groundvec`: the `text` of `language`, the `substitutions` that
set the punctuation of raw sentences apart, and the `description` of the model.

The operators are explained at https://onnx.ai/onnx/operators.
"""

import json
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import cast

import numpy as np
from onnx import ModelProto, TensorProto, compose, helper, numpy_helper, parser
from torch import Tensor, nn

from groundvec.encoders import bag, rnn
from groundvec.encoders.convolution import Convolution
from groundvec.errors import InputError
from groundvec.files import write_bytes
from groundvec.model import Model
from groundvec.spelling import FACTOR, LENGTHS, MODULUS, Spelling
from groundvec.text.encoded import PADDING
from groundvec.text.punctuation import substitutions

PRECISIONS = ("float32", "float16", "int8")
FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32  # numbers, as `Cast` names them
Weights = dict[str, np.ndarray]
Part = tuple[str, Weights]  # some lines of a graph, and the weights that they name

# Where torch has the gates that ONNX wants: of a GRU update, reset and new, of an LSTM input,
# output, forget and cell.
GATES = {"gru": [1, 0, 2], "lstm": [0, 3, 1, 2]}

# What several poolings need. A sentence has no index 0, which stands for padding.
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
    description, texts = models[0].description, models[0].texts
    language = models[0].language(language)
    model = _ensemble([snapshot(each, language) for each in models], models[0], precision)
    text = {key: value for key, value in texts[language].as_dict().items() if key != "counts"}
    about = {
        "description": description,
        "language": language,
        "text": text,
        "substitutions": substitutions(description["text"]),
    }
    helper.set_model_props(model, {"groundvec": json.dumps(about, ensure_ascii=False)})
    write_bytes(path, model.SerializeToString())


def _ensemble(snapshots: Sequence[Part], model: Model, precision: str) -> ModelProto:
    """Snapshots side by side, and their vectors joined as `groundvec.similarity.join` does it."""
    size = model.size
    inputs = "(int64[batch, longest] indices, int64[batch] lengths)"
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
    """One snapshot's `vectors`, as lines of a graph, and its weights.

    Raises:
        InputError: the encoder is neither a recurrent network nor a bag.
    """
    encoder = model.captions[model.name_of(language)]
    if isinstance(encoder, rnn.Encoder):
        lines, weights = recurrent(encoder)
    elif isinstance(encoder, bag.Encoder):
        lines, weights = mean(encoder)
    else:
        name = model.description["encoder"]["name"]
        raise InputError(f"the encoder {name} cannot become ONNX: only rnn and bag can")
    projected = "pooled"
    if isinstance(encoder.projection, nn.Linear):
        projected = "projected"
        lines += linear("projection", "pooled", projected)
        weights |= weights_of("projection", encoder.projection)
    if getattr(encoder, "append_state", False):
        lines += f"""
            {at_end("projected", "first_part", "cosine")}
            {at_end("pooled", "second_part", "cosine")}
            parts = Concat<axis = 1>(first_part, second_part)
        """
        projected = "parts"
    if language not in model.spelling:
        return COMMON + lines + at_end(projected, "vectors", model.similarity), weights
    spelling = cast(Spelling, model.spelling[language])
    of_letters, more = spelt(spelling)
    meant = "meant"
    lines += at_end(projected, meant, model.similarity) + of_letters
    if spelling.learned:
        meant = "meant_by_both"
        lines += f"""
            learned_columns = Transpose<perm = [1, 0]>(learned_weight)
            learned = MatMul(spelt, learned_columns)
            {at_end("learned", "meant_by_letters", model.similarity)}
            both = Add(meant, meant_by_letters)
            {at_end("both", meant, model.similarity)}
        """
        more |= weights_of("learned", spelling.learned)
    lines += f"""
        beside = Concat<axis = 1>({meant}, spelt)
        {at_end("beside", "vectors", model.similarity)}
    """
    return COMMON + lines, weights | more


def recurrent(encoder: rnn.Encoder) -> Part:
    """The `pooled` states of a GRU or LSTM."""
    network = encoder.rnn
    cell = "lstm" if isinstance(network, nn.LSTM) else "gru"
    direction = "bidirectional" if network.bidirectional else "forward"
    options = f'hidden_size = {network.hidden_size}, direction = "{direction}"'
    if cell == "gru":
        options += ", linear_before_reset = 1"  # as torch has it
    lines = "vectors_of_indices = Gather(embedding, indices)\n"
    weights = {"embedding": array(encoder.embedding.weight)} | gates(network, GATES[cell])
    read, lengths, inside = "vectors_of_indices", "lengths", "inside"
    if encoder.convolution:
        of_convolution, more = convolved(encoder.convolution)
        lines, weights = lines + of_convolution, weights | more
        weights["embedding"] = weights["embedding"].copy()
        weights["embedding"][PADDING] = 0  # as if nothing stood there
        read, lengths, inside = "read", "fewer", "inside_fewer"
    lines += f"""
        steps = Transpose<perm = [1, 0, 2]>({read})
        counts = Cast<to = {INT32}>({lengths})
        by_step, ends = {cell.upper()}<{options}>(steps, of_input, of_hidden, rnn_bias, counts)
        by_sentence = Transpose<perm = [2, 0, 1, 3]>(by_step)
        directions_together = Constant<value = int64[3] {{0, 0, -1}}>()
        states = Reshape(by_sentence, directions_together)
    """
    if isinstance(encoder.pooling, rnn.LastState):
        lines += """
            ends_by_sentence = Transpose<perm = [1, 0, 2]>(ends)
            ends_together = Constant<value = int64[2] {0, -1}>()
            pooled = Reshape(ends_by_sentence, ends_together)
        """
    elif isinstance(encoder.pooling, rnn.MaxPooling):
        lines += f"""
            candidates = Where({inside}, states, lowest)
            pooled = ReduceMax<axes = [1], keepdims = 0>(candidates)
        """
    else:
        attention = cast(rnn.Attention, encoder.pooling)
        lines += f"""
            {linear("hidden", "states", "hidden")}
            bent = Tanh(hidden)
            {linear("out", "bent", "scores")}
            scores_inside = Where({inside}, scores, lowest)
            shares = Softmax<axis = 1>(scores_inside)
            weighted = Mul(shares, states)
            pooled = ReduceSum<keepdims = 0>(weighted, time)
        """
        weights |= weights_of("hidden", attention.hidden) | weights_of("out", attention.out)
    return lines, weights


def convolved(convolution: Convolution) -> Part:
    """What `groundvec.encoders.convolution` makes of vectors: `read`, and how many are `fewer`."""
    lines = "by_channel = Transpose<perm = [0, 2, 1]>(vectors_of_indices)\n"
    weights: Weights = {}
    maps = []
    for i, (layer, width) in enumerate(zip(convolution.layers, convolution.widths, strict=True)):
        weights |= weights_of(f"width{i}", layer)
        lines += f"""
            map{i} = Conv<pads = [{(width - 1) // 2}, {width // 2}]>
                (by_channel, width{i}_weight, width{i}_bias)
        """
        maps.append(f"map{i}")
    pool = convolution.pool
    lines += f"""
        maps = Concat<axis = 1>({", ".join(maps)})
        positive = Relu(maps)
        inside_channels = Transpose<perm = [0, 2, 1]>(inside)
        zero = Constant<value_float = 0.0>()
        maps_inside = Where(inside_channels, positive, zero)
        largest = MaxPool<kernel_shape = [{pool}], strides = [{pool}], ceil_mode = 1>(maps_inside)
        carried = Transpose<perm = [0, 2, 1]>(largest)
        {linear("gate", "carried", "gate")}
        {linear("change", "carried", "change")}
        share = Sigmoid(gate)
        changed = Relu(change)
        difference = Sub(changed, carried)
        replaced = Mul(share, difference)
        read = Add(carried, replaced)
        less_one = Constant<value = int64 {{{pool - 1}}}>()
        pool = Constant<value = int64 {{{pool}}}>()
        rounded_up = Add(lengths, less_one)
        fewer = Div(rounded_up, pool)
        first = Constant<value = int64 {{0}}>()
        step = Constant<value = int64 {{1}}>()
        shape_read = Shape<start = 1, end = 2>(read)
        places_read = Squeeze(shape_read)
        places = Range(first, places_read, step)
        fewer_rows = Unsqueeze(fewer, last_axis)
        inside_places = Less(places, fewer_rows)
        inside_fewer = Unsqueeze(inside_places, last_axis)
    """
    for name in ("gate", "change"):
        weights |= weights_of(name, getattr(convolution, name))
    return lines, weights


def mean(encoder: bag.Encoder) -> Part:
    """The mean of the vectors of a sentence's indices, `pooled`.

    With `idf`, their weighted sum, scaled.
    """
    if encoder.idf is not None:
        width = encoder.embedding.embedding_dim
        lines = f"""
            vectors_of_indices = Gather(embedding, indices)
            nothing = Constant<value_float = 0.0>()
            weights_of_indices = Gather(idf, indices)
            weights_inside = Where(inside_rows, weights_of_indices, nothing)
            weights_columns = Unsqueeze(weights_inside, last_axis)
            weighted = Mul(vectors_of_indices, weights_columns)
            sums = ReduceSum<keepdims = 0>(weighted, time)
            {at_end("sums", "state", "cosine")}
            scale = Constant<value_float = {sqrt(width)}>()
            pooled = Mul(state, scale)
        """
        return lines, {"embedding": array(encoder.embedding.weight), "idf": array(encoder.idf)}
    lines = f"""
        vectors_of_indices = Gather(embedding, indices)
        nothing = Constant<value_float = 0.0>()
        vectors_inside = Where(inside, vectors_of_indices, nothing)
        sums = ReduceSum<keepdims = 0>(vectors_inside, time)
        counts_rows = Cast<to = {FLOAT}>(lengths)
        counts = Unsqueeze(counts_rows, last_axis)
        pooled = Div(sums, counts)
    """
    return lines, {"embedding": array(encoder.embedding.weight)}


def spelt(spelling: Spelling) -> Part:
    """What `groundvec.spelling` says of a sentence, `spelt`; padding is spaces to it."""
    constants = {"factor": FACTOR, "modulus": MODULUS, "size": len(spelling.rarity)}
    lines = "".join(f"{key} = Constant<value = int64 {{{n}}}>()\n" for key, n in constants.items())
    lines += f"""
        space = Constant<value = int64 {{{spelling.space}}}>()
        around = Constant<value = int64[4] {{0, 1, 0, 1}}>()
        letters = Gather(letter_of, indices)
        spaced = Pad(letters, around, space)
        nothing_yet = Constant<value = int64[1] {{0}}>()
    """
    for n in LENGTHS:
        hashed, inner = "nothing_yet", []
        for i in range(n):
            here = f"n{n}_{i}"
            end = 2**31 if i == n - 1 else i + 1 - n
            lines += f"""
                {here}_first = Constant<value = int64[1] {{{i}}}>()
                {here}_end = Constant<value = int64[1] {{{end}}}>()
                {here} = Slice(spaced, {here}_first, {here}_end, time)
                {here}_times = Mul({hashed}, factor)
                {here}_sum = Add({here}_times, {here})
                {here}_hash = Mod({here}_sum, modulus)
            """
            hashed = f"{here}_hash"
            if 0 < i < n - 1:
                lines += f"{here}_space = Equal({here}, space)\n"
                inner.append(f"{here}_space")
        cut = inner[0]
        for other in inner[1:]:
            lines += f"{cut}_or = Or({cut}, {other})\n"
            cut += "_or"
        lines += f"""
            n{n}_bucket = Mod({hashed}, size)
            n{n}_buckets = Where({cut}, size, n{n}_bucket)
        """
    lines += f"""
        buckets = Concat<axis = 1>({", ".join(f"n{n}_buckets" for n in LENGTHS)})
        shape_of_buckets = Shape(buckets)
        once = ConstantOfShape<value = float[1] {{1.0}}>(shape_of_buckets)
        sentences = Shape<start = 0, end = 1>(buckets)
        one_more = Constant<value = int64[1] {{{len(spelling.rarity) + 1}}}>()
        shape_of_counts = Concat<axis = 0>(sentences, one_more)
        zeros = ConstantOfShape<value = float[1] {{0.0}}>(shape_of_counts)
        with_last = ScatterElements<axis = 1, reduction = "add">(zeros, buckets, once)
        all = Constant<value = int64[1] {{{len(spelling.rarity)}}}>()
        counts_of_buckets = Slice(with_last, nothing_yet, all, time)
        rare = Mul(counts_of_buckets, rarity)
        {at_end("rare", "spelt", "cosine")}
    """
    return lines, {"letter_of": np.array(spelling.letters), "rarity": array(spelling.rarity)}


def linear(name: str, source: str, result: str) -> str:
    """Lines for a layer of torch's, whose weights are (out, in)."""
    return f"""
        {name}_columns = Transpose<perm = [1, 0]>({name}_weight)
        {name}_product = MatMul({source}, {name}_columns)
        {result} = Add({name}_product, {name}_bias)
    """


def weights_of(name: str, layer: nn.Module) -> Weights:
    """What `linear` names, or a convolution."""
    return {f"{name}_{key}": array(value) for key, value in layer.named_parameters()}


def gates(network: nn.GRU | nn.LSTM, order: list[int]) -> Weights:
    """The weights of an RNN, direction by direction, with the gates in ONNX's order."""

    def reordered(name: str) -> np.ndarray:
        value = array(getattr(network, name))
        return value.reshape(len(order), network.hidden_size, -1)[order].reshape(value.shape)

    def stacked(*names: str) -> np.ndarray:
        directions = ("", "_reverse")[: 1 + network.bidirectional]
        return np.stack(
            [np.concatenate([reordered(name + end) for name in names]) for end in directions]
        )

    return {
        "of_input": stacked("weight_ih_l0"),
        "of_hidden": stacked("weight_hh_l0"),
        "rnn_bias": stacked("bias_ih_l0", "bias_hh_l0"),
    }


def at_end(source: str, result: str, similarity: str) -> str:
    """A line that does what `groundvec.similarity.embed` does."""
    operator = "LpNormalization" if similarity == "cosine" else "Identity"
    return f"{result} = {operator}({source})\n"


def store(weights: Weights, precision: str) -> Part:
    """Lines that make float32 of the weights as they stand in the file, and these.

    In int8 each row of a matrix has a scale, by which its largest number is 127 or -127; biases
    are kept as they are.
    """
    lines, stored = "", {}
    for name, value in weights.items():
        whole = value.dtype.kind == "i"
        if whole or precision == "float32" or (precision == "int8" and name.endswith("bias")):
            stored[name] = value
        elif precision == "float16":
            stored[f"{name}_half"] = value.astype(np.float16)
            lines += f"{name} = Cast<to = {FLOAT}>({name}_half)\n"
        else:
            scale = np.abs(value).max(axis=-1, keepdims=True).clip(1e-30) / 127
            stored |= {
                f"{name}_int8": np.rint(value / scale).astype(np.int8),
                f"{name}_scale": scale,
            }
            lines += f"{name}_whole = Cast<to = {FLOAT}>({name}_int8)\n"
            lines += f"{name} = Mul({name}_whole, {name}_scale)\n"
    return lines, stored


def array(value: Tensor) -> np.ndarray:
    """A weight as NumPy has it."""
    result: np.ndarray = value.detach().cpu().numpy()
    return result
