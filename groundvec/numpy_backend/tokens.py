"""Bags of n-grams as sums of tokens. Each token is cleaned and summed once.

A token is a run of characters without white space. Texts repeat their tokens: of 236,000 in
20,000 captions of Flickr8k, 3% are new.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from threading import Lock

import numpy as np

from groundvec.data.cleaning import LONGEST
from groundvec.numpy_backend.layers import sums_in_blocks
from groundvec.text.ngrams import Text

BYTES = 2**26  # of the table's vectors: 64 MB are 16,384 tokens of 1,024 numbers
SENTENCES = 2048  # whose tokens are looked up at once
WHOLE = 256  # sentences that are read as a whole at once, which bounds the memory
LONGEST_TOKEN = 50  # characters; longer tokens, such as addresses, seldom come again
# At the end of a sentence, these characters change nothing: n-grams are read without final stops.
STOPS = " .\n"
# A full stop before these characters is still the sentence's last (`groundvec.text.punctuation`).
CLOSING = " \"')"


class Tokens:
    """A table of tokens that were read before; at most `BYTES` large.

    Most of the cleaning happens inside a token. So each token is read between two others, and the
    words that come of it are its words in every sentence. There are three exceptions, for which a
    sentence is read as a whole: a token that changes its neighbor, such as a lone accent; an end
    that is read in another way than a middle, such as `dog."`; and a sentence that is too long.
    """

    def __init__(
        self,
        text: Text,
        read: Callable[[list[str]], list[str]],
        part_sums: Callable[[np.ndarray, np.ndarray, np.ndarray], None],
        width: int,
    ) -> None:
        """Start with an empty table.

        Args:
            text: hashes n-grams.
            read: turns raw sentences into words with single spaces.
            part_sums: computes vectors (B, width) of parts of sentences (`bag.Encoder.part_sums`).
        """
        self.text = text
        self.read = read
        self.part_sums = part_sums
        self.shape = (BYTES // (4 * width), width)
        self.lock = Lock()
        self.clear()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Give another process an empty table."""
        return Tokens, (self.text, self.read, self.part_sums, self.shape[1])

    def clear(self) -> None:
        """Begin a new table; another thread may still read the old one."""
        self.rows: dict[str, int] = {}
        self.vectors = np.zeros(self.shape, np.float32)
        # Characters of a token and a space, after cleaning. Row 0 stands for all tokens that have
        # no row: a sentence with one of them is too long.
        self.lengths = np.full(self.shape[0], LONGEST + 1)
        self.may_end = np.zeros(self.shape[0], bool)

    def totals(self, sentences: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Sum the vectors of the tokens of sentences.

        Yields:
            The numbers of some sentences, and their sums (number of these sentences, width).
        """
        tokens: list[str] = []
        lengths = []
        for sentence in sentences:
            # In lower case, captions have fewer tokens. Outside ASCII, cleaning comes first.
            cased = sentence.lower() if sentence.isascii() else sentence
            split = cased.rstrip(STOPS).split() if len(cased) <= LONGEST else []
            tokens += split or ["."]
            lengths.append(len(split) or 1)
        counts = np.array(lengths)
        ends = counts.cumsum()
        with self.lock:
            rows = self._find(tokens)
            vectors = self.vectors
            is_long = np.add.reduceat(self.lengths[rows], ends - counts) > LONGEST
            may_end = self.may_end[rows[ends - 1]]
        yield from sums_in_blocks(vectors, rows, counts)
        # Sentences that have to be read as a whole replace their sums.
        (whole,) = np.nonzero(is_long | ~may_end)
        for start in range(0, len(whole), WHOLE):
            part = whole[start : start + WHOLE]
            totals = np.empty((len(part), self.shape[1]), np.float32)
            self._sum(self.read([sentences[row] for row in part.tolist()]), totals)
            yield part, totals

    def _find(self, tokens: list[str]) -> np.ndarray:
        """Find the rows of tokens, and add new ones; 0 for those that get no row."""
        rows = self._look_up(tokens, -1)
        (new,) = np.nonzero(rows < 0)
        if not len(new):
            return rows
        distinct = dict.fromkeys(tokens[place] for place in new.tolist())
        if 1 + len(self.rows) + len(distinct) > len(self.vectors):
            self.clear()
            new = np.arange(len(tokens))
            distinct = dict.fromkeys(tokens)
        self._add([token for token in distinct if len(token) <= LONGEST_TOKEN])
        rows[new] = self._look_up([tokens[place] for place in new.tolist()], 0)
        return rows

    def _look_up(self, tokens: list[str], default: int) -> np.ndarray:
        return np.fromiter(map(self.rows.get, tokens, repeat(default)), np.int64, len(tokens))

    def _add(self, tokens: list[str]) -> None:
        """Add new tokens, as many as there is space for."""
        first = 1 + len(self.rows)
        tokens = tokens[: len(self.vectors) - first]
        rows = slice(first, first + len(tokens))
        words, self.may_end[rows] = self._words(tokens)
        self.lengths[rows] = [len(of_token) + 1 if of_token else LONGEST + 1 for of_token in words]
        self._sum(words, self.vectors[rows])
        self.rows.update(zip(tokens, range(first, rows.stop), strict=True))

    def _words(self, tokens: list[str]) -> tuple[list[str], np.ndarray]:
        """Read each token between two others.

        Returns:
            The words of each token, or nothing if it changes a neighbor or vanishes; and whether
            they are the same at the end of a sentence.
        """
        words = [token.lower() for token in tokens]
        may_end = np.ones(len(tokens), bool)
        # Cleaning changes nothing else in tokens of plain letters and digits, which are the most.
        others = [
            place for place, token in enumerate(tokens) if not (token.isascii() and token.isalnum())
        ]
        # Cleaning leaves a hyphen as it is. After a letter, it would separate an apostrophe again.
        middles = self.read([f"- {tokens[place]} -" for place in others])
        ends = self.read([f"- {tokens[place]}" for place in others])
        for place, middle, end in zip(others, middles, ends, strict=True):
            inner = middle[2:-2]
            is_alone = middle == f"- {inner} -"
            words[place] = inner if is_alone else ""
            may_end[place] = is_alone and end == f"- {inner}" and bool(inner.strip(CLOSING))
        return words, may_end

    def _sum(self, words: list[str], out: np.ndarray) -> None:
        """Sum the n-grams of words with single spaces into `out` (len(words), width)."""
        encoded = self.text.hash(words)
        self.part_sums(encoded.indices, encoded.lengths, out)
