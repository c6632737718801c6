"""Whether the parts of a description fit each other."""

from collections.abc import Mapping
from typing import Any

from groundvec.config import parts
from groundvec.config.types import Description, Part, Schema
from groundvec.runtime.errors import InputError

# The needs that a description meets by itself and not by a part, with the option for each.
PROVIDED_BY_MODEL = {
    "cosines": "`similarity: cosine`",
    "one language": "a single entry in `languages`",
    "one encoder": "a single entry in `languages`, or `shared: true`",
    "weights to train": "another encoder",
}


def check_fit(description: Description) -> None:
    """Raise InputError if no part of a complete description provides the needs of another.

    See `groundvec.config.parts`.
    """
    _check_size(description)
    for kind, part in parts.chosen(description).items():
        title = f"the {parts.CLASSES[kind].lower()} {part['name']}"
        check_needs(title, parts.options_schema(kind, part["name"]), part, description)


def check_needs(
    title: str, schema: Schema, options: Mapping[str, Any], description: Description
) -> None:
    """Raise InputError if a description does not provide what options of it need.

    Args:
        title: of the part that has the options.
        schema: of the options.
    """
    provided = _provided_by_model(description)
    for kind, part in parts.chosen(description).items():
        provided |= parts.provided(kind, part)
    # An option that is not set needs nothing.
    for option, needs in parts.keyword_values(schema, options, "needs"):
        for need in needs:
            if need not in provided:
                raise InputError(
                    f"{f'`{option}`' if option else title} needs {need}, which "
                    f"{' or '.join(_providers(need))} provides: change one of the two"
                )


def _check_size(description: Description) -> None:
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


def _has_weights(encoder: Part) -> bool:
    """Return whether an encoder has weights to train: some have none without an option."""
    option = parts.options_schema("encoders", encoder["name"]).get("weights")
    return not option or bool(encoder.get(option))


def _provided_by_model(description: Description) -> set[str]:
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
