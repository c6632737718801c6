"""Turn a user's vectors into floating-point numbers of NumPy."""

from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError

# The limit of features: sums of squares of larger ones overflow float32, and vectors become 0.
MAX_FEATURE = 1e15


def as_array(values: Any, name: str) -> np.ndarray:
    """Return an array, a tensor of torch, a column of vectors or nested lists as one array.

    Args:
        values: the vectors.
        name: a name for them, for errors.

    Raises:
        InputError: they are a sparse matrix, or rows of different lengths.
    """
    if hasattr(values, "toarray"):
        raise InputError(f"{name} is a sparse matrix: pass {name}.toarray()")
    try:
        if isinstance(values, list | tuple):
            values = [_off_torch(row) for row in values]
        array = np.asarray(_off_torch(values))
        if array.dtype == object and array.ndim == 1:  # such as a column of a Parquet file
            array = np.asarray(array.tolist())
    except (ValueError, TypeError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} is no array ({reason}): pass numbers (N, size)") from None
    return array


def _off_torch(value: Any) -> Any:
    """Return a tensor, from any device and of any type, as an array; other values unchanged."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    if tensor.is_floating_point() and tensor.itemsize < 4:  # NumPy has no bfloat16
        tensor = tensor.float()
    return tensor.numpy()


def finite_floats(array: np.ndarray, name: str) -> np.ndarray:
    """Return numbers (N, size) or (N,) as floating-point numbers of at least 32 bits.

    Raises:
        InputError: a number is not finite.
    """
    array = array.astype(np.result_type(array.dtype, np.float32), copy=False)
    is_finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if not is_finite.all():
        raise InputError(
            f"{name}: row {is_finite.argmin()} (from 0) is not finite: correct the program "
            "that computes it, and write float32, since float16 ends at 65,504"
        )
    return array
