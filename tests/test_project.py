"""Rules for the project as a whole."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from envs import write
from tests.support import ROOT
from tests.support.find_tests import find_tests

SOURCES = [
    path
    for folder in (
        *("groundvec", "reproduction", "rules", "scripts"),
        *("benchmarks", "docs", "envs", "tests"),
    )
    for path in sorted((ROOT / folder).rglob("*.py"))
]


LOCK = (ROOT / "requirements.txt").read_text()
PINNED = {write.normalized(name) for name in re.findall(r"^([\w.-]+)==", LOCK, re.M)}


def test_the_conda_environment_has_the_versions_of_the_lock():
    path = ROOT / "envs" / "groundvec.yaml"
    assert path.read_text() == write.environment(), "run `python envs/write.py`"
    [packages] = [
        entry["pip"]
        for entry in yaml.safe_load(path.read_text())["dependencies"]
        if isinstance(entry, dict)
    ]
    assert {line.split("==")[0] for line in packages} == write.required() | write.required("train")


def test_every_module_has_tests_that_make_check_finds():
    for package in ("groundvec", "reproduction"):
        for path in (ROOT / package).rglob("*.py"):
            found = find_tests(path.relative_to(ROOT))
            assert found and Path("tests") not in found
    assert find_tests("groundvec/encoders") == [Path("tests/groundvec/encoders")]
    of_rnn = find_tests("groundvec/encoders/rnn.py")
    assert Path("tests/groundvec/encoders/test_rnn.py") in of_rnn and len(of_rnn) < 5


def test_the_files_of_the_job_of_lowest_versions_exist():
    command = 'pytest() { printf "%s\\n" "$@"; }; . .ci/lowest'
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    names = [word for word in result.stdout.split() if word.endswith(".py")]
    assert len(names) > 5 and all((ROOT / name).is_file() for name in names)


@pytest.mark.parametrize("path", sorted((ROOT / "rules").rglob("*.smk")), ids=lambda p: p.name)
def test_a_job_replaces_what_one_wrote_that_outlived_its_driver(path):
    for rule in re.split(r"^ *rule\b", path.read_text(), flags=re.M)[1:]:
        if "/scripts/" in rule and "localrule: True" not in rule:
            assert "--overwrite" in rule, rule.splitlines()[0]


def test_the_packages_of_extras_are_pinned():
    assert write.required(*write.EXTRAS) <= PINNED


ADDRESS = write.PROJECT["urls"]["Repository"]


def test_the_description_on_an_index_and_the_readme_lead_to_the_repository():
    text = write.PROJECT["readme"]["text"]
    assert ADDRESS in text and not re.search(r"\]\((?!https://)", text)
    assert f"git clone {ADDRESS}" in (ROOT / "README.md").read_text("utf-8")


def test_a_script_starts_as_it_is_typed():
    """All scripts begin by the same lines."""
    command = [sys.executable, "scripts/text.py", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "python scripts/text.py" in result.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "rules").rglob("*.smk")), ids=lambda p: p.name)
def test_every_script_that_a_rule_calls_decides_when_it_runs_again(path):
    """A rule that runs a script has a `code` parameter, or fetches files that are checked."""
    rules = re.split(r"^\s*rule\b", path.read_text(), flags=re.M)[1:]
    for rule in rules:
        name = rule.split(":")[0].strip()
        if name not in {
            "download",
            "unpack",
            "merkx_frank_2019_figure1",
            "pascal1k_images",
            "onnxruntime_web",
        }:
            assert re.search(r"code=(lambda wildcards: )?(baseline_)?code(_\w+)?\(", rule), name


def test_the_library_knows_neither_snakemake_nor_the_results():
    for path in (ROOT / "groundvec").rglob("*.py"):
        code = re.sub(r'"""[\s\S]*?"""', "", path.read_text())
        assert "snakemake" not in code and "results/" not in code, path


def packed(node, parent):
    """Return whether code is packed: several assignments in a line, or a literal to unpack."""
    if isinstance(node, ast.Assign):
        [target, *_] = node.targets
        swapped = isinstance(node.value, ast.Tuple) and {ast.dump(e) for e in node.value.elts}
        return (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and not swapped & {ast.dump(e).replace("Store", "Load") for e in target.elts}
        )
    if isinstance(node, ast.Call):
        starred = [each.value for each in node.args if isinstance(each, ast.Starred)]
        mappings = [each.value for each in node.keywords if each.arg is None]
        return any(isinstance(each, ast.Tuple | ast.List | ast.Dict) for each in starred + mappings)
    if isinstance(node, ast.NamedExpr):
        return not isinstance(parent, ast.If | ast.While | ast.comprehension)
    return False


def test_code_is_written_out():
    lines = []
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        for parent in ast.walk(tree):
            for node in ast.iter_child_nodes(parent):
                if packed(node, parent):
                    lines.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not lines
