"""Files that are either whole or not there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grounded.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it if the block succeeds.

    The temporary name keeps the suffix, so that writers which choose a format by it still work.
    If the block raises, the temporary file is removed and an existing `path` stays as it was.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes | memoryview) -> None:
    """Write bytes, atomically.

    Libraries that write a format themselves hide a full disk behind errors of their own; bytes
    from memory raise a plain OSError.
    """
    with atomic(path) as temporary:
        temporary.write_bytes(data)


def write_json(path: str | Path, data: Any) -> None:
    """Write `data` as readable JSON, atomically."""
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_json(path: str | Path) -> Any:
    """Read a JSON file; InputError if it is missing or is not JSON."""
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}): delete it and make it again") from None


def write_csv(path: str | Path, table: "pd.DataFrame") -> None:
    """Write a data frame without its index, atomically."""
    with atomic(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")
