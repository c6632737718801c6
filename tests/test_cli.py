import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from grounded.data import schema
from grounded.files import atomic, read_json, write_json
from grounded.text.characters import Vocabulary

ROOT = Path(__file__).parent.parent


def test_a_file_is_whole_or_not_there(tmp_path):
    path = tmp_path / "new" / "file.txt"
    with pytest.raises(KeyboardInterrupt), atomic(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert list(path.parent.iterdir()) == []
    with atomic(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole" and len(list(path.parent.iterdir())) == 1
    with pytest.raises(KeyboardInterrupt), atomic(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "whole"


def test_json_is_read_as_it_was_written(tmp_path):
    data = {"größe": [1, 2.5, None], "🐶": "a\nb"}
    write_json(tmp_path / "a.json", data)
    assert read_json(tmp_path / "a.json") == data


def program(tmp_path, body):
    path = tmp_path / "program.py"
    path.write_text(
        "import argparse\nfrom grounded.cli import run\nfrom grounded.errors import InputError\n"
        f"def main(arguments):\n    {body}\nrun(main, argparse.ArgumentParser())\n"
    )
    command = [sys.executable, path, "--log", tmp_path / "log"]
    environment = {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_bad_input_is_one_line_and_a_status(tmp_path):
    result = program(tmp_path, "raise InputError('a.csv line 3: no caption, add one')")
    assert result.returncode == 1
    assert result.stderr == "error: a.csv line 3: no caption, add one\n"
    assert (tmp_path / "log").read_text() == result.stderr


def test_a_bug_keeps_its_traceback_in_the_log(tmp_path):
    result = program(tmp_path, "1 / 0")
    assert result.returncode == 1
    assert "ZeroDivisionError" in (tmp_path / "log").read_text()


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_training_on_a_full_disk_is_one_line_and_goes_on_when_there_is_room(tmp_path, small_disk):
    import pandas as pd

    ids = [f"i{k}" for k in range(12)]
    split = ["train"] * 8 + ["dev"] * 2 + ["test"] * 2
    images = pd.DataFrame({"image_id": ids, "split": split, "path": ids})
    captions = images[["image_id", "split"]].assign(language="en", caption="A dog.")
    captions["caption_id"] = captions["image_id"] + "#0"
    schema.write(tmp_path, captions[schema.CAPTION_COLUMNS], images)
    Vocabulary.build(["A dog."]).save(tmp_path / "v.json")
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["features"] = np.random.default_rng(0).normal(size=(12, 16)).astype(np.float32)
        file["image_ids"] = ids
        file.attrs["fingerprint"] = "x"
    command = [sys.executable, "scripts/train.py", "--cell", "gru-128-max", "--batch-size", "4"]
    command += ["--captions", tmp_path / "captions.csv", "--features", tmp_path / "f.h5"]
    command += ["--vocabulary", tmp_path / "v.json", "--work", small_disk, "--epochs", "2"]
    command += ["--cycle", "1", "--output", tmp_path / "model"]

    def train():
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)

    result = train()
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("error: no space left on the disk")
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "model").exists()
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    result = train()
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "model" / "model.json").exists()
