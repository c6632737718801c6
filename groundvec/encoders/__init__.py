"""Encoders, from a text to a vector: one module each, next to the YAML file of its options.

Each module has a class `Encoder`, an `nn.Module`::

    Encoder(text, size, **options)   for a text (`groundvec.text`), with vectors of this size
    encoder(*batch)                  (B, size) vectors of a batch of the text, as tensors: indices
                                     (N,) of sentences one after another, and lengths (B,); some
                                     texts have more. Only the first is on the model's device

A vector depends on its sentence alone, not on the rest of its batch.

An encoder that ends in a linear layer declares `provides: [a linear layer]` in its YAML file.
Objectives may then compute the weights of that layer, with::

    encoder.projection               the `nn.Linear`
    encoder.pooled(*batch)           (B, width), the input of that layer

An encoder that weights n-grams by their rarity has `encoder.fit_idf(captions)`, where captions is a
list with the encoded training captions of each language. For export to ONNX, an encoder has a
module of its name in `groundvec/export/onnx/`; to run without torch, one in
`groundvec/numpy_backend/`.
"""
