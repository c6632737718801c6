"""Lists of the best translations of each sentence, in the form of Moses.

A line is a hypothesis, `id ||| hypothesis ||| name= value ... ||| score`, the best first. The id is
the sentence's number, from 0. The names may be left out, and what follows the score is ignored.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import check_regular, read_packed, text_lines, write_bytes

SEPARATOR = "|||"
LARGEST = 1e100  # of a value; what is beyond it is no score


@dataclass
class Lists:
    """The hypotheses of all sentences, one list after another."""

    hypotheses: list[str]  # N
    starts: np.ndarray  # (sentences + 1,): sentence i has hypotheses[starts[i]:starts[i + 1]]
    names: list[str]  # F: of the features; one of them is `score`
    features: np.ndarray  # (N, F) float64

    @property
    def sentence(self) -> np.ndarray:
        """Number (N,) the sentence of each hypothesis."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def with_features(self, names: list[str], values: np.ndarray) -> "Lists":
        """Return the same lists with more features (N, names)."""
        features = np.hstack([self.features, values])
        return Lists(self.hypotheses, self.starts, [*self.names, *names], features)

    def chosen(self, values: np.ndarray) -> np.ndarray:
        """Choose (sentences,) the row of each list's largest value, the first one of several."""
        # Stable, so that of equal values the earlier hypothesis is first.
        order = np.lexsort((-np.asarray(values), self.sentence))
        return order[self.starts[:-1]]


def read(path: str | Path, sentences: int) -> Lists:
    """Read lists of hypotheses, from any system; a file that ends in .gz is unpacked.

    A list may have any number of hypotheses, one at least. They keep the order of the file; those
    of one sentence need not stand together. Values without a name are called `value`, those that
    share a name get a number each. A single value that is the score again is left out.

    Args:
        sentences: how many there are, which have the ids 0, 1, ...

    Raises:
        InputError: a broken line, a number that is not finite, a sentence that there is not, or one
            without hypotheses; or lines that do not have the same features.
    """
    ids: list[int] = []
    hypotheses: list[str] = []
    values: list[list[float]] = []
    names: list[str] | None = None
    for number, line in enumerate(_lines(path), 1):
        place = f"{path} line {number}"
        fields = [field.strip() for field in line.split(SEPARATOR)]
        if len(fields) < 4:
            raise InputError(
                f"{place}: {line[:60]!r} is not `id ||| hypothesis ||| name= value ... ||| score`: "
                "fix the line, or write the lists again"
            )
        found, row = _features(fields[2], place)
        if names is not None and found != names:
            here, above = (", ".join(each) or "none" for each in (found, names))
            raise InputError(
                f"{place}: its features are {here}, those above are {above}: write the lists again "
                "with the same features in all lines"
            )
        names = found
        ids.append(_id(fields[0], sentences, place))
        hypotheses.append(clean(fields[1]))
        values.append([*row, _number(fields[3], place)])
    counts = np.bincount(np.array(ids, np.int64), minlength=sentences)
    if missing := np.flatnonzero(counts == 0).tolist():
        raise InputError(
            f"{path} has no hypothesis for sentence {missing[0]} (and {len(missing) - 1} more of "
            f"{sentences}): translate every sentence of the split, with ids that begin with 0"
        )
    order = np.argsort(ids, kind="stable")
    features = np.array(values)[order]
    labels = [*(names or []), "score"]
    if len(labels) == 2 and np.array_equal(features[:, 0], features[:, 1]):
        features = features[:, 1:]
        labels = labels[1:]
    starts = np.concatenate([[0], counts.cumsum()])
    return Lists([hypotheses[row] for row in order], starts, labels, features)


def write(path: str | Path, lists: Lists) -> None:
    """Write lists of hypotheses, whose last feature is `score`; gzipped for a name in .gz."""
    lines = []
    numbers = (lists.sentence.tolist(), lists.features.tolist())
    for text, sentence, row in zip(lists.hypotheses, *numbers, strict=True):
        named = " ".join(f"{n}= {v:.6f}" for n, v in zip(lists.names[:-1], row[:-1], strict=True))
        text = clean(text.replace(SEPARATOR, " "))
        lines.append(f"{sentence} ||| {text} ||| {named} ||| {row[-1]:.6f}\n")
    data = "".join(lines).encode()
    # Without a time in it, so that the same lists are the same file.
    write_bytes(path, gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a file, one by one: all at once may be more than the memory holds."""
    check_regular(path)
    try:
        data = read_packed(path) if str(path).endswith(".gz") else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: translate the sentences first") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}): write the lists again") from None
    return text_lines(data, path, "write the lists again")


def _id(text: str, sentences: int, place: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < sentences):
        raise InputError(
            f"{place}: there is no sentence {text[:20]!r}; the ids are 0 to {sentences - 1}: "
            "write the lists of this split"
        )
    return int(text)


def _number(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{place}: {text[:40]!r} is not a number: write the lists again") from None
    if not abs(value) < LARGEST:
        raise InputError(
            f"{place}: a score is {value}: fix the system that wrote it, or remove the hypothesis"
        )
    return value


def _features(field: str, place: str) -> tuple[list[str], list[float]]:
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
