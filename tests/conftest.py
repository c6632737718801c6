"""What all tests share."""

import os
import shutil
import sys

# Torch's threads wait for each other in a busy loop: with several test processes on few cores,
# one thread a process is many times faster. Set before anything imports torch; results must not
# depend on it, so another number may be tried.
os.environ.setdefault("OMP_NUM_THREADS", "1")
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Fewer examples of a property than Hypothesis' hundred, unless `--hypothesis-profile nightly` asks
# for those; and no time limit for one, which a busy machine exceeds.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("nightly", max_examples=100, deadline=None)
settings.load_profile("quick")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """A folder of real data, laid out as README.md says of `mirror:`; skips where none is."""
    folder = Path(os.environ.get("GROUNDVEC_MIRROR", ROOT.parent / "shared" / "mirror"))
    if not (folder / "SHA256SUMS").exists():
        pytest.skip(f"no mirror of the real data: {folder} (set GROUNDVEC_MIRROR)")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program("chromium"), args=["--no-sandbox"]
        )
        yield opened
        opened.close()


def program(name: str) -> str:
    """Where a program is that Debian's package of this name has; what needs it is left out else.

    But not in CI, which installs it.
    """
    if path := shutil.which(name):
        return path
    if os.environ.get("CI"):
        pytest.fail(f"there is no {name}, which .ci/run installs")
    pytest.skip(f"there is no {name}: apt-get install {name}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the file that takes longest: `make test` gives each process a file at a time."""
    items.sort(key=lambda item: item.path.name != "test_workflow.py")


@pytest.fixture
def retrieval(tmp_path: Path) -> list[Any]:
    """Options of scripts/report.py for models and their retrieval scores."""
    from tests.result_files import write_retrieval

    return write_retrieval(tmp_path)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files of what two systems predict, with the rated pairs beside them."""
    from tests.result_files import write_predictions

    return write_predictions(tmp_path)
