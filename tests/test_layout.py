"""The rooms of the library: imports point down only."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent / "groundvec"
# From the top floor down; a room imports nothing of its own floor or of one above it.
FLOORS = [
    {"__main__"},
    {"page", "commands"},
    {"papers"},
    {"render", "translation"},
    {"reporting", "export", "training", "evaluate", "index"},
    {"evaluation", "encoder"},
    {"model", "sources", "baselines"},
    {"encoders", "scenes"},
    {"text"},
    {"data", "objectives", "features"},
    {"optimisers", "device", "similarity", "config", "results"},
    {"runtime", "cutoffs"},
]
FLOOR = {room: -number for number, rooms in enumerate(FLOORS) for room in rooms}


def imported(path):
    """The rooms that a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("groundvec."))


def test_imports_point_down():
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        room = path.relative_to(ROOT).with_suffix("").parts[0]
        if room == "__init__":
            continue
        wrong += [
            f"{path.relative_to(ROOT)} imports {other}"
            for other in imported(path)
            if other != room and FLOOR[other] >= FLOOR[room]
        ]
    assert not wrong


def test_every_room_has_its_floor():
    rooms = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    rooms |= {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == set(FLOOR)
