"""A model's description: completed with defaults, and its parts checked to fit each other."""

import copy
from collections.abc import Mapping
from typing import Any

from groundvec.config import parts
from groundvec.config.schema import complete_by, configuration_schema, hint_at, mistake
from groundvec.runtime.errors import InputError

# What the model provides itself, and how to get it; the rest is provided by parts.
OWN_PROVIDED = {
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
        name: of one of `models`, or of a cell of the paper's grid, such as gru-2048-attention.
        models: descriptions by name.
        dataset: its `language` and `training` are the model's defaults.
        place: where the name stands, for errors.

    Raises:
        InputError: the name is neither, or the description has a mistake.
    """
    if name in models:
        given = copy.deepcopy(models[name])
    elif encoder := parts.of_grid(name):
        given = {"encoder": encoder}
    else:
        raise mistake(
            place,
            f"unknown model {name!r}: describe it under `models`, or write RNN-SIZE-POOLING, such "
            f"as gru-2048-attention{hint_at(name, models)}",
        )
    given.setdefault("languages", [dataset["language"]])
    given["training"] = copy.deepcopy({**dataset["training"], **given.get("training", {})})
    return complete_description(given, f"{place}.{name}")


def complete_description(description: dict[str, Any], place: str = "model") -> dict[str, Any]:
    """Fill every default into a model's description, which is at `place`, and return it.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    complete_by(description, "model", place)
    # Of the encoder's options of its last layer, those of the image's layer hold for it too.
    of_image = configuration_schema()["$defs"]["model"]["properties"]["image"]["properties"]
    both = {key: value for key, value in description["encoder"].items() if key in of_image}
    if both:
        description.setdefault("image", both)
    try:
        check_fit(description)
    except InputError as error:
        raise mistake(place, str(error)) from None
    settings = description["training"]
    alone = len(description["languages"]) == 1 and not settings.get("paraphrases")
    if alone and description["objective"].get("beta") == 0:
        raise mistake(
            f"{place}.objective.beta",
            "with 0 there is no loss of images, and with one language no other: set it above 0, or "
            "train with more languages or `paraphrases`",
        )
    if settings["epochs"] % settings["cycle"]:
        raise mistake(
            place,
            f"epochs {settings['epochs']} is not a multiple of cycle {settings['cycle']}: "
            "snapshots are taken at the end of a cycle, so change one of the two",
        )
    if settings["epochs"] < (both := 2 * settings.get("alternate", 0)):
        raise mistake(
            place,
            f"with `alternate` {both // 2}, {settings['epochs']} epochs do not train both "
            f"networks: make epochs {both} or more",
        )
    return description


def check_fit(description: dict[str, Any]) -> None:
    """Raise InputError if a part of a complete description needs what none provides.

    See `groundvec.config.parts`.
    """
    chosen = parts.chosen(description)
    defs = configuration_schema()["$defs"]
    encoder = description["encoder"]
    text = description["text"]
    trained = parts.options_schema("encoders", encoder["name"]).get("weights")
    untrained = trained and not encoder.get(trained)
    if untrained and "dimension" in text and encoder["size"] != text["dimension"]:
        raise InputError(
            f"a {encoder['name']} of vectors of {text['dimension']} dimensions cannot have "
            f"{encoder['size']}: set `size` to the text's `dimension`, or `{trained}: true`"
        )
    own = {
        "cosines": description["similarity"] == "cosine",
        "one language": len(description["languages"]) == 1,
        "one encoder": len(description["languages"]) == 1 or bool(description.get("shared")),
        "weights to train": not untrained,
    }
    given = {need for need, there in own.items() if there}
    needing = [("", defs["model"], description)]
    needing += [("", defs["training"], description.get("training", {}))]
    for kind, part in chosen.items():
        given |= parts.provided(kind, part)
        name = f"the {parts.CLASSES[kind].lower()} {part['name']}"
        needing.append((name, parts.options_schema(kind, part["name"]), part))
    for name, schema, values in needing:
        for option, needs in parts.stated(schema, values, "needs"):
            for need in needs:
                if need not in given:
                    raise InputError(
                        f"{f'`{option}`' if option else name} needs {need}, which "
                        f"{' or '.join(_providers(need))} provides: change one of the two"
                    )


def _providers(need: str) -> list[str]:
    """List the parts and options that provide a need of another, in words."""
    if need in OWN_PROVIDED:
        return [OWN_PROVIDED[need]]
    found = []
    for kind in parts.CLASSES:
        for name in parts.names(kind):
            schema = parts.options_schema(kind, name)
            options = {option: True for option in schema["properties"]}
            for option, provided in parts.stated(schema, options, "provides"):
                of = f"`{option}` of " if option else ""
                part = f"{of}the {parts.CLASSES[kind].lower()} {name}"
                found += [part] if need in provided else []
    return found
