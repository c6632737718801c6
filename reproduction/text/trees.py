"""Sentences as trees over fixed word vectors (Socher et al. 2014, section 3)."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError
from groundvec.text.encoded import MAX_INDICES, PADDING, UNKNOWN, Ragged, cleaned, select
from groundvec.text.vectors import read_vectors
from reproduction.text.forms import FORMS, Nodes
from reproduction.text.treebank import ROOT, Treebank
from reproduction.text.vectors import learn, pack, reduce, unpack

RARE = 10  # edges: a relation with fewer in the training captions is rare

log = logging.getLogger(__name__)


@dataclass
class Trees(Ragged):
    """Trees as flat arrays, one row per node: twelve bytes each, however many there are."""

    words: np.ndarray  # (nodes,) uint16: 0 of a phrase, 1 of a word without a vector
    parents: np.ndarray  # (nodes,) int16: the row within the tree, -1 of a root
    relations: np.ndarray  # (nodes,) uint16: of the edge to the parent; 0 of a root
    places: np.ndarray  # (nodes,) uint16: among the parent's children; 0 of a root
    heights: np.ndarray  # (nodes,) uint16: 0 of a leaf, else 1 + the children's largest
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
        return (
            self.words[nodes].astype(np.int64),
            lengths,
            np.where(parents < 0, -1, parents + first),
            self.relations[nodes].astype(np.int64),
            self.places[nodes].astype(np.int64),
            self.heights[nodes].astype(np.int64),
            self.sizes[nodes].astype(np.int64),
        )


class Text:
    """Trees, with the words, relations and places that the training captions have.

    Attributes:
        words: in lower case, those with a vector; the i-th has the index i + 2.
        relations: of edges, the most frequent first.
        counts: the number of edges of the training captions that have each relation.
        places: of children: l1, l2, ... and r1, r2, ...; l1 and r1 are the nearest to the parent.
        dimension: of the vectors.
        vectors: (len(text), dimension) float32, zero for phrases and unknown words; None if an
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
            if len(set(names)) != len(names) or len(names) > MAX_INDICES - 2:
                raise InputError(f"trees need distinct {kind}, {MAX_INDICES - 2:,} at most")
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
        """Learn from captions, whose trees are looked up in the treebank, or parsed.

        `trees.yaml` describes the options. The first words of a file of vectors are known even if
        no caption has them.

        Raises:
            InputError: a file cannot be used, no word has a vector, or they are too short.
        """
        sentences = cleaned(list(captions))
        treebank = treebank or Treebank()
        nodes = _read(sentences, parser, form, treebank)
        # A chain has all words. So every form has the same vocabulary, with prepositions too, for
        # which collapsed trees have no nodes.
        chains = _read(sentences, parser, "chain", treebank)
        caption_words = [[word for word in tree.words if word] for tree in chains]
        counts = Counter(chain.from_iterable(caption_words))
        words = sorted(counts, key=lambda word: (-counts[word], word))[: MAX_INDICES - 2]
        if vectors == "captions":
            values = learn(caption_words, words, dimension)
            nonzero = np.flatnonzero(values.any(axis=1))  # words that have neighbors
            words = [words[row] for row in nonzero]
            values = values[nonzero]
        else:
            words, values = _from_file(vectors, words, dimension)
        edges = Counter(
            relation
            for tree in nodes
            for relation, parent in zip(tree.relations, tree.parents, strict=True)
            if parent != ROOT
        )
        relations = sorted(edges, key=lambda relation: (-edges[relation], relation))
        ranks, right = _ranks(_join(nodes)[0])
        most_left = int(ranks[~right].max(initial=0))
        most_right = int(ranks[right].max(initial=0))
        places = _places(most_left, most_right)
        unknown = [counts[word] for word in counts.keys() - set(words)]
        log.info(
            "vectors of %d words; of the captions' %d words %d have none, which are %d of %d "
            "tokens",
            len(words),
            len(counts),
            len(unknown),
            sum(unknown),
            counts.total(),
        )
        rare = [count for count in edges.values() if count < RARE]
        log.info(
            "%d relations (Socher et al. 2014: 141); %d of them have fewer than %d of the %d "
            "edges, together %.2f %%",
            len(edges),
            len(rare),
            RARE,
            edges.total(),
            100 * sum(rare) / max(edges.total(), 1),
        )
        edge_counts = [edges[relation] for relation in relations]
        return cls(words, relations, edge_counts, places, dimension, parser, form, values, treebank)

    def __len__(self) -> int:
        """Count the indices, those for phrases and unknown words included."""
        return len(self.words) + 2

    def encode(self, sentences: Sequence[str]) -> Trees:
        """Clean each sentence, and look its tree up or parse it; log words without a vector."""
        sentences = cleaned(sentences)
        nodes = _read(sentences, self.parser, self.form, self.treebank)
        parents, starts = _join(nodes)
        node_words = list(chain.from_iterable(tree.words for tree in nodes))
        node_relations = chain.from_iterable(tree.relations for tree in nodes)
        words = np.array([self._word.get(word, UNKNOWN) for word in node_words], np.uint16)
        # A relation that training has not met has the number after the last one.
        relations = [self._relation.get(name, len(self.relations)) for name in node_relations]
        self._log_unknown(sentences, node_words, words, starts)
        ranks, right = _ranks(parents)
        # So has a place: places are the left ones, then the right ones, each from the nearest on.
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

    def _log_unknown(
        self,
        sentences: Sequence[str],
        node_words: list[str | None],
        words: np.ndarray,
        starts: np.ndarray,
    ) -> None:
        """Log words without a vector, and warn of sentences without any other."""
        unknown = np.flatnonzero(words == UNKNOWN)
        if len(unknown):
            log.info(
                "%d of %d words have no vector, %d different ones",
                len(unknown),
                np.count_nonzero(words),
                len({node_words[node] for node in unknown}),
            )
        known = np.add.reduceat(words > UNKNOWN, starts[:-1], dtype=int)
        wordless = np.flatnonzero(known == 0)
        if len(wordless):
            log.warning(
                "%d of %d sentences have no word with a vector; the first is %r",
                len(wordless),
                len(sentences),
                sentences[wordless[0]][:60],
            )


def _read(sentences: Sequence[str], parser: str, form: str, treebank: Treebank) -> list[Nodes]:
    """Return the nodes of sentences, in one of the forms."""
    return [FORMS[form](tree) for tree in treebank.trees(sentences, parser)]


def _from_file(path: str, words: list[str], dimension: int) -> tuple[list[str], np.ndarray]:
    """Read the vectors of these words, and of further words of the file after them."""
    index, vectors = read_vectors(path, words, others=MAX_INDICES - 2 - len(words))
    caption_words = [word for word in words if word in index]
    if not caption_words:
        raise InputError(
            f"no word of the captions has a vector in {path}: is it of another language?"
        )
    if vectors.shape[1] < dimension:
        raise InputError(
            f"{path} has vectors of {vectors.shape[1]} dimensions, not {dimension}: ask for fewer"
        )
    if vectors.shape[1] > dimension:
        vectors, _ = reduce(vectors, dimension)
    ordered = list(dict.fromkeys([*caption_words, *index]))
    return ordered, vectors[[index[word] for word in ordered]]


def _places(left: int, right: int) -> list[str]:
    return [f"l{rank + 1}" for rank in range(left)] + [f"r{rank + 1}" for rank in range(right)]


def _join(nodes: Sequence[Nodes]) -> tuple[np.ndarray, np.ndarray]:
    """Join the trees' nodes in one array: the rows (N,) of their parents, and the trees' starts."""
    starts = np.cumsum([0, *(len(tree.parents) for tree in nodes)])
    parents = np.array(list(chain.from_iterable(tree.parents for tree in nodes)), np.int64)
    first = np.repeat(starts[:-1], np.diff(starts))
    return np.where(parents == ROOT, ROOT, parents + first), starts


def _ranks(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank each node among its parent's children on its side.

    Returns:
        Ranks (N,), from 1 for the nearest child, and 0 for a root; and whether a node is on the
        right side of its parent (N,).
    """
    rows = np.arange(len(parents))
    right = (rows > parents) & (parents != ROOT)
    order = np.lexsort((abs(rows - parents), right, parents))
    family = 2 * parents[order] + right[order]
    # Nodes of one side and parent are neighbors in `family`; a rank counts from the first of them.
    first = np.flatnonzero(np.diff(family, prepend=-3))  # -2 is the least: roots, on the left
    ranks = np.zeros(len(parents), np.int64)
    ranks[order] = rows + 1 - np.repeat(first, np.diff(first, append=len(parents)))
    return np.where(parents == ROOT, 0, ranks), right


def _measure(parents: np.ndarray, is_word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute heights and sizes of all nodes, a level of all trees at a time, deepest first."""
    # Depths by pointer doubling: after k rounds, `above` is the ancestor 2^k edges up, or the root,
    # and `depths` counts the edges to it. So a chain of n words takes log2(n) rounds.
    depths = (parents != ROOT).astype(np.int64)
    above = np.where(parents == ROOT, np.arange(len(parents)), parents)
    further = depths[above]
    while further.any():
        depths = depths + further
        above = above[above]
        further = depths[above]
    heights = np.zeros_like(parents)
    sizes = is_word.astype(np.int64)
    order = np.argsort(-depths, kind="stable")
    levels = np.split(order, np.bincount(depths)[:0:-1].cumsum())
    for level in levels[:-1]:
        np.maximum.at(heights, parents[level], heights[level] + 1)
        np.add.at(sizes, parents[level], sizes[level])
    return heights, sizes
