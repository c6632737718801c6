"""Sentences as trees over fixed word vectors (Socher et al. 2014, section 3)."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError
from groundvec.text.encoded import LARGEST, PADDING, UNKNOWN, Cut, cleaned, select
from groundvec.text.vectors import read_vectors
from reproduction.text.forms import FORMS, Nodes
from reproduction.text.treebank import ROOT, Treebank
from reproduction.text.vectors import learn, pack, reduce, unpack

RARE = 10  # edges of a relation; those with fewer are rare

log = logging.getLogger(__name__)


@dataclass
class Trees(Cut):
    """Trees as flat arrays, one row per node: twelve bytes each, however many there are."""

    words: np.ndarray  # (nodes,) uint16: 0 of a phrase, 1 of a word without a vector
    parents: np.ndarray  # (nodes,) int16: the row within the tree, -1 of a root
    relations: np.ndarray  # (nodes,) uint16: of the edge to the parent; 0 of a root
    places: np.ndarray  # (nodes,) uint16: among the parent's children; 0 of a root
    heights: np.ndarray  # (nodes,) uint16: 0 of a leaf, else 1 + the largest of the children
    sizes: np.ndarray  # (nodes,) uint16: the words of the node and of all below it
    starts: np.ndarray

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Select the nodes (N,) of the trees `rows`, one after another; all int64.

        Returns:
            words (N,), lengths (B,), parents (N,), relations (N,), places (N,), heights (N,) and
            sizes (N,). Parents are rows of this batch, -1 of roots.
        """
        nodes, lengths = select(self.starts, rows)
        first = np.repeat(lengths.cumsum() - lengths, lengths)  # of each node's tree in this batch
        parents = self.parents[nodes].astype(np.int64)
        others = (self.relations, self.places, self.heights, self.sizes)
        return (
            self.words[nodes].astype(np.int64),
            lengths,
            np.where(parents < 0, -1, parents + first),
            *(values[nodes].astype(np.int64) for values in others),
        )


class Text:
    """Trees, and what the training captions have: words with a vector, relations and places.

    Attributes:
        words: the i-th has the index i + 2; words are in small letters.
        relations: of edges, the most frequent first.
        counts: how many edges of the training captions have each relation.
        places: of children: l1, l2, ... and r1, r2, ...; l1 and r1 are the nearest to the parent.
        dimension: of the vectors.
        vectors: (len(text), dimension) float32, of phrases and unknown words zero; None where an
            encoder has them in its weights.
    """

    def __init__(
        self,
        words: Sequence[str],
        relations: Sequence[str],
        counts: Sequence[int],
        places: Sequence[str],
        dimension: int,
        parser: str,
        form: str,
        vectors: np.ndarray | str | None = None,
        treebank: Treebank | None = None,
    ) -> None:
        """Keep the results of `build`; `vectors` may be the text that `pack` returned."""
        for kind, names in {"words": words, "relations": relations, "places": places}.items():
            if len(set(names)) != len(names) or len(names) > LARGEST - 2:
                raise InputError(f"trees need distinct {kind}, {LARGEST - 2:,} at most")
        if len(counts) != len(relations):
            raise InputError("trees need a count for each relation")
        self.words = list(words)
        self.relations = list(relations)
        self.places = list(places)
        self.counts = list(counts)
        self.dimension = dimension
        self.parser = parser
        self.form = form
        self.treebank = treebank or Treebank()
        self._left = sum(place.startswith("l") for place in places)
        if self.places != _places(self._left, len(places) - self._left):
            raise InputError("the places of trees are l1, l2, ... and then r1, r2, ...")
        if isinstance(vectors, str):
            vectors = unpack(vectors, len(words), dimension)
        self.vectors = (
            None if vectors is None else np.vstack([np.zeros((2, dimension), np.float32), vectors])
        )
        self._word = {None: PADDING} | {word: index for index, word in enumerate(words, 2)}
        self._relation = {relation: index for index, relation in enumerate(relations)}

    read_treebanks = Treebank

    @classmethod
    def build(
        cls,
        captions: Iterable[str],
        parser: str,
        form: str,
        vectors: str,
        dimension: int,
        treebank: Treebank | None = None,
    ) -> "Text":
        """Learn from captions; their trees are looked up in the treebank, or parsed.

        `trees.yaml` describes the options. Of a file of vectors, the first words are known even if
        no caption has them.

        Raises:
            InputError: a file cannot be used, no word has a vector, or they are too short.
        """
        sentences = cleaned(list(captions))
        treebank = treebank or Treebank()
        nodes = _read(sentences, parser, form, treebank)
        # All words, and in every form the same ones: prepositions too, which collapsed trees lack.
        whole = _read(sentences, parser, "chain", treebank)
        spoken = [[word for word in each.words if word] for each in whole]
        counts = Counter(chain.from_iterable(spoken))
        words = sorted(counts, key=lambda word: (-counts[word], word))[: LARGEST - 2]
        if vectors == "captions":
            values = learn(spoken, words, dimension)
            kept = np.flatnonzero(values.any(axis=1))
            words = [words[row] for row in kept]
            values = values[kept]
        else:
            words, values = _from_file(vectors, words, dimension)
        edges = Counter(
            relation
            for each in nodes
            for relation, parent in zip(each.relations, each.parents, strict=True)
            if parent != ROOT
        )
        relations = sorted(edges, key=lambda relation: (-edges[relation], relation))
        ranks, right = _ranks(_join(nodes)[0])
        places = _places(*(int(ranks[side].max(initial=0)) for side in (~right, right)))
        without = [counts[word] for word in counts.keys() - set(words)]
        log.info(
            "vectors of %d words; of the captions' %d words %d have none, which are %d of %d "
            "tokens",
            *(len(words), len(counts), len(without), sum(without), counts.total()),
        )
        rare = [count for count in edges.values() if count < RARE]
        log.info(
            "%d relations (Socher et al. 2014: 141); %d of them have fewer than %d of the %d "
            "edges, together %.2f %%",
            *(len(edges), len(rare), RARE, edges.total(), 100 * sum(rare) / max(edges.total(), 1)),
        )
        counted = [edges[relation] for relation in relations]
        return cls(words, relations, counted, places, dimension, parser, form, values, treebank)

    def __len__(self) -> int:
        """Count the different words, those of phrases and unknown words included."""
        return len(self.words) + 2

    def encode(self, sentences: Sequence[str]) -> Trees:
        """Clean each sentence, and look its tree up or parse it; log how many have no vectors."""
        given = cleaned(sentences)
        nodes = _read(given, self.parser, self.form, self.treebank)
        parents, starts = _join(nodes)
        spoken = list(chain.from_iterable(each.words for each in nodes))
        names = chain.from_iterable(each.relations for each in nodes)
        words = np.array([self._word.get(word, UNKNOWN) for word in spoken], np.uint16)
        relations = [self._relation.get(name, len(self.relations)) for name in names]
        self._report(given, spoken, words, starts)
        (ranks, right) = _ranks(parents)
        left = self._left
        most = np.where(right, len(self.places) - left, left)
        places = np.where(ranks > most, len(self.places), ranks - 1 + left * right)
        heights, sizes = _measure(parents, words != PADDING)
        first = np.repeat(starts[:-1], np.diff(starts))
        roots = parents == ROOT
        return Trees(
            words=words,
            parents=np.where(roots, ROOT, parents - first).astype(np.int16),
            relations=np.where(roots, 0, relations).astype(np.uint16),
            places=np.where(roots, 0, places).astype(np.uint16),
            heights=heights.astype(np.uint16),
            sizes=sizes.astype(np.uint16),
            starts=starts,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments of `Text` but the vectors, ready for JSON."""
        names = ("words", "relations", "counts", "places", "dimension", "parser", "form")
        return {name: getattr(self, name) for name in names}

    def packed(self) -> dict[str, Any]:
        """Return the arguments of `Text`, the vectors too."""
        assert self.vectors is not None, "this text was made without vectors"
        return self.as_dict() | {"vectors": pack(self.vectors[2:])}

    def _report(
        self,
        sentences: Sequence[str],
        spoken: list[str | None],
        words: np.ndarray,
        starts: np.ndarray,
    ) -> None:
        unknown = np.flatnonzero(words == UNKNOWN)
        if len(unknown):
            log.info(
                "%d of %d words have no vector, %d different ones",
                *(len(unknown), np.count_nonzero(words), len({spoken[i] for i in unknown})),
            )
        known = np.add.reduceat(words > UNKNOWN, starts[:-1], dtype=int)
        if len(silent := np.flatnonzero(known == 0)):
            log.warning(
                "%d of %d sentences have no word with a vector; the first is %r",
                *(len(silent), len(sentences), sentences[silent[0]][:60]),
            )


def _read(sentences: Sequence[str], parser: str, form: str, treebank: Treebank) -> list[Nodes]:
    """Return the nodes of sentences, in one of the forms."""
    return [FORMS[form](tree) for tree in treebank.trees(sentences, parser)]


def _from_file(path: str, words: list[str], dimension: int) -> tuple[list[str], np.ndarray]:
    """Read the words of a file of vectors, these first, and their vectors."""
    index, vectors = read_vectors(path, words, others=LARGEST - 2 - len(words))
    given = [word for word in words if word in index]
    if not given:
        raise InputError(
            f"no word of the captions has a vector in {path}: is it of another language?"
        )
    if vectors.shape[1] < dimension:
        raise InputError(
            f"{path} has vectors of {vectors.shape[1]} dimensions, not {dimension}: ask for fewer"
        )
    if vectors.shape[1] > dimension:
        vectors, _ = reduce(vectors, dimension)
    ordered = list(dict.fromkeys([*given, *index]))
    return ordered, vectors[[index[word] for word in ordered]]


def _places(left: int, right: int) -> list[str]:
    return [f"l{rank + 1}" for rank in range(left)] + [f"r{rank + 1}" for rank in range(right)]


def _join(nodes: Sequence[Nodes]) -> tuple[np.ndarray, np.ndarray]:
    """Join the parents (N,) of all trees' nodes, as rows of one array; with the trees' starts."""
    starts = np.cumsum([0, *(len(each.parents) for each in nodes)])
    parents = np.array(list(chain.from_iterable(each.parents for each in nodes)), np.int64)
    first = np.repeat(starts[:-1], np.diff(starts))
    return np.where(parents == ROOT, ROOT, parents + first), starts


def _ranks(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank each node among its parent's children on its side; with whether that is the right side.

    The nearest is 1, and a root 0.
    """
    rows = np.arange(len(parents))
    right = (rows > parents) & (parents != ROOT)
    order = np.lexsort((abs(rows - parents), right, parents))
    family = 2 * parents[order] + right[order]
    new = np.flatnonzero(np.diff(family, prepend=-3))  # where those of another side or parent begin
    ranks = np.zeros(len(parents), np.int64)
    ranks[order] = rows + 1 - np.repeat(new, np.diff(new, append=len(parents)))
    return np.where(parents == ROOT, 0, ranks), right


def _measure(parents: np.ndarray, is_word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute heights and sizes of all nodes, a level of all trees at a time, deepest first."""
    depths = (parents != ROOT).astype(np.int64)
    above = np.where(parents == ROOT, np.arange(len(parents)), parents)
    while (more := depths[above]).any():  # each turn jumps twice as far
        depths = depths + more
        above = above[above]
    heights = np.zeros_like(parents)
    sizes = is_word.astype(np.int64)
    order = np.argsort(-depths, kind="stable")
    levels = np.split(order, np.bincount(depths)[:0:-1].cumsum())
    for level in levels[:-1]:
        np.maximum.at(heights, parents[level], heights[level] + 1)
        np.add.at(sizes, parents[level], sizes[level])
    return heights, sizes
