"""Pictures as the networks want them: upright, RGB, cut into crops."""

import hashlib
import io
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pillow_heif
from PIL import Image, ImageOps, TiffImagePlugin, UnidentifiedImageError
from PIL.ExifTags import Base

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import LARGEST_PICTURE, read_regular

if TYPE_CHECKING:
    from torch import Tensor

pillow_heif.register_heif_opener(thumbnails=False, depth_images=False)

# What is taken for a picture, whatever its name ends in. Pillow knows more, PostScript among them,
# which it hands to another program to be run.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF")
LONGEST = 20  # sides as 20:1; the smallest side is resized to 256, so the other is at most 5,120
LARGEST = 2 * (Image.MAX_IMAGE_PIXELS or 0)  # pixels: Pillow's limit, 179 million
BITS = (8, 10, 12, 14, 16, 24, 32)  # that cameras and scanners use of a pixel's 16 or 32
AGAIN = "get it again, or save it again in a program that shows it"
# TIFF's sample formats (TIFF 6.0, section 19; 5 and 6 in its technical notes).
NUMBERS = {
    1: "integers",
    2: "signed integers",
    3: "floating-point numbers",
    5: "complex integers",
    6: "complex numbers",
}
PNG_PIXELS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf"}  # chunks; others are metadata


class Unusable(InputError):
    """The content of a picture is wrong. Its bytes were read, and have the expected checksum.

    Any other error may pass: a drive that was away comes back.
    """


def load(path: str | Path, sha256: str | None = None) -> Image.Image:
    """Read a picture as 8-bit RGB, turned as its EXIF orientation says.

    Greyscale and 16-bit, CMYK and palette pictures are converted; transparency becomes white; of
    several frames the first is taken. Other metadata does not matter, however damaged.

    Args:
        sha256: the file's checksum, if it must have one.

    Raises:
        Unusable: it is empty, damaged, not a picture in one of `FORMATS`, larger than `LARGEST` or
            longer than 20:1.
        InputError: it is missing, cannot be read, is not the file that `sha256` is of, has more
            than `LARGEST_PICTURE` bytes, or does not fit into the memory.
    """
    try:
        if Path(path).stat().st_size > LARGEST_PICTURE:
            raise InputError(f"{path} has more than 2 GiB; save a smaller copy")
        data = read_regular(path, LARGEST_PICTURE)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; put it there") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); make it readable") from None
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path} has changed since the data set was made; start again")
    if not data:
        raise Unusable(f"{path} is empty (0 bytes); get it again")
    try:
        return _decode_damaged(path, data)
    except InputError:
        raise
    except Image.DecompressionBombError:
        raise Unusable(f"{path} has more than {LARGEST:,} pixels; make it smaller") from None
    except UnidentifiedImageError:
        raise Unusable(f"{path} {_unidentified(data)}") from None
    except Exception as error:  # Pillow's decoders raise whatever a broken file led them to
        reason = " ".join(str(error).split())
        if isinstance(error, MemoryError) or "memory" in reason:
            raise InputError(f"{path} does not fit into the memory; close programs") from None
        if isinstance(error, OSError) and error.errno:  # the system's; Pillow's own have no number
            raise InputError(f"{path} cannot be decoded now ({reason}); try again") from None
        raise Unusable(f"{path} cannot be decoded ({reason}); {AGAIN}") from None


def _decode_damaged(path: str | Path, data: bytes) -> Image.Image:
    """Decode a picture, if it must be without damaged metadata or a missing end mark."""
    try:
        return _decode(path, data)
    except (InputError, MemoryError, Image.DecompressionBombError):
        raise
    except Exception as error:
        try:
            return _without_metadata(path, data) if data[1:4] == b"PNG" else _ended(path, data)
        except MemoryError:
            raise
        except Exception:
            raise error from None


def _unidentified(data: bytes) -> str:
    """Say what is wrong with a file that no decoder of `FORMATS` knows."""
    forms = [form for form in FORMATS if (accepts := Image.OPEN[form][1]) and accepts(data[:16])]
    if not forms:
        return f"is not a picture ({', '.join(FORMATS)}); convert it"
    with suppress(Exception):  # of a TIFF whose tags are damaged, and of other formats
        header = data[: 16 if data[2] == 43 else 8]  # 43 for a BigTIFF
        tags = TiffImagePlugin.ImageFileDirectory_v2(header)
        file = io.BytesIO(data)
        file.seek(tags.next)
        tags.load(file)
        return _tiff(tags)
    return f"is a damaged or uncommon {forms[0]}; {AGAIN}"


def _tiff(tags: TiffImagePlugin.ImageFileDirectory_v2) -> str:
    """Say of a TIFF that Pillow does not read its numbers."""
    bits = tags[TiffImagePlugin.BITSPERSAMPLE]
    channels = f"{len(bits)} channels" if len(bits) > 1 else "1 channel"
    kind = NUMBERS[tags.get(TiffImagePlugin.SAMPLEFORMAT, (1,))[0]]
    return (
        f"is a TIFF with {channels} of {bits[0]}-bit {kind}, which cannot be read; convert it to "
        "8-bit RGB"
    )


def _misread(tags: TiffImagePlugin.ImageFileDirectory_v2) -> bool:
    """Return whether Pillow takes other numbers from a TIFF than it holds.

    It takes the lower byte of two if uncompressed channels follow each other, and signed bytes as
    if they were unsigned.
    """
    bits = tags.get(TiffImagePlugin.BITSPERSAMPLE, (1,))
    planes = tags.get(TiffImagePlugin.PLANAR_CONFIGURATION) == 2 and len(bits) > 1
    uncompressed = tags.get(TiffImagePlugin.COMPRESSION, 1) == 1
    signed = tags.get(TiffImagePlugin.SAMPLEFORMAT, (1,))[0] == 2
    return (bits[0] == 16 and planes and uncompressed) or (bits[0] == 8 and signed)


def _decode(path: str | Path, data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of large pictures, and of damaged metadata
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if max(image.size) > LONGEST * min(image.size):
                size = "x".join(map(str, image.size))
                raise Unusable(f"{path} is {size} pixels, longer than {LONGEST}:1; crop it")
            if isinstance(image, TiffImagePlugin.TiffImageFile) and _misread(image.tag_v2):
                raise Unusable(f"{path} {_tiff(image.tag_v2)}")
            if image.mode == "F":
                raise Unusable(
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
    kept = [png[:8]]
    start = 8
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
    top = round((height - crop) / 2)
    left = round((width - crop) / 2)
    if crops < 10:
        centre = pixels[:, top : top + crop, left : left + crop]
        return torch.stack([centre, centre.flip(-1)][:crops])
    bottom = height - crop
    right = width - crop
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (top, left)]
    cuts = [
        turned[:, row : row + crop, column : column + crop]
        for turned in (pixels, pixels.flip(-1))
        for row, column in corners
    ]
    return torch.stack(cuts)
