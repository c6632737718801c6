"""Download over HTTP: of a bounded size, at a minimal speed, and tried again if that may help."""

import errno
import http.client
import logging
import math
import os
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import check_regular
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

CHUNK = 1 << 16  # bytes
MAX_BYTES = 2**31  # of a file whose size is unknown: 2 GiB
TIMEOUT = 30  # seconds without a byte
MIN_SPEED = 1000  # bytes of content per second, in each `PERIOD`
PERIOD = 30  # seconds
RETRIES = 4  # in a row that gain no byte, after 1, 2, 4 and 8 seconds
TOO_MANY_REQUESTS = 429

# Problems that may be gone at the next attempt. urllib raises some of them inside a URLError.
TRANSIENT = (TimeoutError, ConnectionError, ssl.SSLEOFError, http.client.HTTPException)
# A network that worked may come back. One that never worked is reported at once.
NO_NETWORK = {errno.ENETUNREACH, errno.EHOSTUNREACH, socket.EAI_AGAIN}
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Failed(Exception):
    """A download that failed; `status` is the server's answer, such as 404, if that is why."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


class _Pace:
    """The speed of a server, over all attempts: at least `speed` in each `period`."""

    def __init__(self, period: float, speed: float) -> None:
        self.period = period
        self.speed = speed
        self.began = time.monotonic()
        self.received = 0

    def check(self) -> None:
        """Raise URLError if less came in the last period."""
        seconds = time.monotonic() - self.began
        if seconds < self.period:
            return
        if self.received < self.speed * seconds:
            raise urllib.error.URLError(f"too slow: {self.received:,} bytes in {seconds:.0f} s")
        self.began += seconds
        self.received = 0


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects; show an authorization to no other host than the one that it is for."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        fp.close()  # else urllib would read the redirect's body into memory, however long it is
        if new and urlsplit(new.full_url)[:2] != urlsplit(req.full_url)[:2]:
            new.remove_header("Authorization")
        return new


def read(url: str, limit: int, seconds: float, headers: Mapping[str, str] = NO_HEADERS) -> bytes:
    """Return a short answer of at most `limit` bytes, which takes no more than some seconds.

    Raises:
        Failed: there is no such answer. It is not tried again.
    """
    pace = _Pace(seconds, math.inf)
    try:
        with _open(url, headers, seconds) as response:
            return b"".join(_blocks(response, limit, pace))
    except (urllib.error.URLError, *TRANSIENT) as error:
        raise _failed(error) from None


def download(
    url: str,
    part: Path,
    name: str,
    size: int | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
    resume: bool = False,
) -> None:
    """Download a file to `part`.

    Args:
        name: the file's name, for messages.
        size: the file's size, if it is known; else at most `MAX_BYTES` are accepted.
        resume: keep the beginning that `part` has, and request the rest. Only for a file whose
            checksum is known: of another, the rest might be another file's.

    Raises:
        Failed: the server does not have the file, or cannot be used.
        InputError: `part` is a folder, a FIFO or a device, or a link, through which another file
            would be overwritten.
        OSError: the disk is full; downloaded bytes are kept.
    """
    check_regular(part)
    if part.is_symlink():
        raise InputError(f"{part} is a link: delete it")
    pace = _Pace(PERIOD, MIN_SPEED)
    failures = 0
    largest = _size(part) if resume else 0
    while True:
        try:
            _attempt(url, part, name, size, headers, _size(part) if resume else 0, pace)
            break
        except Failed:  # another file
            part.unlink(missing_ok=True)
            raise
        except (urllib.error.URLError, *TRANSIENT) as error:
            # An attempt that gained bytes counts as the first: large files may break off often.
            failures = 1 if _size(part) > largest else failures + 1
            largest = max(largest, _size(part))
            if failures > RETRIES or not _is_transient(error, began=largest > 0):
                if not resume:
                    part.unlink(missing_ok=True)
                raise _failed(error) from None
            wait = 2 ** (failures - 1)
            log.warning("%s: %s; trying again in %d s", name, str(error).strip("<>"), wait)
            time.sleep(wait)
    if size is not None and _size(part) != size:
        problem = f"has {_size(part)} bytes, not the expected {size}"
        part.unlink()
        raise Failed(problem)


def _failed(error: Exception) -> Failed:
    return Failed(f"fails ({str(error).strip('<>')})", getattr(error, "code", None))


def _is_transient(error: Exception, began: bool) -> bool:
    """Return whether another attempt may help; `began`: whether a byte has arrived."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code == TOO_MANY_REQUESTS
    reason = getattr(error, "reason", error)
    lost_network = getattr(reason, "errno", None) in NO_NETWORK
    return isinstance(reason, TRANSIENT) or (began and lost_network)


def _open(url: str, headers: Mapping[str, str], seconds: float) -> http.client.HTTPResponse:
    """Request a URL.

    Raises:
        TimeoutError: the headers of an answer do not come within some seconds. Timeouts of sockets
            bound neither the search for a host's address nor headers that come byte by byte.
        URLError: the URL, or a redirect's, is none; or the server cannot be reached.
    """
    response: Future[http.client.HTTPResponse] = Future()

    def request() -> None:
        try:
            opener = urllib.request.build_opener(_Redirects)
            asked = urllib.request.Request(url, headers={"User-Agent": "groundvec", **headers})
            response.set_result(opener.open(asked, timeout=seconds))
        except Exception as error:
            response.set_exception(error)

    # A daemon, so that a program can end while it waits.
    threading.Thread(target=request, daemon=True).start()
    try:
        return response.result(seconds)
    except TimeoutError:
        raise TimeoutError(f"no answer in {seconds:g} s") from None
    except (ValueError, ArithmeticError, http.client.InvalidURL) as error:
        raise urllib.error.URLError(str(error)) from None


def _attempt(
    url: str,
    part: Path,
    name: str,
    size: int | None,
    headers: Mapping[str, str],
    start: int,
    pace: _Pace,
) -> None:
    """Request a file from byte `start` on, and write it to `part` from there."""
    pace.check()  # earlier attempts may have spent the time on connections that were not accepted
    if start:
        headers = {**headers, "Range": f"bytes={start}-"}
    try:
        response = _open(url, headers, TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE or not start:
            raise
        # The range begins where the file ends, or after: `part` is the whole file, or another's.
        if error.headers["Content-Range"] == f"bytes */{start}":
            return
        part.unlink()
        raise ConnectionError("the part downloaded before is not of this file") from None
    with response:
        if response.status == http.client.OK:
            start = 0  # some servers ignore ranges and send the whole file
        elif not start or response.status != http.client.PARTIAL_CONTENT:
            raise urllib.error.URLError(f"HTTP status {response.status}")
        total = None if response.length is None else start + response.length
        limit = MAX_BYTES if size is None else size
        if total is not None and total > limit:
            raise Failed(f"has {total} bytes, not the expected {limit}")
        blocks = _blocks(response, limit, pace, start)
        write_blocks(blocks, part, name, start, total)
    if total is not None and _size(part) < total:
        raise ConnectionError(f"the connection closed after {_size(part)} of {total} bytes")


def _blocks(
    response: http.client.HTTPResponse, limit: int, pace: _Pace, start: int = 0
) -> Iterator[bytes]:
    """Yield a response's content; Failed if, with `start` bytes before it, it is too long."""
    while block := response.read1(CHUNK):
        pace.received += len(block)
        pace.check()
        start += len(block)
        if start > limit:
            raise Failed(f"has more than the expected {limit} bytes")
        yield block


def write_blocks(
    blocks: Iterable[bytes], path: Path, name: str, start: int = 0, total: int | None = None
) -> None:
    """Write bytes to a file, after the file's first `start` bytes.

    Args:
        name: the file's name, for the bar.
        total: the size of the whole file, if it is known.
    """
    with path.open("ab" if start else "wb") as file, byte_bar(name, start, total) as bar:
        for block in blocks:
            file.write(block)
            bar.update(len(block))
        file.flush()
        os.fsync(file.fileno())


def byte_bar(text: str, start: int, total: int | None) -> Progress:
    """Make a bar of bytes, shown after a second: a thousand small files need no thousand bars."""
    return Progress(initial=start, total=total, desc=text, unit="B", unit_scale=True, delay=1)


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0
