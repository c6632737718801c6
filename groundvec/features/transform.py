"""The preprocessing of images for a network."""

from dataclasses import dataclass

from groundvec.runtime.errors import InputError


@dataclass(frozen=True)
class Transform:
    """The preprocessing that a network's weights expect: image size and normalization."""

    resize: int  # the smaller side, in pixels
    crop: int  # in pixels
    mean: tuple[float, ...]  # per channel, of values from 0 to 1
    std: tuple[float, ...]
    interpolation: str

    def __post_init__(self) -> None:
        if self.crop > self.resize:
            raise InputError(f"crops of {self.crop} pixels are larger than images of {self.resize}")
