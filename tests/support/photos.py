"""Small photos."""

import io
from pathlib import Path

import numpy as np
from PIL import Image


def photo(width: int, height: int, seed: int = 0) -> Image.Image:
    """Smooth colors with some grain, as in a photograph."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(0, 256, (6, 8, 3), np.uint8))
    smooth = np.asarray(small.resize((width, height), Image.Resampling.BICUBIC), float)
    grain = rng.normal(0, 6, smooth.shape)
    return Image.fromarray((smooth + grain).clip(0, 255).astype(np.uint8))


def jpeg(**options) -> bytes:
    buffer = io.BytesIO()
    photo(60, 40).save(buffer, "jpeg", **options)
    return buffer.getvalue()


def write_photos(folder: Path, *names: str) -> Path:
    """Write pictures of noise into a folder, and return it."""
    rng = np.random.default_rng(0)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8)).save(path)
    return folder
