"""Download one file over HTTP: resumed where it broke off, and tried again while that may help."""

import errno
import http.client
import logging
import os
import socket
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

CHUNK = 1 << 16  # bytes
TIMEOUT = 30  # seconds without a byte
RETRIES = 4  # in a row that gain no byte, after 1, 2, 4 and 8 seconds
TOO_MANY_REQUESTS = 429

# Problems that may be gone at the next attempt. urllib raises some of them inside a URLError.
TRANSIENT = (TimeoutError, ConnectionError, ssl.SSLEOFError, http.client.HTTPException)
# A network that worked may come back. One that never worked is reported at once.
NO_NETWORK = {errno.ENETUNREACH, errno.EHOSTUNREACH, socket.EAI_AGAIN}


class _Unacceptable(Exception):
    """A server sends more than the file has."""


def download(url: str, part: Path, name: str, size: int | None = None) -> str | None:
    """Complete `part` from `url`; return why that fails, or None.

    Args:
        part: the file, which may have its beginning already.
        name: the file's name, for messages.
        size: the largest number of bytes to accept, if it is known.
    """
    failures = 0
    largest = _size(part)
    while True:
        try:
            _attempt(url, part, name, size)
            return None
        except _Unacceptable as error:
            part.unlink(missing_ok=True)
            return str(error)
        except (urllib.error.URLError, *TRANSIENT) as error:
            # An attempt that gained bytes counts as the first: large files may break off often.
            failures = 1 if _size(part) > largest else failures + 1
            largest = max(largest, _size(part))
            reason = str(error).strip("<>")
            if failures > RETRIES or not _is_transient(error, began=largest > 0):
                return f"fails ({reason})"
            wait = 2 ** (failures - 1)
            log.warning("%s: %s; trying again in %d s", name, reason, wait)
            time.sleep(wait)


def _is_transient(error: Exception, began: bool) -> bool:
    """Return whether another attempt may help; `began`: whether a byte has arrived."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code >= 500 or error.code == TOO_MANY_REQUESTS
    reason = getattr(error, "reason", error)
    lost_network = getattr(reason, "errno", None) in NO_NETWORK
    return isinstance(reason, TRANSIENT) or (began and lost_network)


def _attempt(url: str, part: Path, name: str, size: int | None) -> None:
    """Request the bytes that `part` lacks, and append them."""
    existing = _size(part)
    request = urllib.request.Request(url, headers={"User-Agent": "groundvec"})
    if existing:
        request.add_header("Range", f"bytes={existing}-")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        # The range begins where the file ends, or after: `part` is the whole file, or another's.
        if error.headers["Content-Range"] == f"bytes */{existing}":
            return
        part.unlink()
        raise ConnectionError("the part downloaded before is not of this file") from None
    with response:
        # Some servers ignore ranges and send the whole file, with status 200.
        start = existing if response.status == http.client.PARTIAL_CONTENT else 0
        length = response.headers["Content-Length"]
        total = start + int(length) if length else None
        if total and size is not None and total > size:
            raise _Unacceptable(f"has {total} bytes, not the expected {size}")
        write_stream(response, part, name, start, total, size)
    if total is not None and _size(part) < total:
        raise ConnectionError(f"the connection closed after {_size(part)} of {total} bytes")


def write_stream(
    stream: Any,
    path: Path,
    name: str,
    start: int = 0,
    total: int | None = None,
    limit: int | None = None,
) -> None:
    """Write a stream to a file, after the file's first `start` bytes.

    Args:
        name: the file's name, for the bar.
        total: the size of the whole file, if it is known.
        limit: the largest number of bytes that the file may have.
    """
    written = start
    with path.open("ab" if start else "wb") as file, byte_bar(name, start, total) as bar:
        while chunk := stream.read1(CHUNK):
            written += file.write(chunk)
            bar.update(len(chunk))
            if limit is not None and written > limit:
                raise _Unacceptable(f"has more than the expected {limit} bytes")
        file.flush()
        os.fsync(file.fileno())


def byte_bar(text: str, start: int, total: int | None) -> Progress:
    """Make a bar of bytes, shown after a second: a thousand small files need no thousand bars."""
    return Progress(initial=start, total=total, desc=text, unit="B", unit_scale=True, delay=1)


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0
