"""Fetch public files: from a mirror folder or over HTTP, resumed, retried and verified."""

import errno
import hashlib
import http.client
import logging
import os
import re
import shutil
import socket
import ssl
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any
from urllib.parse import quote, urljoin, urlsplit

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import atomic, sha256, text_lines, write_bytes
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

CHUNK = 1 << 16  # bytes
TIMEOUT = 30  # seconds without a byte
SLOWEST = 1000  # bytes per second, after two such times
RETRIES = 4  # in a row that gain nothing, after 1, 2, 4 and 8 seconds
MOST_FAILED = 5  # images in a row: then it is not the images, but the server or the network

# What may be gone at the next attempt. urllib raises these as they are or inside a URLError.
TRANSIENT = (TimeoutError, ConnectionError, ssl.SSLEOFError, http.client.HTTPException)
# A network that was there may come back; one that never was is said to be missing at once.
NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, socket.EAI_AGAIN}


def fetch(
    name: str, source: dict[str, Any], target: str | Path, mirror: str | Path | None = None
) -> None:
    """Copy a file from the mirror, or download it if the mirror does not have it, and verify it.

    A download that breaks off is kept as `<target>.part`, and the next call asks for the rest. A
    `target` that is there already is verified and kept. Where no sum is known, that of the first
    download is kept in `<target>.sha256`, and holds from then.

    Args:
        name: the file's path in a mirror, such as `flickr8k/Flickr8k_text.zip`.
        source: its `urls`, tried in their order, and what is known of it: `size` in bytes, `sha256`
            (all or the first of its hexadecimal digits), `md5`. With `members`, the SHA-256 sums of
            files by their paths below the addresses, it is a zip archive that is made of these.
        target: where to put it.
        mirror: a folder. Its own SHA256SUMS counts before `source`.

    Raises:
        InputError: the file cannot be had, or is not what it should be.
        OSError: the disk is full; what has been downloaded is kept.
    """
    target = Path(target)
    if source.get("sha256") or source.get("md5") or source.get("members"):
        _fetch(name, source, target, mirror)
        return
    record = target.with_name(f"{target.name}.sha256")
    first = record.read_text("utf-8", errors="replace") if record.exists() else None
    if first is not None and not re.match("[0-9a-f]{64} ", first):
        raise InputError(f"{record} does not begin with a SHA-256 sum: delete it")
    known = source | {"sha256": first and first[:64], "record": record}
    if _fetch(name, known, target, mirror) and not first:
        write_bytes(record, f"{sha256(target)}  {target.name}\n".encode(), replace=True)


def _fetch(
    name: str, source: dict[str, Any], target: Path, mirror: str | Path | None = None
) -> str | None:
    """Fetch without a record; returns the address that the file came from."""
    in_mirror = None
    mirrored = source
    if mirror is not None:
        in_mirror = Path(mirror, name)
        mirrored = _listed(Path(mirror)).get(name, source)

    if target.exists():
        problem = _problem(target, mirrored, name)
        if problem and (mirrored is source or _problem(target, source, name)):
            raise InputError(f"{target} {problem}: delete it and run again")
        log.info("%s already exists", target)
        return None
    if in_mirror and in_mirror.exists():
        with atomic(target) as temporary:
            with in_mirror.open("rb") as file:
                _write(file, temporary, 0, in_mirror.stat().st_size, name)
            if problem := _problem(temporary, mirrored, name):
                raise InputError(f"{in_mirror} {problem}: repair or leave out the mirror")
        log.info("%s is copied from %s", target, in_mirror)
        return None
    if not source["urls"]:
        raise InputError(f"{name} is not public: only a mirror can have it")
    target.parent.mkdir(parents=True, exist_ok=True)
    used = _pack(name, source, target) if source.get("members") else _get(name, source, target)
    log.info("%s is downloaded from %s", target, used)
    return used


def _get(name: str, source: dict[str, Any], target: Path) -> str:
    """Download a file from the first address that has it as it should be; returns the address."""
    part = target.with_name(f"{target.name}.part")
    problems: list[str] = []
    for url in source["urls"]:
        if problems:
            log.warning("%s: %s; trying %s instead", name, problems[-1], url)
        if len(source["urls"]) > 1 and not (source.get("sha256") or source.get("md5")):
            part.unlink(missing_ok=True)  # nothing would tell whether its beginning and end fit
        problem = download(url, part, name, source.get("size"))
        if not problem and (problem := _problem(part, source, name)):
            part.unlink()
        if not problem:
            part.replace(target)
            return url
        problems.append(f"{url} {problem}")
    raise InputError(
        f"{name} is missing and cannot be downloaded: {'; '.join(problems)}; get it some other "
        f"way and put it at {target}, or set `mirror` or GROUNDVEC_MIRROR to a "
        "folder that has it"
    )


def _pack(name: str, source: dict[str, Any], target: Path) -> str:
    """Download the members of a zip archive and put it together; returns a folder's address."""
    folder = target.with_name(f"{target.name}.members")
    folders = list(source["urls"])
    for member, sha in source["members"].items():
        urls = [f"{url}{member}" for url in folders]
        if used := _fetch(f"{name}/{member}", {"urls": urls, "sha256": sha}, folder / member):
            folders.insert(0, folders.pop(urls.index(used)))  # whose host is there
    with atomic(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for member in source["members"]:  # without times: the archive is always the same
            archive.writestr(zipfile.ZipInfo(member), (folder / member).read_bytes())
    shutil.rmtree(folder)
    return str(folders[0])


def fetch_images(
    addresses: Sequence[str],
    urls: Sequence[str],
    folder: Path,
    name: str,
    mirror: str | Path | None = None,
) -> None:
    """Bring a page's JPEG images into a folder, like `fetch`; keep those that are there.

    Args:
        addresses: of the images, relative to the page: `dog/1.jpg`. Trusted to stay below it.
        urls: the page's addresses; the one that the last image came from is tried first.
        folder: where to put them, each at its address.
        name: the folder's path in a mirror.

    Raises:
        InputError: some cannot be had, after all others are fetched. After `MOST_FAILED` of them in
            a row the rest is not asked for.
        OSError: the disk is full; what has been downloaded is kept.
    """
    problems: dict[str, InputError] = {}
    in_a_row = rest = 0
    urls = list(urls)
    with Progress(total=len(addresses), desc=name, unit="images") as bar:
        for i, address in enumerate(addresses):
            try:
                source = {"urls": [urljoin(url, quote(address)) for url in urls]}
                used = _fetch_image(f"{name}/{address}", source, folder / address, mirror)
                if used:
                    urls.insert(0, urls.pop(source["urls"].index(used)))
                in_a_row = 0
            except InputError as error:
                log.warning("%s", error)
                problems[address] = error
                in_a_row += 1
            bar.update()
            if in_a_row == MOST_FAILED:
                rest = len(addresses) - i - 1
                break
    if problems:
        first, *others = problems
        likewise = f"; likewise {', '.join(others[:3])}" if others else ""
        more = f" and {len(others) - 3:,} more" if len(others) > 3 else ""
        stopped = f" ({rest:,} more were not asked for)" if rest else ""
        raise InputError(
            f"{len(problems):,} of {len(addresses):,} images cannot be had{stopped}: "
            f"{problems[first]}{likewise}{more}; then run again, which keeps what is there"
        )


def _fetch_image(
    name: str, source: dict[str, Any], target: Path, mirror: str | Path | None
) -> str | None:
    """Fetch an image without a published sum: at least it must be a JPEG."""
    before = target.exists()
    used = _fetch(name, source, target, mirror)
    with target.open("rb") as file:
        if file.read(2) == b"\xff\xd8":
            return used
    if before:
        raise InputError(f"{target} is no JPEG picture: delete it")
    target.unlink()  # what a server says in place of a file
    raise InputError(
        f"what came for {name} is no JPEG picture: get it from {source['urls'][0]} and put it at "
        f"{target}"
    )


def _listed(mirror: Path) -> dict[str, dict[str, str]]:
    """Read a mirror's SHA256SUMS, by file name; empty if it has none."""
    if not mirror.is_dir():
        raise InputError(f"the mirror {mirror} is not a folder: correct or leave out `mirror`")
    sums = mirror / "SHA256SUMS"
    listed = text_lines(sums.read_bytes(), sums) if sums.exists() else ()
    pairs = [line.strip().partition(" ")[::2] for line in listed]
    return {name.lstrip(" *").removeprefix("./"): {"sha256": sha} for sha, name in pairs}


def _problem(path: Path, expected: dict[str, Any], name: str) -> str | None:
    """Say how a file differs from the expected one, or None; log its SHA-256 sum."""
    size = path.stat().st_size
    if expected.get("size") not in (None, size):
        return f"has {size} bytes, not the expected {expected['size']}"
    hashes = {"sha256": hashlib.sha256()}
    if expected.get("md5"):
        hashes["md5"] = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file, _bar(f"verify {name}", 0, size) as bar:
        while chunk := file.read(CHUNK):
            for sha in hashes.values():
                sha.update(chunk)
            bar.update(len(chunk))
    log.info("%s has %d bytes, sha256 %s", name, size, hashes["sha256"].hexdigest())
    for algorithm, sha in hashes.items():
        if not sha.hexdigest().startswith((expected.get(algorithm) or "").lower()):
            problem = f"has {algorithm} {sha.hexdigest()}, not the expected {expected[algorithm]}"
            if record := expected.get("record"):
                problem += f", which its first download had (delete {record} to take another)"
            return problem
    return None


class _Endless(Exception):
    """A server sends more than it should, or next to nothing."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Show who asks to the host that was asked, and to no other that it names."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new and urlsplit(new.full_url)[:2] != urlsplit(req.full_url)[:2]:
            new.remove_header("Authorization")
        return new


def download(
    url: str,
    part: Path,
    name: str,
    size: int | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> str | None:
    """Complete `part` from `url`, trying again while that may help; return why it fails.

    Args:
        part: the file, which may have its beginning.
        name: of the file, for messages.
        size: the most bytes that are taken, if it is known.
    """
    failures = 0
    most = _size(part)
    while True:
        try:
            _attempt(url, part, name, size, headers)
            return None
        except _Endless as error:
            part.unlink(missing_ok=True)
            return str(error)
        except (urllib.error.URLError, *TRANSIENT) as error:
            failures = 1 if _size(part) > most else failures + 1
            most = max(most, _size(part))
            reason = str(error).strip("<>")
            if failures > RETRIES or not _transient(error, began=most > 0):
                return f"fails ({reason})"
            wait = 2 ** (failures - 1)
            log.warning("%s: %s; trying again in %d s", name, reason, wait)
            time.sleep(wait)


def _transient(error: Exception, began: bool) -> bool:
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code == 429  # 429: too many requests
    reason = getattr(error, "reason", error)
    lost = began and getattr(reason, "errno", None) in NO_WAY
    return lost or isinstance(reason, TRANSIENT)


def _attempt(url: str, part: Path, name: str, size: int | None, headers: Mapping[str, str]) -> None:
    """Ask for the rest of `part`, and append it."""
    have = _size(part)
    ranges = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers={"User-Agent": "groundvec", **headers, **ranges})
    try:
        response = urllib.request.build_opener(_SameHost).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416:  # the range begins where the file ends, or after
            raise
        if error.headers["Content-Range"] == f"bytes */{have}":
            return
        part.unlink()
        raise ConnectionError("the part downloaded before is not of this file") from None
    with response:
        start = have if response.status == 206 else 0  # 200: the server ignores ranges
        length = response.headers["Content-Length"]
        total = start + int(length) if length else None
        if total and size is not None and total > size:
            raise _Endless(f"has {total} bytes, not the expected {size}")
        _write(response, part, start, total, name, size)
    if total is not None and _size(part) < total:
        raise ConnectionError(f"the connection closed after {_size(part)} of {total} bytes")


def _write(
    stream: Any, path: Path, start: int, total: int | None, name: str, most: int | None = None
) -> None:
    """Write a stream to a file, after the file's first `start` bytes; `most` in all."""
    have = start
    began = time.monotonic()
    with path.open("ab" if start else "wb") as file, _bar(name, start, total) as bar:
        while chunk := stream.read1(CHUNK):
            have += file.write(chunk)
            bar.update(len(chunk))
            if most is not None and have > most:
                raise _Endless(f"has more than the expected {most} bytes")
            seconds = time.monotonic() - began
            if seconds > 2 * TIMEOUT and have - start < SLOWEST * seconds:
                raise _Endless(f"comes slower than {SLOWEST:,} bytes per second")
        file.flush()
        os.fsync(file.fileno())


def _bar(text: str, start: int, total: int | None) -> Progress:
    # A file that takes less than a second needs no bar, and a thousand of them no thousand bars.
    return Progress(initial=start, total=total, desc=text, unit="B", unit_scale=True, delay=1)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
