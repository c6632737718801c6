"""How what was read becomes a vector: a file an encoder, named as descriptions name it.

Each has a class `Encoder`, an `nn.Module`::

    Encoder(text, size, **options)   for what this text gives, with vectors of this size
    encoder(*batch)                  (B, size), of what the text's `batch` gives as tensors: what
                                     sentences one after another have, and their lengths; texts
                                     such as trees say more

A vector depends on its sentence alone, not on what else is in the batch.
"""
