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
        {"render", "sources", "translation"},
        {"reporting", "scenes", "baselines", "encoders", "objectives", "arguments"},
        {"text", "reading", "schemas"},
    ],
}
# What a house may import beside itself.
BESIDE = {"groundvec": set(), "reproduction": {"groundvec"}}


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
