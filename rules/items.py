"""The papers' tables and figures in an experiment, and their inputs.

This module needs no Snakemake.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from reproduction.papers import Experiment, Item
from rules.plan import (
    MODEL,
    RETRIEVAL,
    Description,
    Options,
    Plan,
    options,
    reads_english,
)

FORMATS = {"tables": ("csv", "md", "tex", "html"), "figures": ("pdf", "svg", "png")}


def ensembles(models: Any) -> Callable[[Any], list[str]]:
    """Return an input function: the ensemble.json of some models.

    Args:
        models: paths of model.json, or a function of the wildcards that returns these.
    """

    def files(wildcards: Any) -> list[str]:
        paths = models(wildcards) if callable(models) else models
        return [path.replace("model.json", "ensemble.json") for path in paths]

    return files


@dataclass(frozen=True)
class Items:
    """The tables and figures of an experiment.

    Args:
        plan: the jobs of the experiment.
        project_file: returns the path of a file of this project.
    """

    plan: Plan
    project_file: Callable[[str], str]

    def item(self, paper: str, name: str) -> Item:
        return self.plan.papers[paper].items[name]

    def experiment(self, paper: str) -> Experiment:
        shown = {name: self.plan.datasets[name] for name in self.plan.shown_in(paper)}
        return Experiment(self.plan.config, shown)

    @cached_property
    def names(self) -> dict[tuple[str, str], list[str]]:
        """The file names of each item: none, one, or one for each data set."""
        names = {}
        for paper, description in self.plan.papers.items():
            experiment = self.experiment(paper)
            for name, item in description.items.items():
                names[paper, name] = item.names(name, experiment)
        return names

    def files(self, kind: str, formats: tuple[str, ...] = ()) -> list[str]:
        """List the files of all `tables` or `figures`, by default in all formats."""
        files = []
        for paper, description in self.plan.papers.items():
            folder = f"<experiment>/{paper}/{kind}"
            for item_name, item in sorted(getattr(description, kind).items()):
                for name in sorted(self.names[paper, item_name]):
                    for stem in [name, *(f"{name}-{suffix}" for suffix in item.more)]:
                        files += [f"{folder}/{stem}.{form}" for form in formats or FORMATS[kind]]
        return files

    def outputs(self, paper: str, name: str) -> list[str]:
        """List the files of a table or figure: patterns, if there is one per data set."""
        item = self.item(paper, name)
        kind = "figures" if name in self.plan.papers[paper].figures else "tables"
        stem = f"{name}-{{dataset}}" if item.per_dataset else name
        folder = f"<experiment>/{paper}"
        files = []
        for part in [stem, *(f"{stem}-{suffix}" for suffix in item.more)]:
            files += [f"{folder}/{kind}/{part}.{form}" for form in FORMATS[kind]]
        files += [f"{folder}/tables/{stem}-{suffix}.csv" for suffix in item.numbers]
        return files

    def trained(
        self,
        datasets: list[str] | None = None,
        keep: Callable[[Description], bool] = lambda description: True,
    ) -> dict[str, Callable[[Any], list[str]]]:
        """Return input functions: the models of some data sets, and their retrieval scores.

        A job for one data set gets only that data set's.

        Args:
            datasets: the data sets of jobs that are not for one.
            keep: selects models by their descriptions.
        """

        def files(pattern: str, wildcards: Any) -> list[str]:
            dataset = getattr(wildcards, "dataset", None)
            return self.plan.every_model(pattern, [dataset] if dataset else datasets, keep)

        return {
            "models": partial(files, f"{MODEL}/model.json"),
            "retrieval": partial(files, f"{RETRIEVAL}.csv"),
        }

    def inputs(self, paper: str, name: str) -> dict[str, Any]:
        """Return the inputs of an item, by the options of scripts/report.py."""
        item = self.item(paper, name)
        kinds = self._kinds(paper, item)
        files: dict[str, Any] = {}
        for kind in item.inputs:
            files |= kinds[kind]
        if item.tables:
            folder = f"<experiment>/{paper}/tables"
            files["tables"] = [
                f"{folder}/{table}.csv" for table in item.tables if self.names[paper, table]
            ]
        if item.reported:
            files["reported"] = self.project_file(
                f"reproduction/papers/{paper}/reported/{item.reported}.csv"
            )
        return files

    def _kinds(self, paper: str, item: Item) -> dict[str, dict[str, Any]]:
        """Return the options and files of each kind of inputs that an item can name."""
        plan = self.plan
        shown = plan.shown_in(paper)
        trained = self.trained(shown, item.models)
        scores = plan.ratings_files(".csv", paper)
        # Kinds of one option, which has the same name.
        files: dict[str, Any] = {
            **trained,
            "scores": scores,
            "predictions": plan.ratings_files(".predictions.csv", paper),
            "overlap": plan.ratings_of_models(".overlap.csv", paper),
            "ratings": plan.rated,
            "tasks": plan.rated_tasks,
            "query_ranks": plan.every_model(f"{RETRIEVAL}.ranks.csv", shown),
            "history": plan.every_model(f"{MODEL}/history.csv", shown),
            "captions": plan.file_of_parent("captions.csv"),
            "images": plan.file_of_parent("images.csv"),
            "features": plan.features_of_seeds,
            "treebanks": plan.treebanks,
        }
        rated_models = plan.every_model(f"{MODEL}/model.json", plan.rated_in(paper), reads_english)
        all_are_rated = self.experiment(paper).rated()
        kinds: dict[str, dict[str, Any]] = {kind: {kind: paths} for kind, paths in files.items()}
        kinds |= {
            "trained": trained,
            "selected": dict(trained),
            "rated_models": {"models": rated_models},
            "scores_if_all_are_rated": {"scores": scores if all_are_rated else []},
            "predictions_of_models": {
                "predictions": plan.ratings_of_models(".predictions.csv", paper)
            },
        }
        if plan.config["select"] == "ratings":
            # Then every item that shows the selected models needs the scores that select them.
            kinds["selected"]["scores"] = scores
        return kinds | plan.translation_kinds()

    def options(self, paper: str, name: str) -> Options:
        """Return an item's options of scripts/report.py that are not files."""
        item = self.item(paper, name)
        values: dict[str, Any] = {}
        if "selected" in item.inputs:
            values["select"] = self.plan.config["select"]
        return options(values)
