"""How what was read becomes a vector: a file an encoder, named as descriptions name it.

Each has a class `Encoder`, an `nn.Module`::

    Encoder(indices, size, **options)   for a text of so many indices, with vectors of this size
    encoder(*batch)                     (B, size), of what `Encoded.batch` gives as tensors: of
                                        sentences one after another, and their lengths

A vector depends on its sentence alone, not on what else is in the batch.
"""
