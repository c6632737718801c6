"""Find pictures by sentences; the vectors of a folder's pictures are kept in the user's cache."""

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groundvec import similarity
from groundvec.encoder import SentenceEncoder
from groundvec.features import versions
from groundvec.features.files import UNREADABLE, checksums, paths, pictures
from groundvec.image_encoder import ImageEncoder
from groundvec.model import bank, hub
from groundvec.provenance import code_hash, digest
from groundvec.runtime.errors import InputError, extra, printable
from groundvec.runtime.files import SMALL, cache, read_regular, sha256, state, write_bytes

if TYPE_CHECKING:
    from groundvec.features.backbones import Backbone

    Backbones = str | Backbone | Sequence[Backbone] | None

log = logging.getLogger(__name__)

# A file's path and `files.state`: it is read again if one of them has changed.
State = tuple[str, int, int, int, int]

# Bytes per file in an index, without its vector: a path has at most 4,096 on Linux, and the numbers
# and the checksum fit into the other half. An index that is larger than this allows is not read.
LONGEST = 2**13
EXPLAINED = 20  # problems that a search explains; it counts the others
NAMED = 3  # of these others, the number of files that it names


class Index:
    """The vectors of pictures, for any number of searches.

    They are kept in the user's cache, one file per folder and model. A picture is read again if
    its size, times or inode have changed, and embedded again if its content has changed. If a
    picture could not be read, the next index tries again; if its content is wrong, it stays left
    out.

    >>> index = Index("holiday")
    >>> index.search("a dog on a beach", best=3)

    Attributes:
        encoder: the model's encoder of sentences.
        paths: the usable pictures; of files with the same content only the first.
        vectors: (paths, size) float32, the numbers that are compared with sentences.
        normalizers: (paths,) float32, what a picture gets from the model's bank of captions
            (`groundvec.querybank`); zeros if the model has none.
    """

    def __init__(
        self,
        images: str | Path | Iterable[str | Path],
        model: str | Path = "flickr8k",
        device: str | None = None,
        backbone: "Backbones" = None,
        crops: int | None = None,
    ) -> None:
        """Embed the pictures of a folder, or named ones, unless their vectors are in the cache.

        Unusable pictures are left out. A warning explains each new one, and another counts the
        others.

        Args:
            images: see `groundvec.features.files.pictures`.
            model: see `SentenceEncoder`.
            device: where to compute.
            backbone, crops: see `ImageEncoder`.

        Raises:
            InputError: no picture is usable; also the errors of the encoders.
        """
        folder = hub.find(model)
        self.encoder = SentenceEncoder(folder, device=device)
        named = paths(images)
        cache_file = _cache_file(folder, named, backbone, crops)
        files = pictures(named)
        # The state of a file is taken before its content: if it changes in between, the next index
        # finds another state, and reads the file again.
        states = [_state(path) for path in files]
        size = self.encoder.description["encoder"]["size"]
        model_bank = bank.read(folder)
        # With a bank, a vector in the cache has one more number, its normalizer.
        known = _read(cache_file, size + (model_bank is not None), len(files))

        # 1. The checksums of files that are new or changed.
        new_files = {
            file_state: path
            for file_state, path in zip(states, files, strict=True)
            if file_state not in known.sums
        }
        known.sums |= zip(new_files, checksums(list(new_files.values())), strict=True)
        contents = [known.sums[file_state] for file_state in states]

        # 2. The vectors of contents that no earlier index has seen; the others are only named.
        unknown = {
            content: path
            for content, path in zip(contents, files, strict=True)
            if content not in known.vectors and content not in known.unusable
        }
        errors: dict[str, InputError] = {}
        readable: dict[str, Path] = {}
        for content, path in unknown.items():
            if content.startswith(UNREADABLE):
                errors[content] = _reading_error(path, content)
            else:
                readable[content] = path
        if readable:
            image_encoder = ImageEncoder(folder, device=device, backbone=backbone, crops=crops)
            vectors, problems = image_encoder.embed(list(readable.values()), list(readable))
            vectors = vectors[:, :size]
            if model_bank:
                vectors = np.column_stack([vectors, model_bank.normalizers(vectors)])
            errors |= known.add(readable, vectors, problems)
        if new_files or unknown or len(known.sums) > len(set(states)):
            known.sums = {file_state: known.sums[file_state] for file_state in states}
            _write(cache_file, known)

        # 3. The first file of each usable content.
        usable: dict[str, Path] = {}
        left_out: list[Path] = []
        for content, path in zip(contents, files, strict=True):
            if content in known.vectors:
                usable.setdefault(content, path)
            else:
                left_out.append(path)
        if not usable:
            first = errors.get(contents[0]) or f"{files[0]} {known.unusable[contents[0]]}"
            raise InputError(f"none of {len(files):,} pictures can be used: {first}")
        _warn(left_out, {unknown[content]: error for content, error in errors.items()})
        self.paths = list(usable.values())
        rows = np.array([known.vectors[content] for content in usable])
        self.vectors = rows[:, :size]
        self.normalizers = rows[:, size] if model_bank else np.zeros(len(rows), np.float32)

    def search(
        self,
        sentence: str,
        best: int = 10,
        language: str | None = None,
        tokenized: bool = False,
    ) -> list[tuple[Path, float]]:
        """Find the pictures that a sentence describes best: their paths and scores, the best first.

        A score is the similarity of the picture and the sentence, mostly the cosine. If the model
        has a bank, the order is by the score less the picture's normalizer: a picture that is near
        to most sentences comes later than its score alone would have it.

        Args:
            best: the number of pictures to return.
            language, tokenized: see `SentenceEncoder.encode`.
        """
        if best < 1:
            raise InputError(f"best is {best}: it must be 1 or more")
        vector = self.encoder.encode([sentence], language=language, tokenized=tokenized)
        # Some encoders append columns, which are zeros in the vectors of pictures: they add nothing
        # to an inner product, and an index does not store them.
        vector = vector[:, : self.vectors.shape[1]]
        near = similarity.scores(vector, self.vectors, self.encoder.description["similarity"])[0]
        order = np.argsort(self.normalizers - near, kind="stable")[:best]
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


def _cache_file(
    folder: Path, named: Sequence[Path], backbone: "Backbones", crops: int | None
) -> Path:
    """Name the file of an index by all that decides its vectors: the model, the networks, code."""
    parts = [sha256(folder / name) for name in ("model.json", "ensemble.json")]
    if backbone is None or isinstance(backbone, str):
        parts.append(str(backbone))
    else:
        from groundvec.features.backbones import Backbone

        networks = [backbone] if isinstance(backbone, Backbone) else backbone
        parts += [f"{network.name} {network.sha256} {network.crops}" for network in networks]
    parts += [str(crops), code_hash("groundvec/features/extract.py")]
    with extra("pictures"):
        parts += versions().values()
    parts += [str(path.absolute()) for path in named]
    return cache() / "index" / f"{digest(*parts)}.index"


def _state(path: Path) -> State:
    """Return the state of a file; zeros if it was deleted a moment ago."""
    try:
        return str(path.absolute()), *state(path)
    except OSError:
        return str(path.absolute()), 0, 0, 0, 0


def _reading_error(path: Path, content: str) -> InputError:
    """Return the error of a file that could not be read.

    No network reads it, since importing torch takes seconds.
    """
    from groundvec.features.images import load

    try:
        load(path, content)
    except InputError as error:
        return error
    return InputError(f"{path} could not be read; try again")  # it could be read this time


def _warn(left_out: Sequence[Path], errors: dict[Path, InputError]) -> None:
    """Explain new errors, by path, and count the other files that are left out."""
    explained = list(errors)[:EXPLAINED]
    for path in explained:
        log.warning("%s; it is left out", errors[path])
    others = [printable(str(path)) for path in left_out if path not in explained]
    if others:
        names = ", ".join(others[:NAMED])
        if len(others) > NAMED:
            names += ", ..."
        count = "1 picture" if len(others) == 1 else f"{len(others):,} pictures"
        log.warning("left out %s that cannot be used: %s", count, names)


@dataclass
class _Known:
    """The files that an index has seen: their checksums, and by checksum their contents."""

    sums: dict[State, str] = field(default_factory=dict)
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)  # the problem, without the path

    def add(
        self, files: dict[str, Path], vectors: np.ndarray, problems: dict[int, InputError]
    ) -> dict[str, InputError]:
        """Add the vectors of files, by checksum, and the problems of wrong contents.

        Returns:
            All errors, by checksum, also temporary ones, which are not kept.
        """
        from groundvec.features.images import Unusable

        errors: dict[str, InputError] = {}
        for row, (content, path) in enumerate(files.items()):
            if row in problems:
                errors[content] = problems[row]
            elif not np.isfinite(vectors[row]).all():
                errors[content] = InputError(f"{path} has no finite vector: get the model again")
            else:
                self.vectors[content] = vectors[row]
            if isinstance(errors.get(content), Unusable):
                self.unusable[content] = str(errors[content]).removeprefix(f"{path} ")
        return errors


def _read(file: Path, size: int, pictures: int) -> _Known:
    """Read an index with vectors of a size; return an empty one if it is missing or damaged.

    The index may have been made for more pictures than there are now. If it is much larger than
    an index of this number of pictures, it is not read: it would take longer than embedding them.
    """
    try:
        data = read_regular(file, SMALL + pictures * (4 * size + LONGEST))
        checksum, listing, numbers = data.split(b"\n", 2)
        if checksum != _checksum(file, listing, numbers):
            raise ValueError("another checksum")
        seen, contents, unusable = json.loads(listing)
        vectors = np.frombuffer(numbers, np.float32).reshape(len(contents), size)
        if not np.isfinite(vectors).all():
            raise ValueError("a vector is not finite")
        sums = {(path, *state_numbers): content for path, *state_numbers, content in seen}
        return _Known(sums, dict(zip(contents, vectors, strict=True)), unusable)
    except (FileNotFoundError, NotADirectoryError):
        return _Known()
    except Exception as error:  # its type depends on the place of the damage
        problem = "is damaged"
        if isinstance(error, OSError):
            problem = f"cannot be read ({error.strerror})"
        log.warning("%s %s: its pictures are read again", file, problem)
        return _Known()


def _write(file: Path, known: _Known) -> None:
    """Write an index for `_read`, without files that could not be opened: the next index tries.

    The first line is a checksum, the second a JSON listing, and then come the vectors.
    """
    seen = [
        [*file_state, content]
        for file_state, content in known.sums.items()
        if not content.startswith(UNREADABLE)
    ]
    used = {content for *_, content in seen}
    vectors = {content: vector for content, vector in known.vectors.items() if content in used}
    unusable = {content: problem for content, problem in known.unusable.items() if content in used}
    listing = json.dumps([seen, list(vectors), unusable]).encode()
    numbers = b"".join(vector.tobytes() for vector in vectors.values())
    data = b"\n".join([_checksum(file, listing, numbers), listing, numbers])
    with suppress(OSError):  # the cache of features, in the same folder, warns
        write_bytes(file, data, replace=True)


def _checksum(file: Path, listing: bytes, numbers: bytes) -> bytes:
    """Compute the checksum of an index and its file name, which is unique to folder and model."""
    sha = hashlib.sha256(file.name.encode())
    sha.update(listing)
    sha.update(numbers)
    return sha.hexdigest().encode()
