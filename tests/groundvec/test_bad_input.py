"""Bad input to the real commands: one line, an exit status, and no file changed.

One kind per command; tests of the modules have all messages. With
GROUNDVEC_RELIABILITY=docs/reliability.md in the environment, the table there is written.
"""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from PIL import Image

from groundvec.runtime.files import sha256
from tests.support import forks
from tests.support.folders import tree
from tests.support.photos import jpeg
from tests.support.reliability import write_section
from tests.support.workflow import ROOT, SCENES, environment

TABLE = "{source: table, table: my/captions.csv, images: my/photos, models: [gru-8-max]}"
SNAKEMAKE = "snakemake --cores 1 --configfile x.yaml"
SOURCE = '{"source":"table","table":"my/captions.csv","images":"my/photos"}'
DATASET = f"scripts/dataset.py --source {SOURCE} --output out"
EXTRACT = (
    "scripts/extract_features.py --images images.csv --backbone efficientnet_lite0 --threads 1 "
    "--work work --output out.h5"
)
TRANSLATOR = (
    "scripts/translator.py --name x --pairs parallel.csv --source en --target de --work work "
    "--output out"
)


def write_configuration(folder, dataset):
    (folder / "x.yaml").write_text(f"experiment: x\ndatasets:\n  one: {dataset}\n")


def misspelled_key(folder):
    write_configuration(folder, SCENES.replace("}", ", seedz: [1]}"))


def own_data(folder, *more_rows):
    rows = ["image,caption,split", "a.png,A cat.,train", "b.png,A dog.,dev", "c.png,A cow.,test"]
    (folder / "my/photos").mkdir(parents=True)
    (folder / "my/captions.csv").write_text("\n".join([*rows, *more_rows]))
    for name in "abc":
        Image.new("RGB", (40, 30), "red").save(folder / f"my/photos/{name}.png")


def empty_caption(folder):
    own_data(folder, "c.png,,test")


def half_a_jpeg(folder):
    path = folder / "a.jpg"
    path.write_bytes(jpeg(quality=95)[:-500])
    columns = {"image_id": ["a"], "split": "train", "path": str(path), "sha256": sha256(path)}
    pd.DataFrame(columns).to_csv(folder / "images.csv", index=False)


def ratings_from_0_to_1(folder):
    for split in ("train", "dev", "test"):
        line = f"main-news\tMSRpar\t2012{split}\t1\t0.95\tA dog.\tA cat.\n"
        (folder / f"sts-{split}.csv").write_text(10 * line)


def one_pair(folder):
    rows = "train,,A dog.,Ein Hund.\ndev,,A dog.,Ein Hund.\n"
    (folder / "parallel.csv").write_text(f"split,image_id,en,de\n{rows}")


CASES = {  # a mistake: the function that writes the files, the command, and words of its message
    "a misspelled key in a configuration": (misspelled_key, SNAKEMAKE, "did you mean 'seed'?"),
    "an empty caption in a table": (empty_caption, DATASET, "line 5: the caption is empty"),
    "half a JPEG": (half_a_jpeg, EXTRACT, "save it again in a program that"),
    "STS-B with ratings from 0 to 1": (
        ratings_from_0_to_1,
        "groundvec evaluate sentences --tasks STS-B --folder .",
        "sts-train.csv line 1: the highest of 10 train ratings of STS-B is 0.95 of 5; multiply",
    ),
    "one pair to train a translator with": (
        one_pair,
        TRANSLATOR,
        "no en word is in the training sentences 2 times: add pairs to learn from",
    ),
}
INTRODUCTION = """\
A mistake in a configuration is reported before anything starts, even if results exist. No mistake
in the table changes or deletes a result. The exit status is 1. These are examples;
`tests/groundvec/test_bad_input.py` runs the real commands and writes this table.
"""


@pytest.fixture(scope="module")
def answers():
    """Collect the messages; in the end, write them into the page."""
    messages = {}
    yield messages
    if messages.keys() == CASES.keys():
        rows = [f"| {mistake} | `{message}` |" for mistake, message in messages.items()]
        write_section(
            "Bad input", "\n".join([INTRODUCTION, "| mistake | message |", "|---|---|", *rows, ""])
        )


@pytest.mark.parametrize("mistake", CASES)
def test_bad_input_is_answered_with_one_line_and_a_status(tmp_path, mistake, answers):
    prepare, command, expected = CASES[mistake]
    folder = tmp_path / "mine"
    folder.mkdir()
    prepare(folder)
    before = tree(folder)
    env = {**environment(), "PYTHONPATH": str(ROOT)}
    result = forks.run(*words_of(command), cwd=folder, env=env)
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if expected in line]
    assert lines and lines[0].startswith("error: "), result.stderr
    after = {path: data for path, data in tree(folder).items() if ".snakemake" not in path}
    assert after == before
    message = lines[0].removeprefix("error: ").replace(f"{folder}{os.sep}", "")
    message = message.replace("|", "\\|")
    answers[mistake] = message if len(message) < 160 else f"{message[:160]}..."


def words_of(command):
    """Return a command as Python's arguments."""
    program, *arguments = command.split()
    if program == "snakemake":
        return ["-m", "snakemake", "--snakefile", ROOT / "Snakefile", *arguments]
    start = ["-m", "groundvec"] if program == "groundvec" else [ROOT / program]
    return [*start, *arguments]


@pytest.mark.parametrize(
    "command, closed",
    [
        (DATASET, "my/captions.csv"),
        (DATASET, "."),
        (SNAKEMAKE, "my/photos"),
        ("groundvec search my/photos A_dog -o new/best.html", "."),  # before pictures are read
    ],
)
def test_missing_permissions_are_one_line(tmp_path, command, closed):
    own_data(tmp_path)
    write_configuration(tmp_path, TABLE)
    # Root may do everything, unless it gives that up.
    root = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    prefix = root if os.geteuid() == 0 else []
    (tmp_path / closed).chmod(0o555 if closed == "." else 0)
    try:
        result = subprocess.run(
            [*prefix, sys.executable, *words_of(command)],
            cwd=tmp_path,
            env={**environment(), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        (tmp_path / closed).chmod(0o755)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    [line] = re.findall("^error: .*", result.stderr, flags=re.M)
    assert "Permission denied; change its permissions" in line
    assert not re.search(r"/?\.[0-9a-f]{16}", line)  # the name of a temporary file
