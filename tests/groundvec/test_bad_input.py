"""Bad input to the real commands: one line, an exit status, and no file changed.

A few kinds per command; tests of the modules have all messages. With
GROUNDVEC_RELIABILITY=docs/reliability.md in the environment, the table there is written.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from groundvec.model.network import Model
from groundvec.model.weights import save as save_weights
from groundvec.runtime.files import sha256
from groundvec.text.characters import Text
from tests.support import forks
from tests.support.examples import description, save_model
from tests.support.photos import jpeg
from tests.support.reliability import write_section
from tests.support.workflow import SCENES, copy_project, environment

TABLE = "source: table, table: my/captions.csv, images: my/photos, models: [gru-8-max]"
ROWS = "image,caption,split\na.png,A cat.,train\nb.png,A dog.,dev\nc.png,A cow.,test\n"
SNAKEMAKE = "snakemake --cores 1 --configfile x.yaml"
DATASET = "scripts/dataset.py table --table my/captions.csv --images my/photos --output out"
EXTRACT = (
    "scripts/extract_features.py --images images.csv --backbone efficientnet_lite0 --threads 1 "
    "--work work --output out.h5"
)
JOIN = "scripts/join_features.py --parts f.h5 --images images.csv --output out.h5"
RATE = "scripts/rate.py --model model --ratings ratings.csv --output out"
TRANSLATOR = (
    "scripts/translator.py --name x --pairs parallel.csv --source en --target de --work work "
    "--output out"
)
RERANK = (
    "scripts/rerank.py --system x --dev lists.txt --test lists.txt --pairs parallel.csv "
    "--source en --target de --features f.h5 --output a.csv --output-translations b.csv "
    "--output-weights c.csv"
)


@dataclass
class Case:
    """A mistake, the message, and the command that meets it in the files of `prepare`."""

    mistake: str
    message: str
    command: str
    prepare: Callable[[Path], object] = lambda folder: None


def own_data(folder: Path, rows: str = ROWS) -> None:
    (folder / "my/photos").mkdir(parents=True)
    (folder / "my/captions.csv").write_text(rows)
    for name in "abc":
        Image.new("RGB", (40, 30), "red").save(folder / f"my/photos/{name}.png")


def configuration(mistake: str, dataset: str, message: str, name: str = "one") -> Case:
    def prepare(folder: Path) -> None:
        own_data(folder)
        text = f"experiment: x\ndatasets:\n  {name}: {{{dataset}}}\n"
        (folder / "x.yaml").write_text(text)

    return Case(mistake, message, SNAKEMAKE, prepare)


def model(mistake: str, change: Callable[[Path], object], message: str) -> Case:
    """A model folder that somebody gave us."""

    def prepare(folder: Path) -> None:
        text = Text.build(["A dog."])
        network = Model(description("gru-8-max"), {"en": text}, 4)
        save_model(folder / "model", network, [1])
        weights = folder / "model/snapshots/epoch-001.safetensors"
        claim(folder / "model", sha256={"1": sha256(weights)})
        header = "task,subtask,split,sentence_a,sentence_b,rating"
        (folder / "ratings.csv").write_text(f"{header}\nT,S,test,A dog.,A cat.,1\n")
        change(folder / "model")

    return Case(mistake, message, RATE, prepare)


def claim(folder: Path, **changes: object) -> None:
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | changes))


def flip_a_bit(folder: Path) -> None:
    path = folder / "snapshots/epoch-001.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def not_finite(folder: Path) -> None:
    network = Model(description("gru-8-max"), {"en": Text.build(["A dog."])}, 4)
    with torch.no_grad():
        network.captions["en"].embedding.weight[2, 0] = torch.nan
    claim(folder, sha256={"1": save_weights(network, folder / "snapshots/epoch-001.safetensors")})


def empty_caption(folder: Path) -> None:
    own_data(folder, ROWS + "c.png,,test\n")


def half_a_jpeg(folder: Path) -> None:
    path = folder / "a.jpg"
    path.write_bytes(jpeg(quality=95)[:-500])
    columns = {"image_id": ["a"], "split": "train", "path": str(path), "sha256": sha256(path)}
    pd.DataFrame(columns).to_csv(folder / "images.csv", index=False)


def nan_features(folder: Path) -> None:
    with h5py.File(folder / "f.h5", "w") as file:
        file["image_ids"] = ["a", "b"]
        file["features"] = np.full((2, 4), np.nan, "f4")
    columns = {"image_id": ["a", "b"], "split": "train", "path": "-", "sha256": "-"}
    pd.DataFrame(columns).to_csv(folder / "images.csv", index=False)


def benchmark(folder: Path) -> None:
    for split in ("train", "dev", "test"):
        line = f"main-news\tMSRpar\t2012{split}\t1\t0.95\tA dog.\tA cat.\n"
        (folder / f"sts-{split}.csv").write_text(10 * line)


def lists(folder: Path) -> None:
    splits = ("train", "dev", "test")
    rows = "".join(f"{split},,A dog.,Ein Hund.\n" * 2 for split in splits)
    (folder / "parallel.csv").write_text(f"split,image_id,en,de\n{rows}")
    (folder / "lists.txt").write_text("0 ||| Ja ||| ||| 1\n1 ||| Ne")


def one_pair(folder: Path) -> None:
    rows = "train,,A dog.,Ein Hund.\ndev,,A dog.,Ein Hund.\n"
    (folder / "parallel.csv").write_text(f"split,image_id,en,de\n{rows}")


DRAWN = SCENES.strip("{}")

CASES = {
    "A configuration": [
        configuration(
            "a misspelt key", f"{DRAWN}, seedz: [1]", "unknown key 'seedz': did you mean 'seed'?"
        ),
        configuration(
            "a name that YAML reads as a number",
            DRAWN,
            "YAML reads a name here as 2024: put it in quotation marks",
            name="2024",
        ),
    ],
    "A table of captions": [
        Case("an empty caption", "line 5: the caption is empty", DATASET, empty_caption),
    ],
    "An image": [
        Case("half a JPEG", "save it again in a program that", EXTRACT, half_a_jpeg),
    ],
    "Features": [
        Case("NaN", "features that are NaN or beyond 1e+15 for image a", JOIN, nan_features)
    ],
    "A model folder": [
        model("a flipped byte in the weights", flip_a_bit, "epoch-001.safetensors is damaged"),
        model(
            "weights that are not finite", not_finite, "captions.en.embedding.weight is not finite"
        ),
    ],
    "The command `groundvec`": [
        Case(
            "two names of files, and no files",
            "first.txt is the name of a file, or looks like one: use --files",
            "groundvec similarity first.txt secnd.txt",
        )
    ],
    "The command `groundvec evaluate`": [
        Case(
            "STS-B with ratings from 0 to 1",
            "sts-train.csv line 1: the highest of 10 train ratings of STS-B is 0.95 of 5; multiply",
            "groundvec evaluate sentences --tasks STS-B --folder .",
            benchmark,
        ),
    ],
    "Lists of translations": [
        Case("a line that is cut off", "line 2: '1 ||| Ne' is not", RERANK, lists),
        Case(
            "one pair to train a translator with",
            "no en word is in the training sentences 2 times: add pairs to learn from",
            TRANSLATOR,
            one_pair,
        ),
    ],
    "Numbers on a command line": [
        Case("`--seed -1`", "--seed: -1 is less than the minimum of 0", f"{TRANSLATOR} --seed -1")
    ],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("bad"))


@pytest.fixture(scope="module")
def answers():
    messages: dict[str, str] = {}
    yield messages
    if len(messages) == sum(map(len, CASES.values())):
        lines = [INTRODUCTION, "| mistake | message |", "|---|---|"]
        for group, cases in CASES.items():
            lines.append(f"| **{group}** | |")
            lines += [f"| {case.mistake} | `{messages[case.mistake]}` |" for case in cases]
        write_section("Bad input", "\n".join([*lines, ""]))


INTRODUCTION = """\
A mistake in a configuration is reported before anything starts, even if results exist. No mistake
in the table changes or deletes a result. The exit status is 1. These are examples;
`tests/groundvec/test_bad_input.py` runs the real commands and writes this table.
"""


@pytest.mark.parametrize("case", list(chain(*CASES.values())), ids=lambda case: case.mistake)
def test_bad_input_is_answered_with_one_line_and_a_status(project, tmp_path, case, answers):
    folder = tmp_path / "mine"
    folder.mkdir()
    case.prepare(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    program, *arguments = case.command.split()
    result = forks.run(
        *start_of(program, project),
        *arguments,
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(project)},
    )
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if case.message in line]
    assert lines and lines[0].startswith("error: "), result.stderr
    after = {path for path in folder.rglob("*") if path.is_file()}
    assert {path for path in after if ".snakemake" not in path.parts} == set(before)
    assert all(path.read_bytes() == content for path, content in before.items())
    message = lines[0].removeprefix("error: ").replace(f"{folder}{os.sep}", "")
    message = message.replace("|", "\\|")
    answers[case.mistake] = message if len(message) < 160 else f"{message[:160]}..."


def start_of(program, project):
    if program == "snakemake":
        return ["-m", "snakemake", "--snakefile", project / "Snakefile"]
    return ["-m", "groundvec"] if program == "groundvec" else [project / program]


@pytest.mark.parametrize(
    ("command", "closed"), [(DATASET, "my/captions.csv"), (DATASET, "."), (SNAKEMAKE, "my/photos")]
)
def test_what_may_not_be_read_or_written_is_one_line(project, tmp_path, command, closed):
    own_data(tmp_path)
    (tmp_path / "x.yaml").write_text(f"experiment: x\ndatasets:\n  one: {{{TABLE}}}\n")
    program, *arguments = command.split()
    # Root may do everything, unless it gives that up.
    root = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    prefix = root if os.geteuid() == 0 else []
    (tmp_path / closed).chmod(0o555 if closed == "." else 0)
    try:
        result = subprocess.run(
            [*prefix, sys.executable, *start_of(program, project), *arguments],
            cwd=tmp_path,
            env={**environment(), "PYTHONPATH": str(project)},
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
