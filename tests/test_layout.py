"""The two houses, the library and the study: imports point down only, and out of neither back."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# From the top floor down; a room imports nothing of its own floor or of one above it.
FLOORS = {
    "groundvec": [
        {"__main__"},
        {"cli"},
        {"index"},
        {"encoder", "image_encoder", "evaluate", "card", "training"},
        {"evaluation", "export", "numpy_backend"},
        {"model", "sources", "baselines", "encoders"},
        {"text", "features", "objectives"},
        {"data"},
        {"optimisers", "device", "similarity", "querybank", "config", "results"},
        {"runtime"},
        {"provenance"},
    ],
    "reproduction": [
        {"page"},
        {"papers"},
        {"render", "sources", "translation", "tuning"},
        {"reporting", "scenes", "baselines", "encoders", "objectives", "arguments"},
        {"text", "reading", "schemas"},
    ],
}
# What a house may import beside itself.
BESIDE = {"groundvec": set(), "reproduction": {"groundvec"}}
# Modules of the library that it does not import, each with its reason.
NOT_IMPORTED = {
    "groundvec.baselines.sentence_transformers": "`groundvec evaluate` loads it by name",
    "groundvec.model.packing": "shipped encoders are made by it (docs/release.md)",
    "groundvec.sources.flickr8k": "`groundvec search` reads its YAML file, for shipped encoders",
}


def imports(path):
    """Yield the full names that a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("house", FLOORS)
def test_imports_point_down(house):
    floor = {room: -number for number, rooms in enumerate(FLOORS[house]) for room in rooms}
    wrong = []
    for path in sorted((ROOT / house).rglob("*.py")):
        room = path.relative_to(ROOT / house).with_suffix("").parts[0]
        for name in imports(path) if room != "__init__" else []:
            package, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if package == house and other not in ("", room) and floor[other] >= floor[room]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("house", FLOORS)
def test_every_room_has_its_floor(house):
    rooms = {path.stem for path in (ROOT / house).glob("*.py")} - {"__init__"}
    rooms |= {path.parent.name for path in (ROOT / house).glob("*/__init__.py")}
    assert rooms == set().union(*FLOORS[house])


@pytest.mark.parametrize("house", FLOORS)
def test_a_house_knows_nothing_above_it(house):
    """The library knows no study, and neither knows Snakemake, the rules or the scripts."""
    above = {"reproduction", "rules", "scripts", "snakemake", "docs", "tests"} - {house}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / house).rglob("*.py"))
        for name in imports(path)
        if name.partition(".")[0] in above - BESIDE[house]
    ]
    assert not wrong


def test_the_library_has_what_it_uses():
    """The commands and the public names lead to each module; what leads to none is the study's."""
    modules = {}
    for path in (ROOT / "groundvec").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        modules[name.removesuffix(".__init__")] = path
    names = ["groundvec", "groundvec.__main__"]
    # Parts, which a model's description names; and encoders elsewhere, by the same names.
    for kind in ("text", "encoders", "objectives", "optimisers"):
        for path in (ROOT / "groundvec" / kind).glob("*.yaml"):
            part = path.stem.replace("-", "_")
            names += [f"groundvec.{room}.{part}" for room in (kind, "export.onnx", "numpy_backend")]
    used = set()
    while names:
        name = names.pop()
        if name not in used:
            used.add(name)
            names.append(name.rpartition(".")[0])  # of something in a module, or a package
            names += imports(modules[name]) if name in modules else []
    assert modules.keys() - used == NOT_IMPORTED.keys()
