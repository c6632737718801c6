"""The command `groundvec`, in a test's own process or as a shell starts it."""

import argparse
import os
import subprocess
import sys

from groundvec.__main__ import COMMANDS
from tests.support import ROOT


def run_here(name, *arguments):
    """Run a command in this process; bad input raises an InputError."""
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_arguments(parser)
    COMMANDS[name].main(parser.parse_args([str(word) for word in arguments]))


def shell(folder, line, stdin=None):
    """Run a line of bash with the command `groundvec` of this clone; return how it ended."""
    start = f'set -o pipefail; groundvec() {{ {sys.executable} -m groundvec "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", start + line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=stdin,
        capture_output=True,
        text=True,
    )
