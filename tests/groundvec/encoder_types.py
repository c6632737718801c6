"""Calls that a type checker accepts or reports; `make types` checks this file.

A line with `type: ignore` is one that mypy must report: it says so if it does not.
"""

from typing import assert_type

import numpy as np
from torch import Tensor

from groundvec import SentenceEncoder


def use(encoder: SentenceEncoder) -> None:
    """Use options by the names and defaults of sentence-transformers."""
    assert_type(encoder.encode("A dog."), np.ndarray)
    assert_type(encoder.encode_query(["A dog."], convert_to_tensor=True), Tensor)
    encoder.encode_document("A dog.", prompt=None, precision="float32", convert_to_numpy=True)
    encoder.encode("A dog.", precision="int8")  # type: ignore[call-overload]
    encoder.encode_query("A dog.", normalise_embeddings=True)  # type: ignore[call-overload]
    encoder.encode_document("A dog.", batchsize=32)  # type: ignore[call-overload]
