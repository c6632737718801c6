"""A user's own captioned pictures: a CSV file of captions and a folder of images.

The columns are image (a file name inside the folder) and caption, and optionally split (train, dev
or test) and language (a code such as en); see docs/your-own-data.md. Hugging Face's names of the
columns are read too. In place of the table, a folder of pictures may have one of the forms of
`_in_folder`.
"""

import csv
import hashlib
import logging
import posixpath
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd

from groundvec.data import dataset
from groundvec.data.cleaning import clean
from groundvec.features.files import PICTURE, checksums, visible_files
from groundvec.provenance import digest
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, printable
from groundvec.runtime.files import LARGEST_TABLE, read_regular, text_lines
from groundvec.runtime.texts import is_blank

# Characters of a field. `dataset.check` has the real limit, with a better error than csv's.
csv.field_size_limit(2**30)

log = logging.getLogger(__name__)

NAMELESS = re.compile(r"(Unnamed: \d+)?")  # the names of columns that spreadsheets or pandas add
REQUIRED = ["image", "caption"]
OPTIONAL = ["split", "language"]
# Hugging Face's ImageFolder: its names of the columns, and of the table.
RENAMED = {"file_name": "image", "text": "caption"}
METADATA = "metadata.csv"
# The names that its splits' folders may have.
SPLIT_FOLDERS = {
    "train": "train",
    "validation": "dev",
    "valid": "dev",
    "val": "dev",
    "dev": "dev",
    "test": "test",
}
TEXTS = (".txt", ".caption")  # endings of the text next to a picture
LARGEST_TEXT = 2**20  # bytes of a picture's text: a thousand captions

ROWS = ["image", "caption", "where"]  # of all forms: where is a row's place


def read(table: str | Path, images: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read a table, or the captions in a folder, as (captions, images), in their order.

    The id of an image is its name in the table, in its shortest form (`./a.jpg` is a.jpg). Without
    a column `split`, the images are split by `split_by_name`, with files of the same content in one
    split; without a column `language`, captions are English.

    Raises:
        InputError: the table is not UTF-8 CSV with these columns, a row has a problem (see
            `dataset.check`), or a split would have no image. The error names the file and line.
    """
    rows = _rows(Path(table), Path(images))
    captions = rows.rename(columns={"image": "image_id"}).assign(caption=rows.caption.map(clean))
    if "language" not in captions:
        captions["language"] = "en"
    if "split" not in captions and Path(table).is_dir():
        split = _split_by_folder(captions.image_id)
        if len(split):
            captions["split"] = captions.image_id.map(split)
    if "split" not in captions:
        copies = _copies(captions.image_id, Path(images))
        names = captions.image_id.map(lambda name: copies.get(name, name))
        captions["split"] = names.map(split_by_name(names, last=copies.values()))
        log.info("%s has no column split: the images are split 80/10/10 by their names", table)
    image_table = captions[["image_id", "split"]].drop_duplicates("image_id", ignore_index=True)
    image_table["path"] = [str(Path(images, name)) for name in image_table.image_id]

    where = captions.pop("where")
    captions = captions[dataset.CAPTION_COLUMNS]
    dataset.check(captions, image_table, where)
    dataset.check_splits(table, captions, image_table)
    return captions, image_table


def check(table: str | Path, images: str | Path) -> list[str]:
    """Check a table and that its image files exist; return the languages of its captions.

    Raises:
        InputError: as `read`, or image files are missing.
    """
    captions, image_table = read(table, images)
    dataset.check_files(image_table)
    return captions["language"].unique().tolist()


def state(table: str | Path, images: str | Path) -> str:
    """Compute a key that changes with the state of a table's image files: see `files.state`."""
    states = []
    for name in dict.fromkeys(_rows(Path(table), Path(images)).image):
        path = Path(images, name)
        states.append([str(path), files.state(path) if path.is_file() else None])
    return digest(states)


def split_by_name(names: pd.Series, salt: str = "", last: Iterable[str] = ()) -> pd.Series:
    """Split names 80/10/10 into train, dev and test by their SHA-256, indexed by name.

    Dev and test get a tenth each, rounded, and at least one.

    Args:
        names: the names.
        salt: a text that is hashed before each name; another one makes another split.
        last: names that are in dev and test only if the others do not suffice.
    """
    put_last = set(last)

    def place(name: str) -> tuple[bool, bytes]:
        return name in put_last, hashlib.sha256(f"{salt}{name}".encode()).digest()

    order = sorted(names.unique(), key=place)
    tenth = max(1, round(len(order) / 10))
    split = pd.Series("train", index=order)
    split.iloc[:tenth] = "dev"
    split.iloc[tenth : 2 * tenth] = "test"
    return split


def _copies(names: pd.Series, folder: Path) -> dict[str, str]:
    """Map each file whose content another one has too to the first of them by name.

    If copies were in two splits, the test would have been seen in training; and in the test, a
    search that finds the copy counts as wrong. Only files of one size are read. Missing and empty
    files are refused later.
    """
    paths = {name: Path(folder, name) for name in sorted(names.unique())}
    sizes = pd.Series({name: path.stat().st_size for name, path in paths.items() if path.is_file()})
    candidates = sizes.index[sizes.duplicated(keep=False) & (sizes > 0)]
    contents = pd.Series(checksums([paths[name] for name in candidates]), candidates, dtype=str)
    copies = {
        name: same[0] for same in contents.groupby(contents).groups.values() for name in same[1:]
    }
    if copies:
        name, first = next(iter(copies.items()))
        log.warning(
            "copies of other pictures: %d, such as %s of %s. They stay in one split; remove "
            "placeholders, such as 'not available'",
            len(copies),
            name,
            first,
        )
    return copies


def _split_by_folder(names: pd.Series) -> pd.Series:
    """Split names by their first folders, if these are `train` and `test`: indexed by name.

    Without a folder of `SPLIT_FOLDERS` for dev, it gets a tenth of the training names.
    """
    names = pd.Series(names.unique())
    folders = names.str.partition("/")[0].str.lower()
    split = folders.map(SPLIT_FOLDERS).set_axis(names)
    if split.isna().any() or not {"train", "test"} <= set(split):
        return pd.Series(dtype=str)
    if "dev" not in set(split):
        training = split_by_name(names[split.to_numpy() == "train"])
        split[training.index[training == "dev"]] = "dev"
    return split


def _in_folder(folder: Path, files: list[Path]) -> pd.DataFrame:
    """Read the captions in a folder of pictures, which has one of four forms: columns `ROWS`.

    A `METADATA`; one in each folder of a split; a text next to each picture, such as a.txt for
    a.jpg, with a caption per line; or a folder for each class, whose name is the caption.

    Args:
        files: the folder's `visible_files`.
    """
    pictures = [path for path in files if PICTURE.fullmatch(path.suffix)]
    tables = [path for path in files if path.name == METADATA]
    of_splits = [
        path
        for path in tables
        if path.parent.parent == folder and path.parent.name.lower() in SPLIT_FOLDERS
    ]
    if folder / METADATA in tables:
        rows = _csv(folder / METADATA)
    elif of_splits:
        rows = pd.concat([_of_split(path) for path in of_splits], ignore_index=True)
    else:
        rows = _texts(folder, files, pictures)
    if rows.empty:
        rows = _classes(folder, pictures)
    if rows.empty:
        raise InputError(
            f"{folder} has no captions: put a {METADATA} into it, or a text for "
            "each picture, such as a.txt for a.jpg"
        )
    return rows


def _warn_of_uncaptioned(folder: Path, files: list[Path], captioned: set[str]) -> None:
    """Log a warning that counts the pictures without a caption, and names the first."""
    pictures = [path for path in files if PICTURE.fullmatch(path.suffix)]
    left_out = [path for path in pictures if path.relative_to(folder).as_posix() not in captioned]
    if not left_out:
        return
    examples = []
    for picture in left_out[:3]:
        start = f"{picture.with_suffix('')}."
        beside = [path.name for path in files if str(path).startswith(start) and path != picture]
        hint = f" (there is {beside[0]})" if beside else ""
        examples.append(f"{picture.relative_to(folder).as_posix()}{hint}")
    more = ", ..." if len(left_out) > len(examples) else ""
    line = (
        f"{len(left_out):,} of {len(pictures):,} pictures have no caption and are left out: "
        f"{', '.join(examples)}{more}"
    )
    log.warning("%s", printable(line))


def _of_split(path: Path) -> pd.DataFrame:
    """Read the table in the folder of a split; names begin with the folder's."""
    rows = _csv(path)
    return rows.assign(image=f"{path.parent.name}/" + rows.image)[ROWS]


def _texts(folder: Path, files: list[Path], pictures: list[Path]) -> pd.DataFrame:
    """Read the texts next to pictures, with a caption per line."""
    texts = {
        path.with_suffix(path.suffix.lower()): path
        for path in files
        if path.suffix.lower() in TEXTS
    }
    rows = []
    for picture in pictures:
        names = [picture.with_suffix(suffix) for suffix in TEXTS]
        names += [picture.with_name(picture.name + suffix) for suffix in TEXTS]
        text = next((texts[name] for name in names if name in texts), None)
        if text is None:
            continue
        name = picture.relative_to(folder).as_posix()
        for number, line in enumerate(text_lines(read_regular(text, LARGEST_TEXT), text), 1):
            if line.strip():
                rows.append((name, line, f"{text} line {number}"))
    return pd.DataFrame(rows, columns=ROWS, dtype=str)


def _classes(folder: Path, pictures: list[Path]) -> pd.DataFrame:
    """Caption pictures by the folder that they are in, as in torchvision's ImageFolder.

    No rows if these are not at least two folders with names of letters.
    """
    rows = []
    classes = set()
    for picture in pictures:
        *folders, name = picture.relative_to(folder).parts
        if folders and folders[0].lower() in SPLIT_FOLDERS:
            folders = folders[1:]
        if not folders or not re.search(r"[^\W\d_]", folders[0]):
            return pd.DataFrame()
        class_name = re.sub(r"[\s_-]+", " ", folders[0]).strip()
        classes.add(class_name)
        article = "an" if class_name[0].lower() in "aeiou" else "a"
        name = picture.relative_to(folder).as_posix()
        rows.append((name, f"a photo of {article} {class_name}", name))
    if len(classes) < 2:
        return pd.DataFrame()
    log.warning(
        "%s",
        printable(
            f"{folder} has no captions: its {len(classes)} folders are taken for classes, with "
            f'captions such as "{rows[0][1]}"; in the scores, only one picture is the right one '
            "for a caption"
        ),
    )
    return pd.DataFrame(rows, columns=ROWS, dtype=str)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file that are not empty, each with the line where it starts."""
    if not path.is_file():
        raise InputError(f"{path} does not exist or is not a file; check the table's name")
    data = read_regular(path, LARGEST_TABLE)
    if data.removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"["):
        raise InputError(
            f"{path} is JSON; make a table of it, as docs/your-own-data.md shows (the workflow "
            "reads dataset_coco.json by `source: karpathy`)"
        )
    text = text_lines(data, path, "save the table as CSV UTF-8")
    reader = csv.reader((f"{line}\n" for line in text), strict=True, skipinitialspace=True)
    line = 1
    try:
        for row in reader:
            if any(field.strip() for field in row):
                yield line, row
            line = reader.line_num + 1  # a quoted caption may have several lines
    except csv.Error as error:
        raise InputError(
            f"{path} line {line}: {error}; put a caption that holds a comma or a quotation mark in "
            'quotation marks ("), and double those inside it'
        ) from None


def _csv(path: Path) -> pd.DataFrame:
    """Read a CSV file: its columns as text, and `where`."""
    lines = _lines(path)
    line, header = next(lines, (1, []))
    if header[:1] == ["sep="] and not any(header[1:]):  # Excel begins a file with `sep=,`
        line, header = next(lines, (1, []))
    header = _header(path, line, header)
    rows = []
    places = []
    for line, row in lines:
        # Spreadsheets end some lines with commas and others without: those fields are empty.
        if not "".join(row[len(header) :]).strip():
            row = row[: len(header)]
        if not any(header[len(row) :]):
            row = row + [""] * (len(header) - len(row))
        rows.append(row)
        places.append(f"{path} line {line}")
    if not rows:
        raise InputError(f"{path} has no rows below its header; write a row for each caption")
    counts = pd.DataFrame({"where": places, "count": [len(row) for row in rows]})
    dataset.refuse(
        counts[counts["count"] != len(header)],
        f"{{where}}{{more}} has {{count}} fields, but the header has {len(header)}; write a field "
        'for each column, and put a caption that holds a comma in quotation marks (")',
    )
    return pd.DataFrame(rows, columns=header, dtype=str).assign(where=places)


def _rows(path: Path, images: Path) -> pd.DataFrame:
    """Read a table, or the captions in a folder, as text: one row per caption.

    The column `where` has the place of each, such as `my.csv line 3`.

    Images are relative to their folder, as the disk spells them.
    """
    files = visible_files(path) if path.is_dir() else []
    rows = _in_folder(path, files) if path.is_dir() else _csv(path)
    nameless = rows.columns.str.fullmatch(NAMELESS)
    if nameless.any():
        without_name = rows.loc[:, nameless].melt(value_name="field", ignore_index=False)
        without_name["where"] = rows["where"]
        dataset.refuse(
            without_name[~without_name.field.str.fullmatch(r"\s*\d*\s*")],
            "{where}{more}: {field!r} is in a column without a name; name the column, or remove it",
        )
    rows = rows.loc[:, ~nameless]
    for name in set(rows) - {"caption", "where"}:
        rows[name] = rows[name].str.strip()
    dataset.refuse(rows[rows.image == ""], "{where}{more}: the image's file name is missing")
    dataset.refuse(
        rows[rows.caption.map(is_blank)],
        "{where}{more}: the caption is empty; write one or remove the row",
    )
    texts = rows.caption.str.strip()
    dataset.refuse(
        rows[texts.str.startswith(("['", '["')) & texts.str.endswith(("']", '"]'))],
        "{where}{more}: the caption is a list; write a row for each of its captions",
    )
    dataset.refuse(
        rows[rows.image.str.contains("://")],
        "{where}{more}: the image {image} is an address; download it into the folder of images, "
        "and write its file name",
    )
    rows["image"] = [_relative(name, images) for name in rows.image]
    dataset.refuse_names(rows, "{where}", "image")
    paths = dataset.stored(str(images / name) for name in rows.image)
    rows["image"] = [Path(stored).relative_to(images).as_posix() for stored in paths]
    _warn_of_uncaptioned(path, files, set(rows.image))
    return rows


def _relative(name: str, folder: Path) -> str:
    """Write the name of a file in its shortest form: relative to the folder, if it is inside."""
    path = Path(name)
    if path.is_absolute():
        with suppress(ValueError):
            # Links in the folder's path are followed; the image itself may be a link to anywhere.
            real = path.parent.resolve() / path.name
            return real.relative_to(folder.resolve()).as_posix()
    return posixpath.normpath(name)


def _header(path: Path, line: int, header: list[str]) -> list[str]:
    """Return the names of the columns as in `REQUIRED` and `OPTIONAL`.

    Raises:
        InputError: the columns are others, or another character separates them.
    """
    header = [RENAMED.get(name.strip(), name.strip()) for name in header]
    named = [name for name in header if not NAMELESS.fullmatch(name)]
    missing = [name for name in REQUIRED if name not in named]
    for separator, name in {";": "semicolons", "\t": "tabs", "|": "bars"}.items():
        if missing and separator in "".join(named[:1]):
            raise InputError(
                f"{path} is separated by {name}; save it separated by commas (in a spreadsheet: "
                "CSV UTF-8, field delimiter comma)"
            )
    unknown = [name for name in named if name not in REQUIRED + OPTIONAL]
    if missing or unknown or len(set(named)) < len(named):
        hint = ""
        if named and unknown == named:  # no column has a known name
            hint = "; if this line is a caption, write `image,caption` above it"
        raise InputError(
            f"{path} line {line}: the columns are {', '.join(named) or 'missing'}; they must be "
            f"{' and '.join(REQUIRED)}, and may be {' and '.join(OPTIONAL)}, each once{hint}"
        )
    return header
