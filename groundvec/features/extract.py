"""Features of pictures: the mean over crops of what a network makes of each."""

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

SAVE_EVERY = 20  # seconds; a kill loses no more work than that
LARGEST_SHARD = 2**31  # bytes: in that time a GPU computes 4,096 features of 130,000 images
# crops; a larger batch takes more memory
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
    """Compute the features of pictures, but for those that an earlier call has finished.

    Args:
        images: in the form of images.csv.
        work: a folder for finished features, of any pictures. They are reused where the picture's
            content, the network, the precision, this code and the libraries are the same.
        device: cpu, cuda, or one GPU such as cuda:1.
        processes: how many decode pictures, and compute where there is no GPU.
        unusable: where to put what is wrong with pictures, by row: `images.Unusable` for wrong
            content. By default that is an error, and so is a `work` that cannot be read or written.

    Returns:
        (images, width) float32; NaN for unusable pictures.

    Raises:
        InputError: pictures are unusable, after all others are finished; or a process was killed.
        Stopped: SIGTERM came; what is finished is kept.
    """
    kept = _Kept(work, backbone, device, strict=unusable is None)
    sums = np.array(images.sha256, "U64")
    features = np.empty((len(images), backbone.width), np.float32)
    done = kept.restore(sums, features)
    log.info("%s: %d images, %d of them done before", backbone.name, len(done), done.sum())
    todo = np.flatnonzero(~done)
    files = list(zip(images.path.iloc[todo], images.sha256.iloc[todo], strict=True))
    bar = Progress(total=len(done), initial=done.sum(), desc=backbone.name, unit="images")
    computed = _compute(files, backbone, device, processes)
    unsaved: list[int] = []
    problems = {} if unusable is None else unusable
    try:
        with bar, catch_sigterm() as told_to_stop, closing(computed):
            for good, values, bad in computed:
                features[todo[good]] = values
                done[todo[good]] = True
                unsaved += todo[good].tolist()
                problems |= {int(todo[place]): error for place, error in bad.items()}
                bar.update(len(good) + len(bad))
                if told_to_stop.is_set():
                    raise Stopped(
                        f"{backbone.name}: told to stop, after {done.sum()} of {len(done)} images; "
                        "start it again to go on from there"
                    )
                if time.monotonic() - kept.saved > SAVE_EVERY:
                    kept.save(sums[unsaved], features[unsaved])
                    unsaved.clear()
    finally:
        kept.save(sums[unsaved], features[unsaved])
    features[~done] = np.nan
    if unusable is None:
        refuse([str(error) for error in problems.values()], len(images))
    return features


def refuse(problems: list[str], images: int) -> None:
    """Raise InputError if some of the images cannot be used, naming each problem."""
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


class _Kept:
    """Finished features in files, by the checksums of their pictures."""

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
        self.saved = time.monotonic()

    def restore(self, sums: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Fill in the features that are in the folder; return which rows those are."""
        done = np.zeros(len(sums), bool)
        for shard in self.folder.glob("[!.]*.npz"):  # atomic's temporary files begin with a dot
            try:
                data = io.BytesIO(read_regular(shard, LARGEST_SHARD))
                with np.load(data, allow_pickle=False) as saved:  # looks at the checksums
                    members = saved.zip.infolist()
                    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                        raise ValueError("packed, which may become any size")
                    if saved["network"] != self.folder.name:
                        raise ValueError("features of another network")
                    known = saved["sums"]
                    rows = pd.Index(known).get_indexer(sums)
                    if (rows < 0).all():
                        continue  # before the features are read
                    values = saved["features"]
                form = (np.float32, (len(known), features.shape[1]))
                if (values.dtype, values.shape) != form or not np.isfinite(values).all():
                    raise ValueError("other numbers than features")
            except (OSError, MemoryError) as error:  # says nothing of the file
                if self.strict and isinstance(error, OSError):
                    raise
                log.warning("%s cannot be read (%s): its images are computed again", shard, error)
                continue
            except Exception:  # which one depends on where the damage is
                log.warning("%s is damaged: its images are computed again", shard)
                with suppress(OSError):  # where it cannot be removed, it is not used
                    shard.unlink()
                continue
            features[rows >= 0] = values[rows[rows >= 0]]
            done |= rows >= 0
        return done

    def save(self, sums: np.ndarray, features: np.ndarray) -> None:
        """Write features (N, width) to a file of their own."""
        try:
            if len(sums) and self.writable:
                describe(self.folder, "features", self.name, self.decides)
                sums, rows = np.unique(sums, return_index=True)  # some pictures may be the same
                data = io.BytesIO()
                np.savez(data, network=self.folder.name, sums=sums, features=features[rows])
                shard = self.folder / f"{digest(sums.tolist())}.npz"
                write_bytes(shard, data.getbuffer(), replace=True)
        except OSError as error:
            if self.strict:
                raise
            self.writable = False
            log.warning("%s: %s; what is computed now is not kept", self.folder, error.strerror)
        self.saved = time.monotonic()


def _compute(
    files: list[tuple[str, str]], backbone: Backbone, device: str, processes: int
) -> Generator[tuple[list[int], np.ndarray, dict[int, InputError]]]:
    """For each batch: the places of its usable pictures, their features, and others' problems.

    Without a GPU the network runs in the processes that decode, each on one core: other programs
    disturb that less than one process whose threads wait for each other.
    """
    gpu = device.startswith("cuda")
    if not files:
        return
    network = _MeanOfCrops(backbone).to(device)
    size, inside = (GPU_BATCH, None) if gpu else (CPU_BATCH, network)
    loader = DataLoader(
        _Batches(files, backbone, size, inside),
        batch_size=None,
        num_workers=processes,
        pin_memory=gpu,
        worker_init_fn=_start_worker,
    )
    with working(loader) as loaded:
        for good, values, bad in loaded:
            if gpu:
                values = network(values.to(device, non_blocking=True)).cpu()
            yield good, values.numpy(), bad


class _Batches(Dataset[tuple[list[int], torch.Tensor, dict[int, InputError]]]):
    """Batches of pictures: (good places, their crops or features, problems of other places)."""

    def __init__(
        self,
        files: list[tuple[str, str]],  # paths, and the SHA-256 sums that they should have
        backbone: Backbone,
        size: int,  # of a batch, in crops
        network: nn.Module | None,
    ) -> None:
        self.files = files
        self.network = network
        self.transform = backbone.transform
        self.crops = backbone.crops
        self.size = size // backbone.crops  # in pictures

    def __len__(self) -> int:
        return math.ceil(len(self.files) / self.size)

    def __getitem__(self, batch: int) -> tuple[list[int], torch.Tensor, dict[int, InputError]]:
        to = self.transform
        crops = torch.zeros(self.size, self.crops, 3, to.crop, to.crop, dtype=torch.uint8)
        good: list[int] = []
        bad: dict[int, InputError] = {}
        start = batch * self.size
        for place, file in enumerate(self.files[start : start + self.size], start):
            try:
                image = load(*file)
            except InputError as error:
                bad[place] = error
                continue
            crops[len(good)] = cut(image, to.resize, to.crop, to.interpolation, self.crops)
            good.append(place)
        crops = crops[: len(good)]
        return good, self.network(crops) if self.network else crops, bad


class _MeanOfCrops(nn.Module):
    """(n, crops, 3, crop, crop) uint8 -> (n, width) float32: normalise, compute, average."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        network = fold(backbone.network, backbone.transform.crop)
        self.network = network.to(memory_format=torch.channels_last)
        self.width = backbone.width
        self.crops = backbone.crops
        self.precision = backbone.precision
        # For values from 0 to 255, per channel.
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
    """Return the precision of a device: float32 on a CPU without instructions for bfloat16."""
    missing = precision == "bfloat16" and device == "cpu" and not has_bfloat16()
    return "float32" if missing else precision


def _start_worker(_: int) -> None:
    """Leave SIGTERM to the main process, and have the C library keep freed memory.

    It would give large activations back to the system, and clear them again on the next use.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with suppress(OSError, AttributeError):  # only glibc has this
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-4, 0)  # M_MMAP_MAX: keep large blocks in the heap,
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: and do not shrink that
