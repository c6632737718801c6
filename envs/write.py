"""Write envs/groundvec.yaml: the pins of requirements.txt that the workflow's scripts need.

Snakemake copies this file alone, so it cannot refer to requirements.txt. `make lock` runs this.
"""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def normalized(name: str) -> str:
    """Return the name of a package as an index writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(*extras: str) -> set[str]:
    """Return the packages that extras name; without any, those that are always installed."""
    requirements = [name for extra in extras for name in EXTRAS[extra]]
    names = set()
    for requirement in requirements if extras else PROJECT["dependencies"]:
        name, *others = re.findall(r"[\w.-]+", requirement.split(">=")[0])
        names |= required(*others) if others else {normalized(name)}
    return names


def environment() -> str:
    """Return the conda environment as YAML."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    names = required() | required("train")
    pins = [line for line in lines if line.split("==")[0] in names]
    content = {
        "channels": ["conda-forge"],
        "dependencies": ["python=3.11", "pip", {"pip": pins}],
    }
    return "# Written by `make lock` from requirements.txt.\n" + yaml.dump(content)


if __name__ == "__main__":
    (ROOT / "envs/groundvec.yaml").write_text(environment(), "utf-8")
