"""Features of images: activations of networks, averaged over crops."""

import io
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groundvec.config.types import Attributes
from groundvec.features import IN_TORCH, LIBRARIES, versions
from groundvec.features.backbones import Backbone
from groundvec.features.images import cut, load
from groundvec.provenance import code_hash, digest, provenance
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_cached, write_cached
from groundvec.runtime.jobs import Stopped, catch_sigterm, describe
from groundvec.runtime.progress import Progress
from groundvec.runtime.vectors import MAX_FEATURE

if TYPE_CHECKING:
    from groundvec.features.networks import InTorch

Item = TypeVar("Item")
Result = TypeVar("Result")

log = logging.getLogger(__name__)

SAVE_INTERVAL = 20  # seconds: a killed job loses no more work
MAX_SHARD = 2**31  # bytes of a file of finished features; 20 seconds of a GPU make far less
BATCH = 160  # crops that torch computes at once, which bounds the memory
AHEAD = 2  # images per thread that are decoded before they are needed


def extract(
    files: Sequence[tuple[str, str]],
    backbones: Sequence[Backbone],
    work: Path,
    device: str,
    threads: int,
    unusable: dict[int, InputError] | None = None,
) -> list[np.ndarray]:
    """Compute the features of images by each network, unless an earlier call has finished them.

    Args:
        files: the path of each image, and its SHA-256.
        work: a folder for finished features, of any images. They are reused if the image's content,
            the network, the precision, this code and the libraries are the same.
        device: cpu, cuda, or one GPU such as cuda:1.
        threads: the number of threads that decode images, and compute if ONNX Runtime does.
        unusable: if given, it receives the errors of unusable images by row (`images.Unusable` for
            wrong content), and a `work` that cannot be read or written is only warned of. By
            default, both raise an error.

    Returns:
        For each network (images, width) float32; NaN for unusable images.

    Raises:
        InputError: images are unusable, after all others are finished.
        Stopped: SIGTERM came; finished features are saved.
    """
    names = " and ".join(backbone.name for backbone in backbones)
    finished = [_Finished(work, backbone, device, unusable is None) for backbone in backbones]
    checksums = np.array([sha256 for _, sha256 in files], "U64")
    features = [np.empty((len(files), backbone.width), np.float32) for backbone in backbones]
    restored = [
        part.restore(checksums, block) for part, block in zip(finished, features, strict=True)
    ]
    done = np.all(restored, axis=0)
    log.info("%s: %d images, %d of them done before", names, len(done), done.sum())
    todo = np.flatnonzero(~done)
    bar = Progress(total=len(done), initial=done.sum(), desc="reading pictures", unit="pictures")
    computed = _compute([files[row] for row in todo.tolist()], backbones, device, threads)
    rows = iter(todo.tolist())
    unsaved: list[int] = []
    problems = {} if unusable is None else unusable

    def save() -> None:
        for part, block in zip(finished, features, strict=True):
            part.save(checksums[unsaved], block[unsaved])
        unsaved.clear()

    try:
        with bar, catch_sigterm() as sigterm, closing(computed):
            for batch in computed:
                for row, results in zip(islice(rows, len(batch)), batch, strict=True):
                    if isinstance(results, InputError):
                        problems[row] = results
                        continue
                    for backbone, block, result in zip(backbones, features, results, strict=True):
                        block[row] = result
                        if not np.abs(result).max() <= MAX_FEATURE:  # true for NaN too
                            problems[row] = InputError(
                                f"{backbone.name} has features that are NaN or beyond "
                                f"{MAX_FEATURE:.0e} for {files[row][0]}; use other weights of it"
                            )
                    if row not in problems:
                        done[row] = True
                        unsaved.append(row)
                bar.update(len(batch))
                if sigterm.is_set():
                    raise Stopped(
                        f"{names}: told to stop, after {done.sum()} of {len(done)} images; start "
                        "it again to resume there"
                    )
                if time.monotonic() - finished[0].saved_at > SAVE_INTERVAL:
                    save()
    except KeyboardInterrupt:
        save()
        if all(part.writable for part in finished):
            log.warning(
                "stopped: %d of %d pictures are read, and kept for the next run",
                done.sum(),
                len(done),
            )
        raise
    finally:
        save()
    for block in features:
        block[~done] = np.nan
    if unusable is None:
        refuse([str(error) for error in problems.values()], len(files))
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


def described_features(backbone: Backbone, device: str) -> Attributes:
    """Return the attributes of a network's features, for `groundvec.features.store.write`."""
    origin = provenance(device)
    libraries = [f"{name} {number}" for name, number in _versions(backbone, device).items()]
    return {
        **origin,
        "backbone": backbone.name,
        "weights": backbone.weights,
        "weights_sha256": backbone.sha256,
        "crops": backbone.crops,
        "transform": json.dumps(asdict(backbone.transform)),
        "precision": precision_on(backbone, device),
        "versions": ", ".join([origin["versions"], *libraries]),
    }


def _versions(backbone: Backbone, device: str) -> dict[str, str]:
    return versions(LIBRARIES if by_graph(backbone, device) else IN_TORCH)


class _Finished:
    """Finished features in files ("shards"), by the checksums of their images."""

    def __init__(self, work: Path, backbone: Backbone, device: str, strict: bool) -> None:
        """Choose the folder of this network's features; `strict` if it must be writable."""
        self.inputs = {
            "backbone": backbone.name,
            "weights": backbone.sha256,
            "transform": asdict(backbone.transform),
            "precision": precision_on(backbone, device),
            "crops": backbone.crops,
            "code": code_hash("groundvec/features/extract.py"),
            "versions": _versions(backbone, device),
        }
        self.folder = work / digest(self.inputs)
        self.name = f"{backbone.name} {backbone.weights}"
        self.strict = strict
        self.writable = True
        self.saved_at = time.monotonic()

    def restore(self, checksums: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Fill in finished features, and return whether each row is finished."""
        done = np.zeros(len(checksums), bool)
        for shard in self.folder.glob("[!.]*.npz"):  # temporary files begin with a dot
            try:
                data = io.BytesIO(read_cached(shard, MAX_SHARD))
                with np.load(data, allow_pickle=False) as saved:
                    saved_checksums = saved["sums"]
                    # They are sorted (`save`), so that each checksum's row is found by bisection.
                    rows = np.searchsorted(saved_checksums, checksums)
                    rows[rows == len(saved_checksums)] = 0
                    known = saved_checksums[rows] == checksums
                    if not known.any():
                        continue  # without reading the features
                    values = saved["features"]
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
            features[known] = values[rows[known]]
            done |= known
        return done

    def save(self, checksums: np.ndarray, features: np.ndarray) -> None:
        """Write features (N, width) to a file of their own."""
        try:
            if len(checksums) and self.writable:
                describe(self.folder, "features", self.name, self.inputs)
                # Sorted, and of equal images one.
                checksums, rows = np.unique(checksums, return_index=True)
                data = io.BytesIO()
                np.savez(data, sums=checksums, features=features[rows])
                shard = self.folder / f"{digest(checksums.tolist())}.npz"
                write_cached(shard, data.getbuffer())
        except OSError as error:
            if self.strict:
                raise
            self.writable = False
            log.warning("%s: %s; new features are not saved there", self.folder, error.strerror)
        self.saved_at = time.monotonic()


def _compute(
    files: Sequence[tuple[str, str]], backbones: Sequence[Backbone], device: str, threads: int
) -> Generator[list[list[np.ndarray] | InputError]]:
    """Yield batches of images: their features by each network, or the errors of unusable ones.

    Threads decode images side by side. ONNX Runtime computes in these threads, each on one core.
    Torch computes batches in this one.
    """
    if not files:
        return
    graphs = [backbone.graph if by_graph(backbone, device) else None for backbone in backbones]
    in_torch = {
        number: _in_torch(backbones[number], device)
        for number, graph in enumerate(graphs)
        if graph is None
    }

    def read(file: tuple[str, str]) -> list[np.ndarray] | InputError:
        """Return for each network the features, or the crops if torch computes."""
        try:
            image = load(*file)
        except InputError as error:
            return error
        results = []
        for backbone, graph in zip(backbones, graphs, strict=True):
            transform = backbone.transform
            crops = cut(
                image, transform.resize, transform.crop, transform.interpolation, backbone.crops
            )
            results.append(graph(crops) if graph else crops)
        return results

    most_crops = max((backbones[number].crops for number in in_torch), default=BATCH)
    size = max(1, BATCH // most_crops)
    with ThreadPoolExecutor(threads) as pool:
        try:
            ahead = _ahead(pool, read, files, size + AHEAD * threads)
            while batch := list(islice(ahead, size)):
                usable = [results for results in batch if isinstance(results, list)]
                for number, network in in_torch.items():
                    if usable:
                        computed = network(np.stack([results[number] for results in usable]))
                        for results, features in zip(usable, computed, strict=True):
                            results[number] = features
                yield batch
        finally:
            pool.shutdown(cancel_futures=True)


def _in_torch(backbone: Backbone, device: str) -> "InTorch":
    """Load a network that torch computes."""
    from groundvec.features.networks import InTorch

    precision = precision_on(backbone, device)
    return InTorch(backbone.network, backbone.transform, device, precision)


def _ahead(
    pool: Executor, function: Callable[[Item], Result], items: Iterable[Item], count: int
) -> Iterator[Result]:
    """Map a function over items in threads, at most `count` items ahead of the caller."""
    futures: deque[Future[Result]] = deque()
    for item in items:
        futures.append(pool.submit(function, item))
        if len(futures) > count:
            yield futures.popleft().result()
    while futures:
        yield futures.popleft().result()


def by_graph(backbone: Backbone, device: str) -> bool:
    """Return whether ONNX Runtime computes a network; otherwise torch does."""
    if backbone.graph_file:
        return True
    return device == "cpu" and precision_on(backbone, device) == "float32"


def precision_on(backbone: Backbone, device: str) -> str:
    """Return a network's precision: float32 on a CPU without instructions for bfloat16."""
    if backbone.graph_file:
        return "float32"
    if backbone.precision == "bfloat16" and device == "cpu":
        from groundvec.device import has_bfloat16

        return "bfloat16" if has_bfloat16() else "float32"
    return backbone.precision
