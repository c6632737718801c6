"""Features of images: a network's activations, averaged over crops."""

import ctypes
import io
import json
import logging
import math
import signal
import time
import zipfile
from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from groundvec.device import has_bfloat16
from groundvec.features import versions
from groundvec.features.backbones import Backbone
from groundvec.features.folding import fold
from groundvec.features.images import cut, load
from groundvec.provenance import code_hash, digest, provenance
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_regular, write_bytes
from groundvec.runtime.jobs import Stopped, catch_sigterm, describe, working
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

SAVE_INTERVAL = 20  # seconds: a killed job loses no more work
MAX_SHARD = 2**31  # bytes of a file of finished features; 20 seconds of a GPU make far less
# Crops of a batch, which bound the memory.
CPU_BATCH = 20
GPU_BATCH = 160


def extract(
    images: pd.DataFrame,
    backbone: Backbone,
    work: Path,
    device: str,
    processes: int,
    unusable: dict[int, InputError] | None = None,
) -> np.ndarray:
    """Compute the features of images, except those that an earlier call has finished.

    Args:
        images: in the form of images.csv.
        work: a folder for finished features, of any images. They are reused if the image's content,
            the network, the precision, this code and the libraries are the same.
        device: cpu, cuda, or one GPU such as cuda:1.
        processes: the number of processes that decode images, and compute if there is no GPU.
        unusable: if given, it receives the errors of unusable images by row (`images.Unusable` for
            wrong content), and a `work` that cannot be read or written is only warned of. By
            default, both raise an error.

    Returns:
        (images, width) float32; NaN for unusable images.

    Raises:
        InputError: images are unusable, after all others are finished; or a process was killed.
        Stopped: SIGTERM came; finished features are saved.
    """
    finished = _Finished(work, backbone, device, strict=unusable is None)
    checksums = np.array(images.sha256, "U64")
    features = np.empty((len(images), backbone.width), np.float32)
    done = finished.restore(checksums, features)
    log.info("%s: %d images, %d of them done before", backbone.name, len(done), done.sum())
    todo = np.flatnonzero(~done)
    files = list(zip(images.path.iloc[todo], images.sha256.iloc[todo], strict=True))
    bar = Progress(total=len(done), initial=done.sum(), desc=backbone.name, unit="images")
    computed = _compute(files, backbone, device, processes)
    unsaved: list[int] = []
    problems = {} if unusable is None else unusable
    try:
        with bar, catch_sigterm() as sigterm, closing(computed):
            for usable, values, errors in computed:
                features[todo[usable]] = values
                done[todo[usable]] = True
                unsaved += todo[usable].tolist()
                problems |= {int(todo[place]): error for place, error in errors.items()}
                bar.update(len(usable) + len(errors))
                if sigterm.is_set():
                    raise Stopped(
                        f"{backbone.name}: told to stop, after {done.sum()} of {len(done)} images; "
                        "start it again to resume there"
                    )
                if time.monotonic() - finished.saved_at > SAVE_INTERVAL:
                    finished.save(checksums[unsaved], features[unsaved])
                    unsaved.clear()
    finally:
        finished.save(checksums[unsaved], features[unsaved])
    features[~done] = np.nan
    if unusable is None:
        refuse([str(error) for error in problems.values()], len(images))
    return features


def refuse(problems: list[str], images: int) -> None:
    """Raise InputError with each of these problems, if there are any."""
    heading = (
        f"{len(problems)} of {images} images cannot be used; replace them or remove them from the "
        "data set:"
    )
    if len(problems) == 1:
        raise InputError(f"{heading} {problems[0]}")
    if problems:
        raise InputError(heading, *problems)


def described_features(backbone: Backbone, device: str) -> dict[str, Any]:
    """Return the attributes of a network's features, for `groundvec.features.store.write`."""
    origin = provenance(device)
    versions = [f"{name} {version(name)}" for name in ("torchvision", "pillow")]
    return origin | {
        "backbone": backbone.name,
        "weights": backbone.weights,
        "weights_sha256": backbone.sha256,
        "crops": backbone.crops,
        "transform": json.dumps(asdict(backbone.transform)),
        "precision": precision_on(backbone.precision, device),
        "versions": ", ".join([origin["versions"], *versions]),
    }


class _Finished:
    """Finished features in files ("shards"), by the checksums of their images."""

    def __init__(self, work: Path, backbone: Backbone, device: str, strict: bool) -> None:
        """Choose the folder of this network's features; `strict` if it must be writable."""
        self.decides = {
            "backbone": backbone.name,
            "weights": backbone.sha256,
            "transform": asdict(backbone.transform),
            "precision": precision_on(backbone.precision, device),
            "crops": backbone.crops,
            "code": code_hash("groundvec/features/extract.py"),
            "versions": versions(),
        }
        self.folder = work / digest(self.decides)
        self.name = f"{backbone.name} {backbone.weights}"
        self.strict = strict
        self.writable = True
        self.saved_at = time.monotonic()

    def restore(self, checksums: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Fill in finished features, and return whether each row is finished."""
        done = np.zeros(len(checksums), bool)
        for shard in self.folder.glob("[!.]*.npz"):  # temporary files begin with a dot
            try:
                data = io.BytesIO(read_regular(shard, MAX_SHARD))
                with np.load(data, allow_pickle=False) as saved:  # compares zip's checksums
                    members = saved.zip.infolist()
                    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                        raise ValueError("packed, which may become any size")
                    if saved["network"] != self.folder.name:
                        raise ValueError("features of another network")
                    saved_checksums = saved["sums"]
                    rows = pd.Index(saved_checksums).get_indexer(checksums)
                    if (rows < 0).all():
                        continue  # without reading the features
                    values = saved["features"]
                expected = (len(saved_checksums), features.shape[1])
                if values.dtype != np.float32 or values.shape != expected:
                    raise ValueError("another type or shape than features")
                if not np.isfinite(values).all():
                    raise ValueError("features that are not finite")
            except (OSError, MemoryError) as error:  # the file may be intact
                if self.strict and isinstance(error, OSError):
                    raise
                log.warning("%s cannot be read (%s): its images are computed again", shard, error)
                continue
            except Exception:  # of many types: the damage can be anywhere
                log.warning("%s is damaged: its images are computed again", shard)
                with suppress(OSError):  # in a folder that cannot be written
                    shard.unlink()
                continue
            features[rows >= 0] = values[rows[rows >= 0]]
            done |= rows >= 0
        return done

    def save(self, checksums: np.ndarray, features: np.ndarray) -> None:
        """Write features (N, width) to a file of their own."""
        try:
            if len(checksums) and self.writable:
                describe(self.folder, "features", self.name, self.decides)
                checksums, rows = np.unique(checksums, return_index=True)  # of equal images, one
                data = io.BytesIO()
                np.savez(data, network=self.folder.name, sums=checksums, features=features[rows])
                shard = self.folder / f"{digest(checksums.tolist())}.npz"
                write_bytes(shard, data.getbuffer(), replace=True)
        except OSError as error:
            if self.strict:
                raise
            self.writable = False
            log.warning("%s: %s; new features are not saved there", self.folder, error.strerror)
        self.saved_at = time.monotonic()


def _compute(
    files: list[tuple[str, str]], backbone: Backbone, device: str, processes: int
) -> Generator[tuple[list[int], np.ndarray, dict[int, InputError]]]:
    """Yield for each batch the places of usable images, their features, and others' errors.

    Without a GPU, the network runs in the processes that decode, each on one core: other programs
    slow that down less than one process with threads that wait for each other.
    """
    gpu = device.startswith("cuda")
    if not files:
        return
    network = _MeanOfCrops(backbone).to(device)
    batches = _Batches(
        files,
        backbone,
        size=GPU_BATCH if gpu else CPU_BATCH,
        network=None if gpu else network,
    )
    loader = DataLoader(
        batches,
        batch_size=None,
        num_workers=processes,
        pin_memory=gpu,
        worker_init_fn=_start_worker,
    )
    with working(loader) as loaded:
        for usable, values, errors in loaded:
            if gpu:
                values = network(values.to(device, non_blocking=True)).cpu()
            yield usable, values.numpy(), errors


class _Batches(Dataset[tuple[list[int], torch.Tensor, dict[int, InputError]]]):
    """Batches of images: places of usable ones, their crops or features, and others' errors."""

    def __init__(
        self,
        files: list[tuple[str, str]],  # paths, and the SHA-256 sums that they should have
        backbone: Backbone,
        size: int,  # of a batch, in crops
        network: nn.Module | None,  # computes features here; without it, batches have crops
    ) -> None:
        self.files = files
        self.network = network
        self.transform = backbone.transform
        self.crops = backbone.crops
        self.size = size // backbone.crops  # in images

    def __len__(self) -> int:
        return math.ceil(len(self.files) / self.size)

    def __getitem__(self, batch: int) -> tuple[list[int], torch.Tensor, dict[int, InputError]]:
        to = self.transform
        crops = torch.zeros(self.size, self.crops, 3, to.crop, to.crop, dtype=torch.uint8)
        usable: list[int] = []
        errors: dict[int, InputError] = {}
        start = batch * self.size
        for place, file in enumerate(self.files[start : start + self.size], start):
            try:
                image = load(*file)
            except InputError as error:
                errors[place] = error
                continue
            crops[len(usable)] = cut(image, to.resize, to.crop, to.interpolation, self.crops)
            usable.append(place)
        crops = crops[: len(usable)]
        return usable, self.network(crops) if self.network else crops, errors


class _MeanOfCrops(nn.Module):
    """(n, crops, 3, crop, crop) uint8 -> (n, width) float32: normalize, compute, average."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        network = fold(backbone.network, backbone.transform.crop)
        self.network = network.to(memory_format=torch.channels_last)
        self.width = backbone.width
        self.crops = backbone.crops
        self.precision = backbone.precision
        # Per channel, for pixels from 0 to 255.
        self.register_buffer("mean", 255 * torch.tensor(backbone.transform.mean).view(3, 1, 1))
        self.register_buffer("std", 255 * torch.tensor(backbone.transform.std).view(3, 1, 1))

    @torch.inference_mode()
    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        if len(crops) == 0:
            return torch.zeros(0, self.width)
        pixels = crops.flatten(0, 1).to(torch.float32, memory_format=torch.channels_last)
        half = HALF.get(precision_on(self.precision, pixels.device.type))
        with torch.autocast(pixels.device.type, half, enabled=half is not None):
            activations = self.network((pixels - self.mean) / self.std)
        return activations.float().unflatten(0, (-1, self.crops)).mean(1)


HALF = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def precision_on(precision: str, device: str) -> str:
    """Return the precision on a device: float32 on a CPU without instructions for bfloat16."""
    missing = precision == "bfloat16" and device == "cpu" and not has_bfloat16()
    return "float32" if missing else precision


def _start_worker(_: int) -> None:
    """Leave SIGTERM to the main process, and have glibc keep freed memory.

    By default it returns the memory of large activations to the system, which clears it again for
    the next batch.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with suppress(OSError, AttributeError):  # other C libraries have no mallopt
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-4, 0)  # M_MMAP_MAX: keep large blocks in the heap,
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: and do not shrink that
