import re
import shutil
import subprocess

import pytest

from groundvec import provenance
from groundvec.config import parts
from tests.support import ROOT
from tests.support.folders import fill
from tests.support.tables import cells


@pytest.fixture
def hash_of(tmp_path, monkeypatch):
    """The hash of scripts/run.py in a project of these files."""
    monkeypatch.setattr(provenance, "ROOT", tmp_path)

    def hashed(files):
        shutil.rmtree(tmp_path)
        fill(tmp_path, files)
        provenance._read.cache_clear()
        return provenance.code_hash.__wrapped__("scripts/run.py")

    return hashed


def test_the_hash_of_a_script_follows_its_imports_and_nothing_else(hash_of):
    files = {
        "scripts/run.py": "def main():\n    from groundvec.a import f\n    import groundvec.c.d\n",
        "groundvec/__init__.py": "",
        "groundvec/a.py": "from groundvec import b\n",
        "groundvec/b.py": "X = 1\n",
        "groundvec/b.html": "<p>{{ text }}</p>",
        "groundvec/c/__init__.py": "",
        "groundvec/c/d.py": "import os\n",
        "groundvec/unused.py": "",
    }

    before = hash_of(files)
    assert hash_of(files | {"groundvec/unused.py": "X = 2\n"}) == before
    for used in [name for name in files if "unused" not in name and files[name]]:
        assert hash_of(files | {used: files[used] + "Y = 3\n"}) != before


def test_a_module_that_moves_changes_no_hash(hash_of):
    code = "\ndef run():\n    return f(g.x, InputError)\n"
    before = {
        "scripts/run.py": (
            "from groundvec import g\nfrom groundvec.a import f, h\n"
            f"from groundvec.runtime.errors import InputError\n{code}"
        ),
        "groundvec/a.py": "f = 1\nh = 2\n",
        "groundvec/g.py": "from groundvec.a import h\nx = 3\n",
        "groundvec/runtime/errors.py": "class InputError(Exception):\n    pass\n",
    }
    moved = {
        "scripts/run.py": (
            "from groundvec.runtime.errors import InputError\nfrom groundvec.z import h\n"
            f"from groundvec.z import f\nfrom groundvec.b import g\n{code}"
        ),
        "groundvec/z/__init__.py": before["groundvec/a.py"],
        "groundvec/b/g.py": "from groundvec.z import h\nx = 3\n",
        "groundvec/runtime/errors.py": before["groundvec/runtime/errors.py"],
    }
    assert hash_of(moved) == hash_of(before)
    # The same name from a module that does something else, though both are covered.
    other = moved | {"groundvec/b/g.py": "h = 4\nfrom groundvec.z import f\nx = 3\n"}
    swapped = other | {
        "scripts/run.py": other["scripts/run.py"].replace("z import h", "b.g import h")
    }
    assert hash_of(other) != hash_of(swapped)


def test_words_about_the_code_leave_the_hash_alone(hash_of):
    def hashed(text):
        return hash_of({"scripts/run.py": text})

    code = "def f(x):\n    return g(x, 'a text')\nclass A:\n    pass\n"
    same = (
        '"""About all of it."""\n\n'
        "def f(\n    x,\n):  # of x\n    '''What f does.'''\n    return g(x, 'a text')\n\n"
        'class A:\n    """Nothing yet."""\n'
    )
    assert hashed(same) == hashed(code)
    assert hashed(code.replace("a text", "another")) != hashed(code)
    assert hashed(code.replace("g(x", "h(x")) != hashed(code)


def test_imports_for_annotations_alone_leave_the_hash_alone(hash_of):
    block = "if TYPE_CHECKING:\n    from groundvec.b import B\n"
    for text, is_covered in ((block, False), (f"{block}else:\n    B = None\n", True)):
        before, after = (
            hash_of({"scripts/run.py": text, "groundvec/b.py": b}) for b in ("", "X = 1")
        )
        assert (before != after) == is_covered


def test_the_commit_is_the_one_checked_out(tmp_path, monkeypatch):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", "-C", tmp_path, *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    commit = provenance.commit.__wrapped__
    assert commit() == "unknown"
    git("init")
    (tmp_path / "file").write_text("one")
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("one")
    git("add", ".")
    git("commit", "-m", "one")
    assert commit() == git("rev-parse", "HEAD")[:12]
    page.write_text("two")
    assert commit() == git("rev-parse", "HEAD")[:12]
    (tmp_path / "file").write_text("two")
    assert commit().endswith("-dirty")
    installed = tmp_path / ".venv" / "lib"
    installed.mkdir(parents=True)
    monkeypatch.setattr(provenance, "ROOT", installed)
    assert commit() == "unknown"  # the commit of somebody's project says nothing of this library


def test_digests_tell_parts_apart():
    assert provenance.digest("ab", "c") != provenance.digest("a", "bc")


# Dependencies of the long rules of the real pipeline

LONG = {"extract_features", "train", "ensemble", "retrieval", "rate", "baseline"}
LONG |= {"translator", "translate"}


def sources_of_rules():
    """The files that all hashes of a long rule have, and those that some have one of."""
    sources = {}
    for path in sorted((ROOT / "rules").glob("*.smk")):
        for rule in re.split(r"^(?=rule \w+)", path.read_text("utf-8"), flags=re.M)[1:]:
            name = re.match(r"rule (\w+)", rule)[1]
            if name not in LONG:
                continue
            files = re.findall(r'"((?:groundvec|reproduction|scripts)/[^"\n{]+\.py)"', rule)
            kinds = []
            if "parts.files(" in rule:
                kinds = [kind for kind in parts.CLASSES if kind != "baselines"]
            elif "plan.baseline(" in rule:
                kinds = ["baselines"]
            some = [parts.file(kind, name) for kind in kinds for name in parts.names(kind)]
            sources[name] = files, some
    return sources


SOURCES = sources_of_rules()
# The modules of every training, whatever its model. Whoever adds one has trainings run again for
# what may not concern them.
OF_TRAINING = """
    data/cleaning data/dataset data/split device evaluation/ranks
    features/blocks features/store features/transform
    model/folder model/network model/sentences model/stored model/weights
    similarity text/punctuation
    training/checkpoints training/files training/fine_tuning training/loop
"""


def modules(files):
    paths = {path.relative_to(ROOT) for file in files for path in provenance.covered(file)}
    return {str(path) for path in paths if path.suffix == ".py" and path.parts[0] != "scripts"}


def test_every_training_depends_on_these_modules_and_no_others():
    every_training, _ = SOURCES["train"]
    assert modules(every_training) == {f"groundvec/{name}.py" for name in OF_TRAINING.split()}


def test_nothing_long_depends_on_how_results_are_shown():
    assert SOURCES.keys() == LONG
    for always, some in SOURCES.values():
        packages = {module.split("/")[1] for module in modules([*always, *some])}
        assert not packages & {"page", "papers", "render", "reporting", "commands"}


@pytest.mark.parametrize(
    "module, rules",
    cells("""
    encoders/pooling                | train
    sources/flickr8k                | -
    data/ratings                    | baseline rate
    evaluation/ranks                | retrieval train
    evaluation/model_retrieval      | retrieval
    evaluation/snapshots            | ensemble retrieval
    baselines/sentence_transformers | baseline
    numpy_backend/__init__          | -
    runtime/progress                | -
    """),
)
def test_a_module_is_in_the_hashes_of_the_rules_whose_results_it_changes(module, rules):
    reading = {
        rule
        for rule, (always, some) in SOURCES.items()
        if f"groundvec/{module}.py" in modules([*always, *some])
    }
    assert reading == {*rules.split()} - {"-"}
