"""Provenance of a result: the commit, the versions, the machine, and a hash of its code."""

import ast
import hashlib
import json
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# The packages whose modules count for hashes, and that have parts. In a clone, the study adds
# itself.
PACKAGES = ["groundvec"]
# Kept results and pages of them. A benchmark changes these as it ends, which makes no commit dirty.
NOT_RUN = (":(exclude)benchmarks/results", ":(exclude)docs")


def digest(*parts: Any) -> str:
    """Compute a short hash of bytes or of values that JSON can hold, for use as a key."""
    sha = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else json.dumps(part, sort_keys=True).encode()
        # The length comes first, so that ("ab", "c") and ("a", "bc") differ.
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.hexdigest()[:16]


# Modules that decide how a stage runs, and not its numbers: a change of their code must not run a
# training again.
PLUMBING = [
    "groundvec.runtime.",
    "groundvec.config.",
    "groundvec.results.",
    "groundvec.provenance.",
    "groundvec.cli.",
]
# Templates and data of a module, which have its name: they are hashed with it.
BESIDE = (".css", ".html", ".js", ".md", ".mplstyle", ".svg", ".tex", ".toml")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class _Statements(ast.NodeTransformer):
    """Remove docstrings, and imports of this library, from a source file; collect the imports.

    Comments are not in the syntax tree. Imports are hashed by the contents of the imported files,
    so that a file that moves changes no hash.
    """

    def __init__(self) -> None:
        self.imports: list[tuple[str, ast.alias]] = []

    def visit(self, node: ast.AST) -> Any:
        # To skip expressions, which contain no statements, saves most of the time.
        return node if isinstance(node, ast.expr) else super().visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return super().generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        # Imports for annotations alone cannot change a number.
        if ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse:
            return None
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for name in node.names:
            module, _, submodule = name.name.rpartition(".")
            if module.split(".")[0] in PACKAGES:
                self.imports.append((module, ast.alias(submodule)))
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.module is None or node.module.split(".")[0] not in PACKAGES:
            return node
        self.imports += [(node.module, alias) for alias in node.names]
        return None


@cache
def _read(path: Path) -> tuple[str, list[tuple[str, Path | None]]]:
    """Hash a source file and its templates, without comments and imports of this library.

    Returns:
        The hash; and the imports: each a name, and the file that it is from (None for plumbing).
    """
    statements = _Statements()
    tree = statements.visit(ast.parse(path.read_bytes()))
    imports = [
        (ast.unparse(alias), _file(module, alias.name)) for module, alias in statements.imports
    ]
    templates = [path.with_suffix(suffix) for suffix in BESIDE]
    contents = [file.read_bytes() for file in templates if file.exists()]
    return digest(ast.unparse(tree), *contents), imports


def _file(module: str, name: str) -> Path | None:
    """Find the file of a name that is imported from a module; None for plumbing."""
    # The name may be a module in a package, or something in the module itself.
    for address in (f"{module}.{name}", module):
        stem = ROOT.joinpath(*address.split("."))
        for file in (stem.with_suffix(".py"), stem / "__init__.py"):
            if file.exists():
                return None if _is_plumbing(address) else file
    return None


def _is_plumbing(address: str) -> bool:
    """Return whether a module is plumbing; the packages' own modules only hand names on."""
    return address in PACKAGES or f"{address}.".startswith(tuple(PLUMBING))


def covered(*sources: str) -> dict[Path, str]:
    """Find source files and every module of this library that they import, each with its hash.

    An imported name is hashed with the content of its file, and not with the file's path.
    """
    hashes: dict[Path, str] = {}
    todo = [ROOT / source for source in sources]
    while todo:
        path = todo.pop()
        if path not in hashes:
            text, imports = _read(path)
            names = sorted((name, _read(file)[0] if file else "") for name, file in imports)
            hashes[path] = digest(text, names)
            todo += [file for _, file in imports if file]
    return hashes


@cache
def code_hash(*sources: str) -> str:
    """Hash source files together with every module of this library that they import.

    Comments, docstrings, layout and `PLUMBING` do not count. The parts of a model are not imported
    by name: callers add their files (`groundvec.config.parts.files`).
    """
    # Sorted hashes without paths: the order and the places of the files do not count.
    return digest(*sorted(covered(*sources).values()))


@cache
def commit() -> str:
    """Return the commit of this code's checkout; `unknown` for an installed copy.

    It ends in `-dirty` if tracked files differ from the commit, without those in `NOT_RUN`.
    """
    changes = ["status", "--porcelain", "--untracked-files=no", "--", ".", *NOT_RUN]
    try:
        if not Path(_git("rev-parse", "--show-toplevel")).samefile(ROOT):
            return "unknown"
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git(*changes)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}-dirty" if changed else head


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def machine(device: str = "cpu") -> str:
    """Describe the hardware in one line, such as `AMD EPYC, 2 cores` or `NVIDIA H200`."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


@cache
def versions() -> str:
    """Return the versions of Python and of torch, or of NumPy if torch is not installed."""
    python = f"python {platform.python_version()}"
    try:
        return f"{python}, torch {version('torch')}"  # from the metadata: an import takes seconds
    except PackageNotFoundError:
        return f"{python}, numpy {version('numpy')}"


def provenance(device: str = "cpu") -> dict[str, str]:
    """Return the columns of every result: commit, versions, machine, and SLURM job, if any."""
    return {
        "commit": commit(),
        "versions": versions(),
        "machine": machine(device),
        "slurm_job": os.environ.get("SLURM_JOB_ID", ""),
    }
