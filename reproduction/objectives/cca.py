"""Canonical correlation analysis, which is solved at once (Socher et al. 2014, section 6).

The directions in which images and captions are most correlated. The paper's baseline is kernel CCA,
which with linear kernels is the same; it does not say which kernel its tables have.
"""

from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError


class Objective:
    """Correlated directions instead of a loss."""

    def __init__(self, shrinkage: float) -> None:
        """Set the shrinkage of the covariances, from 0 (CCA) to 1 (partial least squares)."""
        self.shrinkage = shrinkage

    def solve(
        self, images: np.ndarray, captions: np.ndarray, size: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Compute the linear maps of images and of captions: weights (size, width) and a bias each.

        Args:
            images: (M, width).
            captions: (M, dimension), each in the row of its image.
            size: the number of directions.

        Raises:
            InputError: images or captions have fewer directions.
        """
        from cca_zoo.linear import RidgeCCA  # here, because its import takes seconds

        views: list[Any] = [images.astype(np.float64), captions.astype(np.float64)]
        weights = RidgeCCA(size, shrinkage=self.shrinkage).fit(views).weights_
        if (found := weights[0].shape[1]) < size:
            raise InputError(f"cca finds {found} directions and not {size}: make `size` smaller")
        return [
            (own.T.astype(np.float32), (-view.mean(axis=0) @ own).astype(np.float32))
            for view, own in zip(views, weights, strict=True)
        ]
