"""Fetch public files: from a mirror folder or over HTTP, and verify them."""

import hashlib
import logging
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from groundvec.data.transfer import CHUNK, Failed, byte_bar, download, write_blocks
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    SMALL,
    atomic,
    open_regular,
    read_regular,
    sha256,
    text_lines,
    write_bytes,
)
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

# Images in a row that cannot be fetched: then the problem is the server or the network.
MAX_FAILED = 5
LARGEST_LIST = 2**26  # bytes of SHA256SUMS; MSCOCO's 123,287 files take 12 MB
JPEG_MARKER = b"\xff\xd8"


def fetch(
    name: str, source: Mapping[str, Any], target: str | Path, mirror: str | Path | None = None
) -> None:
    """Copy a file from the mirror, or download it if the mirror does not have it, and verify it.

    If a download with a known sum breaks off, it is kept as `<target>.part`, and the next call
    requests the rest. A `target` that exists is verified and kept. If no sum is published, the
    first download's is recorded in `<target>.sha256`, and later files have to match it.

    Args:
        name: the file's path in a mirror, such as `flickr8k/Flickr8k_text.zip`.
        source: its `urls`, tried in their order; if known, its `size` in bytes, `sha256` (all or
            the first of its hexadecimal digits) and `md5`. With `members`, the file is a zip
            archive to be made of several files: their SHA-256 sums by their paths below the `urls`.
        target: where to put it.
        mirror: a folder. Its own SHA256SUMS comes before the sums in `source`.

    Raises:
        InputError: the file cannot be fetched, or has another size or sum than `source`.
        OSError: the disk is full; downloaded bytes are kept.
    """
    target = Path(target)
    if source.get("sha256") or source.get("md5") or source.get("members"):
        _fetch(name, source, target, mirror)
        return
    record = target.with_name(f"{target.name}.sha256")
    recorded = None
    if record.exists():
        recorded = read_regular(record, SMALL)[:64].decode("ascii", "replace")
        if not re.fullmatch("[0-9a-f]{64}", recorded):
            raise InputError(f"{record} does not begin with a SHA-256 sum: delete it")
    url = _fetch(name, {**source, "sha256": recorded, "record": record}, target, mirror)
    if url and not recorded:
        write_bytes(record, f"{sha256(target)}  {target.name}\n".encode(), replace=True)


def fetch_images(
    addresses: Sequence[str],
    urls: Sequence[str],
    folder: Path,
    name: str,
    mirror: str | Path | None = None,
) -> None:
    """Fetch a page's JPEG images into a folder, like `fetch`; keep those that exist.

    Args:
        addresses: the images' addresses, relative to the page: `dog/1.jpg`. Trusted to stay below.
        urls: the page's addresses; the one that the last image came from is tried first.
        folder: where to put them, each at its address.
        name: the folder's path in a mirror.

    Raises:
        InputError: some cannot be fetched; all others are. After `MAX_FAILED` in a row, no further
            image is requested.
        OSError: the disk is full; downloaded images are kept.
    """
    problems: list[InputError] = []
    failed_in_a_row = 0
    skipped = 0
    pages = list(urls)
    for number, address in enumerate(Progress(addresses, desc=name, unit="images"), start=1):
        try:
            image_urls = [urljoin(page, quote(address)) for page in pages]
            url = _fetch_image(f"{name}/{address}", image_urls, folder / address, mirror)
            _try_first(pages, image_urls, url)
            failed_in_a_row = 0
        except InputError as error:
            log.warning("%s", error)
            problems.append(error)
            failed_in_a_row += 1
        if failed_in_a_row == MAX_FAILED:
            skipped = len(addresses) - number
            break
    if problems:
        not_requested = f" ({skipped:,} more were not requested)" if skipped else ""
        raise InputError(
            f"{len(problems):,} of {len(addresses):,} images cannot be fetched{not_requested}; "
            f"the log names them. The first: {problems[0]}; then run again, which keeps the "
            "images that exist"
        )


def _fetch_image(name: str, urls: list[str], target: Path, mirror: str | Path | None) -> str | None:
    """Fetch an image without a published sum: it must at least be a JPEG; see `_fetch`."""
    existed = target.exists()
    url = _fetch(name, {"urls": urls}, target, mirror)
    with open_regular(target) as file:
        is_jpeg = file.read(len(JPEG_MARKER)) == JPEG_MARKER
    if is_jpeg:
        return url
    if existed:
        raise InputError(f"{target} is no JPEG picture: delete it")
    target.unlink()  # some servers send a page in place of a missing file
    raise InputError(
        f"what came for {name} is no JPEG picture: get it from {urls[0]} and put it at {target}"
    )


def _try_first(folders: list[str], urls: list[str], url: str | None) -> None:
    """Move the folder of the address that worked to the front: its server answers."""
    if url:
        folders.insert(0, folders.pop(urls.index(url)))


def _fetch(
    name: str, source: Mapping[str, Any], target: Path, mirror: str | Path | None = None
) -> str | None:
    """Fetch a file whose sum, if there is one, is in `source`.

    Returns:
        The address that the file was downloaded from; None if it existed or is from the mirror.
    """
    expected = source
    mirrored = None
    if mirror is not None:
        mirrored = Path(mirror, name)
        expected = _listed(Path(mirror)).get(name, source)

    if target.exists():
        # It may be the mirror's file or the public one.
        problem = _difference(target, expected, name)
        if problem and (expected is source or _difference(target, source, name)):
            raise InputError(f"{target} {problem}: delete it and run again")
        log.info("%s already exists", target)
        return None
    if mirrored and mirrored.exists():
        with atomic(target) as temporary:
            with open_regular(mirrored) as file:
                blocks = iter(partial(file.read, CHUNK), b"")
                write_blocks(blocks, temporary, name, total=mirrored.stat().st_size)
            problem = _difference(temporary, expected, name)
            if problem:
                raise InputError(f"{mirrored} {problem}: repair or leave out the mirror")
        log.info("%s is copied from %s", target, mirrored)
        return None
    if not source["urls"]:
        raise InputError(f"{name} is not public: only a mirror can have it")
    target.parent.mkdir(parents=True, exist_ok=True)
    get = _get_members if source.get("members") else _get
    url = get(name, source, target)
    log.info("%s is downloaded from %s", target, url)
    return url


def _get(name: str, source: Mapping[str, Any], target: Path) -> str:
    """Download a file from the first address that has the expected one; return the address."""
    part = target.with_name(f"{target.name}.part")
    has_sum = source.get("sha256") or source.get("md5")
    problems: list[str] = []
    for url in source["urls"]:
        if problems:
            log.warning("%s: %s; trying %s instead", name, problems[-1], url)
        try:
            download(url, part, name, source.get("size"), resume=bool(has_sum))
        except Failed as error:
            problems.append(f"{url} {error}")
            continue
        problem = _difference(part, source, name)
        if problem is None:
            part.replace(target)
            return url
        part.unlink()
        problems.append(f"{url} {problem}")
    raise InputError(
        f"{name} is missing and cannot be downloaded: {'; '.join(problems)}; get it some other "
        f"way and put it at {target}, or set `mirror` or GROUNDVEC_MIRROR to a "
        "folder that has it"
    )


def _get_members(name: str, source: Mapping[str, Any], target: Path) -> str:
    """Download the members of a zip archive and make it; return the address of their folder."""
    folder = target.with_name(f"{target.name}.members")  # kept for the next call, as `.part` is
    folders = list(source["urls"])
    for member, sha in source["members"].items():
        urls = [f"{url}{member}" for url in folders]
        url = _fetch(f"{name}/{member}", {"urls": urls, "sha256": sha}, folder / member)
        _try_first(folders, urls, url)
    with atomic(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for member in source["members"]:
            # ZipInfo's time is always 1980, so that equal members make equal archives.
            archive.writestr(zipfile.ZipInfo(member), (folder / member).read_bytes())
    shutil.rmtree(folder)
    return folders[0]


def _listed(mirror: Path) -> dict[str, dict[str, str]]:
    """Read a mirror's SHA256SUMS, by file name; empty if it has none."""
    if not mirror.is_dir():
        raise InputError(
            f"the mirror {mirror} is not a folder: correct or leave out `mirror` "
            "in the configuration, or GROUNDVEC_MIRROR"
        )
    sums = mirror / "SHA256SUMS"
    if not sums.exists():
        return {}
    listed = {}
    for line in text_lines(read_regular(sums, LARGEST_LIST), sums):
        # sha256sum writes `SUM  NAME`, or `SUM *NAME` for a file that was read as binary.
        sha, _, name = line.strip().partition(" ")
        listed[name.lstrip(" *").removeprefix("./")] = {"sha256": sha}
    return listed


def _difference(path: Path, expected: Mapping[str, Any], name: str) -> str | None:
    """Describe how a file differs from the expected one, or return None; log its SHA-256 sum."""
    size = path.stat().st_size
    if expected.get("size") not in (None, size):
        return f"has {size} bytes, not the expected {expected['size']}"
    hashes = {"sha256": hashlib.sha256()}
    if expected.get("md5"):
        hashes["md5"] = hashlib.md5(usedforsecurity=False)
    with open_regular(path) as file, byte_bar(f"verify {name}", 0, size) as bar:
        while chunk := file.read(CHUNK):
            for algorithm in hashes.values():
                algorithm.update(chunk)
            bar.update(len(chunk))
    log.info("%s has %d bytes, sha256 %s", name, size, hashes["sha256"].hexdigest())
    for key, algorithm in hashes.items():
        # An expected sum may be the beginning alone, as in the names of torchvision's weights.
        if algorithm.hexdigest().startswith((expected.get(key) or "").lower()):
            continue
        problem = f"has {key} {algorithm.hexdigest()}, not the expected {expected[key]}"
        record = expected.get("record")
        if record:
            problem += f", which its first download had (delete {record} to accept another)"
        return problem
    return None
