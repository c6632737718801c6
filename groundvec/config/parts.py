"""The parts that models are made of: each is a module and the schema of its options.

The encoder `rnn` is `encoders/rnn.py` and `encoders/rnn.yaml`. A data set's source is a part too.
The YAML file is a JSON schema of the options. It has further keywords, for the part or for an
option; an option's hold if the option is set:

    provides: [word vectors]    names that other parts may need
    needs: [cosines]            names that the rest of the description has to provide
    longer_by: embedding        the option that adds columns to the vectors, in addition to `size`
    weights: project            without this option, the part has no weights to train

and for the whole part:

    ordered: [low, high]        options whose values must not decrease
    either: [a, b]              options, exactly one of them required
    limits: It does not ...     a sentence for the model card
    learned: {properties: ...}  for a text: the schema of the keys in its `as_dict` that are learned
    treebank: parser            for a text of parsed sentences: the option that names the parser

Only `find` and `make` import a part's code, and with it torch.
"""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from groundvec.config.types import Description, Options, Part, Schema
from groundvec.provenance import PACKAGES
from groundvec.runtime.errors import InputError

ROOT = Path(__file__).parents[2]
# The folders of a model's parts, and the class that each module in them has.
CLASSES = {
    "text": "Text",
    "encoders": "Encoder",
    "objectives": "Objective",
    "optimizers": "Optimizer",
    "baselines": "Baseline",
}
# The needs that a description meets by itself and not by a part, with the option for each.
PROVIDED_BY_MODEL = {
    "cosines": "`similarity: cosine`",
    "one language": "a single entry in `languages`",
    "one encoder": "a single entry in `languages`, or `shared: true`",
    "weights to train": "another encoder",
}


def names(kind: str) -> list[str]:
    """List the names of the parts in a folder."""
    return sorted(
        path.stem for package in PACKAGES for path in (ROOT / package / kind).glob("*.yaml")
    )


@cache
def options_schema(kind: str, name: str) -> Schema:
    """Read the schema of a part's options.

    Raises:
        InputError: there is no part of this name.
    """
    # A description may come from anybody: no name may lead out of the folder.
    if name not in names(kind):
        raise InputError(
            f"there is no {name!r} in groundvec/{kind}: correct the name, or use the version of "
            "groundvec that has it"
        )
    return {"properties": {}} | load_yaml(ROOT / schema_file(kind, name))


def load_yaml(path: Path) -> Any:
    """Read a YAML file of this project, by libyaml if PyYAML has it."""
    return yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def file(kind: str, name: str) -> str:
    """Return the source file of a part, such as `groundvec/encoders/rnn.py`."""
    return _file(f"{kind}/{name.replace('-', '_')}.py")


def schema_file(kind: str, name: str) -> str:
    """Return the file of the schema of a part's options, such as `groundvec/encoders/rnn.yaml`."""
    return _file(f"{kind}/{name}.yaml")


def _file(path: str) -> str:
    """Return a file in the first package that has it; if none has, in the library."""
    files = [f"{package}/{path}" for package in PACKAGES]
    return next((file for file in files if (ROOT / file).exists()), files[0])


def module(kind: str, name: str) -> str:
    """Return the name of a part's module, such as `groundvec.encoders.rnn`."""
    return file(kind, name).removesuffix(".py").replace("/", ".")


def find(kind: str, name: str) -> Any:
    """Import a part, such as the class of the encoder `rnn`; kinds are the folders of parts.

    Raises:
        InputError: there is no part of this name.
    """
    options_schema(kind, name)
    return getattr(import_module(module(kind, name)), CLASSES[kind])


def make(kind: str, part: Part, *arguments: Any) -> Any:
    """Make a part of a description, by the arguments that its kind has and by its options."""
    return find(kind, part["name"])(*arguments, **options(part))


def exported() -> list[str]:
    """List the encoders that can be exported to ONNX, by a module in groundvec/export/onnx."""
    return [name for name in names("encoders") if (ROOT / file("export/onnx", name)).exists()]


def grid_encoder(name: str) -> Part | None:
    """Describe the encoder that a name in the grid of Merkx & Frank (2019) stands for.

    Args:
        name: such as gru-2048-attention: cell, size, pooling.

    Returns:
        The description, or None for a name of another form.
    """
    match = re.fullmatch("([a-z]+)-([1-9][0-9]{0,5})-([a-z]+)", name)
    if not match:
        return None
    return {"name": "rnn", "cell": match[1], "size": int(match[2]), "pooling": match[3]}


def options(part: Part) -> Options:
    """Return a part's options: all its keys but `name`."""
    return {key: value for key, value in part.items() if key != "name"}


def chosen(description: Description) -> dict[str, Part]:
    """Return the parts of a description, by their folder."""
    parts = {
        "text": description["text"],
        "encoders": description["encoder"],
        "objectives": description["objective"],
    }
    if "optimizer" in description.get("training", {}):
        parts["optimizers"] = description["training"]["optimizer"]
    return parts


def files(description: Description) -> list[str]:
    """List the source files of a description's parts, for the hash of a stage's code."""
    return [file(kind, part["name"]) for kind, part in chosen(description).items()]


def keyword_values(
    schema: Schema, options: Mapping[str, Any], keyword: str
) -> Iterator[tuple[str, Any]]:
    """Yield the values of a keyword: of the whole part, then of each option that is set.

    Yields:
        The option, empty for the whole part, and the value.
    """
    if keyword in schema:
        yield "", schema[keyword]
    for option, definition in schema["properties"].items():
        if keyword in definition and options.get(option):
            yield option, definition[keyword]


def provided(kind: str, part: Part) -> set[str]:
    """Return the names that a part provides for the `needs` of others, such as `word vectors`."""
    values = keyword_values(options_schema(kind, part["name"]), part, "provides")
    return {name for _, names in values for name in names}


def complete(description: Description) -> Description:
    """Return a description with the defaults of the options that its parts lack."""
    completed = copy.deepcopy(description)
    for kind, part in chosen(completed).items():
        for option, definition in options_schema(kind, part["name"])["properties"].items():
            if "default" in definition:
                part.setdefault(option, definition["default"])
    return completed


def check_fit(description: Description) -> None:
    """Raise InputError if no part of a complete description provides the needs of another."""
    encoder = description["encoder"]
    text = description["text"]
    # An encoder without weights has the size of its word vectors.
    if not _has_weights(encoder) and encoder["size"] != text.get("dimension", encoder["size"]):
        weights_option = options_schema("encoders", encoder["name"])["weights"]
        raise InputError(
            f"a {encoder['name']} of vectors of {text['dimension']} dimensions cannot have "
            f"{encoder['size']}: set `size` to the text's `dimension`, or `{weights_option}: true`"
        )
    for kind, part in chosen(description).items():
        title = f"the {CLASSES[kind].lower()} {part['name']}"
        check_needs(title, options_schema(kind, part["name"]), part, description)


def check_needs(
    title: str, schema: Schema, options: Mapping[str, Any], description: Description
) -> None:
    """Raise InputError if a description does not provide what options of it need.

    Args:
        title: of the part that has the options.
        schema: of the options.
    """
    available = _provided_by_model(description)
    for kind, part in chosen(description).items():
        available |= provided(kind, part)
    # An option that is not set needs nothing.
    for option, needs in keyword_values(schema, options, "needs"):
        for need in needs:
            if need not in available:
                raise InputError(
                    f"{f'`{option}`' if option else title} needs {need}, which "
                    f"{' or '.join(_providers(need))} provides: change one of the two"
                )


def _has_weights(encoder: Part) -> bool:
    """Return whether an encoder has weights to train: some have none without an option."""
    option = options_schema("encoders", encoder["name"]).get("weights")
    return not option or bool(encoder.get(option))


def _provided_by_model(description: Description) -> set[str]:
    """Return the keys of `PROVIDED_BY_MODEL` that hold for a description."""
    one_language = len(description["languages"]) == 1
    holds = {
        "cosines": description["similarity"] == "cosine",
        "one language": one_language,
        "one encoder": one_language or description.get("shared"),
        "weights to train": _has_weights(description["encoder"]),
    }
    return {need for need, is_met in holds.items() if is_met}


def _providers(need: str) -> list[str]:
    """List the parts and options that provide a need of another part, in words."""
    if need in PROVIDED_BY_MODEL:
        return [PROVIDED_BY_MODEL[need]]
    providers = []
    for kind, class_name in CLASSES.items():
        for name in names(kind):
            schema = options_schema(kind, name)
            all_options = dict.fromkeys(schema["properties"], True)
            for option, provides in keyword_values(schema, all_options, "provides"):
                if need in provides:
                    part = f"the {class_name.lower()} {name}"
                    providers.append(f"`{option}` of {part}" if option else part)
    return providers


def parser(text: Part) -> str:
    """Return the name of a text's parser; empty if the text reads no trees."""
    option = options_schema("text", text["name"]).get("treebank")
    return text[option] if option else ""


def treebank(text: Part, paths: Sequence[str | Path]) -> Any:
    """Read treebanks for a description's `text`; return None for no paths.

    Raises:
        InputError: this text reads no trees; a file cannot be used.
    """
    if not paths:
        return None
    if not parser(text):
        raise InputError(f"the text {text['name']!r} reads no trees: leave --treebanks out")
    return find("text", text["name"]).read_treebanks(paths)


def vector_size(description: Description) -> int:
    """Return the size of a model's vectors: the encoder's `size` plus all additional columns."""
    encoder = description["encoder"]
    schema = options_schema("encoders", encoder["name"])
    longer_by = keyword_values(schema, encoder, "longer_by")
    return int(encoder["size"] + sum(encoder[option] for _, option in longer_by))
