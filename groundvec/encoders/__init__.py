"""From a text to a vector: one module per encoder, and the YAML file of its options beside it.

Each module has a class `Encoder`, an `nn.Module`::

    Encoder(text, size, **options)   for this text, with vectors of this size
    encoder(*batch)                  (B, size) vectors of a batch of the text, as tensors: indices
                                     (N,) of sentences one after another, and lengths (B,); texts
                                     such as trees have more

A vector depends on its sentence alone, not on the rest of its batch.

An encoder that ends in a linear layer, and says so (`provides: [a linear layer]`), lets objectives
compute the weights of that layer, with::

    encoder.projection               the `nn.Linear`
    encoder.pooled(*batch)           (B, width), the input of that layer

An encoder that weights n-grams by rarity, or centers vectors, has `encoder.fit_idf(captions)`, of a
list of encoded training captions: those of each language. An encoder that can become ONNX has a
module of its name in `groundvec/export/onnx/`, and one that needs no torch in use, in
`groundvec/numpy_backend/`.
"""
