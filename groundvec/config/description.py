"""A model's description: completed with defaults, and its parts checked to fit each other."""

import copy
from collections.abc import Mapping
from typing import Any

from groundvec.config import parts
from groundvec.config.schema import complete_by, configuration_schema, hint_at, mistake
from groundvec.runtime.errors import InputError

# The needs that a description meets by itself and not by a part, with the option for each.
PROVIDED_BY_MODEL = {
    "cosines": "`similarity: cosine`",
    "one language": "a single entry in `languages`",
    "one encoder": "a single entry in `languages`, or `shared: true`",
    "weights to train": "another encoder",
}


def describe(
    name: str,
    models: Mapping[str, dict[str, Any]],
    dataset: Mapping[str, Any],
    place: str = "models",
) -> dict[str, Any]:
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


def complete_description(description: dict[str, Any], place: str = "model") -> dict[str, Any]:
    """Fill every default into a model's description, which is at `place`, and return it.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    complete_by(description, "model", place)
    _share_layer_options(description)
    try:
        check_fit(description)
    except InputError as error:
        raise mistake(place, str(error)) from None
    _check_training(description, place)
    return description


def _share_layer_options(description: dict[str, Any]) -> None:
    """Use the encoder's `dropout` and `gaussian` for the image layer, which by default has both."""
    image = configuration_schema()["$defs"]["model"]["properties"]["image"]["properties"]
    options = {key: value for key, value in description["encoder"].items() if key in image}
    if options:
        description.setdefault("image", options)


def _check_training(description: dict[str, Any], place: str) -> None:
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


def check_fit(description: dict[str, Any]) -> None:
    """Raise InputError if no part of a complete description provides the needs of another.

    See `groundvec.config.parts`.
    """
    chosen = parts.chosen(description)
    _check_size(description)
    provided = _provided_by_model(description)
    for kind, part in chosen.items():
        provided |= parts.provided(kind, part)
    # Options of the description, of its training and of its parts may need something.
    definitions = configuration_schema()["$defs"]
    demanding = [
        ("", definitions["model"], description),
        ("", definitions["training"], description.get("training", {})),
    ]
    for kind, part in chosen.items():
        title = f"the {parts.CLASSES[kind].lower()} {part['name']}"
        demanding.append((title, parts.options_schema(kind, part["name"]), part))
    for title, schema, options in demanding:
        # An option that is not set needs nothing.
        for option, needs in parts.keyword_values(schema, options, "needs"):
            for need in needs:
                if need not in provided:
                    raise InputError(
                        f"{f'`{option}`' if option else title} needs {need}, which "
                        f"{' or '.join(_providers(need))} provides: change one of the two"
                    )


def _check_size(description: dict[str, Any]) -> None:
    """Raise InputError if an encoder without weights has another size than its word vectors."""
    encoder = description["encoder"]
    text = description["text"]
    weights_option = parts.options_schema("encoders", encoder["name"]).get("weights")
    if _has_weights(encoder) or "dimension" not in text or encoder["size"] == text["dimension"]:
        return
    raise InputError(
        f"a {encoder['name']} of vectors of {text['dimension']} dimensions cannot have "
        f"{encoder['size']}: set `size` to the text's `dimension`, or `{weights_option}: true`"
    )


def _has_weights(encoder: Mapping[str, Any]) -> bool:
    """Return whether an encoder has weights to train: some have none without an option."""
    option = parts.options_schema("encoders", encoder["name"]).get("weights")
    return not option or bool(encoder.get(option))


def _provided_by_model(description: dict[str, Any]) -> set[str]:
    """Return the keys of `PROVIDED_BY_MODEL` that hold for a description."""
    provided = set()
    one_language = len(description["languages"]) == 1
    if description["similarity"] == "cosine":
        provided.add("cosines")
    if one_language:
        provided.add("one language")
    if one_language or description.get("shared"):
        provided.add("one encoder")
    if _has_weights(description["encoder"]):
        provided.add("weights to train")
    return provided


def _providers(need: str) -> list[str]:
    """List the parts and options that provide a need of another part, in words."""
    if need in PROVIDED_BY_MODEL:
        return [PROVIDED_BY_MODEL[need]]
    providers = []
    for kind, class_name in parts.CLASSES.items():
        for name in parts.names(kind):
            schema = parts.options_schema(kind, name)
            all_options = dict.fromkeys(schema["properties"], True)
            for option, provided in parts.keyword_values(schema, all_options, "provides"):
                if need in provided:
                    part = f"the {class_name.lower()} {name}"
                    providers.append(f"`{option}` of {part}" if option else part)
    return providers
