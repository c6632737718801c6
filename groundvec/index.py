"""Find pictures by sentences and by other pictures.

The vectors of a folder's pictures are kept in the user's cache.
"""

import io
import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundvec import similarity
from groundvec.encoder import SentenceEncoder
from groundvec.features import versions
from groundvec.features.backbones import Backbone
from groundvec.features.files import PICTURE, UNREADABLE, checksums, paths, pictures
from groundvec.image_encoder import ImageEncoder, networks_of
from groundvec.model import bank, classes
from groundvec.model.classes import Evidence
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import chosen_language
from groundvec.provenance import code_hash, digest
from groundvec.runtime.arguments import typed
from groundvec.runtime.errors import InputError, extra, shortened
from groundvec.runtime.files import SMALL, cache, read_cached, state, write_cached
from groundvec.text.encoded import strings

Backbones = str | Backbone | Sequence[Backbone] | None
Query = str | Path
Queries = Query | Iterable[Query] | Mapping[Query, float]

log = logging.getLogger(__name__)

# A file's path and `files.state`: it is read again if one of them has changed.
State = tuple[str, int, int, int, int]

# Bytes per file in an index, without its vector: a path has at most 4,096 on Linux, and the numbers
# and the checksum fit into the other half. An index that is larger than this allows is not read.
LONGEST = 2**13
FORM = "3"  # of an index; with another one, indexes of earlier versions are not read
EXPLAINED = 20  # problems that a search explains
# A combined query that is shorter than this was taken away from itself: only rounding is left.
SHORTEST = 1e-3
HEAVIEST = 1000  # the largest weight of a term
# Copies of one picture in other formats or sizes. Re-encoded photographs of Flickr8k (JPEG of
# quality 40 to 95, WebP, half and double size) differ by at most 1.3 gray levels; moved by 2% of
# their width, by 2.4 or more; two photographs, by 10.8 or more. Vectors alone do not tell: the
# cosine of copies is 0.73 to 1; two photographs have up to 0.97. They select pairs to compare.
COPY_DIFFERENCE = 1.5  # mean absolute difference of thumbnails, in levels of 256
COPY_COSINE = 0.8
COMPARED = 100  # pictures that a search compares at most, because it has to decode them


class Hit(NamedTuple):
    """A picture that a search found."""

    path: Path
    score: float  # the number that ranks
    similarity: float  # of the picture and the query, mostly the cosine


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
        levels: (paths, classes) uint8, the posteriors of the classes that the image networks see
            (`groundvec.model.classes`); no columns if the model has no classifiers.
    """

    @typed
    def __init__(
        self,
        images: str | Path | Iterable[str | Path],
        model: str | Path | SentenceEncoder = "flickr8k",
        device: str | None = None,
        backbone: Backbones = None,
        crops: int | None = None,
    ) -> None:
        """Embed the pictures of a folder, or named ones, unless their vectors are in the cache.

        Unusable pictures are left out. Warnings explain the first new ones; if there are others,
        another warning counts them all.

        Args:
            images: see `groundvec.features.files.pictures`.
            model: see `SentenceEncoder`; or one that was loaded from a folder.
            device: where to compute, unless the model is loaded.
            backbone, crops: see `ImageEncoder`.

        Raises:
            InputError: no picture is usable; also the errors of the encoders.
        """
        named = paths(images)
        if not named:
            raise InputError("there is nothing to search: name a picture or a folder of pictures")
        if not isinstance(model, SentenceEncoder):
            model = SentenceEncoder(model, device=device)
        folder = model.model_folder
        # A bank and the cache belong to the vectors of the ensemble.
        if folder is None or model.epochs is not None:
            raise InputError(f"{model!r} is no ensemble of a folder: load it without epochs")
        self.encoder = model
        self._networks = (folder, backbone, crops)
        cache_file = _cache_file(folder, named, backbone, crops)
        files = pictures(named)
        # The state of a file is taken before its content: if it changes in between, the next index
        # finds another state, and reads the file again.
        states = [_state(path) for path in files]
        size = self.encoder.description["encoder"]["size"]
        model_bank = bank.read(folder)
        self._classes = classes.read(folder)
        form = np.dtype(
            [
                ("vector", np.float32, (size,)),
                ("normalizer", np.float32),
                ("levels", np.uint8, (self._classes.count if self._classes else 0,)),
            ]
        )
        known = _read(cache_file, form, len(files))

        # Nothing is known of these pictures, so the networks are needed. Load them first: a mistake
        # in their name is found before all files are read.
        if not known.sums:
            _ = self._image_encoder

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
            if content not in known.rows and content not in known.unusable
        }
        errors = {
            content: InputError(content.removeprefix(UNREADABLE))
            for content in unknown
            if content.startswith(UNREADABLE)
        }
        readable = {content: path for content, path in unknown.items() if content not in errors}
        if readable:
            features, problems = self._image_encoder.features(
                list(readable.values()), list(readable)
            )
            rows = np.zeros(len(readable), form)
            rows["vector"] = self._image_encoder.project(features)[:, :size]
            if model_bank:
                rows["normalizer"] = model_bank.normalizers(rows["vector"])
            if self._classes:
                rows["levels"] = self._classes.levels(features)
            errors |= known.add(readable, rows, problems)
        if new_files or unknown or len(known.sums) > len(set(states)):
            known.sums = {file_state: known.sums[file_state] for file_state in states}
            _write(cache_file, known, form)

        # 3. The first file of each usable content.
        usable: dict[str, Path] = {}
        for content, path in zip(contents, files, strict=True):
            if content in known.rows:
                usable.setdefault(content, path)
        if not usable:
            first = errors.get(contents[0]) or f"{files[0]} {known.unusable[contents[0]]}"
            raise InputError(f"none of {len(files):,} pictures can be used: {first}")
        left_out = sum(content not in known.rows for content in contents)
        _warn(list(errors.values()), left_out)
        self.paths = list(usable.values())
        rows = np.array([known.rows[content] for content in usable], form)
        # Copies, as views of such rows are not contiguous and so slower to multiply.
        self.vectors = rows["vector"].copy()
        self.normalizers = rows["normalizer"].copy()
        self.levels = rows["levels"].copy()

    @typed
    def search(
        self,
        query: str | Path,
        best: int = 10,
        language: str | None = None,
        tokenized: bool = False,
        plus: Queries = (),
        minus: Queries = (),
    ) -> list[Hit]:
        """Find the pictures that fit a query best, with their scores, the best first.

        A query is a sentence, or the `Path` of a picture. The vectors of further ones are added to
        it (`plus`) or subtracted (`minus`), and the sum is scaled to unit length. The score is the
        similarity of the picture and the query, mostly the cosine, with two corrections. Copies of
        a picture in other formats or sizes are left out.

        If the model has a bank, each sentence subtracts the picture's normalizer, which is large if
        the picture is near to most sentences. A picture in the query subtracts none, since
        normalizers are computed from sentences. If the model has classifiers, a sentence adds the
        evidence that the picture shows the classes of its words; see `explain`.

        >>> index.search("a beach", minus="people")
        >>> index.search(Path("beach.jpg"), plus={"at night": 2})

        Args:
            best: the number of pictures to return.
            language, tokenized: of the sentences, see `SentenceEncoder.encode`. Without a language,
                it is guessed for the words that stand for classes.
            plus, minus: one sentence or picture, or several; or a dictionary of their weights. The
                query has a weight of 1.

        Raises:
            InputError: nothing is left of the query; a sentence has too few words that the captions
                or classes have; a picture cannot be used; also the errors of
                `SentenceEncoder.encode`.
        """
        _check_best(best)
        terms = _terms(query, plus, minus)
        weights = np.array([*terms.values()], np.float32)
        is_picture = np.array([isinstance(term, Path) for term in terms])
        sentences = strings(term for term in terms if not isinstance(term, Path))
        for sentence in sentences:
            if PICTURE.fullmatch(Path(sentence).suffix):
                raise InputError(f"{sentence} names a picture: write Path({sentence!r})")
        vectors = np.empty((len(terms), self.encoder.dim), np.float32)
        vectors[~is_picture] = self.encoder.encode(
            sentences, language=language, tokenized=tokenized
        )
        for sentence in sentences:
            if self._classes and self._classes.lexicon.is_unknown(sentence, language):
                raise InputError(
                    f"{shortened(repr(sentence))} has too few words that captions or classes have: "
                    f"use other words, in {' or '.join(self.encoder.languages)}, and quotation "
                    "marks around a sentence"
                )
        if is_picture.any():
            files = [term for term in terms if isinstance(term, Path)]
            vectors[is_picture], problems = self._image_encoder.embed(files, checksums(files))
            for problem in problems.values():
                raise problem

        combined = weights @ vectors
        length = np.linalg.norm(combined)
        if length <= SHORTEST * (np.abs(weights) @ np.linalg.norm(vectors, axis=1)):
            raise InputError(f"nothing is left of {query}: subtract something else")
        kind = self.encoder.description["similarity"]
        # Each sentence brings the normalizers and its evidence, with its weight.
        evidence = -weights[~is_picture].sum() * self.normalizers
        if self._classes:
            for sentence, weight in zip(sentences, weights[~is_picture], strict=True):
                evidence += weight * self._classes.evidence(sentence, self.levels, language)
        if kind == "cosine":
            combined /= length
            evidence /= length
        # Some encoders append columns, which are zeros in the vectors of pictures: they add nothing
        # to an inner product, and an index does not store them.
        size = self.vectors.shape[1]
        near = similarity.scores(combined[None, :size], self.vectors, kind)[0]
        scores = near + evidence
        order = self._distinct(np.argsort(-scores, kind="stable"), best)
        return [Hit(self.paths[row], float(scores[row]), float(near[row])) for row in order]

    @typed
    def explain(
        self,
        picture: str | Path,
        query: str | Path,
        language: str | None = None,
        plus: Queries = (),
        minus: Queries = (),
    ) -> list[Evidence]:
        """Return the words of a query that stand for classes, with the classes seen in a picture.

        >>> index.explain("holiday/cup.jpg", "an espresso")
        [Evidence(word='espresso', weight=4.1, classes={'espresso': 0.93, 'cup': 0.04})]

        Args:
            picture: one of `paths`.
            query, language, plus, minus: of `search`.

        Raises:
            InputError: the picture is not in this index.
        """
        row = self._row(picture)
        chosen_language(language, self.encoder.languages)
        explained = []
        for term, weight in _terms(query, plus, minus).items():
            if self._classes and not isinstance(term, Path):
                for evidence in self._classes.explain(term, self.levels[row], language):
                    explained.append(evidence._replace(weight=weight * evidence.weight))
        return explained

    @typed
    def classes(
        self, picture: str | Path, best: int = 5, language: str | None = None
    ) -> list[tuple[str, float]]:
        """Return the classes of ImageNet that are likeliest in a picture, with posteriors.

        >>> index.classes("holiday/cup.jpg", best=2)
        [('espresso', 0.93), ('cup', 0.04)]

        Args:
            picture: one of `paths`.
            language: of the classes' names, by default English.

        Raises:
            InputError: the picture is not in this index, or the model has no classifiers.
        """
        if not self._classes:
            raise InputError("this model has no classifiers: use flickr8k-v6 or a later one")
        _check_best(best)
        chosen_language(language, [*self._classes.lexicon.languages])
        return self._classes.largest(self.levels[self._row(picture)], best, language)

    def _row(self, picture: str | Path) -> int:
        """Return the row of a picture."""
        try:
            return self.paths.index(Path(picture))
        except ValueError:
            raise InputError(f"{picture} is not in this index: name one of its paths") from None

    @cached_property
    def _image_encoder(self) -> ImageEncoder:
        """Load the image networks, which a search by sentences in known pictures does without."""
        folder, backbone, crops = self._networks
        if backbone is None:
            backbone = networks_of(folder)
        return ImageEncoder(self.encoder.models, backbone=backbone, crops=crops)

    def _distinct(self, order: np.ndarray, best: int) -> list[int]:
        """Return the best rows in an order, without copies of pictures that come before them."""
        thumbnails: dict[int, np.ndarray] = {}
        chosen: list[int] = []
        for row in order.tolist():
            if len(chosen) == best:
                break
            # The scores of copies are nearly equal, so that they are near in the order too.
            recent = chosen[-COMPARED:]
            cosines = similarity.unit(self.vectors[recent]) @ similarity.unit(self.vectors[[row]]).T
            similar = [recent[place] for place in np.flatnonzero(cosines > COPY_COSINE)]
            if similar and len(thumbnails) < COMPARED:
                for number in {row, *similar} - set(thumbnails):
                    thumbnails[number] = _thumbnail(self.paths[number])
                differences = [np.abs(thumbnails[row] - thumbnails[other]) for other in similar]
                if any(difference.mean() < COPY_DIFFERENCE for difference in differences):
                    continue
            chosen.append(row)
        return chosen


def _check_best(best: int) -> None:
    if best < 1:
        raise InputError(f"best is {best!r}: it must be 1 or more, a whole number")


def _terms(query: Query, plus: Queries, minus: Queries) -> dict[Query, float]:
    """Return the terms of a query with their weights; a repeated term counts as often."""
    terms: dict[Query, float] = {}
    for sign, queries in ((1, [query]), (1, plus), (-1, minus)):
        if isinstance(queries, str | Path):
            queries = [queries]
        weights = queries if isinstance(queries, Mapping) else Counter(queries)
        for term, weight in weights.items():
            if not (isinstance(weight, int | float | np.floating) and 0 < weight <= HEAVIEST):
                raise InputError(
                    f"the weight of {term} is {weight!r}: it must be above 0, at most {HEAVIEST:,}"
                )
            terms[term] = terms.get(term, 0) + sign * float(weight)
    return terms


def _thumbnail(path: Path) -> np.ndarray:
    """Read a picture as 16 x 16 pixels, to compare it with others; NaN if it cannot be read now."""
    with extra("pictures"):
        from groundvec.features.images import load
    try:
        return np.asarray(load(path).resize((16, 16)), np.float32)
    except InputError:
        return np.full((16, 16, 3), np.nan, np.float32)


def _cache_file(
    folder: ModelFolder, named: Sequence[Path], backbone: Backbones, crops: int | None
) -> Path:
    """Name the file of an index by all that decides its vectors: the model, the networks, code."""
    parts = [digest(folder.metadata, folder.ensemble)]
    if backbone is None or isinstance(backbone, str):
        parts.append(str(backbone))
    else:
        networks = [backbone] if isinstance(backbone, Backbone) else backbone
        parts += [f"{network.name} {network.sha256} {network.crops}" for network in networks]
    parts += [str(crops), code_hash("groundvec/features/extract.py"), FORM]
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


def _warn(errors: Sequence[InputError], left_out: int) -> None:
    """Explain the first new errors; if there are other pictures that are left out, count all."""
    explained = errors[:EXPLAINED]
    for error in explained:
        log.warning("%s; it is left out", error)
    if left_out > len(explained):
        log.warning("pictures that cannot be used and are left out: %d", left_out)


@dataclass
class _Known:
    """The files that an index has seen: their checksums, and by checksum their contents."""

    sums: dict[State, str] = field(default_factory=dict)
    rows: dict[str, np.ndarray] = field(default_factory=dict)  # vectors and the rest of the index
    unusable: dict[str, str] = field(default_factory=dict)  # the problem, without the path

    def add(
        self, files: dict[str, Path], rows: np.ndarray, problems: dict[int, InputError]
    ) -> dict[str, InputError]:
        """Add the rows of files, by checksum, and the problems of wrong contents.

        Returns:
            All errors, by checksum, also temporary ones, which are not kept.
        """
        from groundvec.features.images import Unusable

        errors: dict[str, InputError] = {}
        for row, (content, path) in enumerate(files.items()):
            if row in problems:
                errors[content] = problems[row]
            elif not np.isfinite(rows["vector"][row]).all():
                errors[content] = InputError(f"{path} has no finite vector: get the model again")
            else:
                self.rows[content] = rows[row]
            if isinstance(errors.get(content), Unusable):
                self.unusable[content] = str(errors[content]).removeprefix(f"{path} ")
        return errors


def _read(file: Path, form: np.dtype, pictures: int) -> _Known:
    """Read an index with rows of this form; return an empty one if it is missing or damaged.

    The index may have been made for more pictures than there are now. If it is much larger than
    an index of this number of pictures, it is not read: it would take longer than embedding them.
    """
    try:
        data = read_cached(file, SMALL + pictures * (form.itemsize + LONGEST))
        with np.load(io.BytesIO(data), allow_pickle=False) as saved:
            seen, contents, unusable = json.loads(saved["listing"].tobytes())
            rows = saved["rows"]
        sums = {tuple(file_state): content for *file_state, content in seen}
        return _Known(sums, dict(zip(contents, rows, strict=True)), unusable)
    except (FileNotFoundError, NotADirectoryError):
        return _Known()
    except Exception as error:  # its type depends on the place of the damage
        problem = "is damaged"
        if isinstance(error, OSError):
            problem = f"cannot be read ({error.strerror})"
        log.warning("%s %s: its pictures are read again", file, problem)
        return _Known()


def _write(file: Path, known: _Known, form: np.dtype) -> None:
    """Write an index for `_read`, without files that could not be read: the next index tries."""
    used = {*known.sums.values()}
    rows = {content: row for content, row in known.rows.items() if content in used}
    unusable = {content: problem for content, problem in known.unusable.items() if content in used}
    seen = [
        [*file_state, content]
        for file_state, content in known.sums.items()
        if content in rows or content in unusable
    ]
    listing = json.dumps([seen, list(rows), unusable]).encode()
    data = io.BytesIO()
    np.savez(
        data, listing=np.frombuffer(listing, np.uint8), rows=np.array(list(rows.values()), form)
    )
    with suppress(OSError):  # the cache of features, in the same folder, warns
        write_cached(file, data.getbuffer())
