"""Files of word vectors in text format: on each line a word and its values, separated by spaces."""

import logging
import re
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from groundvec.data.archives import open_member
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import text_lines
from groundvec.runtime.progress import Progress

log = logging.getLogger(__name__)

HEADER = re.compile(r"(\d+) (\d+)")  # the first line of fastText's files: words and dimensions


def read_vectors(
    path: str | Path, words: Collection[str], others: int = 0
) -> tuple[dict[str, int], np.ndarray]:
    """Read the vectors of `words` from a file in the text format of GloVe or fastText.

    As in SentEval, the last vector counts if a word has several. Words end at the first space, not
    at other white space, such as the no-break spaces of `. . .` in glove.840B.300d.txt.

    Args:
        path: a text file, or a member of a zip archive; see `open_member`.
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
        open_member(Path(path)) as (file, size),
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


def look_up(
    sentences: Sequence[Sequence[str]], path: str | Path
) -> tuple[list[list[int]], np.ndarray]:
    """Read the vectors of the words of tokenized sentences; words without one are left out.

    If the file has no capitals, like GloVe's 6B, words are looked up in lower case; SentEval's
    example leaves "The" out.

    Returns:
        For each sentence the rows of its words' vectors, and the vectors (rows, dimensions).
    """
    words = set(chain.from_iterable(sentences))
    index, vectors = read_vectors(path, words | {word.lower() for word in words})
    if all(word == word.lower() for word in index):
        sentences = [[word.lower() for word in sentence] for sentence in sentences]
    rows = [[index[word] for word in sentence if word in index] for sentence in sentences]
    tokens = sum(map(len, sentences))
    left_out = tokens - sum(map(len, rows))
    log.info("%s: %d of %d tokens have no vector and are left out", path, left_out, tokens)
    return rows, vectors
