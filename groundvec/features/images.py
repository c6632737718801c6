"""Decoding of images for networks: upright, RGB, cut into crops."""

import hashlib
import io
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pillow_heif
from PIL import Image, ImageOps, PngImagePlugin, TiffImagePlugin, UnidentifiedImageError
from PIL.ExifTags import Base

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import LARGEST_PICTURE, read_regular

pillow_heif.register_heif_opener(thumbnails=False, depth_images=False)
# Bytes of a text or profile in a PNG. Some programs write more than Pillow's limit, a megabyte.
PngImagePlugin.MAX_TEXT_CHUNK = 2**26

# Formats that are decoded, whatever a file's extension. Pillow has more, such as PostScript, which
# it hands to another program that executes it.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF")
MAX_RATIO = 20  # of the sides: the smaller is resized to 256 pixels, so the other has at most 5,120
MAX_PIXELS = 2 * (Image.MAX_IMAGE_PIXELS or 0)  # Pillow's limit, 179 million
KEPT = 1024  # pixels of the smaller side that are kept; networks read 600 or fewer
STRIP = 64  # rows of a reduced image that are converted at a time
# Images of more pixels are decoded one at a time, whatever the number of threads: a decoder and
# Pillow hold up to 8 bytes of each.
LARGE = 2**24
BITS = (8, 10, 12, 14, 16, 24, 32)  # that cameras and scanners use of a pixel's 16 or 32 bits
_one_large_image = threading.Lock()
AGAIN = "copy it again, or save it again in a program that shows it"


class Unusable(InputError):
    """The content of an image is wrong. Its bytes were read, and have the expected checksum.

    Other errors may be temporary, such as a drive that is not connected.
    """


def load(path: str | Path, sha256: str | None = None) -> Image.Image:
    """Decode an image as 8-bit RGB, rotated by its EXIF orientation.

    Grayscale and 16-bit, CMYK and palette images are converted; transparency becomes white; the
    first of several frames is used. Other metadata is ignored, even if it is damaged. A large image
    is reduced by a whole number, so that its smaller side keeps `KEPT` pixels or more.

    Args:
        sha256: the file's expected checksum.

    Raises:
        Unusable: it is empty, damaged, not in one of `FORMATS`, larger than `MAX_PIXELS`, or longer
            than 20:1.
        InputError: it is missing, cannot be read, has another checksum or more than
            `LARGEST_PICTURE` bytes, or does not fit in memory.
    """
    try:
        data = read_regular(path, LARGEST_PICTURE)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; put it there") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); make it readable") from None
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path} has changed since the data set was made; start again")
    if not data:
        raise Unusable(f"{path} is empty (0 bytes); copy it again")
    try:
        return _decode_unended(path, data)
    except InputError:
        raise
    except Image.DecompressionBombError:
        raise Unusable(f"{path} has more than {MAX_PIXELS:,} pixels; make it smaller") from None
    except UnidentifiedImageError:
        formats = ", ".join(FORMATS)
        raise Unusable(
            f"{path} is not a picture ({formats}), or is damaged; convert it or copy it again"
        ) from None
    except Exception as error:  # of many types: Pillow's decoders do not check everything
        reason = " ".join(str(error).split())
        if isinstance(error, MemoryError) or "memory" in reason:
            raise InputError(f"{path} does not fit into the memory; close programs") from None
        if isinstance(error, OSError) and error.errno:  # the system's: Pillow's have no number
            raise InputError(f"{path} cannot be decoded now ({reason}); try again") from None
        raise Unusable(f"{path} cannot be decoded ({reason}); {AGAIN}") from None


def _decode_unended(path: str | Path, data: bytes) -> Image.Image:
    """Decode an image, also a JPEG that lacks nothing but its end mark.

    To see that no pixels are missing, such a JPEG is decoded with several fillers in place of the
    end. Missing pixels would be made of the filler, and differ. A progressive JPEG is refused,
    since it may lack whole passes over the image.
    """
    try:
        return _decode(path, data)
    except OSError:
        if not data.startswith(b"\xff\xd8") or b"\xff\xc2" in data:
            raise
        restarts = [bytes([0xFF, 0xD0 + number % 8]) for number in range(16)]
        images = []
        with suppress(OSError):
            for filler in (b"\0", b"\x55", b"\xaa", b"\xfe"):
                ending = (100 * filler).join([b"", *restarts]) + b"\xff\xd9"
                images.append(_decode(path, data.rstrip(b"\xff") + ending))
        if len(images) < 4 or len({image.tobytes() for image in images}) > 1:
            raise
        return images[0]


def _misread(tags: TiffImagePlugin.ImageFileDirectory_v2) -> bool:
    """Return whether Pillow reads other numbers from a TIFF than it has.

    It reads the lower byte of two if uncompressed channels are stored one after another, and signed
    bytes as unsigned ones.
    """
    bits = tags.get(TiffImagePlugin.BITSPERSAMPLE, (1,))
    planes = tags.get(TiffImagePlugin.PLANAR_CONFIGURATION) == 2 and len(bits) > 1
    uncompressed = tags.get(TiffImagePlugin.COMPRESSION, 1) == 1
    signed = tags.get(TiffImagePlugin.SAMPLEFORMAT, (1,))[0] == 2
    return (bits[0] == 16 and planes and uncompressed) or (bits[0] == 8 and signed)


def _decode(path: str | Path, data: bytes) -> Image.Image:
    """Decode an image as upright RGB, or raise the decoder's error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about large images, and about damaged metadata
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if max(image.size) > MAX_RATIO * min(image.size):
                size = "x".join(map(str, image.size))
                raise Unusable(f"{path} is {size} pixels, longer than {MAX_RATIO}:1; crop it")
            if isinstance(image, TiffImagePlugin.TiffImageFile) and _misread(image.tag_v2):
                raise Unusable(f"{path} is a TIFF of an uncommon kind; {AGAIN}")
            if image.mode == "F":
                raise Unusable(
                    f"{path} has floating-point pixels, which have no fixed range; save it with 8 "
                    "or 16 bits"
                )
            # The decoder of JPEG reduces by 2, 4 or 8, if that keeps these sides.
            image.draft(None, (KEPT, KEPT))
            is_large = image.width * image.height > LARGE
            with _one_large_image if is_large else nullcontext():
                orientation = _orientation(image)  # of a PNG, this reads all pixels
                # Converting would read EXIF again, and fail if another part is damaged.
                image.getexif = Image.Exif  # type: ignore[method-assign]
                rgb = _rgb(image)
                image.close()  # which frees its pixels before the next one is decoded
    rgb.info.clear()  # `exif_transpose` would write the other metadata back
    rgb.getexif()[Base.Orientation] = orientation
    return ImageOps.exif_transpose(rgb)


def _orientation(image: Image.Image) -> int:
    """Return the EXIF orientation; 1, which is upright, if EXIF is damaged."""
    try:
        return int(image.getexif().get(Base.Orientation, 1))
    except Exception:  # of many types; damaged pixels raise an error later
        return 1


def _rgb(image: Image.Image) -> Image.Image:
    """Convert an image to 8-bit RGB, on white if it is transparent, and reduce a large one.

    It is converted in strips: at most one other copy of a large image is made.
    """
    factor = max(1, min(image.size) // KEPT)
    convert = _conversion(image)
    if factor == 1:
        return convert(image)
    sides = (-(-side // factor) for side in image.size)  # rounded up, as by `reduce`
    reduced = Image.new("RGB", (next(sides), next(sides)))
    for number, strip in enumerate(_strips(image, factor * STRIP)):
        reduced.paste(convert(strip).reduce(factor), (0, number * STRIP))
    return reduced


def _strips(image: Image.Image, rows: int) -> Iterator[Image.Image]:
    """Yield an image in strips of this number of rows, from top to bottom."""
    for top in range(0, image.height, rows):
        yield image.crop((0, top, image.width, min(top + rows, image.height)))


def _conversion(image: Image.Image) -> Callable[[Image.Image], Image.Image]:
    """Return the function that converts an image, or a strip of it, to 8-bit RGB."""
    if image.mode.startswith("I"):  # 16 bits, which Pillow would clip at 255 instead of scaling
        largest = max(int(np.asarray(strip).max()) for strip in _strips(image, STRIP))
        bits = next(bits for bits in BITS if largest < 2**bits)

        def scale(part: Image.Image) -> Image.Image:
            values = np.asarray(part).clip(0)
            scaled = np.rint(values / (2**bits - 1) * 255).astype(np.uint8)
            return Image.fromarray(scaled).convert("RGB")

        return scale

    # If alpha is 0 everywhere, it was never set.
    if image.has_transparency_data and any(
        strip.convert("RGBA").getchannel("A").getbbox() for strip in _strips(image, STRIP)
    ):

        def lay_on_white(part: Image.Image) -> Image.Image:
            part = part.convert("RGBA")
            white = Image.new("RGBA", part.size, "white")
            return Image.alpha_composite(white, part).convert("RGB")

        return lay_on_white
    return lambda part: part.convert("RGB")


def cut(
    image: Image.Image, resize: int, crop: int, interpolation: str = "bilinear", crops: int = 10
) -> np.ndarray:
    """Resize the smaller side to `resize` and cut the corners and the center, also mirrored.

    It computes the same as torchvision.

    Args:
        crops: 10 for all of these, in the order of torchvision's `TenCrop`; 2 for the center and
            its mirror image; 1 for the center.

    Returns:
        (crops, 3, crop, crop) uint8.
    """
    width, height = (int(resize * side / min(image.size)) for side in image.size)
    resampled = image.resize((width, height), Image.Resampling[interpolation.upper()])
    pixels = np.asarray(resampled).transpose(2, 0, 1)
    top = round((height - crop) / 2)
    left = round((width - crop) / 2)
    if crops < 10:
        center = pixels[:, top : top + crop, left : left + crop]
        return np.stack([center, center[:, :, ::-1]][:crops])
    bottom = height - crop
    right = width - crop
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (top, left)]
    cuts = [
        view[:, row : row + crop, column : column + crop]
        for view in (pixels, pixels[:, :, ::-1])
        for row, column in corners
    ]
    return np.stack(cuts)
