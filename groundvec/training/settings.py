"""How to train: what the configuration says of it."""

from dataclasses import dataclass

from groundvec.errors import InputError


@dataclass(frozen=True)
class Settings:
    """How to train; the defaults are the paper's for Flickr8k (section 3.3)."""

    epochs: int = 32
    cycle: int = 4  # epochs of one learning rate cycle; a snapshot is taken at the end of each
    batch_size: int = 32
    margin: float = 0.2
    learning_rate_max: float = 1e-3
    learning_rate_min: float = 1e-6
    clip_image: float | None = 0.0025  # largest gradient norm of the image encoder; None: any
    clip_caption: float | None = 0.05  # and of the caption encoder

    def __post_init__(self) -> None:
        if self.epochs % self.cycle:
            raise InputError(
                f"epochs {self.epochs} is not a multiple of cycle {self.cycle}: snapshots are "
                "taken at the end of a cycle, so change one of the two in the configuration"
            )

    @property
    def snapshots(self) -> list[int]:
        """The epochs that end a cycle: the candidates of the ensemble."""
        return list(range(self.cycle, self.epochs + 1, self.cycle))

    @property
    def saved(self) -> list[int]:
        """The epochs whose weights are kept: snapshots, and a few early ones to plot."""
        early = {0, *(2**k for k in range(self.epochs.bit_length()))}
        return sorted(early | set(self.snapshots))
