"""scripts/dataset.py: the files that it writes, and those that it does not."""

import subprocess
import sys
from pathlib import Path

from groundvec.data import dataset

ROOT = Path(__file__).parents[2]
GOOD = "image,caption,split\na.jpg,A cat.,train\nb.jpg,A dog.,dev\nc.jpg,A cow.,test\n"


def write_table(folder):
    path = folder / "my.csv"
    path.write_text(GOOD)
    return path


def program(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "dataset.py", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_program_writes_both_files(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").touch()
    path = write_table(tmp_path)
    result = program("table", "--table", path, "--images", tmp_path, "--output", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    captions = dataset.read_captions(tmp_path / "out" / "captions.csv")
    images = dataset.read_images(tmp_path / "out" / "images.csv")
    assert captions.caption.tolist() == ["A cat.", "A dog.", "A cow."]
    assert images.path.tolist() == [str(tmp_path / f"{name}.jpg") for name in "abc"]


def test_program_ends_with_one_line_and_writes_nothing_if_images_are_missing(tmp_path):
    (tmp_path / "b.jpg").touch()
    path = write_table(tmp_path)
    result = program("table", "--table", path, "--images", tmp_path, "--output", tmp_path / "out")
    assert result.returncode == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "2 of 3 image files are missing" in errors[0]
    assert str(tmp_path / "a.jpg") in errors[0]
    assert str(tmp_path / "c.jpg") in errors[0]
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_program_generates_scenes(tmp_path):
    result = program("scenes", "--count", 20, "--seed", 1, "--output", tmp_path)
    assert result.returncode == 0, result.stderr
    images = dataset.read_images(tmp_path / "images.csv")
    assert len(images) == len(list((tmp_path / "images").iterdir())) == 20
    assert len((tmp_path / "scenes.jsonl").read_text().splitlines()) == 20
    assert len(dataset.read_captions(tmp_path / "captions.csv", "de")) == 100


def test_program_shows_an_example():
    result = program("--help")
    assert result.returncode == 0
    assert "python scripts/dataset.py table --table my/captions.csv" in result.stdout


def test_the_program_does_not_write_over_the_user_s_own_table(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").write_bytes(b"x")
    path = write_table(tmp_path).rename(tmp_path / "captions.csv")
    for options in ([], ["--overwrite"]):
        result = program(
            *options, "table", "--table", path, "--images", tmp_path, "--output", tmp_path
        )
        assert result.returncode == 1 and "captions.csv is an input" in result.stderr
    assert path.read_text() == GOOD
    assert not (tmp_path / "images.csv").exists()
