"""Canonical correlation analysis in closed form (Socher et al. 2014, section 6).

It finds the directions of the highest correlation between images and captions. The paper's
baseline is kernel CCA, which equals CCA if its kernels are linear; the paper does not report its
kernel.
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
        """Compute a linear map of images and one of captions: weights (size, width) and a bias.

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
        directions = weights[0].shape[1]
        if directions < size:
            raise InputError(
                f"cca finds {directions} directions and not {size}: make `size` smaller"
            )
        maps = []
        for view, view_weights in zip(views, weights, strict=True):
            # CCA assumes centered views; the bias subtracts the projected mean.
            bias = -view.mean(axis=0) @ view_weights
            maps.append((view_weights.T.astype(np.float32), bias.astype(np.float32)))
        return maps
