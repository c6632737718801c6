"""The models that come with this package: each a folder of `pretrained/`, by its name."""

import os
from pathlib import Path

from groundvec.runtime.errors import InputError

PRETRAINED = Path(__file__).parent / "pretrained"
NEWEST = {"flickr8k": "flickr8k-v4"}  # the version that a name without one stands for


def versions() -> list[str]:
    """List the models that come with this package."""
    return sorted(path.name for path in PRETRAINED.iterdir()) if PRETRAINED.exists() else []


def find(model: str | Path) -> Path:
    """Find the folder of a model that comes with this package, by its name, or of any other.

    Raises:
        InputError: there is no such model.
    """
    name = NEWEST.get(str(model), str(model))
    # Path.expanduser fails for users that there are not.
    folder = PRETRAINED / name if name in versions() else Path(os.path.expanduser(model))  # noqa: PTH111
    if not (folder / "model.json").exists():
        raise InputError(
            f"there is no model {model}: give the folder of a trained one, which holds a "
            "model.json, or the name of one that comes with this package: "
            + ", ".join(sorted([*NEWEST, *versions()]))
        )
    return folder
