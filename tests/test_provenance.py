import shutil
import subprocess
from pathlib import Path

import pytest
from examples import description

from groundvec import parts, provenance


def test_the_hash_of_a_script_follows_its_imports_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    files = {
        "scripts/run.py": "def main():\n    from groundvec.a import f\n    import groundvec.c.d\n",
        "groundvec/__init__.py": "",
        "groundvec/a.py": "from groundvec import b\n",
        "groundvec/b.py": "X = 1\n",
        "groundvec/c/__init__.py": "",
        "groundvec/c/d.py": "import os\n",
        "groundvec/unused.py": "",
    }

    def hashed(**changes):
        for name, text in {**files, **changes}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        provenance._read.cache_clear()
        return provenance.code_hash.__wrapped__("scripts/run.py")

    before = hashed()
    assert hashed() == before
    assert hashed(**{"groundvec/unused.py": "X = 2\n"}) == before
    for used in ("scripts/run.py", "groundvec/a.py", "groundvec/b.py", "groundvec/c/d.py"):
        assert hashed(**{used: files[used] + "Y = 3\n"}) != before


def test_words_about_the_code_leave_the_hash_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)

    def hashed(text):
        (tmp_path / "a.py").write_text(text)
        provenance._read.cache_clear()
        return provenance.code_hash.__wrapped__("a.py")

    code = "def f(x):\n    return g(x, 'a text')\nclass A:\n    pass\n"
    same = (
        '"""About all of it."""\n\n'
        "def f(\n    x,\n):  # of x\n    '''What f does.'''\n    return g(x, 'a text')\n\n"
        'class A:\n    """Nothing yet."""\n'
    )
    assert hashed(same) == hashed(code)
    assert hashed(code.replace("a text", "another")) != hashed(code)
    assert hashed(code.replace("g(x", "h(x")) != hashed(code)


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
    git("add", "file")
    git("commit", "-m", "one")
    assert commit() == git("rev-parse", "HEAD")[:12]
    (tmp_path / "file").write_text("two")
    assert commit().endswith("-dirty")


def test_digests_tell_parts_apart():
    assert provenance.digest("ab", "c") != provenance.digest("a", "bc")
    assert provenance.digest(b"ab", {"x": 1}) == provenance.digest(b"ab", {"x": 1})


# What the stages of the real pipeline depend on

ROOT = Path(__file__).parent.parent
PARTS = parts.files(description())
STAGES = {
    "dataset": ["groundvec/scenes/__init__.py", "groundvec/data/schema.py"],
    "features": ["scripts/extract_features.py"],
    "train": ["scripts/train.py", *PARTS],
    "retrieval": ["scripts/retrieval.py", *PARTS],
    "rate": ["scripts/rate.py", *PARTS],
    "ratings_sts": ["groundvec/data/ratings.py"],
    "ratings_scenes": ["groundvec/scenes/ratings.py", "groundvec/data/ratings.py"],
    "baseline": ["scripts/baseline.py"],
}


@pytest.fixture
def hashes(tmp_path, monkeypatch):
    """The hash of each stage in a copy of the code, as it is now."""
    for folder in ("groundvec", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)

    def now():
        provenance._read.cache_clear()
        return {stage: provenance.code_hash.__wrapped__(*f) for stage, f in STAGES.items()}

    yield now
    provenance._read.cache_clear()


@pytest.mark.parametrize(
    ("file", "old", "new", "again"),
    [
        ("encoders/rnn.py", "torch.tanh", "torch.relu", {"train", "retrieval", "rate"}),
        ("encoders/rnn.py", '"""', '"""Reworded. ', set()),
        ("encoders/rnn.py", "\n", "  # a remark\n", set()),
        ("encoders/bag.py", "mean", "sum", set()),  # which is not used
        ("encoders/new.py", None, "class Encoder:\n    pass\n", set()),
        ("objectives/hinge.py", "relu", "sigmoid", {"train", "retrieval", "rate"}),
        ("text/words.py", "lower()", "upper()", set()),
        ("reporting/style.py", "7.5", "8.5", set()),  # how figures are drawn,
        ("scenes/things.py", '"man": 76', '"man": 70', {"dataset"}),  # and how dogs are
        ("scenes/english.py", '" "', '"  "', {"dataset", "ratings_scenes"}),
        ("data/ratings.py", '"MSRpar"', '"MSRPar"', {"ratings_sts", "ratings_scenes", "rate"}),
        ("data/mscoco.py", '"val"', '"validation"', set()),
        ("evaluation/retrieval.py", "1e-6", "1e-5", {"train", "retrieval"}),
        ("evaluation/relatedness.py", "1111", "2222", {"rate", "baseline"}),
        ("baselines/trigrams.py", "= 2048", "= 4096", {"baseline"}),
        ("progress.py", "30", "60", set()),
        ("jobs.py", "120", "60", set()),
    ],
)
def test_an_edit_computes_again_what_it_changes_and_nothing_else(hashes, file, old, new, again):
    before = hashes()
    path = provenance.ROOT / "groundvec" / file
    if old is None:
        path.write_text(new)
    else:
        assert old in path.read_text(), f"{file} has changed: test with something else"
        path.write_text(path.read_text().replace(old, new, 1))
    found = {stage for stage, value in hashes().items() if value != before[stage]}
    assert found == again | ({"baseline"} if file == "data/ratings.py" else set())
