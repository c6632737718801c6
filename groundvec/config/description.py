"""A model's description: completed with defaults, and its parts checked to fit each other."""

import copy
from collections.abc import Mapping
from typing import Any, cast

from groundvec.config import parts
from groundvec.config.schema import complete_by, configuration_schema, hint_at, mistake
from groundvec.config.types import Description, Options
from groundvec.runtime.errors import InputError


def describe(
    name: str,
    models: Mapping[str, Options],
    dataset: Mapping[str, Any],
    place: str = "models",
) -> Description:
    """Return the description that a model's name stands for, with every default filled in.

    Args:
        name: a name in `models`, or a cell of the paper's grid, such as gru-2048-attention.
        models: descriptions by name.
        dataset: its `language` and `training` are the model's defaults.
        place: the configuration's key that has the name, for errors.

    Raises:
        InputError: the name is neither, or the description has a mistake.
    """
    encoder = parts.grid_encoder(name)
    if name in models:
        description = copy.deepcopy(models[name])
    elif encoder:
        description = {"encoder": encoder}
    else:
        raise mistake(
            place,
            f"unknown model {name!r}: describe it under `models`, or write RNN-SIZE-POOLING, such "
            f"as gru-2048-attention{hint_at(name, models)}",
        )
    description.setdefault("languages", [dataset["language"]])
    training = dataset["training"] | description.get("training", {})
    description["training"] = copy.deepcopy(training)
    return complete_description(description, f"{place}.{name}")


def complete_description(written: Options, place: str = "model") -> Description:
    """Fill every default into a model's description, which is at `place`, and return it.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    _share_layer_options(complete_by(written, "model", place))
    description = cast(Description, written)
    training = configuration_schema()["$defs"]["training"]
    try:
        parts.check_fit(description)
        parts.check_needs("", training, description["training"], description)
    except InputError as error:
        raise mistake(place, str(error)) from None
    _check_training(description, place)
    return description


def _share_layer_options(description: Options) -> None:
    """Use the encoder's `dropout` and `gaussian` for the image layer, which by default has both."""
    image = configuration_schema()["$defs"]["model"]["properties"]["image"]["properties"]
    options = {key: value for key, value in description["encoder"].items() if key in image}
    if options:
        description.setdefault("image", options)


def _check_training(description: Description, place: str) -> None:
    """Raise InputError if a training would have no loss, no snapshot, or an untrained network."""
    training = description["training"]
    languages = description["languages"]
    compares_captions = len(languages) > 1 or training.get("paraphrases")
    if description["objective"].get("beta") == 0 and not compares_captions:
        raise mistake(
            f"{place}.objective.beta",
            "with 0 there is no loss of images, and with one language no other: set it above 0, or "
            "train with more languages or `paraphrases`",
        )
    epochs = training["epochs"]
    cycle = training["cycle"]
    if epochs % cycle:
        raise mistake(
            place,
            f"epochs {epochs} is not a multiple of cycle {cycle}: "
            "snapshots are taken at the end of a cycle, so change one of the two",
        )
    # The two networks are trained in turn, each for `alternate` epochs.
    alternate = training.get("alternate", 0)
    if epochs < 2 * alternate:
        raise mistake(
            place,
            f"with `alternate` {alternate}, {epochs} epochs do not train both "
            f"networks: make epochs {2 * alternate} or more",
        )
