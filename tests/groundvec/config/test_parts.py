"""A model is a description of named parts; a part is a module and the YAML of its options."""

import contextlib
import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from safetensors.numpy import load_file

from groundvec.config import parts
from groundvec.provenance import digest
from reproduction.text.treebank import Tree, write
from tests.support import ROOT, forks
from tests.support.examples import add_recipe
from tests.support.refusals import refused
from tests.support.small_data import run_script, write_data


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project, with a small data set."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("groundvec", "reproduction", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    splits = ["train"] * 20 + ["dev"] * 5 + ["test"] * 5
    captions = [[f"picture {i}, caption {k}" for k in range(5)] for i in range(len(splits))]
    write_data(folder, splits, captions, width=6)
    return folder


def run(project, *command):
    result = forks.run(*command, cwd=project, env={**os.environ, "PYTHONPATH": str(project)})
    assert result.returncode == 0, result.stderr


def run_here(project, script, *arguments):
    """Run a program of this project within this process."""
    with contextlib.chdir(project):
        run_script(Path(script).stem, *arguments)


def train(run, project, name, described, *treebanks):
    """Train by the scripts, as a rule does; the model's folder."""
    captions = ["--captions", "captions.csv", *treebanks]
    text = json.dumps(described.get("text", CHARACTERS))
    run(project, "scripts/text.py", "--text", text, "--output", f"{name}.json", *captions)
    options = ["--description", json.dumps(described), "--name", name]
    options += ["--dataset", "x", "--features", "features.h5", "--texts", f"{name}.json"]
    options += ["--work", "work", "--output", name, "--threads", "1"]
    run(project, "scripts/train.py", *options, *captions)
    return project / name


CHARACTERS = {"name": "characters"}
SHORT = {"epochs": 10, "cycle": 10, "batch_size": 10}


def test_a_replaced_file_of_trees_trains_anew(project):
    """Nothing else that is read has changed: the words, and how many relations there are."""
    path = project / "t.conllu.gz"
    captions = pd.read_csv(project / "captions.csv")["caption"]  # such as "picture 1, caption 2"
    described = {
        "languages": ["en"],
        "text": {"name": "trees", "form": "binary", "parser": "by hand", "dimension": 4},
        "encoder": {"name": "trees", "size": 4, "compose": "position"},
        "training": {"epochs": 1, "cycle": 1, "batch_size": 10},
    }
    made = []
    for name, root in (("left", 0), ("right", 4)):  # which of five words is the others' head
        heads = [root] * 5
        relations = ["dep"] * 5
        heads[root] = -1
        relations[root] = "root"
        words = [text.replace(",", " ,").split() for text in captions]
        trees = [
            Tree(of, heads, relations, ["X"] * 5, text)
            for of, text in zip(words, captions, strict=True)
        ]
        write(path, "by hand", trees)
        folder = train(run_here, project, name, described, "--treebanks", path)
        made.append(json.loads((folder / "model.json").read_text()))
    assert made[0]["texts"] == made[1]["texts"] and made[0]["key"] != made[1]["key"]
    for content in made:  # a key is the hash of all inputs of the training
        about = json.loads((project / "work" / content["key"] / "about.json").read_text())
        assert digest(about["inputs"]) == content["key"]
        assert about["inputs"]["description"] == content["description"]


def test_parts_are_added_by_two_files_each_as_the_recipes_have_them(project):
    for heading in ("Add an encoder", "Add an objective", "Add a text", "Add an optimizer"):
        add_recipe(project, heading)
    described = {
        "languages": ["en"],
        "text": {"name": "bytes"},
        "encoder": {"name": "cnn", "size": 8},
        "objective": {"name": "softmax"},
        "training": SHORT | {"optimizer": {"name": "sgd", "learning_rate": 1}},
    }
    folder = train(run, project, "added", described)
    losses = pd.read_csv(folder / "history.csv")["loss"]
    assert losses.iloc[-1] < 0.95 * losses[1]
    made = json.loads((folder / "model.json").read_text())["description"]
    assert made["objective"] == {"name": "softmax", "temperature": 0.1}
    first, last = (
        load_file(folder / "snapshots" / f"epoch-{epoch:03}.safetensors") for epoch in (0, 10)
    )
    assert first["objective.scale"] != last["objective.scale"]


def test_a_baseline_is_added_by_two_files_as_the_recipe_has_them(project):
    add_recipe(project, "Add a baseline")
    pairs = {"task": ["t"] * 3, "subtask": "s", "split": "test"}
    pairs |= {"sentence_a": ["a", "b c", "d"], "sentence_b": ["a b", "c", "e f g"]}
    pd.DataFrame(pairs | {"rating": [1.0, 2.0, 3.0]}).to_csv(project / "r.csv", index=False)
    options = ("--name", "lengths", "--baseline", "{encoder: lengths}")
    run(project, "scripts/baseline.py", *options, "--ratings", "r.csv", "--output", "lengths")
    assert (pd.read_csv(project / "lengths.csv")["encoder"] == "lengths").all()


def test_treebanks_are_only_for_texts_that_read_trees():
    assert parts.treebank({"name": "characters"}, []) is None
    with refused("the text 'characters' reads no trees: leave --treebanks"):
        parts.treebank({"name": "characters"}, [Path("trees.en.conllu.gz")])
