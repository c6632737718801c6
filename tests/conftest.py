"""Fixtures and settings of all tests."""

import os
import shutil
import sys
import threading
from collections import Counter

# Torch's threads wait for each other in a busy loop: with several test processes on few cores,
# one thread a process is many times faster. Set before anything imports torch; results must not
# depend on it, so another number may be tried.
os.environ.setdefault("OMP_NUM_THREADS", "1")
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Few examples of a property, the same in every run; or many and new ones if `--hypothesis-profile
# nightly` asks for those, as CI does once a night. No time limit for one, which a busy machine
# exceeds.
settings.register_profile("quick", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=150, deadline=None, print_blob=True)
settings.load_profile("quick")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """A folder of real data; tests that need it are skipped without one."""
    folder = Path(os.environ.get("GROUNDVEC_MIRROR", ROOT.parent / "shared" / "mirror"))
    if not (folder / "SHA256SUMS").exists():
        pytest.skip(f"there is no mirror of real data in {folder}: export GROUNDVEC_MIRROR=FOLDER")
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
    """Return the path of a program; skip the test if it is missing.

    In CI, which installs it, the test fails instead.
    """
    if path := shutil.which(name):
        return path
    if os.environ.get("CI"):
        pytest.fail(f"there is no {name}, which .ci/run installs")
    pytest.skip(f"there is no {name}: apt-get install {name}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write one line per reason for skipped tests, with their number."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} left out: {reason}")


# The files that take longest. `make test` gives each process a file at a time: what begins with
# these ends with short ones, so that no process waits for another.
LONGEST = ("workflow", "benchmarks", "docs", "image_encoder", "index", "try_it", "extract", "page")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    places = {f"test_{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(scope="session")
def running_server() -> Iterator[Any]:
    from tests.support import downloads

    with ThreadingHTTPServer(("127.0.0.1", 0), downloads.Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def server(running_server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The server, reset, and the seconds that the code under test would have waited."""
    from tests.support import downloads

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running_server.waits = []
    monkeypatch.setattr("groundvec.data.transfer.time.sleep", running_server.waits.append)
    running_server.source = downloads.reset(running_server)
    return running_server
