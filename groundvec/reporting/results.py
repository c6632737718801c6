"""The result files that tables and figures are made of, read and checked."""

from collections.abc import Iterable
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.data import ratings
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.model.folder import MODEL, NAME, checked
from groundvec.reporting import systems
from groundvec.reporting.measures import semantic_measures
from groundvec.results import schemas
from groundvec.results.frames import check_once, read, read_all
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, read_json

# What is read of model.json; a part that this version does not have is shown by its name.
PART: dict[str, Any] = {"type": "object", "required": ["name"], "properties": {"name": NAME}}
DESCRIPTION: dict[str, Any] = {
    "type": "object",
    "required": ["encoder"],
    "properties": {
        "languages": {"type": "array", "items": NAME},
        "text": PART,
        "encoder": PART,
        "objective": PART,
        "similarity": NAME,
    },
}
SHOWN: dict[str, Any] = {
    **MODEL,
    "required": ["dataset", "model", "seed", "snapshots", "description"],
    "properties": {**MODEL["properties"], "description": DESCRIPTION},
}
MEASURES = list(schemas.recalls())
CORRELATIONS = list(schemas.correlations())
UNSEEN_CORRELATIONS = list(schemas.correlations("unseen_"))


class Results:
    """What a table or figure is made of; each kind of file is read when it is first asked for.

    Args:
        select: which model of a data set is selected, see `systems.select`.
        given: the other arguments of scripts/report.py: paths of result files, by their kind.

    Raises:
        InputError (by every attribute): nothing was given of this kind, or a file is not whole.
    """

    def __init__(self, select: str = "recall", **given: Any) -> None:
        self.select, self.given = select, given

    def __getitem__(self, kind: str) -> Any:
        """What was given of a kind."""
        if not self.given.get(kind):
            raise InputError(f"this table or figure needs --{kind.replace('_', '-')}: give it too")
        return self.given[kind]

    @cached_property
    def models(self) -> schemas.Models:
        """The trained models."""
        return read_models(self["models"])

    @cached_property
    def retrieval(self) -> schemas.Retrieval:
        """Retrieval between captions and images, and chance."""
        return read_retrieval(self["retrieval"])

    @cached_property
    def ranks(self) -> schemas.Retrieval:
        """All retrieval scores: also between captions, and simulated chance."""
        return read_retrieval(self["retrieval"], everything=True)

    @cached_property
    def scores(self) -> schemas.Scores:
        """Correlations with ratings."""
        return read_scores(self["scores"])

    @cached_property
    def overlap(self) -> schemas.Overlap:
        """Correlations with and without the seen pairs."""
        return read_overlap(self["overlap"])

    @cached_property
    def predictions(self) -> schemas.Predictions:
        """Predictions for the test pairs."""
        return read_predictions(self["predictions"])

    @cached_property
    def ratings(self) -> schemas.Ratings:
        """Rated pairs of sentences."""
        return ratings.read_ratings(self["ratings"])

    @cached_property
    def reranked(self) -> schemas.Reranked:
        """Scores of re-ranked translations."""
        return read_all(self["reranked"], schemas.Reranked)

    @cached_property
    def robustness(self) -> schemas.Robustness:
        """Scores of sentences with mistakes; a model's `system` is its short name."""
        return read_all(self["robustness"], schemas.Robustness, _shorten)

    @cached_property
    def query_ranks(self) -> schemas.QueryRanks:
        """The rank of every test query."""
        return read_all(self["query_ranks"], schemas.QueryRanks)

    @cached_property
    def history(self) -> schemas.History:
        """What training recorded after each epoch."""
        return read_all(self["history"], schemas.History)

    @cached_property
    def tasks(self) -> schemas.Tasks:
        """Numbers of rated pairs."""
        return read(self["tasks"], schemas.Tasks)

    @cached_property
    def measures(self) -> schemas.Measures | None:
        """The `semantic_measures` of the scores; None if no scores were given."""
        return semantic_measures(self.scores) if self.given.get("scores") else None

    @cached_property
    def selected(self) -> dict[str, tuple[str, int]]:
        """The selected model and seed of each data set (`systems.select`)."""
        measures = semantic_measures(self.scores) if self.select == "ratings" else None
        return systems.select(self.retrieval, measures, self.select)

    @cached_property
    def best_snapshots(self) -> dict[str, int]:
        """For each data set `systems.best_snapshot` of the selected training."""
        return {
            dataset: systems.best_snapshot(systems.described(self.models, dataset, *training))
            for dataset, training in self.selected.items()
        }


def read_models(paths: Iterable[str | Path]) -> schemas.Models:
    """Read the model.json of each training, in the order of `systems.ordered`.

    Returns:
        The columns of `Models`, and the flattened description, such as `encoder.name`: NaN where a
        model has no such part.

    Raises:
        InputError: a file that does not describe a model, or two about the same one.
    """
    tables = []
    for path in map(Path, paths):
        about = checked(path, read_json(path, SMALL), SHOWN)
        table = pd.json_normalize(about["description"])
        table = table.drop(columns=[*SHOWN["required"], "folder", "path"], errors="ignore")
        names = {key: about[key] for key in ("dataset", "model", "seed")}
        source = about.get("source", about["dataset"])
        train, _, test = about.get("draw") or (1, 0, 0)
        names |= {"data_source": source, "test_to_train": test / train}
        table = table.assign(**names, folder=str(path.parent), path=str(path))
        tables.append(table.assign(snapshots=[about["snapshots"]]))
    models = pd.concat(tables, ignore_index=True)
    check_once(models, schemas.Models)
    return systems.ordered(models.drop(columns="path"))


def read_retrieval(paths: Iterable[str | Path], everything: bool = False) -> schemas.Retrieval:
    """Read retrieval scores, one file per training; the epochs of chance are empty texts.

    Args:
        everything: also retrieval between captions, and simulated chance.

    Raises:
        InputError: a file that is not whole, or two about the same model.
    """
    measured = read_all(paths, schemas.Retrieval, _check_ensembles).fillna({"epochs": ""})
    if not everything:
        between = measured["direction"].isin(DIRECTIONS) & (measured["kind"] != "random")
        measured = measured[between].reset_index(drop=True)
    return measured


def _check_ensembles(path: str | Path, scores: schemas.Retrieval) -> None:
    """Raise InputError if a file of retrieval scores has none of an ensemble."""
    ensembles = scores[scores["kind"] == "ensemble"]
    there = set(zip(ensembles["split"], ensembles["direction"], strict=True))
    for split, direction in product(("dev", "test"), DIRECTIONS):
        if (split, direction) not in there:
            raise InputError(
                f"{path} has no {split} scores {direction} of an ensemble: delete it and "
                "make it again"
            )


def _shorten(path: str | Path, table: schemas.Robustness) -> None:
    """Call systems by the names of their models; baselines have none."""
    table["system"] = table["model"].fillna(table["system"])


def read_translations(path: str | Path) -> schemas.Translations:
    """Read what each re-ranker puts first; what is empty is an empty text."""
    return read(path, schemas.Translations).fillna({"image_id": "", "hypothesis": ""})


def read_scores(paths: Iterable[str | Path]) -> schemas.Scores:
    """Read correlations with ratings, one file per system.

    Returns:
        `seed` is Int64, missing for baselines, whose dataset, model and epochs are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    return _read_systems(paths, schemas.Scores).astype({"seed": "Int64"})


def read_overlap(paths: Iterable[str | Path]) -> schemas.Overlap:
    """Read scores with and without the seen pairs, one file per training; as `read_scores`."""
    return _read_systems(paths, schemas.Overlap).astype({"seed": "Int64"})


def read_predictions(paths: Iterable[str | Path]) -> schemas.Predictions:
    """Read predictions for the test pairs, one file per system; as `read_scores`."""
    return _read_systems(paths, schemas.Predictions)


def _read_systems(paths: Iterable[str | Path], form: Any) -> pd.DataFrame:
    table = read_all(paths, form, _check_systems)
    texts = table.columns.intersection(["dataset", "model", "epochs"])
    return table.fillna(dict.fromkeys(texts, ""))


def _check_systems(path: str | Path, table: pd.DataFrame) -> None:
    """Raise InputError if a file has neither an ensemble nor a baseline."""
    if not table["kind"].isin(["ensemble", "baseline"]).any():
        raise InputError(
            f"{path} has no rows of an ensemble or a baseline: delete it and make it again"
        )
