"""The models that come with this package: each is a folder of `pretrained/`."""

import os
from pathlib import Path

from groundvec.runtime.errors import InputError

PRETRAINED = Path(__file__).parent / "pretrained"
# Versions of names without a version.
NEWEST = {"flickr8k": "flickr8k-v6", "flickr8k-bag": "flickr8k-bag-v1"}


def versions() -> list[str]:
    """List the models that come with this package."""
    return sorted(path.name for path in PRETRAINED.iterdir())


def find_local(model: str | Path) -> Path:
    """Find the folder of a model: by the name of a shipped one, or by the path of any other.

    Raises:
        InputError: there is no such model.
    """
    name = NEWEST.get(str(model), str(model))
    folder = PRETRAINED / name
    if name not in versions():
        # Not Path.expanduser, which raises an error for the home of an unknown user.
        folder = Path(os.path.expanduser(model))  # noqa: PTH111
    if not (folder / "model.json").exists():
        shipped = ", ".join(sorted([*NEWEST, *versions()]))
        raise InputError(
            f"there is no model {model}: give the folder of a trained one, which holds a "
            f"model.json, or the name of one that comes with this package: {shipped}"
        )
    return folder
