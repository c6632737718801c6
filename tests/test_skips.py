"""A run of the tests ends with the number of skipped tests and the reasons."""

import os
import re
import subprocess
import sys

from tests.support import ROOT

TESTS = """
import pytest
from tests.conftest import program

@pytest.mark.parametrize("tool", ["chromium", "make", "chromium"])
def test_with_a_tool(tool):
    program(tool)

def test_in_a_browser(browser):
    pass

@pytest.mark.parametrize("number", [1, 2])
def test_on_real_data(mirror, number):
    pass

@pytest.mark.skipif(True, reason="there is no GPU")
def test_on_a_gpu():
    pass
"""


def test_missing_programs_are_one_line_with_the_remedy_and_the_number_of_tests(tmp_path):
    """In two processes, as `make test` runs them."""
    (tmp_path / "test_tools.py").write_text(TESTS)
    env = os.environ | {"PATH": "", "PYTHONPATH": str(ROOT / "tests"), "GROUNDVEC_MIRROR": "none"}
    env.pop("CI", None)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "conftest"]
    command += ["-n", "2", tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert sorted(re.findall("^.* left out: .*$", result.stdout, re.MULTILINE)) == [
        "1 left out: there is no GPU",
        "1 left out: there is no make: apt-get install make",
        "2 left out: there is no mirror of real data in none: export GROUNDVEC_MIRROR=FOLDER",
        "3 left out: there is no chromium: apt-get install chromium",
    ]
