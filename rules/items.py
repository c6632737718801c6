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
    as_json,
    options,
    read_english,
)

FORMATS = {"tables": ("csv", "html", "json", "md", "tex"), "figures": ("pdf", "png", "svg")}


def ensembles(models: Any) -> Callable[[Any], list[str]]:
    """Return an input function: the ensemble.json beside the model.json of some models.

    Args:
        models: paths of model.json, or a function of the wildcards that returns these.
    """

    def beside(wildcards: Any) -> list[str]:
        paths = models(wildcards) if callable(models) else models
        return [path.replace("model.json", "ensemble.json") for path in paths]

    return beside


@dataclass(frozen=True)
class Items:
    """The tables and figures of an experiment.

    Args:
        own: returns the path of a file of this project.
    """

    plan: Plan
    own: Callable[[str], str]

    def item(self, paper: str, name: str) -> Item:
        return self.plan.papers[paper].items[name]

    def experiment(self, paper: str) -> Experiment:
        shown = {name: self.plan.datasets[name] for name in self.plan.shown_in(paper)}
        return Experiment(self.plan.config, shown)

    @cached_property
    def names(self) -> dict[tuple[str, str], list[str]]:
        """The file names of each item: none, one, or one for each data set."""
        return {
            (paper, name): item.names(name, self.experiment(paper))
            for paper, about in self.plan.papers.items()
            for name, item in about.items.items()
        }

    def files(self, kind: str, formats: tuple[str, ...] = ()) -> list[str]:
        """List the files of all `tables` or `figures`, by default in all formats."""
        return [
            f"<experiment>/{paper}/{kind}/{name}{suffix}.{form}"
            for paper, about in self.plan.papers.items()
            for item, description in sorted(getattr(about, kind).items())
            for name in sorted(self.names[paper, item])
            for suffix in ("", *(f"-{more}" for more in description.more))
            for form in formats or FORMATS[kind]
        ]

    def trained(
        self,
        datasets: list[str] | None = None,
        keep: Callable[[Description], bool] = lambda description: True,
    ) -> dict[str, Callable[[Any], list[str]]]:
        """Return input functions: the models of some data sets, and their retrieval scores.

        A job for one data set gets only that data set's.
        """

        def files(pattern: str, wildcards: Any) -> list[str]:
            dataset = getattr(wildcards, "dataset", None)
            return self.plan.every_model(pattern, [dataset] if dataset else datasets, keep)

        patterns = {"models": f"{MODEL}/model.json", "retrieval": f"{RETRIEVAL}.csv"}
        return {kind: partial(files, pattern) for kind, pattern in patterns.items()}

    def inputs(self, paper: str, name: str) -> dict[str, Any]:
        """Return the inputs of an item, by the options of scripts/report.py."""
        item = self.item(paper, name)
        kinds = self._kinds(paper, item)
        files = {option: file for kind in item.inputs for option, file in kinds[kind].items()}
        if item.tables:
            folder = f"<experiment>/{paper}/tables"
            made = [other for other in item.tables if self.names[paper, other]]
            files["tables"] = [f"{folder}/{other}.csv" for other in made]
        if item.reported:
            files["reported"] = self.own(
                f"reproduction/papers/{paper}/reported/{item.reported}.csv"
            )
        return files

    def _kinds(self, paper: str, item: Item) -> dict[str, dict[str, Any]]:
        """Return the options and files of each kind of inputs that an item can name."""
        plan = self.plan
        shown = self.plan.shown_in(paper)
        trained = self.trained(shown, item.models)
        scores = plan.ratings_files(".csv", paper)
        files: dict[str, Any] = {
            **trained,
            "scores": scores,
            "predictions": plan.ratings_files(".predictions.csv", paper),
            "overlap": plan.ratings_of_models(".overlap.csv", paper),
            "ratings": plan.rated,
            "tasks": plan.rated_tasks,
            "query_ranks": plan.every_model(f"{RETRIEVAL}.ranks.csv", shown),
            "history": plan.every_model(f"{MODEL}/history.csv", shown),
            "captions": plan.file_of_source("captions.csv"),
            "images": plan.file_of_source("images.csv"),
            "features": plan.features_file,
            "treebanks": plan.treebanks,
        }
        of_rated = plan.every_model(f"{MODEL}/model.json", plan.rated_in(paper), read_english)
        of_models = plan.ratings_of_models(".predictions.csv", paper)
        by_ratings = plan.config["select"] == "ratings"
        all_rated = self.experiment(paper).rated()
        return {
            **{kind: {kind: paths} for kind, paths in files.items()},
            "trained": trained,
            # Where the ratings select the models, all that shows selected ones needs their scores.
            "selected": {**trained, **({"scores": scores} if by_ratings else {})},
            "rated_models": {"models": of_rated},
            "scores_if_all_are_rated": {"scores": scores if all_rated else []},
            "predictions_of_models": {"predictions": of_models},
            **plan.translation_kinds(),
        }

    def options(self, paper: str, name: str) -> Options:
        """Return an item's options of scripts/report.py that are not files."""
        item = self.item(paper, name)
        dataset = self.plan.datasets[self.plan.shown_in(paper)[0]]
        shown = {key: dataset[key] for key in item.options if dataset.get(key) is not None}
        chosen = {"settings": as_json(shown)} if shown else {}
        if "selected" in item.inputs:
            chosen["select"] = self.plan.config["select"]
        return options(chosen)
