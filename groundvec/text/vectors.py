"""Files of word vectors in text format: on each line a word and its values, separated by spaces."""

import io
import logging
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np

from groundvec.data.archives import DAMAGED
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import open_zip, text_lines
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

HEADER = re.compile(r"(\d+) (\d+)")  # the first line of fastText's files: words and dimensions
BUFFER = 2**20  # bytes of a zip file to decompress at a time


def read_vectors(
    path: str | Path, words: Collection[str], others: int = 0
) -> tuple[dict[str, int], np.ndarray]:
    """Read the vectors of `words` from a file in the text format of GloVe or fastText.

    As in SentEval, the last vector counts if a word has several. Words end at the first space, not
    at other white space, such as the no-break spaces of `. . .` in glove.840B.300d.txt.

    Args:
        path: a text file, or a member of a zip file as `glove.6B.zip/glove.6B.100d.txt`; a zip
            file with one member needs no member's name.
        words: the words to read.
        others: the number of further words to read: the first of the file without capitals.

    Returns:
        The row of each word that has a vector, and the vectors (rows, dimensions), float32.

    Raises:
        InputError: no such file or member, or it is empty, damaged, truncated or malformed.
    """
    words = frozenset(words)
    vectors: dict[str, np.ndarray] = {}
    header = None
    dimensions = 0
    with (
        _open(Path(path)) as (file, size),
        Progress(total=size, desc=Path(path).name, unit="B", unit_scale=True) as bar,
    ):
        # Lines end at "\n" alone: some words contain a carriage return.
        for number, line in enumerate(text_lines(file, path, "download it again", "\n"), 1):
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
                is_other = others > 0 and word not in words and word == word.lower()
                if word not in words and not is_other:
                    continue
                if is_other and word not in vectors:
                    others -= 1
                vectors[word] = np.array(values.split(" "), np.float32)
                if not np.isfinite(vectors[word]).all():
                    raise ValueError("a value is not finite")
            except ValueError as error:
                raise InputError(f"{path}, line {number} is no word vector: {error}") from None
    if not dimensions:
        raise InputError(f"{path} is empty: it should hold word vectors in text format")
    if header and number <= int(header[1]):
        raise InputError(
            f"{path} ends after {number - 1} of {header[1]} vectors: download it again"
        )
    index = {word: row for row, word in enumerate(vectors)}
    return index, np.array(list(vectors.values()), np.float32).reshape(-1, dimensions)


@contextmanager
def _open(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a text file or a member of a zip file, and yield it with its size in bytes."""
    # The path may lead into a zip file, such as `glove.6B.zip/glove.6B.100d.txt`.
    file = next((part for part in (path, *path.parents) if part.is_file()), None)
    if file is None or (file != path and not zipfile.is_zipfile(file)):
        raise InputError(f"{path} does not exist: put the word vectors there")
    if not zipfile.is_zipfile(file):
        with file.open("rb") as opened:
            yield opened, file.stat().st_size
        return
    try:
        with open_zip(file) as archive:
            members = [name for name in archive.namelist() if not name.endswith("/")]
            candidates = members if path == file else [path.relative_to(file).as_posix()]
            if len(candidates) != 1 or candidates[0] not in members:
                names = ", ".join(members)
                raise InputError(f"{path}: add to {file}/ the name of a file in it: {names}")
            with archive.open(candidates[0]) as member:
                # The types of `zipfile` do not say that a member is an io.BufferedIOBase.
                buffered = io.BufferedReader(member, BUFFER)  # type: ignore[type-var]
                yield buffered, archive.getinfo(candidates[0]).file_size
    except DAMAGED as error:
        raise InputError(f"{path} is damaged ({error}): download it again") from None


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
    found_tokens = sum(map(len, rows))
    log.info(
        "%s: %d of %d distinct words and %d of %d tokens have no vector and are left out",
        path,
        len(words) - len(index),
        len(words),
        tokens - found_tokens,
        tokens,
    )
    return rows, vectors
