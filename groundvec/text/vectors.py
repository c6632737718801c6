"""Word vectors: read from files in text format, and learned from sentences.

In text format each line is a word and its values, separated by single spaces.
"""

import base64
import binascii
import io
import logging
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from groundvec.data.archives import DAMAGED
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import open_zip, text_lines
from groundvec.runtime.progress import Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

log = logging.getLogger(__name__)

HEADER = re.compile(r"(\d+) (\d+)")  # the first line of fastText's files: words and dimensions
WINDOW = 5  # words before and after a word that count as its neighbours


def read_vectors(
    path: str | Path, words: Collection[str], others: int = 0
) -> tuple[dict[str, int], np.ndarray]:
    """Read the vectors of `words` from a file in the text format of GloVe or fastText.

    As in SentEval, the last vector counts if a word has several. Words end at the first space, not
    at other white space, such as the no-break spaces of `. . .` in glove.840B.300d.txt.

    Args:
        path: a text file, or a member of a zip file as `glove.6B.zip/glove.6B.100d.txt`; a zip
            file with one member needs no member's name.
        words: the words wanted.
        others: how many more words of the file to read: its first without capitals.

    Returns:
        The row of each word that has a vector, and the vectors (rows, dimensions), float32.

    Raises:
        InputError: no such file or member, or it is empty, damaged, truncated or malformed.
    """
    words = frozenset(words)
    found = {}
    header = None
    dimensions = 0
    with (
        _open(Path(path)) as (file, size),
        Progress(total=size, desc=Path(path).name, unit="B", unit_scale=True) as bar,
    ):
        # Some words hold a carriage return.
        for number, line in enumerate(text_lines(file, path, "get it again", "\n"), 1):
            bar.update(len(line) + 1)
            try:
                text = line.rstrip()
                if number == 1:
                    header = HEADER.fullmatch(text)
                    dimensions = int(header[2]) if header else text.count(" ")
                    if header:
                        continue
                if text.count(" ") != dimensions or not dimensions:
                    raise ValueError(f"{text.count(' ')} values, not {dimensions or 'a vector'}")
                word, values = text.split(" ", 1)
                if word in words or (others and word == word.lower()):
                    others -= word not in words and word not in found
                    found[word] = np.array(values.split(" "), np.float32)
                    if not np.isfinite(found[word]).all():
                        raise ValueError("a value is not finite")
            except ValueError as error:
                raise InputError(f"{path}, line {number} is no word vector: {error}") from None
    if not dimensions:
        raise InputError(f"{path} is empty: it should hold word vectors in text format")
    if header and number <= int(header[1]):
        raise InputError(f"{path} ends after {number - 1} of {header[1]} vectors: get it again")
    index = {word: row for row, word in enumerate(found)}
    return index, np.array(list(found.values()), np.float32).reshape(-1, dimensions)


def reduce(vectors: "np.ndarray | csr_array", dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the truncated SVD of vectors (N, D): U S (N, dimension), and S; a fixed seed.

    Raises:
        InputError: there are fewer vectors than `dimension`, or they have fewer values.
    """
    from sklearn.decomposition import TruncatedSVD  # here, for it takes a second to import

    if max(dimension, 2) > min(vectors.shape):  # of one word, scikit-learn computes nothing
        raise InputError(
            f"{vectors.shape[0]:,} words with {vectors.shape[1]:,} values each do not make vectors "
            f"of {dimension} dimensions: make `dimension` smaller"
        )
    svd = TruncatedSVD(dimension, n_iter=10, random_state=0)
    return svd.fit_transform(vectors).astype(np.float32), svd.singular_values_


def learn(sentences: Sequence[Sequence[str]], words: Sequence[str], dimension: int) -> np.ndarray:
    """Learn vectors (words, dimension) of words from their neighbours in sentences; float32.

    They are U S^0.5 of the truncated SVD of the `association` (Levy, Goldberg & Dagan 2015), and
    zeros for a word without neighbours.
    """
    information = association(sentences, words)
    if not information.nnz:
        raise InputError(
            "the captions' words have no neighbours to learn vectors from: name a file of vectors"
        )
    vectors, strengths = reduce(information, dimension)
    vectors /= np.sqrt(np.maximum(strengths, 1e-12)).astype(np.float32)
    vectors[information.sum(axis=1) == 0] = 0
    return vectors


def association(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> "csr_array":
    """Compute the positive pointwise mutual information (words, words) of words and neighbours.

    max(0, log(p(a, b) / (p(a) p(b)))), where p(a, b) is b's share of all neighbours within `WINDOW`
    words of an a, on either side. Words that are not in `words` keep their place.
    """
    from scipy.sparse import csr_array  # here, because trained trees do without SciPy

    index = {word: row for row, word in enumerate(words)}
    flat = np.array([index.get(word, -1) for word in chain.from_iterable(sentences)], int)
    sentence = np.repeat(np.arange(len(sentences)), [len(each) for each in sentences])
    counts = csr_array((len(words), len(words)))
    for distance in range(1, WINDOW + 1):
        left = flat[:-distance]
        right = flat[distance:]
        near = (sentence[:-distance] == sentence[distance:]) & (left >= 0) & (right >= 0)
        one_way = csr_array((np.ones(near.sum()), (left[near], right[near])), counts.shape)
        counts = counts + one_way + one_way.T
    pairs = counts.tocoo()
    totals = counts.sum(axis=0)
    information = np.log(pairs.data * totals.sum() / (totals[pairs.row] * totals[pairs.col]))
    result = csr_array((np.maximum(information, 0), (pairs.row, pairs.col)), counts.shape)
    result.eliminate_zeros()
    return result


def pack(vectors: np.ndarray) -> str:
    """Write vectors as text for JSON: little-endian float32 in base 64, a third of their digits."""
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode()


def unpack(text: str, count: int, dimension: int) -> np.ndarray:
    """Undo `pack`: (count, dimension) float32; InputError if the text is damaged."""
    try:
        vectors = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
        vectors = vectors.reshape(count, dimension).astype(np.float32)
    except (binascii.Error, ValueError) as error:
        raise InputError(
            f"the word vectors of this text are damaged ({error}): make it again"
        ) from None
    if not np.isfinite(vectors).all():
        raise InputError("the word vectors of this text are not finite: make it again")
    return vectors


@contextmanager
def _open(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a text file or a member of a zip file; with its size in bytes."""
    file = next((p for p in (path, *path.parents) if p.is_file()), None)
    if file is None or (file != path and not zipfile.is_zipfile(file)):
        raise InputError(f"{path} does not exist: put the word vectors there")
    if not zipfile.is_zipfile(file):
        with file.open("rb") as opened:
            yield opened, file.stat().st_size
        return
    try:
        with open_zip(file) as archive:
            members = [name for name in archive.namelist() if not name.endswith("/")]
            wanted = members if path == file else [path.relative_to(file).as_posix()]
            if len(wanted) != 1 or wanted[0] not in members:
                names = ", ".join(members)
                raise InputError(f"{path}: add to {file}/ the name of a file in it: {names}")
            with archive.open(wanted[0]) as member:
                # The types of `zipfile` do not say that a member is an io.BufferedIOBase.
                buffered = io.BufferedReader(member, 1 << 20)  # type: ignore[type-var]
                yield buffered, archive.getinfo(wanted[0]).file_size
    except DAMAGED as error:
        raise InputError(f"{path} is damaged ({error}): get it again") from None


def look_up(
    sentences: Sequence[Sequence[str]], path: str | Path
) -> tuple[list[list[int]], np.ndarray]:
    """Read the vectors of the words of tokenized sentences; words without one are left out.

    Returns:
        For each sentence the rows of its words' vectors, and the vectors (rows, dimensions).
    """
    words = set(chain.from_iterable(sentences))
    index, vectors = read_vectors(path, words)
    rows = [[index[word] for word in sentence if word in index] for sentence in sentences]
    tokens = sum(map(len, sentences))
    log.info(
        "%s: %d of %d distinct words and %d of %d tokens have no vector and are left out",
        *(path, len(words) - len(index), len(words), tokens - sum(map(len, rows)), tokens),
    )
    return rows, vectors
