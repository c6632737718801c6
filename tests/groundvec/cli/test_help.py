"""The examples of every --help, typed as they stand, on tiny files of the kinds that they name."""

import gzip
import json
import shlex
import shutil
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from groundvec.__main__ import COMMANDS
from groundvec.data.dataset import read_captions
from groundvec.features import store
from groundvec.model.network import Model
from groundvec.runtime.files import sha256
from groundvec.text.characters import Text
from tests.support import (
    forks,
    karpathy_files,
    multi30k_files,
    pascal1k_files,
    public_files,
    sts_files,
)
from tests.support.examples import description, save_model
from tests.support.photos import jpeg
from tests.support.workflow import environment

ROOT = Path(__file__).parents[3]
# The examples of programs, in an order in which they make what others read.
CHAIN = """
    download unpack pascal1k_images dataset trees text extract_features
    join_features concatenate_features train ensemble retrieval ratings
    rate overlap baseline card report gallery try_it page
    translator translate rerank
"""
DEMO = Path("results/demo/models/scenes/gru-64-max/seed1")


def examples(text):
    """The commands that a --help shows; one that ends in dots is no whole command."""
    lines = text.replace("\\\n", " ").splitlines()
    commands = [line.strip() for line in lines if line.startswith(("  python ", "  groundvec "))]
    return [command for command in commands if not command.endswith("...")]


def of_script(name):
    program = import_module(f"scripts.{name}")
    return examples(program.__doc__)


def type_in(folder, command):
    """Do as a shell does with a command's words; what it writes to standard output is dropped."""
    words = shlex.split(command.partition(" > ")[0].replace("/shared/mirror", "mirror"))
    found = [sorted(map(str, folder.glob(w))) if {"*", "?"} & set(w) else [w] for w in words]
    expanded = [w.removeprefix(f"{folder}/") for each in found for w in each]
    program = ["-m", "groundvec"] if expanded[0] == "groundvec" else []
    env = environment() | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")}
    env |= {"GROUNDVEC_MIRROR": str(folder / "mirror")}
    result = forks.run(*program, *expanded[1:], cwd=folder, env=env)
    assert result.returncode == 0, f"{command}\n{result.stderr[-3000:]}"


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (40, 30), (sum(map(ord, path.name)) % 256, 90, 9)).save(path)


def features(path, ids, backbone="efficientnet_lite0"):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.random.default_rng(0).normal(size=(len(ids), 16)).astype(np.float32)
    made = {"backbone": backbone, "weights": "w", "weights_sha256": "0" * 64}
    store.write(path, rows, ids, made)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What somebody has before the first example: the project's files, and tiny public ones."""
    folder = tmp_path_factory.mktemp("help")
    names = ["scripts", "groundvec", "reproduction", "resources", "report", "config"]
    for name in [*names, "config.yaml", "CITATION.cff"]:
        (folder / name).symlink_to(ROOT / name)
    mirror = folder / "mirror"
    data = folder / "data"
    pictures = [(jpeg(), [f"A dog {k} ." for k in range(5)])] * 4
    splits = {"train": range(2), "val": range(2, 3), "test": range(3, 4)}
    public_files.flickr8k(mirror / "flickr8k", pictures, splits)
    text = mirror / "flickr8k/Flickr8k_text.zip"
    (mirror / "SHA256SUMS").write_text(f"{sha256(text)}  flickr8k/Flickr8k_text.zip\n")
    (data / "flickr8k").mkdir(parents=True)
    shutil.move(mirror / "flickr8k/Flickr8k_Dataset.zip", data / "flickr8k")
    for name in pascal1k_files.IDS:
        picture(mirror / "pascal1k/images" / name)
    write(data / "pascal1k/index.html", pascal1k_files.PAGE)
    entries = [
        karpathy_files.coco_entry(number, split, *["a dog"] * 5)
        for number, split in enumerate(("train", "val", "test"))
    ]
    (data / "mscoco/caption_datasets").mkdir(parents=True)
    karpathy_files.write_coco(data / "mscoco/caption_datasets", *entries)
    for entry in entries:
        picture(data / "mscoco" / entry["filepath"] / entry["filename"])
    described = {"train": ["0.jpg", "1.jpg"], "val": ["2.jpg"], "test_2016": ["3.jpg"]}
    translated = {
        "train": ["0.jpg", "1.jpg"],
        "val": ["2.jpg"],
        "test_2016_flickr": ["3.jpg"],
        "test_2017_flickr": ["90.jpg"],
        "test_2018_flickr": ["91.jpg"],
    }
    multi30k_files.small(folder / "multi30k", described, translated, lambda *_: "Said.")
    shutil.make_archive(str(data / "multi30k/multi30k"), "zip", folder / "multi30k")
    splits = {"a": "train", "b": "train", "c": "dev", "d": "test"}
    for name in splits:
        picture(folder / f"my/photos/{name}.jpg")
        write(folder / f"my/photos/{name}.txt", f"A dog, {name}.\n")
    rows = "".join(f"{name}.jpg,A dog.,{split}\n" for name, split in splits.items())
    write(folder / "my/captions.csv", f"image,caption,split\n{rows}")
    sts_files.write(data / "sts", sts_files.small(False))
    (mirror / "sts").mkdir()
    for name in ("STS", "SICK"):
        shutil.make_archive(str(mirror / "sts" / name), "zip", data / "sts", name)
    for name, rows in {"captions": 10, "images": 5}.items():
        np.save(folder / f"{name}.npy", np.random.default_rng(rows).normal(size=(rows, 4)))
    vectors = "".join(f"{word} {'0.1 ' * 99}0.2\n" for word in ("a", "the", "is", "kid", "x", "."))
    (data / "glove").mkdir()
    with zipfile.ZipFile(data / "glove/glove.6B.zip", "w") as archive:
        archive.writestr("glove.6B.100d.txt", vectors)
    for name in ("sentences", "first", "second"):
        write(folder / f"{name}.txt", "A dog runs.\nA cat.\n")
    return folder


def prepare(folder, name, number):
    """Make what is there before a program's example and is no other one's output."""
    scenes, my_model = folder / "results/datasets/scenes", folder / "my-model"
    if name == "text":
        shutil.copy(scenes / "captions.csv", folder / "captions.csv")
    elif name == "extract_features":
        every = pd.read_csv(scenes / "images.csv")
        features(folder / "results/features/scenes/efficientnet_lite0.h5", every.image_id)
        shutil.copy(scenes / "images.csv", folder / "images.csv")
        every.head(4).to_csv(scenes / "images.csv", index=False)  # it takes half a second for one
    elif name == "join_features":
        shutil.move(folder / "images.csv", scenes / "images.csv")
        (folder / "features.h5").unlink()
        ids = pd.read_csv(folder / "results/datasets/flickr8k/images.csv").image_id
        for part in range(2):
            features(folder / f"part-{part}.h5", ids[part::2])
        features(folder / "results/features/flickr8k/resnet152.h5", ids)
    elif name == "concatenate_features":
        (folder / "features.h5").unlink()
        ids = pd.read_csv(folder / "results/datasets/flickr8k/images.csv").image_id
        for size in (0, 2):
            features(folder / f"lite{size}.h5", ids, f"efficientnet_lite{size}")
    elif name == "train":
        images = pd.read_csv(scenes / "images.csv").groupby("split").head(40)
        captions = pd.read_csv(scenes / "captions.csv")
        images.to_csv(scenes / "images.csv", index=False)
        captions = captions[captions.image_id.isin(images.image_id)]
        captions.to_csv(scenes / "captions.csv", index=False)
    elif name == "ratings" and number:
        for output in ("ratings.csv", "tasks.csv"):
            (folder / output).unlink()
    elif name == "rate":
        ratings = pd.read_csv(folder / "ratings.csv")
        ratings.groupby(["task", "subtask", "split"]).head(20).to_csv(
            folder / "ratings.csv", index=False
        )
    elif name == "card":
        shutil.copytree(my_model, folder / DEMO)
        about = json.loads((folder / DEMO / "model.json").read_text())
        write(folder / DEMO / "model.json", json.dumps(about | {"model": "gru-64-max"}))
        history = pd.read_csv(folder / DEMO / "history.csv").assign(model="gru-64-max")
        history.to_csv(folder / DEMO / "history.csv", index=False)
        type_in(
            folder,
            f"python scripts/retrieval.py --model {DEMO} --captions {scenes}/captions.csv "
            "--features results/features/scenes/efficientnet_lite0.h5 "
            "--output results/demo/retrieval/scenes/gru-64-max/seed1",
        )
    elif name == "page":
        paper = folder / "results/demo/merkx_frank_2019"
        (paper / "tables").mkdir(parents=True)
        for table in folder.glob("table2.*"):
            shutil.copy(table, paper / "tables")
        type_in(
            folder,
            "python scripts/report.py merkx_frank_2019/figure4 "
            "--models results/demo/models/*/*/*/model.json "
            "--history results/demo/models/*/*/*/history.csv "
            "--retrieval results/demo/retrieval/*/*/seed?.csv "
            f"--output {paper}/figures/figure4",
        )
        (folder / "results/demo/report").mkdir()
        shutil.copy(folder / "scenes.json", folder / "results/demo/report")
    elif name == "translator":
        my_model.rename(folder / "of-pictures")
        pairs = pd.read_csv(scenes / "parallel.csv").groupby("split").head(8)
        pairs.to_csv(scenes / "parallel.csv", index=False)
    elif name == "translate":
        my_model.rename(folder / "my-translator")
    elif name == "rerank":
        [example] = of_script("translate")
        type_in(folder, example.replace("dev", "test"))
        captions = read_captions(scenes / "captions.csv")
        text = Text.build(captions.caption)
        described = description("gru-8-max", parts={"languages": ["en", "de"]})
        model = Model(described, {"en": text, "de": text}, 16)
        save_model(folder / "results/demo/models/both-languages/MLMME-0.5/seed1", model)


@pytest.mark.slow
def test_every_example_of_a_script_s_help_runs_as_it_stands(folder):
    # `tune` needs pictures in number and a model of one network's features: test_tuning has both.
    scripts = {path.stem for path in (ROOT / "scripts").glob("*.py")}
    assert set(CHAIN.split()) == scripts - {"tune"}
    for name in CHAIN.split():
        found = of_script(name)
        assert found, name
        for number, example in enumerate(found):
            prepare(folder, name, number)
            type_in(folder, example)


@pytest.mark.slow
def test_every_example_of_a_command_s_help_runs_as_it_stands(folder):
    """But for those that search, which a network of 100 MB has to be downloaded for."""
    model = Model(description("gru-8-max"), {"en": Text.build(["A dog."])}, 16)
    for name in ("scenes/gru-128-attention", "few-scenes/BoW"):
        save_model(folder / "results/demo/models" / name / "seed1", model)
    for name, command in COMMANDS.items():
        found = examples(command.__doc__)
        assert found, name
        for example in found:
            if name != "search":
                type_in(folder, example)
                # Several examples write the same output.
                for output in ("vectors.npy", "flickr8k.onnx"):
                    (folder / output).unlink(missing_ok=True)
                shutil.rmtree(folder / "my-encoder", ignore_errors=True)
