"""The parts that a model's description names, each the file of that name."""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from groundvec.errors import InputError

# What each file of a folder offers.
OFFERED = {"text": "Text", "encoders": "Encoder", "objectives": "loss", "optimisers": "Optimiser"}


def find(kind: str, name: str) -> Any:
    """A part, such as the class of the encoder `rnn`; kinds are the folders of parts.

    Raises:
        InputError: there is none of this name. A description may come from anybody.
    """
    if part := _offered(kind, name, OFFERED[kind]):
        return part
    raise InputError(
        f"there is no {name!r} in groundvec/{kind}: correct the name, or use the version of "
        "groundvec that has it"
    )


def remember(text: str, treebanks: Iterable[Path]) -> None:
    """Read the treebanks that a text was prepared by; InputError if it is one that reads none."""
    make = find("text", text)
    for path in treebanks:
        if not hasattr(make, "remember"):
            raise InputError(f"the text {text!r} reads no trees: leave --treebanks out")
        make.remember(path)


def solution(objective: str) -> Callable[..., Any] | None:
    """What computes the best weights at once, for an objective that has such a function."""
    return _offered("objectives", objective, "solve")


def _offered(kind: str, name: str, what: str) -> Any:
    path = Path(__file__).parent / kind / f"{name}.py"
    if re.fullmatch("[a-z_0-9]+", name) and path.exists():
        return getattr(import_module(f"groundvec.{kind}.{name}"), what, None)
    return None


def of_grid(name: str) -> dict[str, Any] | None:
    """The encoder that a name of the paper's grid stands for, such as gru-2048-attention."""
    cell = re.fullmatch("([a-z]+)-([1-9][0-9]{0,5})-([a-z]+)", name)
    if not cell:
        return None
    return {"name": "rnn", "cell": cell[1], "size": int(cell[2]), "pooling": cell[3]}


def check(description: dict[str, Any]) -> None:
    """Raise InputError if parts that are right by themselves do not fit each other."""
    text, encoder = description["text"], description["encoder"]
    of_trees = encoder["name"] in ("trees", "mean")
    fixed = encoder["name"] == "mean" and not encoder.get("project")
    linear = encoder["name"] == "bag" or encoder.get("project") or encoder.get("units")
    convolution = encoder.get("convolution") or {"channels": 0, "widths": [1]}
    widths = len(convolution["widths"])
    cosines_of_characters = text["name"] == "characters" and description["similarity"] == "cosine"
    optimiser = description.get("training", {}).get("optimiser", {})
    lowest, highest = (optimiser.get(f"learning_rate_{end}", 0) for end in ("min", "max"))
    solved = description.get("objective", {}).get("name") == "cca"
    for wrong, message in [
        (
            of_trees and text["name"] != "trees",
            f"the encoder {encoder['name']!r} reads `text: {{name: trees}}`, not "
            f"{text['name']!r}: change one of the two",
        ),
        (
            fixed and encoder["size"] != text.get("dimension"),
            f"a mean of vectors of {text.get('dimension')} dimensions has not {encoder['size']}: "
            "make `size` the text's `dimension`, or say `project: true`",
        ),
        (
            fixed and description.get("training", {}).get("alternate"),
            "the caption encoder has nothing to train: leave `alternate` out of its `training`",
        ),
        (
            convolution["channels"] % widths,
            f"{convolution['channels']} channels cannot be shared by {widths} widths: take a "
            f"multiple of {widths}",
        ),
        (
            description.get("training", {}).get("typing_errors")
            and text["name"] not in ("characters", "ngrams"),
            "`typing_errors` are for models that read characters or n-grams: leave it out of "
            "`training`",
        ),
        (
            text["name"] == "ngrams" and text.get("shortest", 1) > text.get("longest", 1),
            "of n-grams the `shortest` must not be longer than the `longest`",
        ),
        (
            description.get("spelling") and not cosines_of_characters,
            "`spelling` is for models that read characters and compare cosines: leave it out, or "
            "take `text: {name: characters}` and `similarity: cosine`",
        ),
        (
            encoder.get("idf") and description.get("shared"),
            "`idf` counts the captions of one language: leave it or `shared` out",
        ),
        (
            encoder.get("state") and description["similarity"] != "cosine",
            "`state` is for models that compare cosines: leave it out, or take "
            "`similarity: cosine`",
        ),
        (
            lowest > highest > 0,
            f"learning_rate_min {lowest} is above learning_rate_max {highest}: swap them",
        ),
        (
            solved and len(description["languages"]) > 1,
            "cca is solved for one language: make a model for each",
        ),
        (
            solved and not linear,
            "cca sets the last linear layer of a caption encoder, and this one has none: take one "
            "that has (mean, with `project: true`)",
        ),
    ]:
        if wrong:
            raise InputError(message)


def options(part: dict[str, Any]) -> dict[str, Any]:
    """A part's options: all but its name."""
    return {key: value for key, value in part.items() if key != "name"}


def vector_size(description: dict[str, Any]) -> int:
    """How many numbers a model's vectors have, those of `spelling` or a `state` included."""
    encoder = description["encoder"]
    beside = encoder["embedding"] if encoder.get("state") else 0
    return int(encoder["size"] + beside + description.get("spelling", {}).get("size", 0))


def files(description: dict[str, Any]) -> list[str]:
    """The source files of a description's parts, for the hash of the code that a stage runs."""
    chosen = {
        "text": description["text"],
        "encoders": description["encoder"],
        "objectives": description["objective"],
        "optimisers": description["training"]["optimiser"],
    }
    return [f"groundvec/{kind}/{part['name']}.py" for kind, part in chosen.items()]
