"""The papers, one folder each: the description, the tables and figures, and the reported numbers.

`summary`, `ablation` and `controls` belong to no paper, but have the same form.

- `__init__.py` describes the paper, as `PAPER`.
- `NAME.py` writes the table or figure NAME. Its function `make(results, stem)` reads the inputs
  that the description names (`reproduction.reporting.results.Results`).
- `reported/NAME.csv` holds numbers that the paper reports.
- `reported_vs_measured.py` compares these with measured ones: one function for each table that has
  both (`reproduction.reporting.reported_vs_measured`).

A description imports nothing but this module, because the workflow and the configuration read it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import yaml

FOLDER = Path(__file__).parent
CITATIONS = FOLDER.parents[1] / "CITATION.cff"
NOT_CLAIMED = "Not in the paper"  # begins the name of a comparison that the paper does not make


@dataclass(frozen=True)
class Experiment:
    """The data sets of a configuration whose models one paper shows.

    Args:
        config: the completed configuration.
        datasets: the settings of these data sets, by their names.
    """

    config: Mapping[str, Any]
    datasets: Mapping[str, Mapping[str, Any]]

    @property
    def models(self) -> list[Mapping[str, Any]]:
        """Return the descriptions of all models."""
        return [model for data in self.datasets.values() for model in data["models"].values()]

    def rated(self) -> bool:
        """Return whether all models are rated: ratings are configured, and all read English."""
        return "ratings" in self.config and all("en" in model["languages"] for model in self.models)

    def in_english(self) -> bool:
        """Return whether some model reads English."""
        return any("en" in model["languages"] for model in self.models)

    def rated_in_part(self) -> bool:
        """Return whether some model is rated: ratings are configured, and one reads English."""
        return "ratings" in self.config and self.in_english()

    def compares(self, count: int = 2) -> bool:
        """Return whether some data set has at least `count` models."""
        return any(len(data["models"]) >= count for data in self.datasets.values())


@dataclass(frozen=True)
class Item:
    """A table or a figure.

    Args:
        caption: reStructuredText about the parts that every run has. The notes of a table and the
            legend of a figure describe the others.
        inputs: kinds of input files: attributes of `reproduction.reporting.results.Results`, or
            groups of these in rules/items.py.
        reported: the name of a CSV file in the paper's folder `reported`.
        files: further files of this folder that the item's module reads.
        tables: other tables of the paper that the item reads, if the experiment has them.
        more: suffixes of further tables that the item writes, as NAME-SUFFIX.
        numbers: suffixes of further CSV files that the item writes, as NAME-SUFFIX.csv.
        per_dataset: make one for each data set, called NAME-DATASET.
        models: selects the models that the item shows, by their descriptions. An item without
            models is not made.
        when: decides whether the experiment has the item. With `per_dataset`, it is called with
            each data set alone.
        verdicts: whether the item decides which of the paper's claims hold.
    """

    caption: str
    inputs: tuple[str, ...] = ()
    reported: str = ""
    files: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    per_dataset: bool = False
    models: Callable[[Mapping[str, Any]], bool] = lambda description: True
    when: Callable[[Experiment], bool] = lambda experiment: True
    verdicts: bool = False

    @property
    def text(self) -> str:
        """Return the caption without the indentation of its source."""
        return cleandoc(self.caption)

    def names(self, name: str, experiment: Experiment) -> list[str]:
        """List the names of an experiment's files: `table2`, or `samples-DATASET` for each."""
        # The part of the experiment that each file shows.
        parts = {name: experiment}
        if self.per_dataset:
            parts = {
                f"{name}-{dataset}": Experiment(experiment.config, {dataset: settings})
                for dataset, settings in experiment.datasets.items()
            }
        return [
            file_name
            for file_name, part in parts.items()
            if any(map(self.models, part.models)) and self.when(part)
        ]


@dataclass(frozen=True)
class Paper:
    """A paper.

    Args:
        name: the paper as it is cited: `Merkx & Frank (2019)`.
        title: the title, under which CITATION.cff has the reference.
        topic: the heading of the paper's items on a page about other data; by default its name.
        tables, figures: the items, by the names of their modules.
        follows: if the items belong to no paper, the paper whose method they use.
        every_epoch: whether the ratings of every kept epoch are needed, and not of a few.
        rates_draws: whether data sets with `draw` are rated although a whole data set is.
        always: whether the items are made for every data set, even if none names the paper.
    """

    name: str
    title: str
    topic: str = ""
    tables: Mapping[str, Item] = field(default_factory=dict)
    figures: Mapping[str, Item] = field(default_factory=dict)
    follows: str = ""
    every_epoch: bool = False
    rates_draws: bool = True
    always: bool = False

    @property
    def items(self) -> dict[str, Item]:
        """Return tables and figures."""
        return {**self.tables, **self.figures}

    def reads(self, kind: str) -> bool:
        """Return whether a table or figure needs inputs of a kind."""
        return any(kind in item.inputs for item in self.items.values())

    def item(self, name: str) -> Item:
        """Find the table or figure of a file, such as `samples-DATASET` or `table_s1-spearman`."""
        return self.items[name.split(sep="-", maxsplit=1)[0]]


@cache
def known() -> dict[str, Paper]:
    """Return all papers, by the names of their folders."""
    return {
        module.name: import_module(f"{__name__}.{module.name}").PAPER
        for module in iter_modules(__path__)
        if module.ispkg
    }


def items() -> Iterator[tuple[str, str, Item]]:
    """Yield the paper's folder, the name and the description of each table and figure."""
    for folder, paper in known().items():
        for name, item in paper.items.items():
            yield folder, name, item


def always() -> list[str]:
    """Return the folders whose items are made for every data set."""
    return [folder for folder, paper in known().items() if paper.always]


def named() -> list[str]:
    """Return the folders that a data set can name under `papers`."""
    return [folder for folder, paper in known().items() if not paper.always]


def references(folders: list[str]) -> list[Mapping[str, Any]]:
    """Return the entries of CITATION.cff to cite for papers, sorted by their folders.

    Items that belong to no paper cite the paper whose method they use.
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
