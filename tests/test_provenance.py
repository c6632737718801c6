import subprocess

from groundvec import provenance


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
