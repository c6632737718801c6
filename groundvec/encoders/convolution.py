"""Characters in, fewer vectors out, each of a few characters (Kim et al. 2016; Lee et al. 2017)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from groundvec.encoders.pooling import largest


class Convolution(nn.Module):
    """Convolutions of several widths -> ReLU -> the maximum of every few places -> a highway layer.

    A recurrent network after it has so many times fewer steps to go.
    """

    def __init__(self, embedding: int, channels: int, widths: Sequence[int], pool: int) -> None:
        """Build untrained layers.

        Args:
            embedding: of what they read.
            channels: of all widths together, a multiple of their number.
            widths: of the convolutions, in places.
            pool: how many places become one.
        """
        super().__init__()
        self.widths, self.pool = list(widths), pool
        self.layers = nn.ModuleList(
            nn.Conv1d(embedding, channels // len(widths), width) for width in widths
        )
        self.gate = nn.Linear(channels, channels)
        self.change = nn.Linear(channels, channels)
        nn.init.constant_(self.gate.bias, -2.0)  # at first most is carried on as it is

    def forward(self, vectors: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Read sentences of `lengths` (B,), their vectors (N, embedding) one after another.

        Returns:
            Their vectors (M, channels), and how many each has, the length / `pool` rounded up.
        """
        device, counts = vectors.device, -(-lengths // self.pool)
        # Between two sentences as many zeros as a convolution reaches over.
        sentence = torch.arange(len(lengths)).repeat_interleave(lengths)
        place = (torch.arange(len(vectors)) + max(self.widths) // 2 * sentence).to(device)
        apart = vectors.new_zeros(int(place[-1]) + 1, vectors.shape[1])
        apart = apart.index_copy(0, place, vectors).T
        maps = [
            layer(pad(apart, ((width - 1) // 2, width // 2))).relu()
            for layer, width in zip(self.layers, self.widths, strict=True)
        ]
        windows = torch.full((int(counts.sum()),), self.pool)
        windows[counts.cumsum(0) - 1] = lengths - self.pool * (counts - 1)  # each sentence's last
        pooled = largest(torch.cat(maps).T[place], windows.to(device))
        share = self.gate(pooled).sigmoid()
        return torch.lerp(pooled, self.change(pooled).relu(), share), counts
