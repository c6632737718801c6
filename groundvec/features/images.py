"""Pictures as the networks want them: upright, RGB, cut into crops."""

import hashlib
import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from groundvec.errors import InputError
from groundvec.files import check_regular

if TYPE_CHECKING:
    from torch import Tensor

# What is taken for a picture, whatever its name ends in. Pillow knows more, PostScript among them,
# which it hands to another program to be run.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")
LONGEST = 20  # sides as 20:1; the smallest side is resized to 256, so the other is at most 5,120
LARGEST = 2 * (Image.MAX_IMAGE_PIXELS or 0)  # pixels: Pillow's limit, 179 million


def load(path: str | Path, sha256: str | None = None) -> Image.Image:
    """Read a picture as 8-bit RGB, turned as its EXIF orientation says.

    Greyscale and 16-bit, CMYK and palette pictures are converted; transparency becomes white; of
    several frames the first is taken.

    Args:
        sha256: the file's checksum, if it must have one.

    Raises:
        InputError: if it is missing, empty, damaged, not a picture in one of `FORMATS`, larger than
            `LARGEST` or longer than 20:1, or not the file that `sha256` is of.
    """
    check_regular(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; put it there") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); make it readable") from None
    if not data:
        raise InputError(f"{path} is empty (0 bytes); get it again")
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path} has changed since the data set was made; start again")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        with image:
            if max(image.size) > LONGEST * min(image.size):
                size = "x".join(map(str, image.size))
                raise InputError(f"{path} is {size} pixels, longer than {LONGEST}:1; crop it")
            if image.mode == "F":
                raise InputError(
                    f"{path} has floating-point pixels, which have no fixed range; save it with 8 "
                    "or 16 bits"
                )
            return _rgb(ImageOps.exif_transpose(image))
    except InputError:
        raise
    except Image.DecompressionBombError:
        raise InputError(f"{path} has more than {LARGEST:,} pixels; make it smaller") from None
    except UnidentifiedImageError:
        raise InputError(f"{path} is not a picture ({', '.join(FORMATS)}); convert it") from None
    except Exception as error:  # Pillow's decoders raise whatever a broken file led them to
        reason = " ".join(str(error).split())
        raise InputError(f"{path} cannot be decoded ({reason}); get it again") from None


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits; Pillow would clip the values at 255, not scale them
        grey = np.rint(np.asarray(image).clip(0, 65535) / 257).astype(np.uint8)
        return Image.fromarray(grey).convert("RGB")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def cut(
    image: Image.Image, resize: int, crop: int, interpolation: str = "bilinear", crops: int = 10
) -> "Tensor":
    """Resize the smallest side to `resize` and cut the corners and the centre, also mirrored.

    Args:
        crops: 10 are all of these, in the order of torchvision's `TenCrop`; 2, the centre and its
            mirror image; 1, the centre.

    Returns:
        (crops, 3, crop, crop) uint8.
    """
    import torch  # here, because figures and pages load pictures without it

    # As torchvision does it, whose import takes two seconds; the tests compare the two.
    width, height = (int(resize * side / min(image.size)) for side in image.size)
    resampled = image.resize((width, height), Image.Resampling[interpolation.upper()])
    pixels = torch.from_numpy(np.array(resampled)).permute(2, 0, 1)
    top, left = round((height - crop) / 2), round((width - crop) / 2)
    if crops < 10:
        centre = pixels[:, top : top + crop, left : left + crop]
        return torch.stack([centre, centre.flip(-1)][:crops])
    bottom, right = height - crop, width - crop
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (top, left)]
    return torch.stack(
        [
            turned[:, row : row + crop, column : column + crop]
            for turned in (pixels, pixels.flip(-1))
            for row, column in corners
        ]
    )
