"""Image networks in torch: from crops of images to features."""

import numpy as np
import torch
from torch import nn

from groundvec.features.transform import Transform

HALF = {"float16": torch.float16, "bfloat16": torch.bfloat16}


class Stages(nn.Module):
    """The features of an EfficientNet-Lite, then of each of its stages.

    A stage is a run of blocks with the same number of channels. Its features are the mean and the
    standard deviation of each channel of its last block. The first stages have color and texture,
    which the last one has lost.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network
        self.outputs: list[torch.Tensor] = []
        blocks = list(network.get_submodule("_blocks").children())
        channels = [block.get_submodule("_project_conv").out_channels for block in blocks]
        next_channels = [*channels[1:], None]
        for block, count, next_count in zip(blocks, channels, next_channels, strict=True):
            if count != next_count:  # the last block of a stage
                block.register_forward_hook(self.record)

    def record(self, _module: nn.Module, _inputs: object, activations: torch.Tensor) -> None:
        """Record the mean and the standard deviation of each channel of (n, channels, h, w)."""
        deviation, mean = torch.std_mean(activations.float(), dim=(2, 3), correction=0)
        self.outputs += [mean, deviation]

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Compute features (n, width) of pixels (n, 3, crop, crop), normalized."""
        self.outputs.clear()
        last = self.network(pixels).float()
        return torch.cat([last, *self.outputs], dim=1)


class FromPixels(nn.Module):
    """A network after the normalization that its weights expect."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, network: nn.Module, transform: Transform) -> None:
        super().__init__()
        self.network = network
        # Per channel, for pixels from 0 to 255.
        self.register_buffer("mean", 255 * torch.tensor(transform.mean).view(3, 1, 1))
        self.register_buffer("std", 255 * torch.tensor(transform.std).view(3, 1, 1))

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Compute features (n, width) float32 of crops (n, 3, crop, crop) uint8."""
        pixels = (crops.to(torch.float32) - self.mean) / self.std
        features: torch.Tensor = self.network(pixels).float()
        return features


class InTorch:
    """A network on a device, for batches of images."""

    def __init__(
        self, network: nn.Module, transform: Transform, device: str, precision: str
    ) -> None:
        self.device = torch.device(device)
        self.half = HALF.get(precision)
        # Convolutions are faster where the channels of a pixel are next to each other.
        network = FromPixels(network, transform).to(memory_format=torch.channels_last)
        self.network = network.to(self.device)

    @torch.inference_mode()
    def __call__(self, crops: np.ndarray) -> np.ndarray:
        """Compute features (n, width) float32 of crops (n, crops, 3, crop, crop), their mean."""
        images, count = crops.shape[:2]
        batch = torch.from_numpy(crops).flatten(0, 1)
        if self.device.type == "cuda":
            batch = batch.pin_memory()
        batch = batch.to(self.device, non_blocking=True, memory_format=torch.channels_last)
        with torch.autocast(self.device.type, self.half, enabled=self.half is not None):
            activations = self.network(batch)
        features: np.ndarray = activations.unflatten(0, (images, count)).mean(1).cpu().numpy()
        return features
