"""What tests of several rooms of the library share."""

import os
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support import downloads, forks

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kept_features(tmp_path_factory, monkeypatch):
    """Let tests with the same pictures compute their features once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def groundvec(tmp_path, kept_features):
    """Runs the command in a folder; what it wrote to standard output, or its only line of error."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "GROUNDVEC_MIRROR": ""}

    def run(*arguments, fails=0):
        result = forks.run("-m", "groundvec", *arguments, cwd=tmp_path, env=env)
        assert result.returncode == fails, result.stderr
        if fails:
            *usage, line = result.stderr.splitlines()
            assert not result.stdout and not (fails == 1 and usage), result.stderr
            return line
        return result.stdout

    return run


@pytest.fixture(scope="session")
def running_server():
    with ThreadingHTTPServer(("127.0.0.1", 0), downloads.Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def server(running_server, monkeypatch):
    """The server, reset, and the seconds that the code under test would have waited."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running_server.waits = []
    monkeypatch.setattr("groundvec.data.transfer.time.sleep", running_server.waits.append)
    running_server.source = downloads.reset(running_server)
    return running_server
