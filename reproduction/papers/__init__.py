"""The papers, a folder each: what a paper is, what it shows, and the numbers that it reports.

`summary` and `ablation` belong to no paper, and are described likewise.

- `__init__.py` describes the paper, as a `PAPER`;
- `NAME.py` writes the table or figure NAME: it has `make(results, stem)`, which is given the inputs
  that the description names (`reproduction.reporting.results.Results`);
- `reported/NAME.csv` has numbers that the paper reports;
- `compared.py`, where numbers are reported, has a function for each table that measures them too:
  it gives both (`reproduction.reporting.compared`).

A description imports nothing but this module: the workflow and the configuration read it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

FOLDER = Path(__file__).parent
NOT_CLAIMED = "Not in the paper"  # begins the name of a comparison that the paper does not make


@dataclass(frozen=True)
class Experiment:
    """The part of a configuration that one paper shows.

    Args:
        config: the completed configuration.
        datasets: those of its data sets whose models the paper shows.
    """

    config: Mapping[str, Any]
    datasets: Mapping[str, Mapping[str, Any]]

    @property
    def models(self) -> list[Mapping[str, Any]]:
        """Return the descriptions of all models."""
        return [model for data in self.datasets.values() for model in data["models"].values()]

    def rated(self) -> bool:
        """Return whether there are ratings, which are of English, and all models read it."""
        return "ratings" in self.config and all("en" in model["languages"] for model in self.models)

    def in_english(self) -> bool:
        """Return whether a model reads English."""
        return any("en" in model["languages"] for model in self.models)

    def rated_in_part(self) -> bool:
        """Return whether there are ratings, and a model reads English, their language."""
        return "ratings" in self.config and self.in_english()

    def compares(self, count: int = 2) -> bool:
        """Return whether a data set has so many models."""
        return any(len(data["models"]) >= count for data in self.datasets.values())


@dataclass(frozen=True)
class Item:
    """A table or a figure.

    Args:
        caption: reStructuredText, of what every run has; a table's notes or a legend say the rest.
        inputs: kinds of files that it is made of: those of
            `reproduction.reporting.results.Results`, and groups of them in rules/items.py.
        options: keys of the configuration that it shows: of the first data set, or of the ratings.
        reported: the NAME of a file in the paper's folder `reported`.
        tables: the paper's other tables that it is made of, where the experiment has them.
        more: tables that are written beside it, as NAME-SUFFIX.
        numbers: likewise, of which there is a CSV file alone.
        each: make one for each data set, or for each translation system.
        models: which models it shows, by their descriptions; without any there is no such item.
        when: whether the experiment has what it shows; one for each data set is asked of each.
        verdicts: whether it says what of the paper's claims holds.
    """

    caption: str
    inputs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    reported: str = ""
    tables: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    each: Literal["", "dataset", "system"] = ""
    models: Callable[[Mapping[str, Any]], bool] = lambda description: True
    when: Callable[[Experiment], bool] = lambda experiment: True
    verdicts: bool = False

    @property
    def text(self) -> str:
        """Return the caption without the indentation of its source."""
        return cleandoc(self.caption)

    def names(self, name: str, experiment: Experiment) -> list[str]:
        """List an experiment's files of it: `table2`, or `samples-DATASET` for each."""
        if self.each == "dataset":
            parts = {
                f"{name}-{dataset}": Experiment(experiment.config, {dataset: data})
                for dataset, data in experiment.datasets.items()
            }
        elif self.each == "system":
            systems = experiment.config.get("translation", {}).get("systems", [])
            parts = {f"{name}-{system}": experiment for system in systems}
        else:
            parts = {name: experiment}
        return [
            key
            for key, part in parts.items()
            if any(map(self.models, part.models)) and self.when(part)
        ]


@dataclass(frozen=True)
class Paper:
    """A paper.

    Args:
        name: as it is cited: `Merkx & Frank (2019)`.
        topic: the heading of its items on the page of somebody's own data; by default its name.
        citation: the reference, in the form of CITATION.cff.
        tables, figures: by their names, which are those of their modules.
        follows: the paper whose method this project goes on from, where no paper shows the items.
        every_epoch: whether it shows the ratings of every kept epoch, and not of a few.
        rates_draws: whether it shows ratings of data sets with `draw` beside those of whole ones.
        always: whether it is shown first of every data set, without being named.
    """

    name: str
    citation: Mapping[str, Any]
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
        """Return whether a table or figure is made of such inputs."""
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
    """Yield each paper, and the name and description of each of its tables and figures."""
    for paper, about in known().items():
        yield from ((paper, name, item) for name, item in about.items.items())


def always() -> list[str]:
    """Return the names of the folders that are shown of every data set."""
    return [name for name, paper in known().items() if paper.always]


def named() -> list[str]:
    """Return the names of the papers that a data set can name."""
    return [name for name, paper in known().items() if not paper.always]


def references(papers: list[str]) -> list[Mapping[str, Any]]:
    """Return the works to cite for papers; of no paper's items, the one that they go on from."""
    cited = sorted({known()[paper].follows or paper for paper in papers})
    return [known()[paper].citation for paper in cited]


def files() -> list[Path]:
    """List the modules that describe the papers, and those that compare reported numbers."""
    return sorted([*FOLDER.glob("*/__init__.py"), *FOLDER.glob("*/compared.py")])
