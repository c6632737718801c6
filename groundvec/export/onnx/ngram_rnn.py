"""A bag of character n-grams and a GRU over words in ONNX (`groundvec.encoders.ngram_rnn`)."""

from math import sqrt

from groundvec.encoders.ngram_rnn import Encoder
from groundvec.export.onnx.graph import Part, array, at_end, by_idf, joined, linear
from groundvec.export.onnx.rnn import pooling, recurrent


def embedded(encoder: Encoder) -> Part:
    """Compute the `embedded` sentences.

    The sum of all n-grams (`state`) and the GRU's states over the words' n-grams (`pooled`) have a
    linear layer each, whose results are added.
    """
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
        linear("of_state", encoder.of_state, "state", "from_state"),
        linear("of_order", encoder.of_order, "pooled", "from_order"),
    ]
    if not encoder.append_state:
        return joined(*parts, "embedded = Add(from_state, from_order)\n")
    last = f"""
        projected = Add(from_state, from_order)
        {at_end("projected", "first_part", "cosine")}
        embedded = Concat<axis = 1>(first_part, unit_state)
    """
    return joined(*parts, last)
