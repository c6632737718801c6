"""Read and write lists of the best translations of each sentence, in the format of Moses.

A line is a hypothesis, `id ||| hypothesis ||| name= value ... ||| score`, the best first. The id is
the sentence's number, from 0. The names are optional. Text after the score is ignored.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    LARGEST_TABLE,
    read_packed,
    read_regular,
    text_lines,
    write_bytes,
)

SEPARATOR = "|||"
LARGEST = 1e100  # a larger value is an error


@dataclass
class Lists:
    """The hypotheses of all sentences, one list after another."""

    hypotheses: list[str]  # N
    starts: np.ndarray  # (sentences + 1,): sentence i has hypotheses[starts[i]:starts[i + 1]]
    features: pd.DataFrame  # N rows of numbers, the last column is `score`

    @property
    def sentence(self) -> np.ndarray:
        """Return (N,) the number of each hypothesis's sentence."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def with_features(self, features: pd.DataFrame) -> "Lists":
        """Return the same lists with further features, in the same rows."""
        features = pd.concat([self.features, features], axis=1)
        return Lists(self.hypotheses, self.starts, features)

    def chosen(self, values: np.ndarray) -> np.ndarray:
        """Return (sentences,) the row of each list's largest value, the first of equal ones."""
        # `lexsort` is stable, so the earlier of two hypotheses with equal values is first.
        order = np.lexsort((-np.asarray(values), self.sentence))
        return order[self.starts[:-1]]


def read(path: str | Path, sentences: int) -> Lists:
    """Read lists of hypotheses of any system; a file that ends in .gz is unpacked.

    A list has at least one hypothesis. Hypotheses keep the order of the file, where a sentence's
    hypotheses need not be adjacent. Values without a name are called `value`; values with the same
    name get numbers. A single value that repeats the score is dropped.

    Args:
        path: the file.
        sentences: the number of sentences, which have the ids 0, 1, ...

    Raises:
        InputError: a line has another form, a number is not finite, an id is unknown, a sentence
            has no hypotheses, or lines differ in their features.
    """
    ids: list[int] = []
    hypotheses: list[str] = []
    values: list[list[float]] = []
    names: list[str] | None = None
    remedy = "write the lists again"
    is_packed = str(path).endswith(".gz")
    data = read_packed(path, remedy) if is_packed else read_regular(path, LARGEST_TABLE)
    # One by one, because the lines of a large file may exceed the memory.
    for number, line in enumerate(text_lines(data, path, remedy), 1):
        place = f"{path} line {number}"
        fields = [field.strip() for field in line.split(SEPARATOR)]
        if len(fields) < 4:
            raise InputError(
                f"{place}: {line[:60]!r} is not `id ||| hypothesis ||| name= value ... ||| score`: "
                "fix the line, or write the lists again"
            )
        names_of_line, row = _features(fields[2], place)
        if names is not None and names_of_line != names:
            raise InputError(
                f"{place}: its features are {', '.join(names_of_line) or 'none'}, but those above "
                f"are {', '.join(names) or 'none'}: write the lists again with the same features "
                "in all lines"
            )
        names = names_of_line
        ids.append(_id(fields[0], sentences, place))
        hypotheses.append(clean(fields[1]))
        values.append([*row, _number(fields[3], place)])
    counts = np.bincount(np.array(ids, np.int64), minlength=sentences)
    missing = np.flatnonzero(counts == 0).tolist()
    if missing:
        raise InputError(
            f"{path} has no hypothesis for sentence {missing[0]} (and {len(missing) - 1} more of "
            f"{sentences}): translate every sentence of the split, with ids from 0"
        )
    order = np.argsort(ids, kind="stable")
    features = pd.DataFrame(np.array(values)[order], columns=[*(names or []), "score"])
    if features.shape[1] == 2 and np.array_equal(features.iloc[:, 0], features.iloc[:, 1]):
        features = features.iloc[:, 1:]
    starts = np.concatenate([[0], counts.cumsum()])
    return Lists([hypotheses[row] for row in order], starts, features)


def write(path: str | Path, lists: Lists) -> None:
    """Write lists of hypotheses, whose last feature is `score`; a name in .gz is compressed."""
    lines = []
    rows = lists.features.to_numpy().tolist()
    for text, sentence, row in zip(lists.hypotheses, lists.sentence.tolist(), rows, strict=True):
        *features, (_, score) = zip(lists.features, row, strict=True)
        named = " ".join(f"{name}= {value:.6f}" for name, value in features)
        text = clean(text.replace(SEPARATOR, " "))
        lines.append(f"{sentence} ||| {text} ||| {named} ||| {score:.6f}\n")
    data = "".join(lines).encode()
    # A gzip file without a time, so that equal lists result in equal files.
    write_bytes(path, gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _id(text: str, sentences: int, place: str) -> int:
    """Parse the id of a sentence."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < sentences):
        raise InputError(
            f"{place}: no sentence has the id {text[:20]!r}; ids are 0 to {sentences - 1}: "
            "write the lists of this split"
        )
    return int(text)


def _number(text: str, place: str) -> float:
    """Parse a finite number."""
    try:
        value = float(text)
        if abs(value) < LARGEST:
            return value
    except ValueError:
        pass
    raise InputError(
        f"{place}: {text[:40]!r} is no finite number: fix the system that wrote it, or remove the "
        "hypothesis"
    )


def _features(field: str, place: str) -> tuple[list[str], list[float]]:
    """Parse the names and values of a line's features."""
    names: list[str] = []
    values: list[float] = []
    current = "value"
    for token in field.split():
        if token.endswith("="):
            current = token[:-1]
            continue
        same = sum(name.partition("#")[0] == current for name in names)
        names.append(f"{current}#{same + 1}" if same else current)
        values.append(_number(token, place))
    return names, values
