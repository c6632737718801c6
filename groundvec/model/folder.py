"""A trained model's folder and its JSON files, read without torch.

`model.json` describes the model, its data and its training; `ensemble.json` lists the snapshots of
the ensemble.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, cast

from groundvec.config import parts
from groundvec.config.checks import find_mistake
from groundvec.config.types import Description, Ensemble, Labels, Metadata, Schema, Text
from groundvec.features.blocks import Block
from groundvec.features.transform import Transform
from groundvec.model.sentences import make_texts
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    SMALL,
    check_regular,
    copy,
    new_folder,
    read_json,
    write_json,
)

BANK = "bank.safetensors"  # see `groundvec.model.bank`
CLASSES = "classes.safetensors"  # see `groundvec.model.classes`
LEXICON = "lexicon.safetensors"
# Keys of model.json that name files of their own.
KEYS_OF_FILES = ("bank", "classes", "graphs")
SCHEMAS: dict[str, Schema] = parts.load_yaml(Path(__file__).with_suffix(".yaml"))
MODEL = SCHEMAS["model.json"]
MAX_INVERSE_TEMPERATURE: int = SCHEMAS["$defs"]["inverse_temperature"]["maximum"]


class ModelFolder:
    """The folder of a trained model; each of its descriptions is read and checked once.

    Attributes:
        path: the folder.
        metadata: the content of `model.json`.
        blocks: the origin of the image features, a block for each network.
    """

    def __init__(self, path: str | Path) -> None:
        """Read `model.json`; InputError if it is missing or of another form."""
        self.path = Path(path)
        file = self.path / "model.json"
        self.metadata: Metadata = checked(file, read_json(file, SMALL), MODEL)
        try:
            self.blocks = _blocks(self.metadata.get("features", {}))
        except InputError as error:
            raise self._wrong(error) from None

    @cached_property
    def description(self) -> Description:
        """Complete the description of the model's parts.

        Raises:
            InputError: the parts do not fit each other.
        """
        try:
            description = parts.complete(self.metadata["description"])
            parts.check_fit(description)
        except InputError as error:
            raise self._wrong(error) from None
        return description

    @property
    def labels(self) -> Labels:
        """Return the columns that name the training in results."""
        return {
            "dataset": self.metadata["dataset"],
            "model": self.metadata["model"],
            "seed": self.metadata["seed"],
        }

    @cached_property
    def ensemble(self) -> Ensemble:
        """Read the `epochs` of the ensemble, and the epoch of its `best` single snapshot.

        Raises:
            InputError: `ensemble.json` is missing or of another form.
        """
        file = self.path / "ensemble.json"
        return checked(file, read_json(file, SMALL), SCHEMAS["ensemble.json"])

    @cached_property
    def texts(self) -> dict[str, Text]:
        """Make the text of each language; see `make_texts`."""
        return self.make_texts()

    def make_texts(self, treebank: Any = None) -> dict[str, Text]:
        """Make the text (`groundvec.text`) of each language.

        Args:
            treebank: parsed sentences, for a text that reads trees; others are parsed.

        Raises:
            InputError: a text is of another form.
        """
        try:
            return make_texts(self.description, self.metadata["texts"], treebank)
        except InputError as error:
            raise self._wrong(error) from None

    def _wrong(self, reason: InputError) -> InputError:
        """Return the error of a description that describes no model."""
        return InputError(f"{self.path}/model.json does not describe a model: {reason}")

    @property
    def graphs(self) -> dict[Path, str]:
        """Return the graphs of the image networks with their SHA-256; none if it has none.

        There is one for each block of features (`groundvec.features.graphs`).
        """
        checksums = self.metadata.get("graphs", [])
        return {
            self.path / "graphs" / f"{number}.onnx": checksum
            for number, checksum in enumerate(checksums)
        }

    def files(self) -> list[Path]:
        """List the model's files: descriptions, snapshots, and others that it may have.

        Raises:
            InputError: one is missing, or a link, which could publish any file of this machine.
        """
        folder = self.path
        files = [folder / "model.json", folder / "ensemble.json"]
        for epoch in self.metadata["saved"]:
            files.append(folder / "snapshots" / snapshot_name(epoch))
        for key in KEYS_OF_FILES:
            files += self._files_of(key)
        card = folder / "README.md"
        if card.is_symlink() or card.exists():
            files.append(card)
        for path in (*{file.parent for file in files[1:]} - {folder}, *files):
            if path.is_symlink():
                raise InputError(f"{path} is a link: put the file itself there")
            if not path.exists():
                raise InputError(f"{path} does not exist: train the model again, or copy it again")
            if path in files:
                check_regular(path, SMALL if path == card else inf)
        return files

    def copy(self, target: Path, epochs: Sequence[int] | None = None) -> None:
        """Copy the model to a new folder, with some snapshots alone, which become its ensemble.

        Args:
            epochs: of the snapshots; by default the ensemble's. With others, the bank and the card
                are left out: they belong to the vectors of that ensemble.

        Raises:
            InputError: `target` exists; or see `files`.
        """
        content = self.metadata.copy()
        ensemble = self.ensemble
        left_out = {"model.json", "ensemble.json"}  # these are written in the end
        if epochs is None or sorted(epochs) == sorted(ensemble["epochs"]):
            epochs = ensemble["epochs"]
        else:
            left_out |= {BANK, "README.md"}
            content.pop("bank", None)
            best = ensemble["best"] if ensemble["best"] in epochs else epochs[-1]
            ensemble = {"epochs": list(epochs), "best": best}
        used = [snapshot_name(epoch) for epoch in epochs]
        checksums = content.get("sha256", {})
        content["saved"] = list(epochs)
        content["sha256"] = {
            str(epoch): checksums[str(epoch)] for epoch in epochs if str(epoch) in checksums
        }
        with new_folder(target) as new:
            for path in self.files():
                is_unused = path.parent.name == "snapshots" and path.name not in used
                if is_unused or path.name in left_out:
                    continue
                copied = new / path.relative_to(self.path)
                copied.parent.mkdir(exist_ok=True)
                # Not a hard link: users may edit the copy, not the shipped model's card.
                shutil.copyfile(path, copied)
            write_json(new / "model.json", content)
            write_json(new / "ensemble.json", ensemble)

    def _files_of(self, key: str) -> list[Path]:
        """List the files that a key of `KEYS_OF_FILES` describes; none if it is absent."""
        if key not in self.metadata:
            return []
        if key == "graphs":
            return list(self.graphs)
        names = {"bank": [BANK], "classes": [CLASSES, LEXICON]}[key]
        return [self.path / name for name in names]

    def copy_files(self, target: Path, keys: Sequence[str]) -> None:
        """Copy the files of these keys of `KEYS_OF_FILES`, if any, to a model with its features."""
        content = read_json(target / "model.json", SMALL)
        for key in keys:
            for path in self._files_of(key):
                copy(path, target / path.relative_to(self.path))
                content[key] = dict(self.metadata)[key]
        write_json(target / "model.json", content, replace=True)


def without_files(metadata: Metadata) -> Metadata:
    """Return the content of model.json for a copy that has the snapshots alone."""
    content = {key: value for key, value in metadata.items() if key not in KEYS_OF_FILES}
    return cast(Metadata, content)


def _blocks(features: Mapping[str, Any]) -> list[Block]:
    """Return the blocks of a model's features, which are concatenated in this order."""
    attributes = json.loads(features["blocks"]) if "blocks" in features else [features]
    names = {field.name for field in fields(Block)}
    blocks = []
    for block in attributes:
        values = {name: block[name] for name in names & block.keys()}
        if "transform" in block:
            transform = json.loads(block["transform"])
            channels = {name: tuple(transform[name]) for name in ("mean", "std")}
            values["transform"] = Transform(**transform | channels)
        blocks.append(Block(**values))
    return blocks


def learned_images(description: Description) -> bool:
    """Return whether a caption's own image was in the loss.

    With beta 0 the image network is untrained, and with `permute_images` it learned other images.
    """
    permuted = "training" in description and description["training"].get("permute_images")
    return description["objective"].get("beta") != 0 and not permuted


def epochs_compared(model: Metadata, ensemble: Ensemble) -> set[int]:
    """Return the epochs whose results for single queries and rated pairs are stored.

    They are the untrained network, the first and the last snapshot, and the best one.
    """
    ends = model["snapshots"]
    return {0, ends[0], ends[-1], ensemble["best"]}


def epochs_rated_few(model: Metadata, ensemble: Ensemble) -> list[int]:
    """Return the epochs of the untrained snapshot, the best one and the ensemble's, if saved."""
    rated = {0, ensemble["best"], *ensemble["epochs"]}
    return [epoch for epoch in model["saved"] if epoch in rated]


def checked(path: Path, content: Any, schema: Schema, kind: str = "model") -> Any:
    """Check the content of a file by a JSON schema, and return it.

    Args:
        kind: the thing that the file describes, for the message.

    Raises:
        InputError: see `groundvec.config.checks.find_mistake`.
    """
    mistake = find_mistake(content, {"type": "object"} | schema)
    if mistake:
        raise InputError(f"{path} does not describe a {kind} ({mistake}): make it again")
    return content


def snapshot_name(epoch: int) -> str:
    """Return the name of the file of the weights after an epoch."""
    return f"epoch-{epoch:03}.safetensors"
