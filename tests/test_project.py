"""What holds of the project as a whole."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
SOURCES = [
    path
    for folder in ("groundvec", "reproduction", "rules", "scripts", "benchmarks", "docs")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def pins(lines):
    """The pinned versions, by the normalized names of packages (PEP 503)."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", "\n".join(map(str.strip, lines)), re.M)
    return {normalized(name): version for name, version in found}


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


PINNED = pins((ROOT / "requirements.txt").read_text().splitlines())


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda p: p.name)
def test_conda_environments_have_the_same_pins(path):
    packages = yaml.safe_load(path.read_text())["dependencies"][-1]["pip"]
    assert pins(packages).items() <= PINNED.items()


def test_conda_environments_hold_all_that_the_library_imports():
    packages = yaml.safe_load((ROOT / "envs" / "groundvec.yaml").read_text())["dependencies"]
    assert required() | required("train") <= pins(packages[-1]["pip"]).keys()


@pytest.mark.parametrize("path", sorted((ROOT / "rules").glob("*.smk")), ids=lambda p: p.name)
def test_a_job_replaces_what_one_wrote_that_outlived_its_driver(path):
    for rule in re.split(r"^ *rule\b", path.read_text(), flags=re.M)[1:]:
        if "/scripts/" in rule and "localrule: True" not in rule:
            assert "--overwrite" in rule, rule.splitlines()[0]


def test_the_packages_of_extras_are_pinned():
    assert required(*PROJECT["optional-dependencies"]) <= PINNED.keys()


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def required(*extras):
    """The packages that extras name, or, without any, those that are always installed."""
    names = [name for extra in extras for name in PROJECT["optional-dependencies"][extra]]
    if not extras:
        names = PROJECT["dependencies"]
    others = [extras.split(",") for extras in re.findall(r"\[(.*)\]", "\n".join(names))]
    found = {normalized(re.split(r"[<>=]", name)[0]) for name in names if "[" not in name}
    return found.union(*(required(*extras) for extras in others))


def test_a_script_starts_as_it_is_typed():
    """All scripts begin by the same lines."""
    command = [sys.executable, "scripts/text.py", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "python scripts/text.py" in result.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "rules").glob("*.smk")), ids=lambda p: p.name)
def test_every_script_that_a_rule_calls_decides_when_it_runs_again(path):
    """A rule that runs a script has a `code` parameter, or fetches files that are checked."""
    rules = re.split(r"^\s*rule\b", path.read_text(), flags=re.M)[1:]
    for rule in rules:
        name = rule.split(":")[0].strip()
        if name not in {"download", "unpack", "pascal1k_images", "onnxruntime_web"}:
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
