"""The form of every data set: captions.csv (`Captions`) and images.csv (`Images`)."""

import logging
import os
import posixpath
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

import numpy as np
import pandas as pd

from groundvec.data.cleaning import LONGEST, clean, letters_and_digits
from groundvec.results import frames
from groundvec.results.schemas import Captions, Images
from groundvec.runtime.errors import InputError, closest
from groundvec.runtime.files import check_output, sha256

log = logging.getLogger(__name__)

CAPTION_COLUMNS = list(frames.schema_of(Captions).columns)
IMAGE_COLUMNS = ["image_id", "split", "path"]  # images.csv also has sha256, which `write` adds
SPLITS = ["train", "dev", "test"]
MORE = "more"  # the split of captions without pictures; only training reads them
PAIRS = "pairs"  # the split of images without captions; only parallel.csv has their sentences
# Control characters, and halves of surrogate pairs: JSON can have them, but UTF-8 cannot.
CONTROL = r"[\x00-\x1f\x7f\ud800-\udfff]"
MAX_FILES = 100_000  # that are searched for the one that was probably meant


def read_captions(path: str | Path, language: str | None = None) -> Captions:
    """Read a captions.csv, or its captions in one language, in the file's order.

    Raises:
        InputError: the file cannot be read, or has no caption in that language.
    """
    captions = frames.read_fields(path, CAPTION_COLUMNS)
    if language is None:
        return captions
    in_language = captions[captions.language == language].reset_index(drop=True)
    if in_language.empty:
        known = ", ".join(captions.language.unique()) or "none"
        raise InputError(f"{path} has no captions in language {language!r}; it has: {known}")
    return in_language


def read_images(path: str | Path) -> Images:
    """Read an images.csv, in the file's order; InputError if it lists an image twice."""
    images = frames.read_fields(path, [*IMAGE_COLUMNS, "sha256"])
    _refuse_repeated(images)
    return images


def write(
    folder: str | Path, captions: Captions, images: pd.DataFrame, more: Captions | None = None
) -> None:
    """Check a data set and write captions.csv and images.csv, which has the images' checksums.

    Args:
        folder: where to write them.
        captions: the captions of the images.
        images: one row per image, with the columns `IMAGE_COLUMNS`.
        more: captions of pictures that the data set does not have; see `with_more`.
    """
    check(captions, images)
    images = check_files(images)
    if more is not None:
        _check_texts(more.assign(where="more_captions, a caption of image " + more.image_id))
        captions = with_more(captions, more)
    for name in ("captions.csv", "images.csv"):
        check_output(Path(folder, name))
    with ThreadPoolExecutor() as pool:
        images = images.assign(sha256=list(pool.map(sha256, images.path)))
    _warn_of_copies(images)
    frames.write(Path(folder, "captions.csv"), captions, Captions)
    frames.write(Path(folder, "images.csv"), images, Images)


def _warn_of_copies(images: Images) -> None:
    """Log a warning if files of different splits have the same content."""
    copied = images[images.groupby("sha256").split.transform("nunique") > 1]
    if not copied.empty:
        example = copied[copied.sha256 == copied.sha256.iloc[0]].drop_duplicates("split")
        log.warning(
            "%d images have the same content as one in another split, such as %s: put them in one "
            "split, since the test should have no training images",
            len(copied),
            " and ".join(example.image_id),
        )


def with_more(captions: Captions, more: Captions) -> Captions:
    """Append captions of other pictures to the captions of a data set, in the split `MORE`.

    Captions are compared without case and punctuation. A picture that shares a caption with a dev
    or test picture is left out: it may be the same one. A picture that shares most captions with a
    training picture is taken for that one: its captions in further languages are added to it.
    """
    captions = captions.assign(key=captions.caption.map(letters_and_digits))
    more = more.assign(key=more.caption.map(letters_and_digits))
    held_out_keys = captions.key[captions.split != "train"]
    left_out = set(more.image_id[more.key.isin(held_out_keys)])
    more = more[~more.image_id.isin(left_out)]
    same_as = _same_pictures(captions, more)
    is_same = more.image_id.isin(same_as)
    # In its own languages, the data set has the captions of the same picture already.
    translations = more[is_same & ~more.language.isin(captions.language)]
    without_pictures = more[~is_same]
    log.info(
        "%d captions of %d other pictures, without these, and %d of %d training pictures; %d "
        "pictures are left out, as they share a caption with a dev or test picture",
        len(without_pictures),
        without_pictures.image_id.nunique(),
        len(translations),
        translations.image_id.nunique(),
        len(left_out),
    )
    translations = translations.assign(image_id=translations.image_id.map(same_as), split="train")
    parts = [captions, translations, without_pictures.assign(split=MORE)]
    return pd.concat(parts, ignore_index=True)[CAPTION_COLUMNS]


def _same_pictures(captions: pd.DataFrame, more: pd.DataFrame) -> dict[str, str]:
    """Map each picture of `more` to the first one of `captions` that has most of its captions.

    Only captions in languages of `captions` count.

    Args:
        captions, more: captions with their `key`, which is the same for equal captions.
    """
    counts = more[more.language.isin(captions.language)].image_id.value_counts().to_dict()
    columns = ["image_id", "key"]
    captions = captions.loc[captions.key.isin(more.key), columns].drop_duplicates()
    more = more.loc[more.key.isin(captions.key), columns].drop_duplicates()
    codes, image_ids = pd.factorize(captions.image_id, sort=True)
    codes_of_key = {key: codes[rows] for key, rows in captions.groupby("key").indices.items()}
    keys = more.key.to_numpy()
    same_as: dict[str, str] = {}
    # One picture at a time: a merge would pair all pictures that have a frequent caption.
    for image_id, rows in more.groupby("image_id").indices.items():
        # How many of this picture's captions each picture of the data set has.
        shared = np.bincount(np.concatenate([codes_of_key[key] for key in keys[rows]]))
        has_most = 2 * shared > counts.get(image_id, np.inf)
        if has_most.any():
            same_as[str(image_id)] = image_ids[int(has_most.argmax())]
    return same_as


def check(captions: Captions, images: pd.DataFrame, where: pd.Series | None = None) -> None:
    """Raise InputError for the first kind of problem found in a data set.

    The error names the first row that has the problem, counts the others, and has a remedy.

    Args:
        captions: one row per caption.
        images: one row per image, with the columns `IMAGE_COLUMNS`.
        where: the place of each caption, such as `my.csv line 3`; by default its image.
    """
    frames.check_columns("captions", captions, CAPTION_COLUMNS)
    frames.check_columns("images", images, IMAGE_COLUMNS)
    if where is None:
        where = "a caption in " + captions.language + " of image " + captions.image_id
    captions = captions.assign(where=where)
    _check_fields(captions, images)
    captions["image_split"] = captions.image_id.map(images.set_index("image_id").split)
    refuse(
        captions[captions.image_split.isna()],
        "{where}{more}: there is no image {image_id}; add the image or remove the caption",
    )
    refuse(
        captions[captions.split != captions.image_split],
        "{where}{more} is in split {split}, but its image {image_id} is in split {image_split}; "
        "leave each image in one split",
    )
    refuse(
        images[~images.image_id.isin(captions.image_id) & (images.split != PAIRS)],
        "image {image_id}{more} has no captions; add some or remove the image",
    )
    _check_texts(captions)


def _check_texts(captions: pd.DataFrame) -> None:
    """Raise InputError for an empty caption, or one that is too long; `where` names each."""
    refuse(
        captions[captions.caption.str.strip() == ""],
        "{where}{more}: the caption is empty; write one or remove the row",
    )
    captions = captions.assign(length=captions.caption.str.len())
    refuse(
        captions[captions.length > LONGEST],
        f"{{where}}{{more}}: the caption has {{length:,}} characters, more than the limit of "
        f"{LONGEST:,}; shorten it or make several captions of it",
    )


def check_splits(name: str | Path, captions: Captions, images: pd.DataFrame) -> None:
    """Log how many captions and images there are; InputError if a split has no image."""
    counts = images.split.value_counts().reindex(SPLITS, fill_value=0)
    empty_splits = ", ".join(counts.index[counts == 0])
    if empty_splits:
        raise InputError(
            f"{name}: no image is in split {empty_splits}; train, dev and test need one each, so "
            "add pictures with captions"
        )
    log.info("%d captions of %d train, %d dev and %d test images", len(captions), *counts)


def _check_fields(captions: pd.DataFrame, images: pd.DataFrame) -> None:
    """Check splits, languages and ids."""
    names = ", ".join(SPLITS)
    refuse(
        captions[~captions.split.isin(SPLITS)],
        f"{{where}}{{more}}: unknown split {{split!r}}; the splits are {names}",
    )
    refuse(
        images[~images.split.isin([*SPLITS, PAIRS])],
        f"image {{image_id}}{{more}}: unknown split {{split!r}}; the splits are {names}",
    )
    refuse(
        captions[~captions.language.str.fullmatch("[a-z]{2}")],
        "{where}{more}: language {language!r} is not a code of two small letters, such as en or de",
    )
    _refuse_repeated(images)


def _refuse_repeated(images: pd.DataFrame) -> None:
    refuse(
        images[images.image_id.duplicated()],
        "image {image_id}{more} is listed twice; list each image once, in one split",
    )


def check_files(images: pd.DataFrame) -> pd.DataFrame:
    """Return images with their paths as `stored`; InputError names the first missing files."""
    paths = stored(images.path)
    missing = [path for path in paths if not Path(path).is_file()]
    if missing:
        likely = _closest_file(Path(missing[0]))
        hint = f" (did you mean {likely}?)" if likely else ""
        more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
        raise InputError(
            f"{len(missing):,} of {len(images):,} image files are missing: "
            f"{', '.join([missing[0] + hint, *missing[1:3]])}{more}; put them there, or correct "
            "the folder or the names"
        )
    return images.assign(path=paths)


def stored(paths: Iterable[str]) -> list[str]:
    """Spell the paths of files as the disk does, which may have `é` as one character or as two."""

    @cache
    def names_in(folder: Path) -> dict[str, str]:
        return {normalize("NFC", path.name): path.name for path in folder.iterdir()}

    def on_disk(path: Path) -> Path:
        if path.exists() or path == path.parent:
            return path
        folder = on_disk(path.parent)
        names = names_in(folder) if folder.is_dir() else {}
        return folder / names.get(normalize("NFC", path.name), path.name)

    return [path if path.isascii() else str(on_disk(Path(path))) for path in paths]


def _closest_file(path: Path) -> Path | None:
    """Find the file that was probably meant by a path, next to it or below its folder.

    It may have another case or ending, `%20` for a space, a backslash for a slash, other folders
    in front, or be misspelled.
    """
    folder = next(parent for parent in path.parents if parent.is_dir())
    candidates = (Path(top, name) for top, _, names in os.walk(folder) for name in names)
    # If files differ in their endings alone, the last one is meant: a picture before its text.
    ending = path.suffix.lower()
    files = sorted(islice(candidates, MAX_FILES), key=lambda file: file.suffix.lower() == ending)
    by_name = {_plain_name(file): file for file in files}
    name = _plain_name(path)
    # Misspelled names only have other letters: a number with another digit is another image.
    digits = re.sub(r"\D", "", name)
    alike = [other for other in by_name if re.sub(r"\D", "", other) == digits]
    likely = closest(name, alike)
    return by_name[likely] if likely else None


def _plain_name(path: Path) -> str:
    """Reduce a file's name to what typing errors keep: no ending, small letters, no escapes."""
    spelled = clean(unquote(path.as_posix())).replace("\\", "/")
    return posixpath.basename(posixpath.splitext(spelled.casefold())[0])


def refuse_names(rows: pd.DataFrame, where: str, name: str = "image_id") -> None:
    """Raise InputError for a file name with a control character, or outside the folder of images.

    Args:
        where: the place of the row, a text that `refuse` fills in.
        name: the column of file names.
    """
    refuse(
        rows[rows[name].str.contains(CONTROL)],
        f"{where}{{more}}: the image's file name {{{name}!r}} holds a line break or control "
        "character; rename the file",
    )
    normal = [posixpath.normpath(file) for file in rows[name]]
    is_outside = [bool(re.match(r"/|\.\.(/|$)", file)) for file in normal]
    refuse(
        rows[is_outside],
        f"{where}{{more}}: the image {{{name}}} is outside the folder of images; put it into the "
        "folder",
    )


def refuse(bad: pd.DataFrame, problem: str) -> None:
    """Raise InputError if there are bad rows.

    Args:
        bad: the rows that have the problem.
        problem: the error. Names of columns in braces are filled in from the first row, and
            `{more}` with the count of the others.
    """
    if not bad.empty:
        more = f" (and {len(bad) - 1:,} more)" if len(bad) > 1 else ""
        raise InputError(problem.format(more=more, **bad.iloc[0]))
