"""The form of a completed configuration: plain data, for readers and type checkers."""

from typing import NotRequired, TypedDict

from groundvec.config.types import Description, Options, Part


class Tuning(TypedDict):
    """The settings of a tuning, and the training before it."""

    dataset: str
    model: str
    stage: int
    passes: int


class Network(TypedDict):
    """A network of a data set's `backbone`."""

    name: str
    tuned: NotRequired[Tuning]
    key: NotRequired[str]  # of a tuned network: a hash of its tuning


class Dataset(TypedDict):
    """A data set, with the models to train on it; it also has the options of its source."""

    source: str
    of: NotRequired[str]
    more_captions: NotRequired[Options]
    language: str
    backbone: list[Network]
    weights: str
    features: NotRequired[str]
    parts: int
    folds: int
    bank: int
    models: dict[str, Description]
    seeds: list[int]
    draw: NotRequired[list[int]]
    papers: list[str]


class Ratings(TypedDict):
    """The ratings to compare encoders with."""

    source: str
    tokenizer: str
    lowercase: list[str]
    baselines: dict[str, Part]


class Translation(TypedDict):
    """The translators to train, and the models that re-rank their translations."""

    dataset: str
    source: str
    target: str
    n_best: list[int]
    rerank_by: list[str]
    systems: dict[str, Options]


class Configuration(TypedDict):
    """An experiment."""

    experiment: str
    mirror: str | None
    datasets: dict[str, Dataset]
    select: str
    ratings: NotRequired[Ratings]
    translation: NotRequired[Translation]
