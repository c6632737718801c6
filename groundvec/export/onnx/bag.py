"""A bag of embeddings in ONNX (`groundvec.encoders.bag`)."""

from math import sqrt

from groundvec.encoders.bag import Encoder
from groundvec.export.onnx.graph import FLOAT, Part, array, at_end, by_idf, joined, linear


def embedded(encoder: Encoder) -> Part:
    """Compute the `embedded` sentences."""
    projection = encoder.projection
    if not encoder.append_state:
        return joined(pooled(encoder), linear("projection", projection, "pooled", "embedded"))
    # The projected vector is followed by the pooled one, each at unit length.
    return joined(
        pooled(encoder),
        linear("projection", projection, "pooled", "projected"),
        at_end("projected", "first_part", "cosine"),
        at_end("pooled", "second_part", "cosine"),
        "embedded = Concat<axis = 1>(first_part, second_part)\n",
    )


def pooled(encoder: Encoder) -> Part:
    """Compute the `pooled` mean of a sentence's vectors; with `idf`, their scaled sum."""
    weights = {"embedding": array(encoder.embedding.weight)}
    if encoder.idf is not None:
        # A sum at unit length, times sqrt(d): then its numbers have a mean square of 1.
        lines = f"""
            {by_idf("weighted")}
            sums = ReduceSum<keepdims = 0>(weighted, time)
            {at_end("sums", "state", "cosine")}
            scale = Constant<value_float = {sqrt(encoder.embedding.embedding_dim)}>()
            pooled = Mul(state, scale)
        """
        return lines, weights | {"idf": array(encoder.idf)}
    lines = f"""
        vectors_of_indices = Gather(embedding, indices)
        nothing = Constant<value_float = 0.0>()
        vectors_inside = Where(inside, vectors_of_indices, nothing)
        sums = ReduceSum<keepdims = 0>(vectors_inside, time)
        counts_rows = Cast<to = {FLOAT}>(lengths)
        counts = Unsqueeze(counts_rows, last_axis)
        pooled = Div(sums, counts)
    """
    return lines, weights
