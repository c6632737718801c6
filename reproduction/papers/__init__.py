"""The papers, one folder each: the description, the tables and figures, and the reported numbers.

`summary`, `ablation` and `controls` belong to no paper, but have the same form.

- `__init__.py` describes the paper, as `PAPER`.
- `NAME.py` writes the table or figure NAME. Its function `make(results, stem)` reads result files
  (`reproduction.reporting.results.Results`).
- `captions/NAME.rst` is its caption: reStructuredText about the parts that every run has. The notes
  of a table and the legend of a figure describe the others.
- `claims.toml` names the two systems that each claim of the paper compares
  (`reproduction.reporting.claims.claimed_pairs`).
- `reported/NAME.csv` holds numbers that the paper reports.
- `reported_vs_measured.py` compares these with measured ones: one function for each table that has
  both (`reproduction.reporting.reported_vs_measured`).

The rule of the paper, `rules/papers/PAPER.smk`, names the files that these read and write. A
description imports nothing but this module, because the workflow and the configuration read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import yaml

FOLDER = Path(__file__).parent
CITATIONS = FOLDER.parents[1] / "CITATION.cff"
NOT_CLAIMED = "Not in the paper"  # begins the name of a comparison that the paper does not make


@dataclass(frozen=True)
class Paper:
    """A paper.

    Args:
        name: the paper as it is cited: `Merkx & Frank (2019)`.
        title: the title, under which CITATION.cff has the reference.
        topic: the heading of its tables and figures on a page about other data; by default `name`.
        follows: if the tables and figures belong to no paper, the paper whose method they use.
        verdicts: the tables that decide which of the paper's claims hold.
        every_epoch: whether the ratings of every kept epoch are needed, and not of a few.
        selects: whether a table or figure shows the selected model of a data set.
        rates_draws: whether data sets with `draw` are rated although a whole data set is.
        always: whether its tables and figures are made for every data set, even if none names it.
    """

    name: str
    title: str
    topic: str = ""
    follows: str = ""
    verdicts: tuple[str, ...] = ()
    every_epoch: bool = False
    selects: bool = False
    rates_draws: bool = True
    always: bool = False


@cache
def known() -> dict[str, Paper]:
    """Return all papers, by the names of their folders."""
    return {
        module.name: import_module(f"{__name__}.{module.name}").PAPER
        for module in iter_modules(__path__)
        if module.ispkg
    }


def captions(folder: str) -> dict[str, Path]:
    """Return the captions of a paper's tables and figures, by their names."""
    return {path.stem: path for path in sorted(FOLDER.glob(f"{folder}/captions/*.rst"))}


def modules(folder: str) -> list[Path]:
    """List the modules that make a paper's tables and figures."""
    return sorted(FOLDER.glob(f"{folder}/*.py"))


def always() -> list[str]:
    """Return the folders whose tables are made for every data set."""
    return [folder for folder, paper in known().items() if paper.always]


def named() -> list[str]:
    """Return the folders that a data set can name under `papers`."""
    return [folder for folder, paper in known().items() if not paper.always]


def references(folders: list[str]) -> list[Mapping[str, Any]]:
    """Return the entries of CITATION.cff to cite for papers, sorted by their folders.

    Tables that belong to no paper cite the paper whose method they use.
    """
    # CITATION.cff names one paper as preferred, and the others as references.
    content = yaml.safe_load(CITATIONS.read_text("utf-8"))
    works = {
        work["title"]: work for work in [content["preferred-citation"], *content["references"]]
    }
    cited = sorted({known()[folder].follows or folder for folder in folders})
    return [works[known()[folder].title] for folder in cited]


def files() -> list[Path]:
    """List the modules that describe the papers and compare their numbers with measured ones."""
    return sorted([*FOLDER.glob("*/__init__.py"), *FOLDER.glob("*/reported_vs_measured.py")])
