"""A run of the tests ends with what was left out, and why."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest
from conftest import program

@pytest.mark.parametrize("tool", ["chromium", "npm", "chromium", "chromium"])
def test_with_a_tool(tool):
    program(tool)

def test_on_real_data(mirror):
    pass
"""


def test_what_is_not_installed_is_one_line_with_the_remedy_and_the_number_of_tests(tmp_path):
    """In two processes, as `make test` runs them."""
    (tmp_path / "test_tools.py").write_text(TESTS)
    env = os.environ | {"PATH": "", "PYTHONPATH": str(ROOT / "tests"), "GROUNDVEC_MIRROR": "none"}
    env.pop("CI", None)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "conftest"]
    command += ["-n", "2", tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    skipped = re.findall(r"^SKIPPED \[(\d+)\] \S+: (.*)$", result.stdout, re.MULTILINE)
    assert sorted(skipped) == [
        ("1", "there is no mirror of real data in none: export GROUNDVEC_MIRROR=FOLDER"),
        ("1", "there is no npm: apt-get install npm"),
        ("3", "there is no chromium: apt-get install chromium"),
    ]
