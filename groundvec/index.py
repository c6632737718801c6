"""Find pictures by sentences: the vectors of a folder's pictures, kept from search to search."""

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
from groundvec.encoder import ImageEncoder, SentenceEncoder
from groundvec.features import versions
from groundvec.features.files import UNREADABLE, checksums, paths, pictures
from groundvec.model import hub
from groundvec.provenance import code_hash, digest
from groundvec.runtime.errors import InputError, extra, printable
from groundvec.runtime.files import SMALL, cache, read_regular, sha256, state, write_bytes

if TYPE_CHECKING:
    from groundvec.features.backbones import Backbone

    Backbones = str | Backbone | Sequence[Backbone] | None

log = logging.getLogger(__name__)

State = tuple[str, int, int, int, int]  # of a file: its path, and `files.state`

LONGEST = 2**13  # bytes that an index has of a file, beside its vector; a path has at most half
EXPLAINED = 20  # problems that a search explains; it counts the others, and
NAMED = 3  # names so many of them


class Index:
    """The vectors of pictures, for any number of searches.

    They are kept in the user's cache, a file for each folder and model. A picture is read again if
    its size, times or inode have changed, and embedded again if its content has. One that could not
    be read is tried again by the next index; one whose content is wrong stays left out.

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

        Unusable pictures are left out. A warning explains each new one, and another counts those
        that are known.

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
        with extra("pictures"):
            decides += versions().values()
        decides += [str(path.absolute()) for path in named]
        kept = cache() / "index" / f"{digest(*decides)}.index"
        files = pictures(named)
        # Before the files are read: what changes from now on is read again by the next index.
        states = [_state(path) for path in files]
        size = self.encoder.description["encoder"]["size"]
        known = _read(kept, size, len(files))
        new = {
            each: path for each, path in zip(states, files, strict=True) if each not in known.sums
        }
        known.sums |= zip(new, checksums(list(new.values())), strict=True)
        contents = [known.sums[each] for each in states]
        unknown = {
            content: path
            for content, path in zip(contents, files, strict=True)
            if content not in known.vectors and content not in known.unusable
        }
        errors = {
            content: _error(path, content)
            for content, path in unknown.items()
            if content.startswith(UNREADABLE)
        }
        readable = {content: path for content, path in unknown.items() if content not in errors}
        if readable:
            seeing = ImageEncoder(folder, device=device, backbone=backbone, crops=crops)
            vectors, problems = seeing.embed(list(readable.values()), list(readable))
            errors |= known.add(readable, vectors[:, :size], problems)
        if new or unknown or len(known.sums) > len(set(states)):
            known.sums = {each: known.sums[each] for each in states}
            _write(kept, known)
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
        self.vectors = np.array([known.vectors[content] for content in usable])

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
        return str(path.absolute()), *state(path)
    except OSError:  # it was there a moment ago
        return str(path.absolute()), 0, 0, 0, 0


def _error(path: Path, content: str) -> InputError:
    """Find out why a file could not be read, without a network, whose import takes seconds."""
    from groundvec.features.images import load

    try:
        load(path, content)
    except InputError as error:
        return error
    return InputError(f"{path} could not be read; try again")  # which `content` rules out


def _warn(left_out: Sequence[Path], errors: dict[Path, InputError]) -> None:
    """Explain new errors, by path, and count the other files that are left out."""
    explained = list(errors)[:EXPLAINED]
    for path in explained:
        log.warning("%s; it is left out", errors[path])
    others = [printable(str(path)) for path in left_out if path not in explained]
    if others:
        names = ", ".join(others[:NAMED]) + (", ..." if len(others) > NAMED else "")
        count = "1 picture" if len(others) == 1 else f"{len(others):,} pictures"
        log.warning("left out %s that cannot be used: %s", count, names)


@dataclass
class _Known:
    """The files that an index has seen, and what it knows of their contents, by checksum."""

    sums: dict[State, str] = field(default_factory=dict)  # the checksums
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)  # what is wrong, after the path

    def add(
        self, files: dict[str, Path], vectors: np.ndarray, problems: dict[int, InputError]
    ) -> dict[str, InputError]:
        """Add the vectors of files, by checksum, and what is wrong with contents.

        Returns:
            All errors, by checksum, also those that may pass and are not kept.
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


def _read(kept: Path, size: int, files: int) -> _Known:
    """Read an index of vectors of a size; an empty one if it is missing or damaged.

    It may have been of more files than there are now. If it is far too large for these, to read
    them again takes no longer.
    """
    try:
        data = read_regular(kept, SMALL + files * (4 * size + LONGEST))
        checksum, listing, numbers = data.split(b"\n", 2)
        if checksum != _checksum(kept, listing, numbers):
            raise ValueError("another checksum")
        seen, contents, unusable = json.loads(listing)
        vectors = np.frombuffer(numbers, np.float32).reshape(len(contents), size)
        if not np.isfinite(vectors).all():
            raise ValueError("other numbers than vectors")
        sums = {(path, *of_file): content for path, *of_file, content in seen}
        return _Known(sums, dict(zip(contents, vectors, strict=True)), unusable)
    except (FileNotFoundError, NotADirectoryError):
        return _Known()
    except Exception as error:  # which one depends on where the damage is
        problem = (
            f"cannot be read ({error.strerror})" if isinstance(error, OSError) else "is damaged"
        )
        log.warning("%s %s: its pictures are read again", kept, problem)
        return _Known()


def _write(kept: Path, known: _Known) -> None:
    """Write what `_read` reads, but for files that could not be opened: they may be, next time."""
    seen = [
        [*each, content]
        for each, content in known.sums.items()
        if not content.startswith(UNREADABLE)
    ]
    used = {content for *_, content in seen}
    vectors = {content: vector for content, vector in known.vectors.items() if content in used}
    unusable = {content: why for content, why in known.unusable.items() if content in used}
    listing = json.dumps([seen, list(vectors), unusable]).encode()
    numbers = b"".join(vector.tobytes() for vector in vectors.values())
    data = b"\n".join([_checksum(kept, listing, numbers), listing, numbers])
    with suppress(OSError):  # the features' cache, beside it, says so
        write_bytes(kept, data, replace=True)


def _checksum(kept: Path, listing: bytes, numbers: bytes) -> bytes:
    """Compute the checksum of an index and its name, which no other folder or model has."""
    sha = hashlib.sha256(kept.name.encode())
    sha.update(listing)
    sha.update(numbers)
    return sha.hexdigest().encode()
