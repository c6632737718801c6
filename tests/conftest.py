"""What all tests share."""

import os
import sys

# Torch's threads wait for each other in a busy loop: with several test processes on few cores,
# one thread a process is many times faster. Set before anything imports torch; results must not
# depend on it, so another number may be tried.
os.environ.setdefault("OMP_NUM_THREADS", "1")
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """A folder of real data, laid out as README.md says of `mirror:`; skips where none is."""
    folder = Path(os.environ.get("GROUNDVEC_MIRROR", ROOT.parent / "shared" / "mirror"))
    if not (folder / "SHA256SUMS").exists():
        pytest.skip(f"no mirror of the real data: {folder} (set GROUNDVEC_MIRROR)")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the file that takes longest: `make test` gives each process a file at a time."""
    items.sort(key=lambda item: item.path.name != "test_workflow.py")
