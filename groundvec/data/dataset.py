"""The one form of every data set: captions.csv (`Captions`) and images.csv (`Images`)."""

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

from groundvec.data.cleaning import LONGEST, clean, normalised
from groundvec.results import frames
from groundvec.results.schemas import Captions, Images
from groundvec.runtime.errors import InputError, closest
from groundvec.runtime.files import check_output, sha256

log = logging.getLogger(__name__)

CAPTION_COLUMNS = list(frames.schema_of(Captions).columns)
IMAGE_COLUMNS = ["image_id", "split", "path"]  # images.csv also has sha256, which `write` adds
SPLITS = ["train", "dev", "test"]
MORE = "more"  # the split of captions without pictures, which training alone reads
PAIRS = "pairs"  # the split of images without captions, of which only parallel.csv has sentences


def read_captions(path: str | Path, language: str | None = None) -> Captions:
    """Read a captions.csv, all of it or the captions in one language, in the file's order.

    Raises InputError if the file cannot be read or has no caption in that language.
    """
    captions = frames.read_fields(path, CAPTION_COLUMNS)
    if language is None:
        return captions
    chosen = captions[captions.language == language].reset_index(drop=True)
    if chosen.empty:
        there = ", ".join(captions.language.unique()) or "none"
        raise InputError(f"{path} has no captions in language {language!r}; it has: {there}")
    return chosen


def read_images(path: str | Path) -> Images:
    """Read an images.csv, in the file's order.

    Raises InputError if it cannot be read or lists an image twice.
    """
    images = frames.read_fields(path, [*IMAGE_COLUMNS, "sha256"])
    _refuse_repeated(images)
    return images


def write(
    folder: str | Path, captions: Captions, images: pd.DataFrame, more: Captions | None = None
) -> None:
    """Check a data set and write captions.csv and images.csv, which has the images' checksums.

    Args:
        more: captions of other pictures, which the data set does not have; see `with_more`.
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
    frames.write(Path(folder, "captions.csv"), captions, Captions)
    frames.write(Path(folder, "images.csv"), images, Images)


def with_more(captions: Captions, more: Captions) -> Captions:
    """Append captions of other pictures to those of a data set, in the split `MORE`.

    A picture that shares a caption with a dev or test picture is left out, with case and
    punctuation ignored: it may be the same. One that shares most of them with a training picture is
    that one: its captions in further languages are added to it.
    """
    own = captions.assign(key=captions.caption.map(normalised))
    more = more.assign(key=more.caption.map(normalised))
    out = set(more.image_id[more.key.isin(own.key[own.split != "train"])])
    left = more[~more.image_id.isin(out)]
    same_as = _same_pictures(own, left)
    same = left.image_id.isin(same_as)
    further = left[same & ~left.language.isin(captions.language)]
    left = left[~same]
    log.info(
        "%d captions of %d other pictures, without these, and %d of %d training pictures; %d "
        "pictures are left out, as a caption of theirs is that of a dev or test picture",
        *(len(left), left.image_id.nunique(), len(further), further.image_id.nunique(), len(out)),
    )
    further = further.assign(image_id=further.image_id.map(same_as), split="train")
    parts = [captions, further, left.assign(split=MORE)]
    return pd.concat(parts, ignore_index=True)[CAPTION_COLUMNS]


def _same_pictures(own: pd.DataFrame, more: pd.DataFrame) -> dict[str, str]:
    """Map each picture of `more` to the first one of `own` that has most of its captions.

    Only captions in languages of `own` count. Pictures are compared one at a time: a merge would
    pair all pictures that have a frequent caption.

    Args:
        own, more: captions with their `key`, which is the same for equal captions.
    """
    counts = more[more.language.isin(own.language)].image_id.value_counts().to_dict()
    pairs = ["image_id", "key"]
    own = own.loc[own.key.isin(more.key), pairs].drop_duplicates()
    more = more.loc[more.key.isin(own.key), pairs].drop_duplicates()
    codes, image_ids = pd.factorize(own.image_id, sort=True)
    with_key = {key: codes[rows] for key, rows in own.groupby("key").indices.items()}
    keys = more.key.to_numpy()
    same_as: dict[str, str] = {}
    for image_id, rows in more.groupby("image_id").indices.items():
        shared = np.bincount(np.concatenate([with_key[key] for key in keys[rows]]))
        most = 2 * shared > counts.get(image_id, np.inf)
        if most.any():
            same_as[str(image_id)] = image_ids[int(most.argmax())]
    return same_as


def check(captions: Captions, images: pd.DataFrame, where: pd.Series | None = None) -> None:
    """Raise InputError for the first kind of problem found in a data set.

    It names the first row that has the problem, counts the others, and says what to do.

    Args:
        images: one row per image, columns as in IMAGE_COLUMNS.
        where: what to call each caption in an error, such as `my.csv line 3`; else by its image.
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
    if without := ", ".join(counts.index[counts == 0]):
        raise InputError(
            f"{name}: no image is in split {without}; each of the three needs at least one"
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
    once = images.drop_duplicates(["image_id", "split"])
    refuse(
        once[once.image_id.duplicated()],
        "image {image_id}{more} is in two splits; leave each image in one",
    )
    _refuse_repeated(images)


def _refuse_repeated(images: pd.DataFrame) -> None:
    refuse(
        images[images.image_id.duplicated()],
        "image {image_id}{more} is listed twice; list each image once",
    )


def check_files(images: pd.DataFrame) -> pd.DataFrame:
    """Return images with their paths as `stored`; InputError names the first missing files."""
    paths = stored(images.path)
    missing = [path for path in paths if not Path(path).is_file()]
    if missing:
        meant = _meant(Path(missing[0]))
        hint = f" (did you mean {meant}?)" if meant else ""
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
    def names(folder: Path) -> dict[str, str]:
        return {normalize("NFC", p.name): p.name for p in folder.iterdir()}

    def spelt(path: Path) -> Path:
        if path.exists() or path == path.parent:
            return path
        folder = spelt(path.parent)
        there = names(folder) if folder.is_dir() else {}
        return folder / there.get(normalize("NFC", path.name), path.name)

    return [path if path.isascii() else str(spelt(Path(path))) for path in paths]


def _meant(path: Path) -> Path | None:
    """Find the file beside or below a path that was probably meant.

    It may have another case or ending, `%20` for a space, a backslash for a slash, other folders
    in front, or be misspelt.
    """
    folder = next(parent for parent in path.parents if parent.is_dir())
    inside = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    files = {_plain(file.relative_to(folder)): file for file in islice(inside, 100_000)}
    by_name = {plain.rpartition("/")[2]: file for plain, file in files.items()}
    wanted = _plain(path.relative_to(folder))
    name = wanted.rpartition("/")[2]
    # A number with another digit is another image.
    alike = [each for each in by_name if re.sub(r"\D", "", each) == re.sub(r"\D", "", name)]
    return files.get(wanted) or by_name.get(name) or by_name.get(closest(name, alike) or "")


def _plain(path: Path) -> str:
    return posixpath.splitext(clean(unquote(path.as_posix())).replace("\\", "/").casefold())[0]


def refuse_names(rows: pd.DataFrame, where: str, name: str = "image_id") -> None:
    """Raise InputError for a row whose image is outside the folder of images, as `../a.jpg` is.

    Args:
        where: what to call the row, as of `refuse`.
        name: the column of file names.
    """
    outside = [bool(re.match(r"/|\.\.(/|$)", posixpath.normpath(each))) for each in rows[name]]
    refuse(
        rows[outside],
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
