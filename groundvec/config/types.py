"""The form of descriptions, model.json and ensemble.json, for readers and type checkers.

They are plain data: JSON, YAML and the keys of finished work are made of them as they are. So an
optional key that nobody set is absent.
"""

from collections.abc import Sequence
from typing import Any, NotRequired, Protocol, TypedDict

Schema = dict[str, Any]  # a JSON schema
Options = dict[str, Any]  # of a part; its YAML file describes them
Part = dict[str, Any]  # options and the `name` of the part
Attributes = dict[str, str | int | float]  # of image features: how they were computed


class Text(Protocol):
    """A text, from raw sentences to what an encoder reads (`groundvec.text`)."""

    def __len__(self) -> int: ...

    def encode(self, sentences: Sequence[str]) -> Any:
        """Encode sentences, in their order."""

    def as_dict(self) -> Options:
        """Return the arguments that make the same text."""


class ImageLayer(TypedDict, total=False):
    """The linear layer on the image features; see `groundvec.model.network.Projection`."""

    dropout: float
    gaussian: float
    standardize: bool


class Training(TypedDict):
    """The settings of a training; schema.yaml describes them."""

    epochs: int
    cycle: int
    batch_size: int
    optimizer: Part
    precision: str
    clip_image: float | None
    clip_caption: float | None
    alternate: NotRequired[int]
    paraphrases: NotRequired[bool | str]
    permute_images: NotRequired[bool]
    more_captions: NotRequired[int]


class Description(TypedDict):
    """A model as a description of its parts."""

    languages: list[str]
    shared: NotRequired[bool]
    text: Part
    encoder: Part
    image: NotRequired[ImageLayer]
    similarity: str
    objective: Part
    training: NotRequired[Training]


class MoreCaptions(TypedDict):
    """The captions without pictures that a training had."""

    source: str
    captions: int
    pictures: int
    of_training_pictures: int


class BankFile(TypedDict):
    """The size and the checksum of a bank (`groundvec.model.bank`)."""

    centers: int
    inverse_temperature: float
    sha256: str


class Columns(TypedDict):
    """The columns of the image features that a classifier reads."""

    start: int
    width: int


class ClassFiles(TypedDict):
    """The classifiers of a model's networks and its lexicon (`groundvec.model.classes`)."""

    count: int
    networks: list[Columns]
    sha256: str
    lexicon: str


class Start(TypedDict):
    """The model that was fine-tuned, and the share of the tuned weights."""

    model: str
    share: float


class Labels(TypedDict):
    """The columns that name a training in results."""

    dataset: str
    model: str
    seed: int


class Metadata(Labels):
    """The content of model.json."""

    source: NotRequired[str]
    description: Description
    texts: dict[str, Options]  # by language, the result of `Text.as_dict`
    width: int  # of the image features
    draw: NotRequired[list[int]]
    more_captions: NotRequired[MoreCaptions]
    features: NotRequired[Attributes]  # see `groundvec.features.blocks`
    key: str  # the hash of everything that the training depends on
    provenance: NotRequired[dict[str, str]]
    snapshots: list[int]  # the epochs of the ensemble's candidates
    saved: list[int]  # the epochs whose weights are in the folder
    sha256: NotRequired[dict[str, str]]  # of the weights, by epoch
    graphs: NotRequired[list[str]]  # checksums, one for each block of features
    bank: NotRequired[BankFile]
    classes: NotRequired[ClassFiles]
    start: NotRequired[Start]  # of a fine-tuning


class Ensemble(TypedDict):
    """The content of ensemble.json."""

    epochs: list[int]
    best: int  # the epoch of the best single snapshot
