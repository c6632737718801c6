"""What tests of several rooms of the library share."""

import os
from pathlib import Path

import pytest

from tests.support import forks

ROOT = Path(__file__).parents[2]


@pytest.fixture
def groundvec(tmp_path):
    """Runs the command in a folder; what it wrote to standard output, or its only line of error."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env["GROUNDVEC_MIRROR"] = ""

    def run(*arguments, fails=0):
        result = forks.run("-m", "groundvec", *arguments, cwd=tmp_path, env=env)
        assert result.returncode == fails, result.stderr
        if fails:
            *usage, line = result.stderr.splitlines()
            assert not result.stdout and not (fails == 1 and usage), result.stderr
            return line
        return result.stdout

    return run
