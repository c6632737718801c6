"""Bad input to the real commands: one line, an exit status, and no file changed.

A few kinds per command; tests of the modules have all messages. With
GROUNDVEC_RELIABILITY=docs/reliability.md in the environment, the table there is written.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
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
from tests.support.examples import description
from tests.support.photos import jpeg
from tests.support.reliability import write_section
from tests.support.workflow import ROOT, SCENES, copy_project, environment

TABLE = "source: table, table: my/captions.csv, images: my/photos, models: [gru-8-max]"
ROWS = "image,caption,split\na.png,A cat.,train\nb.png,A dog.,dev\nc.png,A cow.,test\n"
DATASET = "scripts/dataset.py table --table my/captions.csv --images my/photos --output out"
EXTRACT = (
    "scripts/extract_features.py --images images.csv --backbone efficientnet_lite0 --threads 1 "
    "--work work --output out.h5"
)
JOIN = "scripts/join_features.py --parts f.h5 --images images.csv --output out.h5"
MILLIONS = {"name": "rnn", "cell": "gru", "size": 2_000_000, "pooling": "max", "embedding": 20}
RERANK = (
    "scripts/rerank.py --system x --dev lists.txt --test lists.txt --pairs parallel.csv "
    "--source en --target de --features f.h5 --output a.csv --output-translations b.csv "
    "--output-weights c.csv"
)
RATE = "scripts/rate.py --model model --ratings ratings.csv --output out"
TRANSLATOR = (
    "scripts/translator.py --name x --pairs parallel.csv --source en --target de --work work "
    "--output out"
)


@dataclass
class Case:
    """Something wrong, and what is said of it."""

    what: str
    said: str
    prepare: Callable[[Path], object]
    command: str
    status: int = 1


def configuration(what: str, text: str, said: str, data: bool = False) -> Case:
    """A mistake in a configuration, of scenes or of one's own data."""

    def prepare(folder: Path) -> None:
        if data:
            own_data(folder)
        (folder / "wrong.yaml").write_bytes(text.encode("latin-1"))

    return Case(what, said, prepare, "snakemake --cores 1 --configfile wrong.yaml")


def scenes(what: str, more: str, said: str) -> Case:
    text = f"experiment: x\ndatasets:\n  one: {SCENES[:-1]}, {more}}}\n"
    return configuration(what, text, said)


def own(what: str, data: str, said: str) -> Case:
    return configuration(what, f"experiment: x\ndatasets:\n  one: {{{data}}}\n", said, data=True)


def own_data(
    folder: Path, rows: str = ROWS, encoding: str = "utf-8", also: Iterable[str] = ()
) -> None:
    (folder / "my/photos").mkdir(parents=True)
    (folder / "my/captions.csv").write_bytes(rows.encode(encoding))
    for name, colour in zip("abc", ("red", "green", "blue"), strict=True):
        Image.new("RGB", (40, 30), colour).save(folder / f"my/photos/{name}.png")
    for path in also:
        (folder / "my/photos" / path).parent.mkdir(exist_ok=True)
        shutil.copy(folder / "my/photos/a.png", folder / "my/photos" / path)


def table(
    what: str, rows: str, said: str, encoding: str = "utf-8", also: Iterable[str] = ()
) -> Case:
    return Case(what, said, lambda folder: own_data(folder, rows, encoding, also), DATASET)


def more_captions(what: str, described: str, said: str) -> Case:
    command = f"{DATASET} --more-captions {described}"
    return Case(f"more captions {what}", said, own_data, command, status=2)


def picture(what: str, content: bytes | Image.Image, said: str, suffix: str = "png") -> Case:
    def prepare(folder: Path) -> None:
        path = folder / f"a.{suffix}"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            content.save(path)
        columns = {"image_id": ["a"], "split": "train", "path": str(path), "sha256": sha256(path)}
        pd.DataFrame(columns).to_csv(folder / "images.csv", index=False)

    return Case(what, said, prepare, EXTRACT)


def features(what: str, change: Callable[[h5py.File], None], said: str) -> Case:
    def prepare(folder: Path) -> None:
        with h5py.File(folder / "f.h5", "w") as file:
            file["image_ids"] = ["a", "b"]
            change(file)
        columns = {"image_id": ["a", "b"], "split": "train", "path": "-", "sha256": "-"}
        pd.DataFrame(columns).to_csv(folder / "images.csv", index=False)

    return Case(what, said, prepare, JOIN)


def lists(what: str, text: str, said: str, target: str = "de") -> Case:
    """Lists of translations of two sentences."""

    def prepare(folder: Path) -> None:
        rows = "".join(f"{split},,A dog.,Ein Hund.\n" * 2 for split in ("train", "dev", "test"))
        (folder / "parallel.csv").write_text(f"split,image_id,en,de\n{rows}")
        (folder / "lists.txt").write_text(text)

    return Case(what, said, prepare, RERANK.replace("--target de", f"--target {target}"))


def number(what: str, options: str, said: str, status: int = 1) -> Case:
    """A number on a command line."""
    return Case(what, said, lambda _: None, f"{TRANSLATOR} {options}", status)


def model(what: str, change: Callable[[Path, Model], None], said: str) -> Case:
    """A model folder that somebody gave us."""

    def prepare(folder: Path) -> None:
        torch.manual_seed(0)
        text = Text.build(["A dog."])
        made = Model(description("gru-8-max"), {"en": text}, 4)
        sums = {"1": save_weights(made, folder / "model/snapshots/epoch-001.safetensors")}
        content = {"dataset": "x", "model": "gru-8-max", "seed": 1, "key": "../../my"}
        content |= {"description": made.description, "texts": {"en": text.as_dict()}, "width": 4}
        content |= {"snapshots": [1], "saved": [1], "sha256": sums}
        (folder / "model/model.json").write_text(json.dumps(content))
        (folder / "model/ensemble.json").write_text('{"epochs": [1], "best": 1}')
        (folder / "ratings.csv").write_text(
            "task,subtask,split,sentence_a,sentence_b,rating\nT,S,test,A dog.,A cat.,1\n"
        )
        change(folder / "model", made)

    return Case(what, said, prepare, RATE)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def not_finite(folder: Path, made: Model) -> None:
    with torch.no_grad():
        made.captions["en"].embedding.weight[2, 0] = torch.nan
    total = save_weights(made, folder / "snapshots/epoch-001.safetensors")
    claim(sha256={"1": total})(folder, made)


def claim(**changes: object) -> Callable[[Path, Model], None]:
    def change(folder: Path, _: Model) -> None:
        content = json.loads((folder / "model.json").read_text())
        (folder / "model.json").write_text(json.dumps(content | changes))

    return change


def texts(changes: dict[str, object]) -> Callable[[Path, Model], None]:
    return claim(texts={"en": Text.build(["A dog."]).as_dict() | changes})


def instead(name: str, make: Callable[[Path], None]) -> Callable[[Path, Model], None]:
    """Put something else in the place of a model's file."""

    def change(folder: Path, _: Model) -> None:
        (folder / name).unlink()
        make(folder / name)

    return change


def retrieval(what: str, captions: np.ndarray, images: np.ndarray, said: str) -> Case:
    """Vectors of captions and of images."""

    def prepare(folder: Path) -> None:
        np.save(folder / "captions.npy", captions)
        np.save(folder / "images.npy", images)

    return Case(what, said, prepare, "groundvec evaluate retrieval captions.npy images.npy")


def benchmark(folder: Path) -> None:
    for split in ("train", "dev", "test"):
        line = f"main-news\tMSRpar\t2012{split}\t1\t0.95\tA dog.\tA cat.\n"
        (folder / f"sts-{split}.csv").write_text(10 * line)


def ranks(what: str, row: str, said: str) -> Case:
    """A file that `--ranks` did not write so."""
    text = f"test_set,direction,image,rank\n{row}\n"
    return Case(
        what,
        said,
        lambda folder: (folder / "ranks.csv").write_text(text),
        "groundvec evaluate compare ranks.csv ranks.csv",
    )


LANGUAGES = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(676)]

CASES = {
    "A configuration": [
        scenes("a misspelt key", "seedz: [1]", "unknown key 'seedz': did you mean 'seed'?"),
        scenes("a repeated key", "count: 50", "the key count occurs twice"),
        configuration(
            "a name that YAML reads as a number",
            f"experiment: x\ndatasets:\n  2024: {SCENES}\n",
            "YAML reads a name here as 2024: put it in quotation marks",
        ),
        configuration(
            "a network that no memory holds",
            f"experiment: x\ndatasets:\n  one: {SCENES.replace('gru-8', 'gru-900000')}\n",
            "encoder.size: 900000 is greater than the maximum of 16384",
        ),
        scenes("epochs that do not end with a cycle", "training: {epochs: 3}", "not a multiple of"),
        own("a folder that is not there", TABLE.replace("photos", "photo"), "did you mean my/pho"),
        configuration(
            "Latin-1 (Snakemake reads the file itself, and ends with a traceback)",
            "experiment: caf\xe9\n",
            "can't decode byte 0xe9",
        ),
        Case(
            "a target after `--configfile FILE`, which Snakemake takes for a second file",
            "No such file or directory: 'all'",
            lambda folder: shutil.copy(ROOT / "config.yaml", folder / "x.yaml"),
            "snakemake --cores 1 --configfile x.yaml all",
        ),
    ],
    "A table of captions": [
        table("an empty caption", ROWS + "c.png,,test\n", "line 5: the caption is empty"),
        table("semicolons", ROWS.replace(",", ";"), "is separated by semicolons"),
        table("a name with a carriage return", ROWS + '"a\rb",x,test\n', "line break or control"),
        table("a picture outside the folder", ROWS + "../a.png,x,test\n", "is outside the folder"),
        table(
            "a picture's name with a space as %20",
            ROWS + "sp%20ace.png,x,test\n",
            "my/photos/sp%20ace.png (did you mean my/photos/sp ace.png?)",
            also=["sp ace.png"],
        ),
        table(
            "a picture's name in capitals, with a backslash and without its ending",
            ROWS + "2024\\KITCHEN,x,test\n",
            "(did you mean my/photos/2024/kitchen.png?)",
            also=["2024/kitchen.png"],
        ),
        table("an address for a picture", ROWS + "https://x.org/a.png,x,test\n", "is an address"),
        table(
            "a column without a name that holds text",
            ROWS.replace("\n", ",\n", 1)
            .replace("train", "train,x")
            .replace("dev", "dev,")
            .replace("test", "test,"),
            "'x' is in a column without a name; name the column, or remove it",
        ),
        Case(
            "MSCOCO's own JSON for Karpathy's",
            "has MSCOCO's own captions, without splits: take Karpathy's",
            lambda folder: own_data(folder, '{"images": [], "annotations": []}'),
            DATASET.replace("table --table", "karpathy --json"),
        ),
        more_captions("with a number for a name", '{"source":"table",5}', "a name here as 5: put"),
        more_captions("without a public file", '{"source":"multi30k"}', "archive: name your copy"),
    ],
    "A picture": [
        picture("PostScript by the name of .jpg", b"%!PS\nshowpage\n", "is not a picture", "jpg"),
        picture("an empty file", b"", "is empty (0 bytes)"),
        picture("half a JPEG", jpeg(quality=95)[:-500], "save it again in a program that", "jpg"),
    ],
    "Features": [
        features(
            "features of width 10^9",
            lambda file: file.create_dataset("features", (2, 10**9), "f4", chunks=(1, 9)),
            "has features of width 1,000,000,000: it must be from 1 to 65,536",
        ),
        features(
            "NaN",
            lambda file: file.create_dataset("features", data=np.full((2, 4), np.nan, "f4")),
            "features that are NaN or beyond 1e+15 for image a and 1 others",
        ),
        features(
            "an attribute that is an array",
            lambda file: (
                file.create_dataset("features", data=np.zeros((2, 4), "f4")),
                file.attrs.update({"backbone": np.zeros(3)}),
            ),
            "its attribute backbone is neither text nor a number",
        ),
    ],
    "A model folder": [
        model(
            "a flipped byte in the weights",
            lambda folder, _: flip(folder / "snapshots/epoch-001.safetensors"),
            "epoch-001.safetensors is damaged",
        ),
        model(
            "weights that are not finite", not_finite, "captions.en.embedding.weight is not finite"
        ),
        model("a width of 10^9", claim(width=10**9), "greater than the maximum of 65536"),
        model(
            "an encoder of two million units",
            claim(description=description("gru-8-max") | {"encoder": MILLIONS}),
            "description.encoder.size: 2000000 is greater than the maximum of 16384",
        ),
        model(
            "676 languages",
            claim(
                description=description("gru-8-max") | {"languages": LANGUAGES},
                texts=dict.fromkeys(LANGUAGES, Text.build(["A dog."]).as_dict()),
            ),
            "is too long",
        ),
        model(
            "a link to /dev/zero in the place of the weights",
            instead("snapshots/epoch-001.safetensors", lambda path: path.symlink_to("/dev/zero")),
            "epoch-001.safetensors is a folder, a FIFO or a device",
        ),
        model(
            "an ensemble of one epoch, three hundred times",
            lambda folder, _: (folder / "ensemble.json").write_text(
                json.dumps({"epochs": [1] * 300, "best": 1})
            ),
            "has non-unique elements",
        ),
        model(
            "an empty checksum of the weights",
            claim(sha256={"1": ""}),
            "sha256.1: '' does not match '[0-9a-f]{64}'",
        ),
        model(
            "a text that names a file to read",
            texts({"parses": "/dev/zero"}),
            "texts.en: it: Additional properties are not allowed ('parses' was unexpected)",
        ),
    ],
    "The command `groundvec`": [
        Case(
            "two names of files, and no files",
            "first.txt is the name of a file, or looks like one: use --files",
            lambda _: None,
            "groundvec similarity first.txt secnd.txt",
        ),
        Case(
            "a device in the place of an output, with `--overwrite`",
            "v.npy is a folder, a FIFO or a device: name another output",
            lambda folder: (
                (folder / "s.txt").write_text("A dog.\n"),
                (folder / "v.npy").symlink_to("/dev/null"),
            ),
            "groundvec encode s.txt -o v.npy --overwrite",
        ),
    ],
    "The command `groundvec evaluate`": [
        Case(
            "STS-B with ratings from 0 to 1",
            "sts-train.csv line 1: the highest of 10 train ratings of STS-B is 0.95 of 5; multiply",
            benchmark,
            "groundvec evaluate sentences --tasks STS-B --folder .",
        ),
        retrieval(
            "images that are repeated for each of their captions",
            np.eye(20),
            np.eye(20)[:4].repeat(5, axis=0),
            "images have only 4 different rows of 20: give each image once",
        ),
        ranks(
            "a row of more fields than the header has",
            "1k,caption_to_image,0,1,2",
            "ranks.csv is not a whole CSV file",
        ),
    ],
    "Lists of translations": [
        lists(
            "a line that is cut off", "0 ||| Ja ||| ||| 1\n1 ||| Ne", "line 2: '1 ||| Ne' is not"
        ),
        lists(
            "a language without sentences",
            "0 ||| Ja ||| ||| 1\n1 ||| Ja ||| ||| 1\n",
            "parallel.csv has no column 'fr'",
            target="fr",
        ),
        Case(
            "one pair to train a translator with",
            "no en word is in the training sentences 2 times: add pairs to learn from",
            lambda folder: (folder / "parallel.csv").write_text(
                "split,image_id,en,de\ntrain,,A dog.,Ein Hund.\ndev,,A dog.,Ein Hund.\n"
            ),
            TRANSLATOR,
        ),
    ],
    "Numbers on a command line": [
        number(
            "`--settings {size: 0}`",
            '--settings {"size":0}',
            "translator.size: 0 is less than the minimum of 1",
            2,
        ),
        number("`--seed -1`", "--seed -1", "--seed: -1 is less than the minimum of 0"),
    ],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("bad"))


@pytest.fixture(scope="module")
def answers():
    found: dict[str, str] = {}
    yield found
    if len(found) == sum(map(len, CASES.values())):
        lines = [INTRODUCTION, "| mistake | message | exit status |", "|---|---|---|"]
        for group, cases in CASES.items():
            lines.append(f"| **{group}** | | |")
            lines += [f"| {c.what} | `{found[c.what]}` | {c.status} |" for c in cases]
        write_section("Bad input", "\n".join([*lines, ""]))


INTRODUCTION = """\
A mistake in a configuration is reported before anything starts, even if results exist. No mistake
in the table changes or deletes a result. `tests/groundvec/test_bad_input.py` runs the real commands
and writes this table.
"""


@pytest.mark.parametrize("case", list(chain(*CASES.values())), ids=lambda case: case.what)
def test_bad_input_is_answered_with_one_line_and_a_status(project, tmp_path, case, answers):
    mine = tmp_path / "mine"
    mine.mkdir()
    case.prepare(mine)
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    program, *arguments = case.command.split()
    start = [project / program]
    if program == "snakemake":
        start = ["-m", "snakemake", "--snakefile", project / "Snakefile"]
    elif program == "groundvec":
        start = ["-m", "groundvec"]
    env = {**environment(), "PYTHONPATH": str(project)}
    result = forks.run(*start, *arguments, cwd=mine, env=env)
    assert result.returncode == case.status, result.stderr
    lines = [line for line in result.stderr.splitlines() if case.said in line]
    assert lines, result.stderr
    if "Snakemake" not in case.what:
        assert "Traceback" not in result.stderr
        place = rf"{re.escape(Path(program).name)}( table)?: " if case.status == 2 else ""
        assert re.match(f"{place}error: ", lines[0])
    assert {path: path.read_bytes() for path in before} == before
    left = {path for path in mine.rglob("*") if path.is_file() and ".snakemake" not in path.parts}
    assert left == set(before)
    line = (
        re.sub(r"^(\S+( table)?: )?error: (argument [\w-]+: )?", "", lines[0])
        .replace(f"{mine}{os.sep}", "")
        .replace("|", "\\|")
    )
    answers[case.what] = line if len(line) < 160 else f"{line[:160]}..."


@pytest.mark.parametrize("command", [DATASET, "snakemake --cores 1 --configfile x.yaml"])
@pytest.mark.parametrize("closed", ["my/captions.csv", "my/photos", "."])
def test_what_may_not_be_read_or_written_is_one_line(project, tmp_path, command, closed):
    own_data(tmp_path)
    (tmp_path / "x.yaml").write_text(f"experiment: x\ndatasets:\n  one: {{{TABLE}}}\n")
    program, *arguments = command.split()
    start = ["-m", "snakemake", "--snakefile", project / "Snakefile"]
    start = start if program == "snakemake" else [project / program]
    # Root may do everything, unless it gives that up.
    root = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    prefix = root if os.geteuid() == 0 else []
    (tmp_path / closed).chmod(0o555 if closed == "." else 0)
    try:
        result = subprocess.run(
            [*prefix, sys.executable, *start, *arguments],
            cwd=tmp_path,
            env={**environment(), "PYTHONPATH": str(project)},
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        (tmp_path / closed).chmod(0o755)
    assert result.returncode == 1
    if closed == "." and program == "snakemake":  # its own folder .snakemake cannot be made
        assert "Permission denied" in result.stderr
        return
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1 and "Permission denied; change its permissions" in lines[0]
