"""The parts that models are made of: each is a module, and the schema of its options beside it.

The encoder `rnn` is `encoders/rnn.py` and `encoders/rnn.yaml`. A data set's source is a part too.
The YAML file is a JSON schema of the options. It also says, of the part or of an option that is
set:

    provides: [word vectors]    what others may need
    needs: [cosines]            what the description has to provide
    longer_by: embedding        the option that gives how much longer than `size` the vectors are
    weights: project            without this option, the part has no weights to train

and of the whole part:

    ordered: [low, high]        options whose values do not decrease
    either: [a, b]              options of which there is one
    limits: It does not ...     a sentence for the model card
    learned: {properties: ...}  of a text, the schema of what its `as_dict` has beside options
    treebank: parser            of a text of parsed sentences, the option that names the parser

Only `find` imports a part's code, and so torch.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from groundvec.runtime.errors import InputError

ROOT = Path(__file__).parents[2]
# Where parts are looked for. The study, beside the library in a clone, adds itself.
PACKAGES = ["groundvec"]
# The folders of parts, and the class that each module in them has.
CLASSES = {
    "text": "Text",
    "encoders": "Encoder",
    "objectives": "Objective",
    "optimisers": "Optimiser",
    "baselines": "Baseline",
}


def names(kind: str) -> list[str]:
    """List the names of the parts in a folder."""
    return sorted(
        path.stem for package in PACKAGES for path in (ROOT / package / kind).glob("*.yaml")
    )


@cache
def options_schema(kind: str, name: str) -> dict[str, Any]:
    """Read the schema of a part's options.

    Raises:
        InputError: there is no part of this name. A description may come from anybody.
    """
    path = ROOT / schema_file(kind, name)
    if not re.fullmatch("[a-z_0-9-]+", name) or not path.exists():
        raise InputError(
            f"there is no {name!r} in groundvec/{kind}: correct the name, or use the version of "
            "groundvec that has it"
        )
    return {"properties": {}} | load_yaml(path)


def load_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file of this project, by libyaml if PyYAML has it."""
    return yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def file(kind: str, name: str) -> str:
    """Return the source file of a part, such as `groundvec/encoders/rnn.py`."""
    return _file(f"{kind}/{name.replace('-', '_')}.py")


def schema_file(kind: str, name: str) -> str:
    """Return the file of the schema of a part's options, such as `groundvec/encoders/rnn.yaml`."""
    return _file(f"{kind}/{name}.yaml")


def _file(path: str) -> str:
    """Return a file of the first package that has it; without any, the library's."""
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


def exported() -> list[str]:
    """List the encoders that can be exported to ONNX, by a module in groundvec/export/onnx."""
    return [name for name in names("encoders") if (ROOT / file("export/onnx", name)).exists()]


def of_grid(name: str) -> dict[str, Any] | None:
    """Describe the encoder of a model name in the paper's grid, such as gru-2048-attention."""
    cell = re.fullmatch("([a-z]+)-([1-9][0-9]{0,5})-([a-z]+)", name)
    if not cell:
        return None
    return {"name": "rnn", "cell": cell[1], "size": int(cell[2]), "pooling": cell[3]}


def options(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part's options: all its keys but `name`."""
    return {key: value for key, value in part.items() if key != "name"}


def chosen(description: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parts of a description, by their folder."""
    found = {
        "text": description["text"],
        "encoders": description["encoder"],
        "objectives": description["objective"],
        "optimisers": description.get("training", {}).get("optimiser"),
    }
    return {kind: part for kind, part in found.items() if part}


def files(description: dict[str, Any]) -> list[str]:
    """List the source files of a description's parts, for the hash of a stage's code."""
    return [file(kind, part["name"]) for kind, part in chosen(description).items()]


def named_files(
    kind: str, part: dict[str, Any], key: str = "name", named: str = "file"
) -> dict[str, str]:
    """Return the files or folders in a part's options, by option; `captions` is not a file."""
    schema = options_schema(kind, part[key])["properties"]
    return {
        option: value
        for option, value in part.items()
        if schema.get(option, {}).get("$ref") == f"#/$defs/{named}" and value != "captions"
    }


def is_public(name: str, public: Iterable[str]) -> bool:
    """Return whether a file is one of these public files, or inside one."""
    return any(f"{name}/".startswith(f"{each}/") for each in public)


def stated(
    schema: dict[str, Any], given: dict[str, Any], keyword: str
) -> Iterator[tuple[str, Any]]:
    """Yield the values of a keyword in a schema: at its top, then in each option that is given.

    With each stands its option; at the top this is empty.
    """
    if keyword in schema:
        yield "", schema[keyword]
    for option, of_option in schema["properties"].items():
        if keyword in of_option and given.get(option):
            yield option, of_option[keyword]


def provided(kind: str, part: dict[str, Any]) -> set[str]:
    """Return the names that a part provides for the `needs` of others, such as `word vectors`."""
    found = stated(options_schema(kind, part["name"]), part, "provides")
    return {name for _, names in found for name in names}


def parser(text: dict[str, Any]) -> str:
    """Return the parser of a text's sentences; empty if the text reads no trees."""
    option = options_schema("text", text["name"]).get("treebank")
    return text[option] if option else ""


def treebank(text: dict[str, Any], paths: Sequence[str | Path]) -> Any:
    """Read the treebanks that a command line names for a description's `text`; None without any.

    Raises:
        InputError: this text reads no trees; a file cannot be used.
    """
    if not paths:
        return None
    if not parser(text):
        raise InputError(f"the text {text['name']!r} reads no trees: leave --treebanks out")
    return find("text", text["name"]).read_treebanks(paths)


def vector_size(description: dict[str, Any]) -> int:
    """Return the size of a model's vectors: the encoder's `size` plus all additional columns."""
    encoder = description["encoder"]
    longer = stated(options_schema("encoders", encoder["name"]), encoder, "longer_by")
    return int(encoder["size"] + sum(encoder[option] for _, option in longer))
