"""The origin of image features: a block of columns for each network."""

from dataclasses import dataclass

from groundvec.features.transform import Transform


@dataclass(frozen=True)
class Block:
    """The columns of one network's features, and how they were computed."""

    backbone: str = "precomputed"
    weights: str = ""
    weights_sha256: str = ""
    transform: Transform | None = None
    precision: str = "float32"
    crops: int = 10
    factor: float = 1.0  # by which they are multiplied (`groundvec.features.concatenation`)
    width: int = 0  # 0 if it is unknown
