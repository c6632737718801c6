"""The rooms of the library: imports point one way."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent / "groundvec"
# A module may import what stands in its own line, or in a line above.
ORDER = [
    {
        "arrays",
        "errors",
        "files",
        "frames",
        "jobs",
        "progress",
        "provenance",
        "schemas",
        "parts",
        "device",
        "leftovers",
        "shipped",
    },
    {"data"},
    {"text", "features", "scenes", "similarity"},
    {"encoders", "objectives", "optimisers", "spelling", "sources"},
    {"papers"},  # what they are; their modules are of another room
    {"config"},
    {"folder", "weights"},
    {"model"},
    {"hub"},
    {"encoder", "training", "evaluation", "baselines"},
    {"translation", "export", "evaluate"},
    {"reporting"},
    {"papers/modules"},
    {"cli"},
    {"commands"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path):
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    return "papers/modules" if room == "papers" and inner[-1] != "__init__" else room


def imported(name):
    """The room of a module, or of what is imported from one."""
    room, *inner = name.split(".")[1:]
    paper = room == "papers" and inner and (ROOT / room / inner[0]).is_dir()
    return "papers/modules" if paper and len(inner) > 1 else room


def test_imports_point_one_way():
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        room = room_of(path)
        if room == "__init__":
            continue
        for name in imports(path):
            if name.startswith("groundvec.") and LEVEL[imported(name)] > LEVEL[room]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_every_room_has_its_place():
    rooms = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    rooms |= {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == set(LEVEL) - {"papers/modules"}
