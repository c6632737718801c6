"""Pictures as the networks want them: upright, RGB, cut into ten crops."""

from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps, UnidentifiedImageError
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F

from grounded.errors import InputError

LONGEST = 20  # sides as 20:1; the smallest side is resized to 256, so the other is at most 5,120


def load(path: str | Path) -> Image.Image:
    """Read a picture as 8-bit RGB, turned as its EXIF orientation says.

    Greyscale and 16-bit, CMYK and palette pictures are converted; transparency becomes white.

    Raises:
        InputError: if it is missing, empty, damaged, not a picture, or longer than 20:1.
    """
    try:
        if Path(path).stat().st_size == 0:
            raise InputError(f"{path} is empty (0 bytes); get it again")
        with Image.open(path) as image:
            if max(image.size) > LONGEST * min(image.size):
                size = "x".join(map(str, image.size))
                raise InputError(f"{path} is {size} pixels, longer than {LONGEST}:1; crop it")
            return _rgb(ImageOps.exif_transpose(image))
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; put it there") from None
    except UnidentifiedImageError:
        raise InputError(f"{path} is not a picture in a format that Pillow knows") from None
    except Exception as error:  # Pillow's decoders raise whatever a broken file led them to
        raise InputError(f"{path} cannot be decoded ({error}); get it again") from None


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits; Pillow would clip the values at 255, not scale them
        grey = np.rint(np.asarray(image).clip(0, 65535) / 257).astype(np.uint8)
        return Image.fromarray(grey).convert("RGB")
    if image.mode == "F":
        raise ValueError("floating-point pixels have no fixed range; save it with 8 or 16 bits")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def ten_crops(
    image: Image.Image, resize: int, crop: int, interpolation: str = "bilinear"
) -> torch.Tensor:
    """Resize the smallest side to `resize` and cut the corners and the centre, also mirrored.

    Returns:
        (10, 3, crop, crop) uint8, in the order of torchvision's `TenCrop`.
    """
    resized = F.resize(image, [resize], InterpolationMode(interpolation))
    return torch.stack(F.ten_crop(F.pil_to_tensor(resized), [crop, crop]))
