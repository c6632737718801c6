"""Read and check the result files for tables and figures."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from groundvec.config import parts
from groundvec.config.types import Schema
from groundvec.data import ratings
from groundvec.evaluation.files import read_overlap, read_predictions, read_retrieval, read_scores
from groundvec.model.folder import MODEL, checked
from groundvec.results import schemas
from groundvec.results.frames import check_once, read, read_all
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, read_json
from reproduction.reporting import systems
from reproduction.reporting.measures import semantic_measures
from reproduction.schemas import Measures, Models, Reranked

SHOWN: Schema = MODEL | parts.load_yaml(Path(__file__).with_name("model.yaml"))
SHOWN["properties"] = MODEL["properties"] | SHOWN["properties"]
MEASURES = list(schemas.RECALLS)
CORRELATIONS = list(schemas.correlations())
UNSEEN_CORRELATIONS = list(schemas.correlations("unseen_"))
T = TypeVar("T")


def read_models(paths: Iterable[str | Path]) -> Models:
    """Read the model.json of each training, in the order of `systems.ordered`.

    Returns:
        The columns of `Models` and the flattened description, such as `encoder.name`, which is NaN
        if a model lacks this option.

    Raises:
        InputError: a file does not describe a model, or two files describe the same one.
    """
    tables = []
    for path in map(Path, paths):
        model = checked(path, read_json(path, SMALL), SHOWN)
        table = pd.json_normalize(model["description"])
        # An option that has the name of one of our columns must not replace it.
        table = table.drop(columns=[*SHOWN["required"], "folder", "path"], errors="ignore")
        train_images, _, test_images = model.get("draw") or (1, 0, 0)
        tables.append(
            table.assign(
                dataset=model["dataset"],
                model=model["model"],
                seed=model["seed"],
                data_source=model.get("source", model["dataset"]),
                test_to_train=test_images / train_images,
                folder=str(path.parent),
                path=str(path),
                snapshots=[model["snapshots"]],
            )
        )
    models = pd.concat(tables, ignore_index=True)
    check_once(models, Models)
    return systems.ordered(models.drop(columns="path"))


class Files(cached_property[T]):
    """An attribute of `Results`: the content of one kind of files, read at the first access.

    Args:
        help: description of the files for `--help`.
        read: reads the paths given to the option of the attribute's name; without `many`, the path.
        many: whether the option takes several files.
    """

    def __init__(self, help: str, read: Callable[[Any], T], many: bool = True) -> None:
        super().__init__(self.read_given)
        self.help = help
        self.read = read
        self.many = many

    def read_given(self, results: "Results") -> T:
        """Read the files of this kind that were given."""
        return self.read(results[str(self.attrname)])


class Results:
    """The inputs of a table or figure: each kind of files, and its reader.

    Args:
        select: which model of a data set is selected, see `systems.select`.
        given: paths of result files, by their kind, which is an attribute below.

    Raises:
        InputError: on access to an attribute, no file of this kind was given, or a file is damaged.
    """

    models = Files("the model.json of each training", read_models)
    rerankers = Files("the model.json of each model that re-ranks translations", read_models)
    retrieval = Files("files of scripts/retrieval.py, one for each model", read_retrieval)
    scores = Files("correlations with ratings, one file for each system", read_scores)
    overlap = Files("files of scripts/overlap.py, one for each model", read_overlap)
    predictions = Files(
        "predictions for the rated pairs, one file for each system", read_predictions
    )
    reranked = Files(
        "scores of scripts/rerank.py, one file for each system and length",
        partial(read_all, form=Reranked),
    )
    query_ranks = Files(
        "the rank of each query, by scripts/retrieval.py, one file for each model",
        partial(read_all, form=schemas.QueryRanks),
    )
    history = Files("the history.csv of each training", partial(read_all, form=schemas.History))
    tables = Files("tables of scripts/report.py as CSV, each with its .html file", list[Path])
    treebanks = Files(
        "captions parsed by scripts/trees.py; captions that are missing are parsed", list[Path]
    )
    ratings = Files("the rated pairs of sentences", ratings.read_ratings, many=False)
    tasks = Files(
        "the number of pairs of each task", lambda path: read(path, schemas.Tasks), many=False
    )
    reported = Files("the paper's own numbers, in reproduction/papers/PAPER/reported", list[Path])
    captions = Files("a data set's captions.csv", Path, many=False)
    images = Files("a data set's images.csv", Path, many=False)
    features = Files(
        "HDF5 files of its image features; several if networks were tuned with each seed",
        list[Path],
    )

    def __init__(self, select: str = "recall", **given: Any) -> None:
        self.select = select
        self.given = given

    def __getitem__(self, kind: str) -> Any:
        """Return the given files of a kind."""
        if not self.given.get(kind):
            option = f"--{kind.replace('_', '-')}"
            raise InputError(f"this table or figure needs {option}: pass it as well")
        return self.given[kind]

    def reported_file(self, name: str) -> Path:
        """Return the given file of the paper's numbers that is called NAME.csv."""
        paths: list[Path] = self["reported"]
        for path in paths:
            if path.stem == name:
                return path
        raise InputError(f"--reported lacks {name}.csv, which this table or figure needs: add it")

    @cached_property
    def all_retrieval(self) -> schemas.Retrieval:
        """All retrieval scores, also between captions, and with a bank."""
        return read_retrieval(self["retrieval"], everything=True)

    @cached_property
    def measures(self) -> Measures | None:
        """The `semantic_measures` of the scores, or None without scores."""
        return semantic_measures(self.scores) if self.given.get("scores") else None

    @cached_property
    def selected(self) -> dict[str, tuple[str, int]]:
        """The selected model and seed of each data set (`systems.select`)."""
        measures = semantic_measures(self.scores) if self.select == "ratings" else None
        return systems.select(self.retrieval, measures, self.select)

    @cached_property
    def best_snapshots(self) -> dict[str, int]:
        """The epoch of the selected training's best snapshot, for each data set."""
        return {
            dataset: systems.best_snapshot(systems.described(self.models, dataset, *training))
            for dataset, training in self.selected.items()
        }


# The attributes above are also the options of the scripts.
KINDS = {name: kind for name, kind in vars(Results).items() if isinstance(kind, Files)}


def add_arguments(
    parser: ArgumentParser, required: Iterable[str] = (), optional: Iterable[str] = ()
) -> None:
    """Add options for kinds of files to a program's parser."""
    for name in (*required, *optional):
        kind = KINDS[name]
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=Path,
            nargs=("+" if name in required else "*") if kind.many else None,
            metavar="FILE",
            required=name in required,
            help=kind.help,
        )


@contextmanager
def shape_of(path: str | Path) -> Iterator[None]:
    """Raise InputError if a block that uses a file's content finds another shape.

    It is for the papers' tables, which have no schema: one may lack a column, or have text in
    place of numbers.
    """
    try:
        yield
    except InputError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(
            f"{path} has another shape than expected ({reason}): delete it and make it again"
        ) from error
