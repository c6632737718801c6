"""`pip install .`: what it brings is enough to use a trained model, and all files are there."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
USE = """
import groundvec, numpy, pathlib, sys, torch
from groundvec import ImageEncoder, SentenceEncoder
from groundvec.config.description import complete_description
from groundvec.data import sts_archives
from groundvec.features.backbones import Backbone, Transform
from PIL import Image

assert pathlib.Path(groundvec.__file__).parents[1] == pathlib.Path(sys.argv[1])
encoder = {"name": "bag", "size": 5}
described = complete_description({"languages": ["en"], "encoder": encoder})
assert described["objective"]["margin"] == 0.2  # the schema's default
backbones = pathlib.Path(groundvec.__file__).parent / "features" / "backbones.yaml"
assert "resnet152" in backbones.read_text()
assert "sts/SICK.zip" in sts_archives.SOURCES.read_text()

encoder = SentenceEncoder.load("flickr8k")
dog, puppy, cars = encoder.encode(["A dog runs in snow.", "A puppy runs in snow.", "Two cars."])
assert dog @ puppy > dog @ cars

Image.new("RGB", (40, 30), "red").save("red.png")
network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 8 * 8, 5840))
how = Transform(9, 8, (0,) * 3, (1,) * 3, "bilinear")
small = Backbone("small", "", "", lambda: network, 5840, how)
assert ImageEncoder.load("flickr8k", backbone=small).encode("red.png").shape == (1, encoder.size)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the installed wheel, and how to run a Python command with it alone."""
    folder = tmp_path_factory.mktemp("install")
    source, target = folder / "source", folder / "target"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "groundvec", source / "groundvec", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*PIP, "install", *options, "--target", target, source], check=True)

    # An environment with nothing else in it: links to the packages that these two name.
    [own] = distributions(name="groundvec", path=[str(target)])
    brought = closure(own.requires)
    assert "torch" in brought and not brought & {"snakemake", "pytest", "spacy", "matplotlib"}
    packages = folder / "packages"
    packages.mkdir()
    for of in map(distribution, brought):
        for name in {path.parts[0] for path in of.files} - {"..", "__pycache__"}:
            if not (packages / name).exists():  # some share a folder, such as nvidia
                (packages / name).symlink_to(of.locate_file(name))

    def run(*command):
        paths = f"{target}{os.pathsep}{packages}"
        env = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(folder / "cache")}
        # The interpreter below a virtual environment; -S leaves out the packages that it has.
        command = [sys._base_executable, "-PS", *map(str, command)]
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)

    return target, run


def closure(requirements):
    """The packages that these bring, with what they need in turn, without any extra."""
    found, todo = set(), [Requirement(text) for text in requirements]
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        needed = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if needed and name not in found:
            found.add(name)
            todo += map(Requirement, distribution(name).requires or [])
    return found


def test_the_library_works_with_what_is_installed_beside_it(installed):
    target, run = installed
    result = run("-c", USE, target)
    assert result.returncode == 0, result.stderr


def test_the_command_is_installed(installed):
    target, run = installed
    sentences = ("A dog runs.", "A dog is running.")
    result = run(target / "bin" / "groundvec", "similarity", *sentences)
    assert result.returncode == 0, result.stderr
    assert 0.3 < float(result.stdout) < 1


def test_an_extra_that_is_missing_is_one_line(installed):
    _, run = installed
    code = "from groundvec.text.treebank import origin; origin('x')"
    result = run("-c", code)
    assert result.stderr.splitlines()[-1].endswith(
        'spacy is not installed: pip install "groundvec[trees]"'
    )


def test_the_package_says_what_it_is(installed):
    [own] = distributions(name="groundvec", path=[str(installed[0])])
    assert own.metadata["License-Expression"] == "Apache-2.0"
    assert own.read_text("licenses/LICENSE").lstrip().startswith("Apache License")
    assert own.metadata.get_payload().startswith("# groundvec")
    assert own.metadata["Author"] == "The groundvec developers"


def test_every_file_of_the_library_is_installed(installed):
    """A kind of file that `package-data` forgets is found."""
    [own] = distributions(name="groundvec", path=[str(installed[0])])
    names = {str(path) for path in own.files if path.parts[0] == "groundvec"}
    library = [path for path in (ROOT / "groundvec").rglob("*") if path.is_file()]
    library = {str(path.relative_to(ROOT)) for path in library if "__pycache__" not in path.parts}
    assert {name for name in names if "__pycache__" not in name} == library
