"""The examples of every --help."""

import argparse
import re
import shlex
import shutil
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from groundvec.__main__ import COMMANDS, main
from tests.support import ROOT, sts_files
from tests.support.commands import run_here
from tests.support.examples import save_model
from tests.support.models import model

SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))


def examples(text):
    """Return the words of the commands in a --help, but for those that end in dots."""
    lines = re.sub(r"\\?\n {6,}", " ", text).splitlines()
    commands = [line.strip() for line in lines if line.startswith(("  python ", "  groundvec "))]
    found = [
        shlex.split(re.split(" [>|] ", line)[0]) for line in commands if not line.endswith("...")
    ]
    assert found
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_examples_of_a_script_are_options_and_values_that_it_takes(path):
    """Tests of the workflow run each of them."""
    script = import_module(f"scripts.{path.stem}")
    script.parser.add_argument("--log")
    for python, name, *words in examples(script.__doc__):
        assert (python, name) == ("python", f"scripts/{path.name}")
        script.parser.parse_args(words)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make the files that the examples of commands name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GROUNDVEC_MIRROR", str(tmp_path / "mirror"))
    for name in ("sentences", "first", "second"):
        (tmp_path / f"{name}.txt").write_text("A dog runs.\nA cat.\n")
    for name, rows in {"captions": 10, "images": 5}.items():
        np.save(f"{name}.npy", np.random.default_rng(rows).normal(size=(rows, 4)))
    sts_files.write(tmp_path, sts_files.small(False))
    for name in ("STS", "SICK"):
        shutil.make_archive(f"mirror/sts/{name}", "zip", tmp_path, name)
    for name in ("scenes/gru-128-attention", "few-scenes/BoW"):
        save_model(tmp_path / "results/demo/models" / name / "seed1", model())
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_run_as_they_stand(folder, name, capsys):
    """They name the file that they wrote."""
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_arguments(parser)
    assert parser.format_help()
    for groundvec, command, *words in examples(COMMANDS[name].__doc__):
        assert groundvec == "groundvec"
        if name in ("search", "train"):  # test_commands and test_train run them on other pictures
            assert command == name and parser.parse_args(words)
        else:
            run_here(command, *words)
            outputs = {"-o", "--predictions", "--ranks"}
            files = [file for option, file in pairwise(words) if option in outputs]
            assert re.findall("^written: (.*)", capsys.readouterr().out, re.MULTILINE) == files


@pytest.mark.parametrize("options", [[], ["--help"]])
def test_the_help_names_the_environment_variables_that_commands_read(monkeypatch, capsys, options):
    code = "".join(path.read_text() for path in (ROOT / "groundvec").rglob("*.py"))
    names = {*re.findall(r'environ\.get\("(\w+)"', code)} - {"SLURM_JOB_ID"}
    monkeypatch.setattr("sys.argv", ["groundvec", *options])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert names == {*re.findall("^  ([A-Z_]+) ", capsys.readouterr().out, re.MULTILINE)}
