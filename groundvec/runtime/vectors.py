"""Vectors that somebody passed, as floating-point numbers of NumPy."""

from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError


def as_array(values: Any, name: str) -> np.ndarray:
    """Return an array, a tensor of torch, a column of vectors or nested lists as one array.

    Args:
        name: what to call the values in an error.

    Raises:
        InputError: they are a sparse matrix, or rows of different lengths.
    """
    if hasattr(values, "toarray"):
        raise InputError(f"{name} is a sparse matrix: give {name}.toarray()")
    try:
        if isinstance(values, list | tuple):
            values = [_off_torch(row) for row in values]
        array = np.asarray(_off_torch(values))
        if array.dtype == object and array.ndim == 1:  # such as a column of a Parquet file
            array = np.asarray(array.tolist())
    except (ValueError, TypeError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} is no array ({reason}): give numbers (N, size)") from None
    return array


def _off_torch(value: Any) -> Any:
    """Return a tensor, from any device and of any type, as an array; anything else as it is."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    if tensor.is_floating_point() and tensor.itemsize < 4:  # NumPy has no bfloat16
        tensor = tensor.float()
    return tensor.numpy()


def finite(array: np.ndarray, name: str) -> np.ndarray:
    """Return numbers (N, size) or (N,) as floating-point numbers, of 32 bits at least.

    Raises:
        InputError: a number is not finite.
    """
    array = array.astype(np.result_type(array.dtype, np.float32), copy=False)
    rows = np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if not rows.all():
        raise InputError(
            f"{name}: row {rows.argmin()} (from 0) is not finite: check what computes it, and "
            "write float32, since float16 ends at 65,504"
        )
    return array
