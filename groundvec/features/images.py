"""Pictures as the networks want them: upright, RGB, cut into crops."""

import hashlib
import io
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pillow_heif
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.ExifTags import Base

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import check_regular

if TYPE_CHECKING:
    from torch import Tensor

pillow_heif.register_heif_opener(thumbnails=False, depth_images=False)

# What is taken for a picture, whatever its name ends in. Pillow knows more, PostScript among them,
# which it hands to another program to be run.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF")
LONGEST = 20  # sides as 20:1; the smallest side is resized to 256, so the other is at most 5,120
LARGEST = 2 * (Image.MAX_IMAGE_PIXELS or 0)  # pixels: Pillow's limit, 179 million
BITS = (8, 10, 12, 14, 16, 24, 32)  # that cameras and scanners use of a pixel's 16 or 32
PNG_PIXELS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf"}  # chunks; others are metadata


def load(path: str | Path, sha256: str | None = None) -> Image.Image:
    """Read a picture as 8-bit RGB, turned as its EXIF orientation says.

    Greyscale and 16-bit, CMYK and palette pictures are converted; transparency becomes white; of
    several frames the first is taken. Other metadata does not matter, however damaged.

    Args:
        sha256: the file's checksum, if it must have one.

    Raises:
        InputError: it is missing, empty, damaged, not a picture in one of `FORMATS`, larger than
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
        return _decode(path, data)
    except InputError:
        raise
    except Image.DecompressionBombError:
        raise InputError(f"{path} has more than {LARGEST:,} pixels; make it smaller") from None
    except Exception as error:  # Pillow's decoders raise whatever a broken file led them to
        with suppress(Exception):
            return _without_metadata(path, data) if data[1:4] == b"PNG" else _ended(path, data)
        if isinstance(error, UnidentifiedImageError):
            known = ", ".join(FORMATS)
            raise InputError(f"{path} is not a picture ({known}); convert it") from None
        reason = " ".join(str(error).split())
        raise InputError(
            f"{path} cannot be decoded ({reason}); get it again, or save it again in a program "
            "that shows it"
        ) from None


def _decode(path: str | Path, data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of large pictures, and of damaged metadata
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if max(image.size) > LONGEST * min(image.size):
                size = "x".join(map(str, image.size))
                raise InputError(f"{path} is {size} pixels, longer than {LONGEST}:1; crop it")
            if image.mode == "F":
                raise InputError(
                    f"{path} has floating-point pixels, which have no fixed range; save it with 8 "
                    "or 16 bits"
                )
            orientation = _orientation(image)
            image.getexif = Image.Exif  # type: ignore[method-assign]  # Pillow would read all
            rgb = _rgb(image)
    rgb.info.clear()  # so that no metadata is there to be written back
    rgb.getexif()[Base.Orientation] = orientation
    return ImageOps.exif_transpose(rgb)


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(Base.Orientation, 1))
    except Exception:  # which one depends on where the damage is; the pixels' own comes up later
        return 1


def _without_metadata(path: str | Path, png: bytes) -> Image.Image:
    """Decode a PNG without its texts and profiles, which are too large or damaged."""
    kept, start = [png[:8]], 8
    while start < len(png):
        end = start + 12 + int.from_bytes(png[start : start + 4])
        if png[start + 4 : start + 8] in PNG_PIXELS:
            kept.append(png[start:end])
        start = end
    return _decode(path, b"".join(kept))


def _ended(path: str | Path, jpeg: bytes) -> Image.Image:
    """Decode a JPEG that lacks nothing but its end mark.

    If it lacked pixels, these would be made of the bytes that stand in for the rest. A progressive
    one may lack whole passes over the picture.
    """
    restarts = [bytes([0xFF, 0xD0 + number % 8]) for number in range(16)]
    one, *others = (
        _decode(path, jpeg.rstrip(b"\xff") + (100 * filler).join([b"", *restarts]) + b"\xff\xd9")
        for filler in (b"\0", b"\x55", b"\xaa", b"\xfe")
    )
    progressive = b"\xff\xc2" in jpeg
    if progressive or any(other.tobytes() != one.tobytes() for other in others):
        raise ValueError("more is missing")
    return one


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits; Pillow would clip the values at 255, not scale them
        values = np.asarray(image).clip(0)
        bits = next(bits for bits in BITS if int(values.max()) < 2**bits)
        scaled = np.rint(values / (2**bits - 1) * 255).astype(np.uint8)
        return Image.fromarray(scaled).convert("RGB")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        if not image.getchannel("A").getbbox():  # alpha that was never set: only the colours count
            return image.convert("RGB")
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
    cuts = [
        turned[:, row : row + crop, column : column + crop]
        for turned in (pixels, pixels.flip(-1))
        for row, column in corners
    ]
    return torch.stack(cuts)
