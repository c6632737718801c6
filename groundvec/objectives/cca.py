"""Canonical correlation analysis, which is solved at once (Socher et al. 2014, section 6).

The directions in which images and captions are most correlated. The paper's baseline is kernel CCA
with linear kernels, which is the same.
"""

from typing import Any

import numpy as np


def solve(
    images: np.ndarray, captions: np.ndarray, size: int, shrinkage: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The linear maps of images and of captions: of each the weights (size, width) and the bias.

    Args:
        images: (M, width) what they have to map; row i belongs to row i of the captions.
        captions: (M, dimension).
        size: the number of directions.
        shrinkage: of the covariances towards the identity, from 0 (CCA) to 1 (partial least
            squares).
    """
    from cca_zoo.linear import RidgeCCA  # here, because its import takes seconds

    views: list[Any] = [images.astype(np.float64), captions.astype(np.float64)]
    weights = RidgeCCA(size, shrinkage=shrinkage).fit(views).weights_
    return [
        (own.T.astype(np.float32), (-view.mean(axis=0) @ own).astype(np.float32))
        for view, own in zip(views, weights, strict=True)
    ]
