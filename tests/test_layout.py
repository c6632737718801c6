"""The two packages, the library and the study: imports go down only, and never back."""

import ast
import re

import pytest
import yaml

from tests.support import ROOT

# From the top layer down. A module imports nothing from its own layer or from a higher one.
LAYERS = {
    "groundvec": """
        __main__
        cli
        index
        encoder image_encoder evaluate card training
        opening
        evaluation export numpy_backend
        model sources baselines encoders
        text features objectives
        data
        optimizers device similarity querybank config results
        runtime
        provenance
    """,
    "reproduction": """
        page
        papers
        render sources translation tuning
        reporting scenes baselines encoders lexicon objectives arguments
        text reading schemas configuration
    """,
}
LAYERS = {
    package: [{*line.split()} for line in text.strip().splitlines()]
    for package, text in LAYERS.items()
}
# The other package that a package may import.
IMPORTABLE = {"groundvec": set(), "reproduction": {"groundvec"}}
# Modules of the library that it does not import, each with its reason.
NOT_IMPORTED = {
    "groundvec.baselines.sentence_transformers": "`groundvec evaluate` loads it by name",
    "groundvec.sources.flickr8k": "`groundvec search` reads its YAML file, for shipped encoders",
}


def imports(path):
    """Yield the full names that a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", LAYERS)
def test_imports_go_down(package):
    layer = {
        module: -number for number, modules in enumerate(LAYERS[package]) for module in modules
    }
    wrong = []
    for path in sorted((ROOT / package).rglob("*.py")):
        module = path.relative_to(ROOT / package).with_suffix("").parts[0]
        for name in imports(path) if module != "__init__" else []:
            top, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if top == package and other not in ("", module) and layer[other] >= layer[module]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("package", LAYERS)
def test_every_module_has_its_layer(package):
    modules = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert modules == set().union(*LAYERS[package])


@pytest.mark.parametrize("package", LAYERS)
def test_a_package_imports_nothing_above_it(package):
    """The library knows no study, and neither knows Snakemake, the rules or the scripts."""
    above = {"reproduction", "rules", "scripts", "snakemake", "docs", "tests"} - {package}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in imports(path)
        if name.partition(".")[0] in above - IMPORTABLE[package]
    ]
    assert not wrong


def test_the_library_uses_each_of_its_modules():
    """The commands and the public names lead to each module; other modules belong to the study."""
    modules = {}
    for path in (ROOT / "groundvec").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        modules[name.removesuffix(".__init__")] = path
    names = ["groundvec", "groundvec.__main__"]
    # Parts, which a model's description names; and encoders elsewhere, by the same names.
    for kind in ("text", "encoders", "objectives", "optimizers"):
        for path in (ROOT / "groundvec" / kind).glob("*.yaml"):
            part = path.stem.replace("-", "_")
            names += [
                f"groundvec.{place}.{part}" for place in (kind, "export.onnx", "numpy_backend")
            ]
    used = set()
    while names:
        name = names.pop()
        if name not in used:
            used.add(name)
            names.append(name.rpartition(".")[0])  # of something in a module, or a package
            names += imports(modules[name]) if name in modules else []
    assert modules.keys() - used == NOT_IMPORTED.keys()


def test_the_library_s_schemas_refer_to_its_own_definitions():
    schemas = [path.read_text("utf-8") for path in (ROOT / "groundvec").rglob("*.yaml")]
    references = {name for text in schemas for name in re.findall(r"#/\$defs/(\w+)", text)}
    definitions = yaml.safe_load((ROOT / "groundvec/config/schema.yaml").read_text())["$defs"]
    assert references and references <= definitions.keys()
