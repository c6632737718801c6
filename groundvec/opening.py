"""Open a trained model: its folder, and its snapshots in NumPy or torch."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from groundvec.config.types import Description
from groundvec.model import hub
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import Snapshot
from groundvec.numpy_backend import Network, can_compute
from groundvec.runtime.errors import InputError, extra

# Files that exist where there is a GPU: NVIDIA's, one of WSL, AMD's. Only then is torch imported,
# which takes seconds, to ask for one.
GPUS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
# With this number of units per direction of a recurrent network, torch is up to a fifth faster.
LARGE = 1024


def open_model(
    model: str | Path | ModelFolder | Sequence[Snapshot],
    epochs: Sequence[int] | None = None,
    device: str | None = None,
) -> tuple[ModelFolder | None, Sequence[Snapshot]]:
    """Open a model's folder and load its snapshots; runs no code from the files.

    NumPy computes them if it is as fast as torch.

    Args:
        model: see `groundvec.model.hub.find`; or snapshots, which are returned without a folder.
        epochs: of the snapshots; by default the ones in `ensemble.json`.

    Raises:
        InputError: no such model or snapshot, or it is damaged; `epochs` are not distinct.
    """
    if not isinstance(model, str | Path | ModelFolder):
        if not model:
            raise InputError(f"{model!r} is no model: give the name or the folder of one")
        return None, model
    if epochs is not None and not 0 < len(epochs) == len(set(epochs)):
        raise InputError(f"epochs is {epochs!r}: give a list of different epochs, such as [8]")
    folder = hub.find(model)
    epochs = folder.ensemble["epochs"] if epochs is None else epochs
    if device in (None, "cpu"):
        description = folder.description
        may_use_gpu = device is None and any(map(os.path.exists, GPUS))
        prefers_torch = may_use_gpu or torch_is_faster(description)
        if can_compute(description) and not (prefers_torch and find_spec("torch")):
            return folder, [Network(folder, epoch) for epoch in epochs]
    with extra("torch"):
        from groundvec.device import choose
        from groundvec.model.network import load_ensemble
    return folder, load_ensemble(folder, epochs, choose(device))


def torch_is_faster(description: Description) -> bool:
    """Return whether torch computes the encoder of a model's description in less time."""
    encoder = description["encoder"]
    units = encoder.get("units", encoder["size"]) if "cell" in encoder else 0
    return bool(units >= LARGE * (1 + encoder.get("bidirectional", True)))
