import subprocess
import sys
from importlib import import_module

import pytest

from tests.support import ROOT
from tests.support.commands import shell
from tests.support.tables import cells

PROGRAM = """
import argparse
from pathlib import Path
from groundvec.cli.program import run
from groundvec.runtime.errors import InputError
parser = argparse.ArgumentParser()
parser.add_argument("--input", type=Path, nargs="*")
parser.add_argument("--output", type=Path)
def main(arguments):
    {body}
run(main, parser)
"""


def program(folder, body, *arguments):
    """Run a program in a folder, whose `main` has this body."""
    command = [sys.executable, "-c", PROGRAM.format(body=body), *map(str, arguments)]
    environment = {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def save(path, *arguments):
    """Run a program that writes a file."""
    body = f"from groundvec.runtime.files import write_bytes; write_bytes({str(path)!r}, b'new')"
    return program(path.parent, body, *arguments)


def test_a_bug_keeps_its_traceback_in_the_log(tmp_path):
    result = program(tmp_path, "1 / 0", "--log", "a.log")
    assert result.returncode == 1
    assert "ZeroDivisionError" in (tmp_path / "a.log").read_text()


def test_ctrl_c_ends_it_without_a_word_while_it_imports():
    body = """
import sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == "groundvec.cli.commands.search":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
import groundvec.__main__
"""
    result = subprocess.run([sys.executable, "-c", body], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 130 and result.stderr == ""


# Existing files are not overwritten


@pytest.mark.parametrize("link", ["a symbolic link", "a hard link", "a detour"])
def test_an_input_is_never_written_over(tmp_path, link):
    mine = tmp_path / "mine.csv"
    output = tmp_path / "output.csv"
    mine.write_text("mine")
    if link == "a detour":
        (tmp_path / "folder").mkdir()
        output = tmp_path / "folder" / ".." / "mine.csv"
    elif link == "a hard link":
        output.hardlink_to(mine)
    else:
        output.symlink_to(mine)
    result = save(output, "--input", "no.csv", mine, "--output", output, "--overwrite")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert "is an input, and would be overwritten: name another output" in result.stderr
    assert mine.read_text() == "mine"


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path):
    path = tmp_path / f"{'x' * 155}.{'y' * 99}"
    path.write_text("mine")
    result = save(path)
    assert result.returncode == 1 and path.read_text() == "mine"
    assert f"{path} already exists: name another output, or use --overwrite" in result.stderr
    assert save(path, "--overwrite").returncode == 0
    assert path.read_text() == "new"


def test_overwrite_replaces_only_regular_files(tmp_path):
    path = tmp_path / "a.csv"
    path.symlink_to("/dev/null")
    before = path.lstat().st_ino
    result = save(path, "--overwrite")
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert f"{path} is a folder, a FIFO or a device: name another output" in result.stderr
    assert path.lstat().st_ino == before and list(tmp_path.iterdir()) == [path]


def test_two_outputs_of_one_name_are_refused(tmp_path):
    line = "groundvec evaluate retrieval a.npy b.npy -o c.csv --ranks ./c.csv"
    result = shell(tmp_path, line)
    assert result.returncode == 1 and list(tmp_path.iterdir()) == []
    assert "c.csv is two outputs of this command: name another for one of them" in result.stderr


def test_a_log_empties_nothing_but_a_log(tmp_path):
    (tmp_path / "captions.csv").write_text("mine")
    result = save(tmp_path / "a", "--log", "captions.csv")
    assert result.returncode == 2 and "captions.csv does not end in .log" in result.stderr
    assert (tmp_path / "captions.csv").read_text() == "mine"


# Printed text


def test_control_characters_in_output_are_escaped(tmp_path):
    body = (
        "import logging; from groundvec.cli.program import show; name = 'a\\x1b[2J\\nb'; "
        "show(name); logging.info('%s is read', Path(name)); logging.warning(name); "
        "open(name)"
    )
    result = program(tmp_path, body, "--log", "a.log")
    assert result.stdout == "a\\x1b[2J\\nb\n"
    first, second, third, error = result.stderr.splitlines()
    assert (first, second, third) == ("a\\x1b[2J\\nb is read", "a\\x1b[2J", "b")
    assert error.startswith("error: a\\x1b[2J\\nb: No such file")
    assert (tmp_path / "a.log").read_text() == result.stderr


def test_a_long_line_is_shown_by_its_beginning_and_its_end(tmp_path):
    for error in ("InputError(f'{long} is bad: fix it')", "OSError(5, 'is bad: fix it', long)"):
        result = program(tmp_path, f"long = 'x' * 10**5; raise {error}")
        assert result.returncode == 1 and len(result.stderr) < 1100
        assert result.stderr.startswith("error: xxx") and "is bad: fix it" in result.stderr


def test_output_for_a_closed_stream_reaches_no_open_file(tmp_path):
    """Python has none then, and the next file that is opened gets its number."""
    writes = "print('x', file=sys.stderr); logging.error('y'); os.write(2, b'z')"
    body = f"f = open('f', 'wb'); import logging, os, sys; {writes}; f.write(b'whole')"
    (tmp_path / "program.py").write_text(PROGRAM.format(body=body))
    command = ["sh", "-c", '"$0" program.py 2>&- <&-', sys.executable]
    environment = {"PYTHONPATH": str(ROOT)}
    assert subprocess.run(command, cwd=tmp_path, env=environment).returncode == 0
    assert (tmp_path / "f").read_bytes() == b"whole"


def test_a_program_stopped_by_sigterm_leaves_no_partial_files(tmp_path):
    path = tmp_path / "out" / ("x" * 255)  # the longest name that a file system takes
    body = (
        "import os, signal; from groundvec.runtime.files import atomic\n    "
        f"with atomic({str(path)!r}) as path:\n        "
        "path.write_text('half'); os.kill(os.getpid(), signal.SIGTERM)"
    )
    result = program(tmp_path, body)
    assert result.returncode == 143 and result.stderr == ""
    assert list((tmp_path / "out").iterdir()) == []


def test_stopped_work_exits_with_sigterm_s_status(tmp_path):
    body = "from groundvec.runtime.jobs import Stopped; raise Stopped('x: told to stop')"
    result = program(tmp_path, body)
    assert result.returncode == 143 and result.stderr == "x: told to stop\n"


# Refusals of the operating system


@pytest.mark.parametrize(
    "raised, said",
    cells(r"""
    OSError(13, 'Permission denied', 'a.csv') | a.csv: Permission denied; change its perm
    OSError(5, 'Input/output error', 'a.h5') | a.h5: Input/output error; correct that
    OSError(28, 'No space left', 'a')        | no space left on the disk while writing a
    RuntimeError("can't allocate memory: 9\n at") | not enough memory (can't allocate
    ModuleNotFoundError(name='h5py')         | h5py is not installed: pip install "groundvec[train
    OSError(30, 'Read-only file system', 'a') | a: Read-only file system; change its perm
    OSError(12, 'Cannot allocate memory')    | not enough memory
    OSError('9999 requested and 496 written') | no space left on the disk
    MemoryError()                            | not enough memory (MemoryError)
    InputError('x.onnx is none (Failed to allocate memory)') | not enough memory (x.onnx
    InputError('y.onnx is none (Failed to serialize proto)') | not enough memory (y.onnx
    KeyError('pl: No space left on device (os error 28)') | no space left on the disk
    ValueError('h5: errno = 122, error message = x') | no space left on the disk
    ImportError('x.so: no', name='cv2.x')    | cv2 is installed but cannot be loaded (x.so: no)
    RuntimeError('operator torchvision::nms does not exist') | this torchvision was built
    """),
)
def test_errors_of_the_system_are_one_line(tmp_path, raised, said):
    result = program(tmp_path, f"raise {raised}")
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {said}") and result.stderr.count("\n") == 1


def test_a_library_that_does_not_load_before_a_script_starts_is_one_line(tmp_path):
    (tmp_path / "pandas.py").write_text("raise ImportError('x.so: no')")
    command = [sys.executable, "scripts/ratings.py", "--help"]
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.startswith("error: pandas is installed but cannot be loaded (x.so: no)")
    assert result.stderr.count("\n") == 1


# Numbers on a command line


@pytest.mark.parametrize(
    "script, option, values, said",
    cells("""
    translator       | settings     | size: 0        | translator.size: 0 is less than the minimum
    translator       | settings     | batch_sizes: 8 | unknown key 'batch_sizes': did you mean 'ba
    extract_features | settings     | [1]            | extraction
    train            | seed         | -1             | argument --seed: -1 is less than 0
    train            | seed         | 4294967296     | 4294967296 is more than 4294967295
    train            | draw         | 5              | argument --draw: expected 3 arguments
    train            | early-epochs | x              | invalid whole_number value: 'x'
    """),
)
def test_an_option_out_of_its_bounds_is_named(capsys, script, option, values, said):
    program = import_module(f"scripts.{script}")
    with pytest.raises(SystemExit, match="2"):
        program.parser.parse_args([f"--{option}", values])
    assert said in capsys.readouterr().err
