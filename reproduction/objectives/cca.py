"""Canonical correlation analysis in closed form (Socher et al. 2014, section 6).

It finds the directions of the highest correlation between images and captions. The paper's
baseline is kernel CCA, which equals CCA if its kernels are linear; the paper does not report its
kernel.
"""

from typing import Any

import numpy as np
import torch

from groundvec.data.split import Split
from groundvec.model.network import Model, to_tensors
from groundvec.runtime.errors import InputError

SENTENCES_PER_BATCH = 1_024


class Objective:
    """Correlated directions instead of a loss."""

    def __init__(self, shrinkage: float) -> None:
        """Set the shrinkage of the covariances, from 0 (CCA) to 1 (partial least squares)."""
        self.shrinkage = shrinkage

    @torch.inference_mode()
    def fit(self, model: Model, split: Split) -> None:
        """Set the last layers of both networks to the solution for the training set."""
        [(language, captions)] = split.captions.items()  # `needs: [one language]`
        encoder: Any = model.captions[model.name_of(language)]
        device = encoder.projection.weight.device
        size = len(encoder.projection.weight)
        inputs = []  # of the captions' last layer
        for start in range(0, len(captions.encoded), SENTENCES_PER_BATCH):
            end = min(start + SENTENCES_PER_BATCH, len(captions.encoded))
            batch = to_tensors(captions.encoded.batch(np.arange(start, end)), device)
            inputs.append(encoder.pooled(*batch).cpu().numpy())
        maps = self.solve(split.features[captions.image], np.concatenate(inputs), size)
        layers = (model.image.projection, encoder.projection)
        for layer, (matrix, bias) in zip(layers, maps, strict=True):
            layer.weight.copy_(torch.from_numpy(matrix))
            layer.bias.copy_(torch.from_numpy(bias))

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
