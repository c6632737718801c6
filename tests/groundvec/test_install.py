"""`pip install .` installs all files, and packages enough to encode sentences."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution, distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import ROOT
from tests.support.tables import cells

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
USE = """
import groundvec, numpy, pathlib, sys
from groundvec import ImageEncoder, Index, SentenceEncoder
from groundvec.config.description import complete_description
from groundvec.data import sts_archives
from groundvec.model import shipped
from PIL import Image

assert pathlib.Path(groundvec.__file__).parents[1] == pathlib.Path(sys.argv[1])
encoder = {"name": "bag", "size": 5}
described = complete_description({"languages": ["en"], "encoder": encoder})
assert described["objective"]["margin"] == 0.2  # the schema's default
backbones = pathlib.Path(groundvec.__file__).parent / "features" / "backbones.yaml"
assert "resnet152" in backbones.read_text()
assert "sts/SICK.zip" in sts_archives.SOURCES.read_text()

for name in shipped.versions():
    encoder = SentenceEncoder(name)
    assert encoder.encode(["A dog.", "A cat."]).shape == (2, encoder.dim)
encoder = SentenceEncoder("flickr8k")
dog, puppy, cars = encoder.encode(["A dog runs in snow.", "A puppy runs in snow.", "Two cars."])
assert dog @ puppy > dog @ cars

Image.new("RGB", (40, 30), "red").save("red.png")
assert ImageEncoder("flickr8k").encode("red.png").shape == (1, encoder.dim)
assert len(Index("red.png").search("A dog.")) == 1
assert "torch" not in sys.modules
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the installed wheel, and how to run a Python command with it alone."""
    folder = tmp_path_factory.mktemp("install")
    source = folder / "source"
    target = folder / "target"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "groundvec", source / "groundvec", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*PIP, "install", *options, "--target", target, source], check=True)

    # Environments with nothing else in them: links to the packages that each needs.
    [own] = distributions(name="groundvec", path=[str(target)])
    for extra in ("", "pictures"):
        packages = folder / f"packages-{extra}"
        packages.mkdir()
        for of in map(distribution, closure(own.requires, extra)):
            for name in {path.parts[0] for path in of.files} - {"..", "__pycache__"}:
                if not (packages / name).exists():  # some share a folder, such as nvidia
                    (packages / name).symlink_to(of.locate_file(name))

    def run(*command, extra=""):
        paths = f"{target}{os.pathsep}{folder / f'packages-{extra}'}"
        env = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(folder / "cache")}
        # The interpreter below a virtual environment; -S leaves out the packages that it has.
        command = [sys._base_executable, "-PS", *map(str, command)]
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)

    return target, run


def closure(requirements, extra=""):
    """Return all packages that requirements install, with or without an extra."""
    found = set()
    todo = [(Requirement(text), extra) for text in requirements]
    while todo:
        requirement, extra = todo.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name == "groundvec":  # another extra of its own
            todo += [(Requirement(text), *requirement.extras) for text in requirements]
        elif name not in found:
            found.add(name)
            todo += [(Requirement(text), "") for text in distribution(name).requires or []]
    return found


def test_sentences_need_less_than_200_megabytes(installed):
    """All files of the packages and of groundvec itself, without compiled Python."""
    [own] = distributions(name="groundvec", path=[str(installed[0])])
    brought = closure(own.requires)
    assert not brought & {"torch", "pandas", "scipy", "pillow"}
    files = [of.locate_file(path) for of in [own, *map(distribution, brought)] for path in of.files]
    sizes = [path.stat().st_size for path in files if path.suffix != ".pyc" and path.exists()]
    assert 50e6 < sum(sizes) < 200e6


def test_the_library_works_with_its_dependencies_alone(installed):
    target, run = installed
    result = run("-c", USE, target, extra="pictures")
    assert result.returncode == 0, result.stderr


def test_the_command_is_installed(installed):
    target, run = installed
    sentences = ("A dog runs.", "A dog is running.")
    result = run(target / "bin" / "groundvec", "similarity", *sentences)
    assert result.returncode == 0, result.stderr
    assert 0.3 < float(result.stdout) < 1


@pytest.mark.parametrize(
    "command, package, extra",
    cells("""
    search red.png a-dog            | onnxruntime     | pictures
    similarity a b --device cuda    | torch           | torch
    evaluate ratings flickr8k       | pandas          | evaluate
    export flickr8k -o encoder.onnx | onnx            | onnx
    info user/name                  | huggingface_hub | hub
    """),
)
def test_a_command_that_needs_an_extra_names_it(installed, command, package, extra):
    target, run = installed
    (target.parent / "red.png").touch()
    result = run("-m", "groundvec", *command.split())
    assert result.returncode == 1
    line = f'{package} is not installed: pip install "groundvec[{extra}]"\n'
    assert result.stderr == f"error: {line}"
    if extra == "evaluate":  # the library names it too
        result = run("-c", "import groundvec; groundvec.evaluate.ratings")
        assert result.stderr.endswith(line)


def test_every_file_of_the_library_is_installed(installed):
    """A kind of file that `package-data` forgets is found."""
    [own] = distributions(name="groundvec", path=[str(installed[0])])
    names = {str(path) for path in own.files if path.parts[0] == "groundvec"}
    library = [path for path in (ROOT / "groundvec").rglob("*") if path.is_file()]
    library = {str(path.relative_to(ROOT)) for path in library if "__pycache__" not in path.parts}
    assert {name for name in names if "__pycache__" not in name} == library
