"""Find pictures by sentences: the vectors of a folder's pictures, kept from search to search."""

import io
import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groundvec import similarity
from groundvec.encoder import ImageEncoder, SentenceEncoder
from groundvec.features.files import UNREADABLE, checksums, paths, pictures
from groundvec.model import hub
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import cache, sha256, write_bytes
from groundvec.runtime.provenance import code_hash, digest

if TYPE_CHECKING:
    from groundvec.features.backbones import Backbone

    Backbones = str | Backbone | Sequence[Backbone] | None

log = logging.getLogger(__name__)

State = tuple[str, int, int]  # of a file: its path, size, and time of modification in nanoseconds


class Index:
    """The vectors of pictures, for any number of searches.

    They are kept in the user's cache, a file for each folder and model. A picture is read again
    only if its size or time of modification has changed; so is one that could not be used.

    >>> index = Index("holiday")
    >>> index.search("a dog on a beach", best=3)

    Attributes:
        encoder: of the sentences.
        paths: the usable pictures; of files with the same content the first.
        vectors: (paths, size) float32, the numbers that are compared with sentences.
    """

    def __init__(
        self,
        images: str | Path | Iterable[str | Path],
        model: str | Path = "flickr8k",
        device: str | None = None,
        backbone: "Backbones" = None,
        crops: int | None = None,
    ) -> None:
        """Embed the pictures of a folder, or those that are named, unless they are known.

        Unusable pictures are left out. The first time a warning names each.

        Args:
            images: see `groundvec.features.files.pictures`.
            model: see `SentenceEncoder`.
            device: where to compute.
            backbone, crops: see `ImageEncoder`.

        Raises:
            InputError: no picture can be used, or what the encoders raise.
        """
        folder = hub.find(model)
        self.encoder = SentenceEncoder(folder, device=device)
        named = paths(images)
        decides = [sha256(folder / name) for name in ("model.json", "ensemble.json")]
        decides += [*_names(backbone), str(crops), code_hash("groundvec/features/extract.py")]
        decides += [str(path.absolute()) for path in named]
        kept = cache() / "index" / f"{digest(*decides)}.npz"
        files = pictures(named)
        states = [_state(path) for path in files]
        size = self.encoder.description["encoder"]["size"]
        sums, vectors = _read(kept, size)
        new = {state: path for state, path in zip(states, files, strict=True) if state not in sums}
        sums |= zip(new, checksums(list(new.values())), strict=True)
        lacking = {sums[state]: path for state, path in new.items() if sums[state] not in vectors}
        if lacking:
            seeing = ImageEncoder(folder, device=device, backbone=backbone, crops=crops)
            found, problems = seeing.embed(list(lacking.values()), list(lacking))
            for problem in problems:
                log.warning("%s; it is left out", problem)
            vectors |= zip(lacking, found[:, :size], strict=True)
        if new or len(sums) > len(set(states)):
            _write(kept, {state: sums[state] for state in states}, vectors)
        usable: dict[str, Path] = {}
        for state, path in zip(states, files, strict=True):
            if np.isfinite(vectors[sums[state]]).all():
                usable.setdefault(sums[state], path)
        if not usable:
            raise InputError(f"none of {len(files)} pictures can be used: name others")
        self.paths = list(usable.values())
        self.vectors = np.array([vectors[each] for each in usable])

    def search(
        self,
        sentence: str,
        best: int = 10,
        language: str | None = None,
        tokenized: bool = False,
    ) -> list[tuple[Path, float]]:
        """Find the pictures that a sentence describes best, and how near each is, nearest first.

        Args:
            best: how many pictures to return.
            language, tokenized: see `SentenceEncoder.encode`.
        """
        if best < 1:
            raise InputError(f"best is {best}: it must be 1 or more")
        vector = self.encoder.encode([sentence], language=language, tokenized=tokenized)
        # Columns that pictures have not are those of models that compare cosines, and zeros.
        vector = vector[:, : self.vectors.shape[1]]
        near = similarity.scores(vector, self.vectors, self.encoder.description["similarity"])[0]
        order = np.argsort(-near, kind="stable")[:best]
        return [(self.paths[row], float(near[row])) for row in order]


def search(
    images: str | Path | Iterable[str | Path],
    sentence: str,
    model: str | Path = "flickr8k",
    best: int = 10,
    language: str | None = None,
    device: str | None = None,
    backbone: "Backbones" = None,
    crops: int | None = None,
    tokenized: bool = False,
) -> list[tuple[Path, float]]:
    """Find the pictures that a sentence describes best: one search in an `Index`."""
    index = Index(images, model, device, backbone, crops)
    return index.search(sentence, best, language, tokenized)


def _names(backbone: "Backbones") -> list[str]:
    """Name networks, so that others have other names."""
    if backbone is None or isinstance(backbone, str):
        return [str(backbone)]
    from groundvec.features.backbones import Backbone

    several = [backbone] if isinstance(backbone, Backbone) else backbone
    return [f"{each.name} {each.sha256} {each.crops}" for each in several]


def _state(path: Path) -> State:
    try:
        about = path.stat()
    except OSError:  # it was there a moment ago
        return str(path.absolute()), 0, 0
    return str(path.absolute()), about.st_size, about.st_mtime_ns


def _read(kept: Path, size: int) -> tuple[dict[State, str], dict[str, np.ndarray]]:
    """Read the checksum of each file, and the vector of each content; NaN if it is unusable."""
    if not kept.exists():
        return {}, {}
    try:
        with np.load(io.BytesIO(kept.read_bytes()), allow_pickle=False) as saved:
            files, sums = json.loads(saved["files"].tobytes())
            vectors = saved["vectors"]
        if vectors.shape != (len(sums), size) or vectors.dtype != np.float32:
            raise ValueError("other numbers than vectors")
        found = {(path, bytes_, time): sums[row] for path, bytes_, time, row in files}
    except Exception:  # which one depends on where the damage is
        log.warning("%s is damaged: its pictures are read again", kept)
        return {}, {}
    return found, dict(zip(sums, vectors, strict=True))


def _write(kept: Path, sums: dict[State, str], vectors: dict[str, np.ndarray]) -> None:
    """Write what `_read` reads, but for files that could not be opened: they may be, next time."""
    sums = {state: each for state, each in sums.items() if not each.startswith(UNREADABLE)}
    rows = {each: row for row, each in enumerate(dict.fromkeys(sums.values()))}
    files = json.dumps([[[*state, rows[each]] for state, each in sums.items()], list(rows)])
    if not rows:
        return
    data = io.BytesIO()
    stacked = np.array([vectors[each] for each in rows])
    np.savez(data, files=np.frombuffer(files.encode(), np.uint8), vectors=stacked)
    with suppress(OSError):  # the features' cache, beside it, says so
        write_bytes(kept, data.getbuffer(), replace=True)
