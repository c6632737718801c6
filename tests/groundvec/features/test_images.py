import struct
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from groundvec.features.images import FORMATS, Unusable, load
from groundvec.runtime.files import sha256
from tests.support.photos import jpeg, photo
from tests.support.refusals import refused

# --- pictures that simply work --------------------------------------------------------------------

# How the upright picture is stored for each EXIF orientation (EXIF 2.32, table 6).


@pytest.mark.parametrize("form", ["HEIF", "AVIF"])
def test_photographs_of_telephones(tmp_path, form):
    upright = photo(80, 48)
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = upright.transpose(Image.Transpose.ROTATE_90)
    stored.save(tmp_path / "a.heic", form, exif=exif.tobytes(), quality=95)
    read = load(tmp_path / "a.heic")
    assert read.size == (80, 48)
    assert np.abs(np.asarray(read, float) - np.asarray(upright)).mean() < 8


def chunk(name, body):
    """A chunk of a PNG: the length of its data, its name, the data, and a checksum."""
    length = struct.pack(">I", len(body))
    return length + name + body + struct.pack(">I", zlib.crc32(name + body))


@given(
    st.sampled_from(["JPEG", "PNG"]),
    st.sampled_from([271, 282, 305, 306, 700, 0xA005, 34665, 34853])
    | st.integers(0x113, 2**16 - 1),
    st.binary(min_size=10, max_size=10),
)
def test_only_the_orientation_is_read_from_exif(tmp_path_factory, form, tag, entry):
    """Another entry may have any type, length and place."""
    path = tmp_path_factory.mktemp("exif") / "a.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0xFFFF] = 0
    content = bytearray(exif.tobytes())
    # After "Exif", the header and the number of entries are two entries of twelve bytes.
    content[28:40] = tag.to_bytes(2, "little") + entry
    photo(12, 8).save(path, form, exif=bytes(content))
    assert load(path).size == (8, 12)
    content[6:14] = bytes(8)  # no header
    photo(12, 8).save(path, form, exif=bytes(content))
    assert load(path).size == (12, 8)


@pytest.mark.parametrize("name", [b"zTXt", b"iCCP"])
def test_texts_and_profiles_of_a_png_do_not_matter(tmp_path, name):
    metadata = chunk(name, b"a\0\0" + zlib.compress(bytes(2**22)))
    upright = photo(12, 8)
    upright.save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    for place in (33, len(data) - 12):  # before the pixels, and after them
        (tmp_path / "a.png").write_bytes(data[:place] + metadata + data[place:])
        assert np.array_equal(load(tmp_path / "a.png"), upright)


@pytest.mark.parametrize("suffix", ["png", "tif"])
@pytest.mark.parametrize("bits", [8, 12, 16])
def test_grey_of_more_bits_is_scaled_to_eight(tmp_path, suffix, bits):
    most = 2**bits - 1
    values = np.array([[0, most // 3, most // 2 + 1, most, 1]], np.uint16)
    Image.fromarray(values).save(tmp_path / f"a.{suffix}")
    pixels = np.asarray(load(tmp_path / f"a.{suffix}"))
    assert pixels.tolist() == [[[v, v, v] for v in (0, 85, 128, 255, int(bits == 8))]]


@pytest.mark.parametrize("kind", ["RGB", "RGBA", "P", "I;16", "jpeg", "exif"])
def test_a_large_picture_is_reduced(tmp_path, monkeypatch, kind):
    """To the means of squares of 3 x 3 pixels; JPEG's decoder by 2, which is near to means."""
    upright = photo(150, 96)
    stored = upright
    exif = Image.Exif()
    if kind == "RGBA":
        stored.putalpha(Image.linear_gradient("L").resize(stored.size))
    elif kind == "I;16":
        stored = Image.fromarray(np.asarray(stored.convert("L")).astype(np.uint16) * 257)
    elif kind == "P":
        stored = stored.convert("P")
    elif kind == "exif":
        exif[0x0112] = 6
        stored = stored.transpose(Image.Transpose.ROTATE_90)
    path = tmp_path / ("a.jpg" if kind == "jpeg" else "a.png")
    stored.save(path, exif=exif, quality=95)
    whole = load(path)
    monkeypatch.setattr("groundvec.features.images.KEPT", 32)
    monkeypatch.setattr("groundvec.features.images.STRIP", 5)
    if kind == "jpeg":
        monkeypatch.setattr("groundvec.features.images.LARGE", 0)
    read = load(path)
    factor = 2 if kind == "jpeg" else 3
    assert read.size == (150 // factor, 96 // factor)
    difference = np.asarray(read, float) - np.asarray(whole.reduce(factor))
    assert np.abs(difference).max() <= (12 if kind == "jpeg" else 0)


def test_large_pictures_are_decoded_one_at_a_time(tmp_path, monkeypatch):
    at_work = []

    def convert(image):
        at_work.append(image)
        time.sleep(0.02)
        assert at_work.pop() is image and not at_work
        return image.copy()

    monkeypatch.setattr("groundvec.features.images._rgb", convert)
    monkeypatch.setattr("groundvec.features.images.LARGE", 100)
    photo(11, 10).save(tmp_path / "a.png")
    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(load, [tmp_path / "a.png"] * 4))) == 4


def test_alpha_that_is_0_throughout_is_no_transparency(tmp_path):
    colors = np.asarray(photo(12, 8))
    Image.fromarray(np.dstack([colors, np.zeros((8, 12), np.uint8)])).save(tmp_path / "a.png")
    assert np.array_equal(load(tmp_path / "a.png"), colors)


@pytest.mark.parametrize("suffix", ["tif", "jpg"])
def test_cmyk(tmp_path, suffix):
    Image.new("CMYK", (16, 16), (0, 255, 255, 0)).save(tmp_path / f"a.{suffix}")  # no cyan: red
    pixels = np.asarray(load(tmp_path / f"a.{suffix}")).reshape(-1, 3)
    assert np.abs(pixels.astype(int) - [255, 0, 0]).max() <= 2


@pytest.mark.parametrize("suffix", ["png", "gif"])
def test_a_transparent_color_of_a_palette_becomes_white(tmp_path, suffix):
    palette = Image.new("P", (2, 1))
    palette.putpalette([0, 0, 0, 10, 20, 30])
    palette.putdata([0, 1])
    for options, first in (({"transparency": 0}, 255), ({}, 0)):
        palette.save(tmp_path / f"a.{suffix}", **options)
        pixels = np.asarray(load(tmp_path / f"a.{suffix}")).tolist()
        assert pixels == [[[first] * 3, [10, 20, 30]]]


@pytest.mark.parametrize(
    "mode, color, level",
    [("RGBA", (0, 0, 0, 51), 204), ("LA", (0, 51), 204), ("1", 1, 255)],
)
def test_transparent_black_is_on_white_and_bilevel_white_is_white(tmp_path, mode, color, level):
    Image.new(mode, (1, 1), color).save(tmp_path / "a.png")
    assert np.asarray(load(tmp_path / "a.png")).tolist() == [[[level] * 3]]


# --- pictures that do not -------------------------------------------------------------------------


def png_of(width, height):
    """The beginning of a PNG that claims this size."""
    header = struct.pack(">II", width, height) + b"\x08\x02\0\0\0"
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 99)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


BAD = {
    "empty": (b"", r"a\.jpg is empty"),
    "text": (b"This is no picture.\n" * 20, r"a\.jpg is not a picture"),
    "damaged": (
        b"\x89PNG\r\n\x1a\n" + b"\0" * 300,
        r"a\.jpg is not .* or is damaged; con",
    ),
    # Before memory is taken.
    "many pixels": (png_of(50_000, 50_000), r"a\.jpg has more than 178,956,970 pixels; make it sm"),
}


@pytest.mark.parametrize("content, message", BAD.values(), ids=BAD.keys())
def test_bad_files(tmp_path, content, message):
    (tmp_path / "a.jpg").write_bytes(content)
    with refused(message):
        load(tmp_path / "a.jpg")


OPTIONS = [{}, {"quality": 95, "optimize": True}, {"restart_marker_rows": 1}, {"progressive": True}]


@given(st.sampled_from(OPTIONS), st.integers(3, 1000) | st.integers(3, 20))
def test_no_truncated_jpeg_passes(tmp_path_factory, options, missing):
    path = tmp_path_factory.mktemp("cut") / "a.jpg"
    path.write_bytes(jpeg(**options)[:-missing])
    with refused(r"a\.jpg (cannot be decoded|is not a picture .* or is damaged)"):
        load(path)


@pytest.mark.parametrize("options", OPTIONS[:3])
def test_a_jpeg_that_lacks_its_end_mark_has_all_its_pixels(tmp_path, options):
    (tmp_path / "a.jpg").write_bytes(jpeg(**options))
    whole = load(tmp_path / "a.jpg")
    (tmp_path / "a.jpg").write_bytes(jpeg(**options)[:-2])
    assert np.array_equal(load(tmp_path / "a.jpg"), whole)


@pytest.mark.parametrize("size", [(1, 3000), (401, 20)])
def test_extreme_sides(tmp_path, size):
    photo(400, 20).save(tmp_path / "a.png")
    assert load(tmp_path / "a.png").size == (400, 20)
    Image.new("RGB", size).save(tmp_path / "a.png")
    with refused(rf"a\.png is {size[0]}x{size[1]} pixels.*crop it"):
        load(tmp_path / "a.png")


def test_float_pixels(tmp_path):
    Image.new("F", (2, 2)).save(tmp_path / "a.tif")
    with refused(r"a\.tif.*8 or 16 bits"):
        load(tmp_path / "a.tif")


# --- files of strangers ---------------------------------------------------------------------------


def test_only_pictures_are_decoded_whatever_their_name_says(tmp_path):
    """Pillow would start an interpreter for PostScript; it knows other formats too."""
    ran = tmp_path / "ran"
    (tmp_path / "a.jpg").write_text(
        f"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n({ran}) (w) file closefile showpage\n"
    )
    with refused(r"a\.jpg is not a picture \(JPEG, PNG"):
        load(tmp_path / "a.jpg")
    assert not ran.exists()
    photo(40, 30).save(tmp_path / "b.png", "PPM")
    with refused(r"b\.png is not a picture"):
        load(tmp_path / "b.png")


@pytest.mark.parametrize("form", [*FORMATS, "MPO"])
def test_the_formats_that_are_pictures(tmp_path, form):
    photo(40, 30).save(tmp_path / "a.jpg", format=form)
    assert load(tmp_path / "a.jpg").size == (40, 30)


@pytest.mark.parametrize(
    "values, planes",
    [
        (np.ones((4, 5, 3), np.float32), "contig"),
        # These Pillow reads, but takes other numbers than they are.
        (np.ones((4, 5), np.int8), None),
        (np.ones((3, 4, 5), np.uint16), "separate"),
    ],
)
def test_a_tiff_of_uncommon_numbers_is_refused(tmp_path, values, planes):
    tifffile.imwrite(tmp_path / "a.tif", values, photometric=planes and "rgb", planarconfig=planes)
    with pytest.raises(Unusable, match=r"a\.tif is .*TIFF.*; .*copy it again"):
        load(tmp_path / "a.tif")


@pytest.mark.parametrize("kind, planes", [("u1", "contig"), ("u1", "separate"), ("u2", "contig")])
def test_tiffs_of_rgb_have_the_right_colors(tmp_path, kind, planes):
    rgb = np.asarray(photo(12, 8))
    values = rgb.astype(kind) * (257 if kind == "u2" else 1)
    values = np.moveaxis(values, 2, 0) if planes == "separate" else values
    tifffile.imwrite(tmp_path / "a.tif", values, photometric="rgb", planarconfig=planes)
    assert np.array_equal(load(tmp_path / "a.tif"), rgb)


@pytest.mark.parametrize(
    "where, raised, message",
    [
        ("read_regular", PermissionError(13, "Denied"), r"cannot be read \(Denied\); make it read"),
        ("read_regular", FileNotFoundError(), "does not exist"),
        ("_decode", MemoryError(), "does not fit into the memory; close programs"),
        ("_decode", OSError(5, "I/O error"), r"cannot be decoded now \(\[Errno 5\]"),
    ],
)
def test_temporary_failures_are_not_blamed_on_the_content(
    tmp_path, monkeypatch, where, raised, message
):
    path = tmp_path / "a.png"
    photo(40, 30).save(path)

    monkeypatch.setattr(f"groundvec.features.images.{where}", Mock(side_effect=raised))
    with refused(message) as caught:
        load(path)
    assert not isinstance(caught.value, Unusable)


def test_a_picture_is_the_one_that_the_data_set_was_made_with(tmp_path):
    photo(40, 30).save(tmp_path / "a.png")
    content = sha256(tmp_path / "a.png")
    assert load(tmp_path / "a.png", content).size == (40, 30)
    photo(40, 30, seed=1).save(tmp_path / "a.png")
    with refused(r"a\.png has changed since the data set was made"):
        load(tmp_path / "a.png", content)
