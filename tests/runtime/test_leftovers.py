"""What is in the folder of checkpoints, and what of it is removed."""

import json
import os
import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from groundvec.config import parts
from groundvec.provenance import code_hash, digest
from groundvec.runtime import leftovers
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import sha256
from groundvec.runtime.jobs import describe
from rules.experiment import complete
from tests.runtime.test_jobs import HOLD, ROOT

CONFIG = {
    "experiment": "x",
    "datasets": {
        "scenes": {
            "source": "scenes",
            "count": 20,
            "backbone": ["efficientnet_lite0", "efficientnet_lite1"],
            "models": ["gru-8-max"],
            "seeds": [1],
        }
    },
    "translation": {
        "dataset": "scenes",
        "source": "en",
        "target": "de",
        "systems": {"weak": {"size": 8}},
    },
}


@pytest.fixture
def project(tmp_path):
    """Folders of a training, a translator and features that CONFIG needs, and some of others."""
    captions = tmp_path / "datasets/scenes/captions.csv"
    captions.parent.mkdir(parents=True)
    captions.write_text("caption")
    (tmp_path / "x.yaml").write_text(json.dumps(CONFIG))
    data = complete(CONFIG)["datasets"]["scenes"]
    description = data["models"]["gru-8-max"]
    training = {
        "description": description,
        "seed": 1,
        "draw": None,
        "code": code_hash("groundvec/training/run.py", *parts.files(description)),
        "captions": sha256(captions),
        "features": "f",
    }
    features = {
        "backbone": "efficientnet_lite0",
        "code": code_hash("groundvec/features/extract.py"),
        "versions": {name: version(name) for name in ("torch", "torchvision", "pillow")},
        "precision": "float32",
        "crops": 10,
        "transform": {"interpolation": "bicubic"},
    }
    settings = {**complete(CONFIG)["translation"]["systems"]["weak"], "epochs": 50}
    translator = {
        "settings": settings,
        "languages": ["en", "de"],
        "code": code_hash("scripts/translator.py"),
    }
    made = {
        "needed": ("training", training),
        "of another seed": ("training", training | {"seed": 2}),
        "of other code": ("training", training | {"code": "0"}),
        "of other captions": ("training", training | {"captions": "0"}),
        "of a draw": ("training", training | {"draw": [8, 1, 1]}),
        "of another model": ("training", training | {"description": {"text": {}}}),
        "translator needed": ("translator", translator),
        "of another size": ("translator", translator | {"settings": settings | {"size": 9}}),
        "features needed": ("features", features),
        "second network needed": ("features", features | {"backbone": "efficientnet_lite1"}),
        "of another backbone": ("features", features | {"backbone": "vgg16"}),
        "of fewer crops": ("features", features | {"crops": 2}),
        "of other versions": ("features", features | {"versions": {"torch": "1.0"}}),
    }
    paths = {}
    for name, (kind, decides) in made.items():
        folder = tmp_path / "work" / ("features" if kind == "features" else "")
        paths[name] = folder / digest(decides)
        describe(paths[name], kind, name, decides)
        if kind == "features":
            (paths[name] / f"{digest(name)}.npz").write_bytes(b"1" * 1000)
        else:
            (paths[name] / "snapshots").mkdir()
            (paths[name] / "snapshots/epoch-001.safetensors").write_bytes(b"1" * 3000)
            (paths[name] / "finished.pt").write_bytes(b"1" * 1000)
    return tmp_path, paths


def program(folder, *arguments):
    command = [sys.executable, ROOT / "scripts/checkpoints.py", folder / "x.yaml"]
    command += ["--work", folder / "work", "--datasets", folder / "datasets", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def there(paths):
    return {name for name, path in paths.items() if path.exists()}


def test_what_no_configuration_needs_is_said_and_removed_only_when_told_to(project):
    folder, paths = project
    kept = {name for name in paths if name.endswith("needed")}
    linked = folder / "model.safetensors"
    os.link(paths["of other code"] / "snapshots/epoch-001.safetensors", linked)
    result = program(folder)
    assert result.returncode == 0, result.stderr
    lines = {line.split("  ")[-1]: line for line in result.stdout.splitlines()}
    assert {name for name in paths if lines[name].startswith("needed ")} == kept
    assert {name for name in paths if lines[name].startswith("not needed ")} == set(paths) - kept
    assert paths["of a draw"].name in lines["of a draw"] and "0 hours" in lines["of a draw"]
    assert "13 folders" in result.stdout and "9 folders are not needed" in result.stdout
    assert there(paths) == set(paths)
    result = program(folder, "--delete")
    assert result.returncode == 0, result.stderr
    assert "9 folders removed" in result.stdout
    assert there(paths) == kept
    assert linked.read_bytes() == b"1" * 3000


def test_without_a_data_set_its_captions_do_not_matter(project):
    folder, paths = project
    (folder / "datasets/scenes/captions.csv").unlink()
    program(folder, "--delete")
    assert "of other captions" in there(paths) and "of other code" not in there(paths)


def test_a_configuration_with_a_mistake_deletes_nothing(project):
    folder, paths = project
    (folder / "x.yaml").write_text(json.dumps({**CONFIG, "experimnt": "x"}))
    result = program(folder, "--delete")
    assert result.returncode and f"{folder / 'x.yaml'}: " in result.stderr
    assert there(paths) == set(paths)


@pytest.mark.parametrize("of", ["training", "features"])
def test_what_is_running_is_kept(project, of):
    """An extraction's lock is in a folder of its own: no features are removed beside it."""
    folder, paths = project
    lock = paths["of other code"] if of == "training" else folder / "work/features" / digest("out")
    command = [sys.executable, "-c", HOLD, str(lock)]
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as holder:
        assert holder.stdout.readline() == "locked\n"
        result = program(folder, "--delete")
        holder.stdin.close()
    assert result.returncode == 0 and "\nrunning " in f"\n{result.stdout}", result.stderr
    left = there(paths)
    if of == "training":
        assert "of other code" in left and "of other versions" not in left
    else:
        assert {"of other versions", "of another backbone"} <= left and "of other code" not in left


def test_what_is_not_ours_is_left_alone(project):
    folder, paths = project
    work, precious = folder / "work", folder / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (work / "0123456789abcdef").symlink_to(precious)
    (work / "notes.txt").touch()
    (work / "my folder").mkdir()
    (work / "my folder/finished.pt").touch()
    (paths["of another seed"] / "thesis.docx").touch()
    (paths["of a draw"] / "checkpoint.pt").symlink_to(precious)
    (paths["of another model"] / "snapshots/epoch-002.safetensors").mkdir()
    (paths["of another model"] / "snapshots/epoch-002.safetensors/file").touch()
    about = json.loads((paths["of other code"] / "about.json").read_text())
    (paths["of other code"] / "about.json").write_text(json.dumps(about | {"decides": {}}))
    (paths["of another size"] / "about.json").write_text("{")
    before = sorted(str(path) for path in folder.rglob("*"))
    features = ("of another backbone", "of fewer crops", "of other versions")
    gone = {paths[name] for name in ("of other captions", *features)}
    result = program(folder, "--delete")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("left alone") == 8
    removed = set(before) - {str(path) for path in folder.rglob("*")}
    top = (work, work / "features")
    assert {path for path in map(Path, removed) if path.parent in top} == gone
    assert (precious / "file").exists()


@pytest.mark.parametrize(
    "decides",
    [[], "x", None, 1, {"versions": {"": None}}, {"versions": [1]}, {"versions": {"../x": {}}}],
)
def test_whatever_about_json_says_ends_no_list(tmp_path, decides):
    describe(tmp_path / digest(decides), "training", "x", decides)
    [found] = leftovers.find(tmp_path)
    assert found.problem or leftovers.needed(found, [{"seed": 1}]) is False


def test_a_key_that_occurs_twice_removes_nothing(project):
    """Of two, YAML takes the last, and what the first one needs would be removed."""
    folder, paths = project
    (folder / "x.yaml").write_text((folder / "x.yaml").read_text()[:-1] + ', "datasets": {}}')
    result = program(folder, "--delete")
    assert result.returncode == 2 and "the key datasets occurs twice" in result.stderr
    assert there(paths) == set(paths)


def test_a_folder_from_before_there_was_about_json_is_not_needed(project):
    folder, paths = project
    (paths["needed"] / "about.json").unlink()
    result = program(folder)
    [line] = [line for line in result.stdout.splitlines() if paths["needed"].name in line]
    assert line.startswith("not needed  unknown") and line.endswith("of an earlier version")


def test_what_cannot_be_read_is_left_alone(project, monkeypatch):
    folder, paths = project
    walk = os.walk

    def refuse(place, onerror, **options):
        if place == paths["of a draw"]:
            onerror(PermissionError(13, "Permission denied", str(place)))
        return walk(place, onerror=onerror, **options)

    monkeypatch.setattr(os, "walk", refuse)
    found = {each.path: each for each in leftovers.find(folder / "work")}
    assert found[paths["of a draw"]].problem == "Permission denied"
    assert not found[paths["needed"]].problem
    with pytest.raises(ValueError, match="not to be removed"):
        leftovers.remove(found[paths["of a draw"]])


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(InputError, match="nowhere is not a folder"):
        leftovers.find(tmp_path / "nowhere")


def test_features_of_a_cpu_without_bfloat16_are_needed():
    """A configuration asks for bfloat16; such a CPU computes, and describes, float32."""
    wanted = runpy.run_path(str(ROOT / "scripts" / "checkpoints.py"))["wanted"]
    data = {"models": {}, "seeds": [], "backbone": "resnet18", "precision": "bfloat16", "crops": 2}
    works = list(wanted({"datasets": {"a": data}}, Path()))
    done = {"backbone": "resnet18", "code": works[0]["code"], "transform": {}, "crops": 2}
    for precision, needed in [("float32", True), ("bfloat16", True), ("float16", False)]:
        found = leftovers.Leftover(Path(), decides=done | {"precision": precision})
        assert leftovers.needed(found, works) == needed
