"""Pascal1K, the UIUC Pascal sentences (Rashtchian, Young, Hodosh & Hockenmaier 2010).

Published as one HTML page: a table with a row for each of 1,000 photographs of PASCAL VOC 2008. A
row has an `<img src="category/name.jpg">` and an inner table with a row for each of five sentences.
There are 20 categories of 50 photographs, and no published split.
"""

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
from bs4 import BeautifulSoup, NavigableString, Tag

from groundvec.data import dataset
from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, read_regular
from groundvec.sources.table import split_by_name

# An image's address: one folder below the page's, and nothing hidden, absolute or above it.
ADDRESS = re.compile(r"[\w-][\w .-]*/[\w-][\w .-]*")


def read(images: str | Path, page: str | Path, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read Pascal1K as (captions, images), in the page's order.

    The id of an image is its address on the page, `category/name.jpg`. All sentences of an image
    are read, however many it has.

    Args:
        images: the folder with the images, each at its address.
        page: the HTML page.
        seed: the seed of `draw_split`.

    Raises:
        InputError: the page is missing or has no images; an image is listed twice, or has no
            sentences or an address outside the page's folder. The error names the page and line.
    """
    rows = _rows(Path(page))
    dataset.refuse(
        rows[rows.sentences.map(len) == 0],
        "{where}{more}: the image {image_id} has no sentences; write some or remove its row",
    )
    rows["split"] = rows.image_id.map(draw_split(rows.image_id, seed))
    paths = [str(Path(images, name)) for name in rows.image_id]
    image_table = rows[["image_id", "split"]].assign(path=paths)
    captions = rows.explode("sentences", ignore_index=True).rename(columns={"sentences": "caption"})
    captions["language"] = "en"

    dataset.check_splits(page, captions, image_table)
    return captions[dataset.CAPTION_COLUMNS], image_table


def image_ids(page: str | Path) -> list[str]:
    """List the addresses of a page's images, in its order; InputError as in `read`."""
    return _rows(Path(page)).image_id.tolist()


def draw_split(image_ids: pd.Series, seed: int) -> pd.Series:
    """Draw a split 80/10/10 of each category, indexed by image id: 800/100/100 for Pascal1K.

    It depends on the ids and the seed alone; see `split_by_name`.
    """
    categories = image_ids.str.partition("/")[0]
    splits = [split_by_name(ids, f"{seed} ") for _, ids in image_ids.groupby(categories)]
    return pd.concat(splits)


def _rows(page: Path) -> pd.DataFrame:
    """Make a row per image: where (`page line 3`), image_id, sentences (a list)."""
    try:
        soup = BeautifulSoup(_text(read_regular(page, SMALL)), "html.parser")
    except OSError as error:
        raise InputError(f"{page} cannot be read ({error.strerror}); get the page again") from None
    entries = [
        (f"{page} line {image.sourceline}", str(image.get("src") or ""), _sentences(image))
        for image in soup.find_all("img")
    ]
    rows = pd.DataFrame(entries, columns=["where", "address", "sentences"])
    if rows.empty:
        raise InputError(f"{page} has no rows with images: it is another page; get the right one")
    rows["image_id"] = [posixpath.normpath(unquote(address.strip())) for address in rows.address]
    dataset.refuse(
        rows[[not ADDRESS.fullmatch(name) for name in rows.image_id]],
        "{where}{more}: the image {address!r} is not category/name.jpg below the page's folder; "
        "get the page as it was published, or correct the address",
    )
    dataset.refuse(
        rows[rows.image_id.duplicated()],
        "{where}{more}: the image {image_id} is listed twice; list each image once",
    )
    return rows


def _sentences(image: Tag) -> list[str]:
    """List the cells with text in the table that follows an image, in the order of the page."""
    # The nesting of elements is no help: where end tags are left out, the parser puts a row or cell
    # into the one before it. So the elements are read in their order.
    table = image.find_next(["table", "img"])
    cells: list[str] = []
    for node in table.descendants if table else ():
        if isinstance(node, Tag):
            if node.name == "img":  # the table was never closed
                break
            if node.name == "td":
                cells.append("")
            elif node.name == "br" and cells:
                cells[-1] += " "
        elif type(node) is NavigableString and cells:  # its subclasses are comments and the like
            cells[-1] += node
    sentences = [clean(cell) for cell in cells]
    return [sentence for sentence in sentences if sentence]


def _text(data: bytes) -> str:
    """Decode a page: as UTF-8, or else as Windows' Latin-1.

    Beautiful Soup would guess, by a detector that may or may not be installed.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
