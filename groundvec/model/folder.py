"""A trained model's folder: what stands in it beside the weights, read without torch.

`model.json` says what was trained, on what and how; `ensemble.json`, which snapshots are used.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, check_regular, new_folder, read_json, write_json

INTEGER = {"type": "integer"}
EPOCH = {**INTEGER, "minimum": 0, "maximum": 10_000}
EPOCHS = {"type": "array", "minItems": 1, "maxItems": 10_000, "items": EPOCH, "uniqueItems": True}
NAME = {"type": "string"}
FEATURES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "backbone": NAME,
        "weights": NAME,
        "weights_sha256": NAME,
        "precision": {"$ref": "#/$defs/dataset/properties/precision"},
        "transform": NAME,
        "crops": {"$ref": "#/$defs/dataset/properties/crops"},
        "factor": {"type": "number", "exclusiveMinimum": 0},
    },
}
# What the files of a model folder must hold; they may come from anybody. The definitions are those
# of the configuration.
MODEL: dict[str, Any] = {
    "required": [
        *("dataset", "model", "description", "texts", "width", "seed", "snapshots", "saved"),
        "key",
    ],
    "properties": {
        "dataset": NAME,
        "model": NAME,
        "description": {
            "$ref": "#/$defs/model",
            "required": ["languages", "text", "encoder", "similarity", "objective"],
        },
        "texts": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 100,
            "additionalProperties": {"type": "object"},
        },
        "width": {"minimum": 1, "maximum": 2**16, **INTEGER},
        "seed": INTEGER,
        "draw": {"type": "array", "items": {"minimum": 1, **INTEGER}, "minItems": 3, "maxItems": 3},
        "more_captions": {
            "required": ["source", "captions", "pictures", "of_training_pictures"],
            "properties": {
                "source": NAME,
                **dict.fromkeys(("captions", "pictures", "of_training_pictures"), INTEGER),
            },
        },
        "snapshots": EPOCHS,
        "saved": EPOCHS,
        "sha256": {"type": "object", "additionalProperties": {**NAME, "pattern": "[0-9a-f]{64}"}},
        "features": FEATURES | {"properties": FEATURES["properties"] | {"blocks": NAME}},
        "key": NAME,
    },
}
# What `blocks` and `transform` of `features` say, which are JSON in a text.
BLOCKS = {"type": "array", "minItems": 1, "items": FEATURES}
TRANSFORM = {"properties": {"interpolation": {"$ref": "#/$defs/dataset/properties/interpolation"}}}
ENSEMBLE = {
    "required": ["epochs", "best"],
    "properties": {"epochs": EPOCHS, "best": EPOCH},
}


def own_files(folder: Path) -> list[Path]:
    """List the files of a model: its descriptions, the snapshots that it lists, and its card.

    Raises:
        InputError: one is missing or a link, which may lead to what is nobody else's to see.
    """
    names = [f"snapshots/{snapshot_name(epoch)}" for epoch in read_description(folder)["saved"]]
    names = ["model.json", "ensemble.json", *names]
    if (card := folder / "README.md").is_symlink() or card.exists():
        names.append(card.name)
    for path in (folder / "snapshots", *(folder / name for name in names)):
        if path.is_symlink():
            raise InputError(f"{path} is a link: put the file itself there")
        if not path.exists():
            raise InputError(f"{path} does not exist: train the model again, or get it again")
        if path.name != "snapshots":
            check_regular(path)
    return [folder / name for name in names]


def copy_ensemble(folder: Path, target: Path) -> None:
    """Copy a model to a new folder, of its snapshots those of the ensemble alone.

    Raises:
        InputError: there is something at `target`, or what `own_files` raises.
    """
    content = read_description(folder)
    ensemble = read_ensemble(folder)
    used = [snapshot_name(epoch) for epoch in ensemble["epochs"]]
    sums = content.get("sha256", {})
    content |= {"saved": ensemble["epochs"]}
    content |= {"sha256": {key: sums[key] for key in map(str, ensemble["epochs"]) if key in sums}}
    with new_folder(target) as new:
        (new / "snapshots").mkdir()
        for path in own_files(folder):
            if path.name in used or path.name in ("README.md", "ensemble.json"):
                # No link: the user may edit the card of a model that belongs to this package.
                shutil.copyfile(path, new / path.relative_to(folder))
        write_json(new / "model.json", content)


def read_description(folder: str | Path) -> dict[str, Any]:
    """Read `model.json`; InputError if it is missing or of another form."""
    path = Path(folder, "model.json")
    content = checked(path, read_json(path, SMALL), MODEL)
    features = content.get("features", {})
    blocks = _loaded(path, features, "blocks", BLOCKS) if "blocks" in features else [features]
    for block in blocks:
        _loaded(path, block, "transform", TRANSFORM)
    return content


def _loaded(path: Path, features: dict[str, Any], key: str, schema: dict[str, Any]) -> Any:
    """Parse and check JSON in a text."""
    try:
        found = json.loads(features.get(key, "{}"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} does not describe a model (features.{key}: {error}): make it again"
        ) from None
    return checked(path, found, schema)


def read_ensemble(folder: str | Path) -> dict[str, Any]:
    """Read the `epochs` of a training's ensemble, and that of its `best` single snapshot.

    Raises:
        InputError: `ensemble.json` is missing or of another form.
    """
    path = Path(folder, "ensemble.json")
    return checked(path, read_json(path, SMALL), ENSEMBLE)


def learned_images(description: dict[str, Any]) -> bool:
    """Return whether a training's loss compared images: with beta 0 their network is untrained."""
    return bool(description["description"]["objective"].get("beta") != 0)


def epochs_compared(description: dict[str, Any], ensemble: dict[str, Any]) -> set[int]:
    """Return the epochs whose single answers are kept: untrained, first and last snapshot, best."""
    ends = description["snapshots"]
    return {0, ends[0], ends[-1], ensemble["best"]}


def epochs_rated_few(description: dict[str, Any], ensemble: dict[str, Any]) -> list[int]:
    """Return the epochs of the untrained snapshot, the best one and the ensemble's, if saved."""
    shown = {0, ensemble["best"], *ensemble["epochs"]}
    return [epoch for epoch in description["saved"] if epoch in shown]


def checked(
    path: Path, content: Any, schema: dict[str, Any], kind: str = "model"
) -> dict[str, Any]:
    """Check that the content of a file, which may come from anybody, describes one of a kind.

    Raises:
        InputError: see `groundvec.config.schema.find_mistake`.
    """
    from groundvec.config.schema import find_mistake

    if problem := find_mistake(content, {"type": "object"} | schema):
        raise InputError(f"{path} does not describe a {kind} ({problem}): make it again")
    return content


def snapshot_name(epoch: int) -> str:
    """Name the file of the weights after an epoch."""
    return f"epoch-{epoch:03}.safetensors"
