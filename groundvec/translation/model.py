"""A trained translator on disk: `model.json` beside `weights.safetensors`."""

from pathlib import Path
from typing import Any

import torch
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from safetensors import safe_open
from safetensors.torch import load_file

from groundvec.errors import InputError
from groundvec.files import check_memory, read_json, sha256, write_json
from groundvec.model import save_weights
from groundvec.translation.network import Translator
from groundvec.translation.vocabulary import Vocabulary

SIZE = {"type": "integer", "minimum": 1, "maximum": 2**16}
WORDS = {
    "type": "object",
    "required": ["language", "words"],
    "additionalProperties": False,
    "properties": {
        "language": {"type": "string", "pattern": "^[a-z]{2}$"},
        "words": {"type": "array", "items": {"type": "string"}},
    },
}
# What model.json must hold; it may come from anybody.
MODEL = {
    "type": "object",
    "required": ["source", "target", "settings", "sha256", "key"],
    "properties": {
        "source": WORDS,
        "target": WORDS,
        "settings": {
            "type": "object",
            "required": ["size", "embedding", "dropout"],
            "properties": {
                "size": SIZE,
                "embedding": SIZE,
                "dropout": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            },
        },
        "sha256": {"type": "string"},
        "key": {"type": "string"},
    },
}


def build(source: Vocabulary, target: Vocabulary, settings: dict[str, Any]) -> Translator:
    """An untrained translator of these words and a system's `settings`."""
    sizes = {name: settings[name] for name in ("size", "embedding", "dropout")}
    return Translator(len(source), len(target), **sizes)


def save(
    folder: Path,
    translator: Translator,
    source: Vocabulary,
    target: Vocabulary,
    content: dict[str, Any],
) -> None:
    """Write a translator, and `content` about it: its `settings` and `key` at least."""
    checksum = save_weights(translator, folder / "weights.safetensors")
    words = {"source": source.as_dict(), "target": target.as_dict()}
    write_json(folder / "model.json", content | words | {"sha256": checksum})


def load(
    folder: str | Path, device: str = "cpu"
) -> tuple[Translator, Vocabulary, Vocabulary, dict[str, Any]]:
    """Read a translator, the vocabularies of both languages, and what `model.json` says.

    Raises:
        InputError: a file is missing or damaged, or the weights are another network's.
    """
    path, weights = Path(folder, "model.json"), Path(folder, "weights.safetensors")
    content = read_json(path)
    if error := best_match(Draft202012Validator(MODEL).iter_errors(content)):
        place = ".".join(map(str, error.absolute_path)) or "it"
        raise InputError(
            f"{path} does not describe a translator ({place}: {error.message[:200]}): make it again"
        )
    if not weights.exists():
        raise InputError(f"{weights} does not exist: train the translator first")
    if sha256(weights) != content["sha256"]:
        raise InputError(
            f"{weights} is damaged, it has not the checksum that model.json gives: delete {folder} "
            "and make it again, or get it again"
        )
    source, target = Vocabulary(**content["source"]), Vocabulary(**content["target"])
    with torch.device("meta"):  # shapes only: no memory is taken before the file has them too
        translator = build(source, target, content["settings"])
    expected = {name: list(value.shape) for name, value in translator.state_dict().items()}
    try:
        with safe_open(weights, "pt") as file:
            shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
        if shapes != expected:
            raise ValueError("other names or shapes")
        check_memory(weights, sum(value.nbytes for value in translator.state_dict().values()))
        # A copy lies where torch wants it: products with the file's are rounded otherwise.
        values = {
            name: value.to(torch.float32, copy=True) for name, value in load_file(weights).items()
        }
    except InputError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{weights} are not this translator's weights ({reason})") from None
    translator.load_state_dict(values, assign=True)
    return translator.to(device).eval(), source, target, content
