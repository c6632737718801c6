"""The result files that tables and figures are made of, read and checked."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from groundvec.data import ratings
from groundvec.evaluation.files import read_overlap, read_predictions, read_retrieval, read_scores
from groundvec.model.folder import MODEL, NAME, checked
from groundvec.results import schemas
from groundvec.results.frames import check_once, read, read_all
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, read_json
from reproduction.reporting import systems
from reproduction.reporting.measures import semantic_measures

# What is read of model.json; a part that this version does not have is shown by its name.
PART: dict[str, Any] = {"type": "object", "required": ["name"], "properties": {"name": NAME}}
DESCRIPTION: dict[str, Any] = {
    "languages": {"type": "array", "items": NAME},
    "similarity": NAME,
    **dict.fromkeys(["text", "encoder", "objective"], PART),
}
SHOWN: dict[str, Any] = {
    **MODEL,
    "required": ["dataset", "model", "seed", "snapshots", "description"],
    "properties": {
        **MODEL["properties"],
        "description": {"type": "object", "required": ["encoder"], "properties": DESCRIPTION},
    },
}
MEASURES = list(schemas.recalls())
CORRELATIONS = list(schemas.correlations())
UNSEEN_CORRELATIONS = list(schemas.correlations("unseen_"))
T = TypeVar("T")


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


def read_translations(path: str | Path) -> schemas.Translations:
    """Read each re-ranker's first translations; missing ones are empty texts."""
    return read(path, schemas.Translations).fillna({"image_id": "", "hypothesis": ""})


class Files(cached_property[T]):
    """An attribute of `Results`: what is in the files of one kind, read when it is first asked for.

    Args:
        what: these files are, for `--help`.
        read: them. It is given what the option of the attribute's name is: paths or, unless `many`,
            a path.
    """

    def __init__(self, what: str, read: Callable[[Any], T], many: bool = True) -> None:
        super().__init__(lambda results: read(results[str(self.attrname)]))
        self.what = what
        self.many = many


class Results:
    """The inputs of a table or figure: each kind of files, and its reader.

    Args:
        select: which model of a data set is selected, see `systems.select`.
        settings: values of keys of the configuration, by their names.
        given: paths of result files, by their kind, which is an attribute below.

    Raises:
        InputError (by every attribute): nothing was given of this kind, or a file is not whole.
    """

    models = Files("the model.json of each training", read_models)
    retrieval = Files("what scripts/retrieval.py wrote, a file for each model", read_retrieval)
    scores = Files("correlations with ratings, a file for each system", read_scores)
    overlap = Files("what scripts/overlap.py wrote, a file for each model", read_overlap)
    predictions = Files("what each system predicts for the rated pairs", read_predictions)
    reranked = Files(
        "scores of scripts/rerank.py, a file for each system and length",
        partial(read_all, form=schemas.Reranked),
    )
    query_ranks = Files(
        "the rank of each query, also of scripts/retrieval.py, a file for each model",
        partial(read_all, form=schemas.QueryRanks),
    )
    history = Files("the history.csv of each training", partial(read_all, form=schemas.History))
    tables = Files("tables of scripts/report.py as CSV, with .json beside each", list[Path])
    treebanks = Files(
        "parsed captions, which scripts/trees.py wrote; others are parsed", list[Path]
    )
    ratings = Files("the rated pairs of sentences", ratings.read_ratings, many=False)
    tasks = Files(
        "the numbers of pairs by task", lambda path: read(path, schemas.Tasks), many=False
    )
    reported = Files(
        "the paper's own numbers, in reproduction/papers/PAPER/reported", Path, many=False
    )
    captions = Files("a data set's captions.csv", Path, many=False)
    images = Files("a data set's images.csv", Path, many=False)
    features = Files("the HDF5 file of its image features", Path, many=False)
    translations = Files("translations of scripts/rerank.py, of one system", Path, many=False)

    def __init__(
        self, select: str = "recall", settings: dict[str, Any] | None = None, **given: Any
    ) -> None:
        self.select = select
        self.given = given | (settings or {})

    def __getitem__(self, kind: str) -> Any:
        """Return the given files or setting of a kind."""
        if not self.given.get(kind):
            needed = f"--{kind.replace('_', '-')}" if kind in KINDS else f"`{kind}` in --settings"
            raise InputError(f"this table or figure needs {needed}: give it too")
        return self.given[kind]

    @cached_property
    def all_retrieval(self) -> schemas.Retrieval:
        """All retrieval scores: also between captions, and simulated chance."""
        return read_retrieval(self["retrieval"], everything=True)

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


KINDS = {name: kind for name, kind in vars(Results).items() if isinstance(kind, Files)}


def add_arguments(
    parser: ArgumentParser, required: Iterable[str] = (), optional: Iterable[str] = ()
) -> None:
    """Add options for kinds of files to a program's parser."""
    for name in (*required, *optional):
        needed = name in required
        kind = KINDS[name]
        how: dict[str, Any] = {"nargs": "+" if needed else "*"} if kind.many else {}
        how |= {"metavar": "FILE", "required": needed, "help": kind.what}
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, **how)
