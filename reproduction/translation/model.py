"""Save and load a trained translator: `model.json` and `weights.safetensors`."""

from pathlib import Path
from typing import Any

import torch

from groundvec.config import parts
from groundvec.config.schema import configuration_schema
from groundvec.config.types import Schema
from groundvec.model import weights
from groundvec.model.folder import checked
from groundvec.model.stored import Weights
from groundvec.runtime.files import read_json, write_json
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import Vocabulary

MODEL: Schema = parts.load_yaml(Path(__file__).with_suffix(".yaml"))
MODEL["properties"]["settings"] |= configuration_schema()["$defs"]["translator"]


def build(source: Vocabulary, target: Vocabulary, settings: dict[str, Any]) -> Translator:
    """Build an untrained translator for two vocabularies, with a system's `settings`."""
    sizes = {name: settings[name] for name in ("size", "embedding", "dropout")}
    return Translator(len(source), len(target), **sizes)


def save(
    folder: Path,
    translator: Translator,
    source: Vocabulary,
    target: Vocabulary,
    content: dict[str, Any],
) -> None:
    """Write a translator and its metadata `content`, which has at least `settings` and `key`."""
    checksum = weights.save(translator, folder / "weights.safetensors")
    words = {"source": source.as_dict(), "target": target.as_dict()}
    write_json(folder / "model.json", content | words | {"sha256": checksum})


def load(folder: str | Path, device: str = "cpu") -> tuple[Translator, Vocabulary, Vocabulary]:
    """Read a translator and both vocabularies.

    Raises:
        InputError: a file is missing or damaged.
    """
    path = Path(folder, "model.json")
    content = checked(path, read_json(path), MODEL, "translator")
    source = Vocabulary(**content["source"])
    target = Vocabulary(**content["target"])
    with torch.device("meta"):
        translator = build(source, target, content["settings"])
    weights.load(translator, Weights(Path(folder, "weights.safetensors"), content["sha256"]))
    return translator.to(device).eval(), source, target
