"""A bag of n-grams and a GRU over words in ONNX (`groundvec.encoders.ngram_rnn`)."""

from math import sqrt

from groundvec.encoders.ngram_rnn import Encoder
from groundvec.export.onnx.graph import Part, array, at_end, by_idf, joined, linear
from groundvec.export.onnx.rnn import pooling, recurrent


def embedded(encoder: Encoder) -> Part:
    """Compute the `embedded` sentences."""
    weights = {"embedding": array(encoder.embedding.weight), "idf": array(encoder.idf)}
    lines = f"""
        {by_idf("weighted_ngrams")}
        ngram_axis = Constant<value = int64[1] {{2}}>()
        words = ReduceSum<keepdims = 0>(weighted_ngrams, ngram_axis)
        sum_of_words = ReduceSum<keepdims = 0>(words, time)
        scale = Constant<value_float = {sqrt(encoder.embedding.embedding_dim)}>()
        {at_end("sum_of_words", "unit_state", "cosine")}
        state = Mul(unit_state, scale)
        {at_end("words", "unit_words", "cosine")}
        read = Mul(unit_words, scale)
        first_ngram = Constant<value = int64 {{0}}>()
        first_indices = Gather<axis = 2>(indices, first_ngram)
        inside_sentence = Greater(first_indices, padding)
        inside_words = Unsqueeze(inside_sentence, last_axis)
    """
    parts = [
        (lines, weights),
        recurrent(encoder.rnn, "read"),
        pooling(encoder.pooling, "inside_words"),
        linear("of_state", encoder.of_state, "state", "said_by_state"),
        linear("of_order", encoder.of_order, "pooled", "said_by_order"),
    ]
    beside = ["unit_state"] if encoder.append_state else []
    if encoder.counts:
        beside.append("unit_counts")
        parts.append((counted(encoder.counts), {}))
    if not beside:
        return joined(*parts, "embedded = Add(said_by_state, said_by_order)\n")
    last = f"""
        projected = Add(said_by_state, said_by_order)
        {at_end("projected", "first_part", "cosine")}
        embedded = Concat<axis = 1>(first_part, {", ".join(beside)})
    """
    return joined(*parts, last)


def counted(size: int) -> str:
    """Write lines for the n-grams' `unit_counts`, hashed once more."""
    return f"""
        size = Constant<value = int64 {{{size}}}>()
        hashed = Mod(indices, size)
        sentences_and_all = Constant<value = int64[2] {{0, -1}}>()
        hashed_rows = Reshape(hashed, sentences_and_all)
        weights_rows = Reshape(weights_inside, sentences_and_all)
        sentences = Shape<end = 1>(indices)
        one_row = Constant<value = int64[1] {{{size}}}>()
        shape_of_counts = Concat<axis = 0>(sentences, one_row)
        none = ConstantOfShape<value = float[1] {{0.0}}>(shape_of_counts)
        counted = ScatterElements<axis = 1, reduction = "add">(none, hashed_rows, weights_rows)
        {at_end("counted", "unit_counts", "cosine")}
    """
