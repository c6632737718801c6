"""Sentences as trees over fixed word vectors (Socher et al. 2014, section 3)."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from groundvec.config.types import Options
from groundvec.runtime.errors import InputError
from groundvec.text.encoded import MAX_INDICES, PADDING, UNKNOWN, Ragged, cleaned, select
from reproduction.text.forms import FORMS, Nodes, ancestors
from reproduction.text.treebank import ROOT, Treebank
from reproduction.text.vector_files import read_vectors
from reproduction.text.vectors import learn, pack, reduce, unpack

log = logging.getLogger(__name__)


@dataclass
class Trees(Ragged):
    """Trees as one array; a column is a node.

    Its rows are: word (0 of a phrase, 1 of a word without a vector), parent (the column within the
    tree, -1 of a root), relation and place of the edge to the parent (0 of a root), height (0 of a
    leaf, else 1 + the children's largest), and size (the words of the node and of all below it).
    """

    nodes: np.ndarray  # (6, nodes) int32
    starts: np.ndarray

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Select the nodes (N,) of the trees `rows`, one after another; all int64.

        Returns:
            words (N,), lengths (B,), parents (N,), relations (N,), places (N,), heights (N,) and
            sizes (N,). Parents are rows of this batch, -1 of roots.
        """
        columns, lengths = select(self.starts, rows)
        words, parents, *others = self.nodes[:, columns].astype(np.int64)
        first = np.repeat(lengths.cumsum() - lengths, lengths)  # of each node's tree in this batch
        return words, lengths, np.where(parents < 0, -1, parents + first), *others


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
        self.words = list(words)
        self.relations = list(relations)
        self.places = list(places)
        self.counts = list(counts)
        self.dimension = dimension
        self.parser = parser
        self.form = form
        self.treebank = treebank or Treebank()
        if isinstance(vectors, str):
            vectors = unpack(vectors, len(words), dimension)
        self.vectors = (
            None if vectors is None else np.vstack([np.zeros((2, dimension), np.float32), vectors])
        )
        self._word = {None: PADDING} | {word: index for index, word in enumerate(words, 2)}
        self._relation = {relation: index for index, relation in enumerate(relations)}
        self._place = {place: index for index, place in enumerate(places)}

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
        distinct = {place for tree in nodes for place in _places(tree.parents) if place}
        places = sorted(distinct, key=lambda place: (place[0], int(place[1:])))
        edge_counts = [edges[relation] for relation in relations]
        return cls(words, relations, edge_counts, places, dimension, parser, form, values, treebank)

    def __len__(self) -> int:
        """Count the indices, those for phrases and unknown words included."""
        return len(self.words) + 2

    def encode(self, sentences: Sequence[str]) -> Trees:
        """Clean each sentence, and look its tree up or parse it; log words without a vector."""
        sentences = cleaned(sentences)
        nodes = _read(sentences, self.parser, self.form, self.treebank)
        starts = np.cumsum([0, *(len(tree.parents) for tree in nodes)])
        # An array per tree: tuples of all nodes at once would take ten times the memory.
        blocks = [np.array(list(self._rows(tree)), np.int32) for tree in nodes]
        columns = np.concatenate([np.empty((0, 6), np.int32), *blocks]).T.copy()
        words = columns[0]
        log.info(
            "%d of the %d words of %d sentences have no vector",
            np.count_nonzero(words == UNKNOWN),
            np.count_nonzero(words),
            len(sentences),
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
        return Trees(columns, starts)

    def _rows(self, tree: Nodes) -> Iterator[tuple[int, ...]]:
        """Yield the numbers of each node of a tree: see `Trees`."""
        heights = [0] * len(tree.parents)
        sizes = [0] * len(tree.parents)
        for node, word in enumerate(tree.words):
            is_word = word is not None
            sizes[node] += is_word
            for height, ancestor in enumerate(ancestors(node, tree.parents), 1):
                heights[ancestor] = max(heights[ancestor], height)
                sizes[ancestor] += is_word
        nodes = zip(*tree, _places(tree.parents), heights, sizes, strict=True)
        for word, parent, relation_name, place_name, height, size in nodes:
            # A relation or place that training has not met has the number after the last one.
            relation = self._relation.get(relation_name, len(self.relations))
            place = self._place.get(place_name, len(self.places))
            if parent == ROOT:  # has no edge
                relation = 0
                place = 0
            yield self._word.get(word, UNKNOWN), parent, relation, place, height, size

    def as_dict(self) -> Options:
        """Return the arguments of `Text` but the vectors, ready for JSON."""
        names = ("words", "relations", "counts", "places", "dimension", "parser", "form")
        return {name: getattr(self, name) for name in names}

    def packed(self) -> Options:
        """Return the arguments of `Text`, the vectors too."""
        assert self.vectors is not None, "this text was made without vectors"
        return self.as_dict() | {"vectors": pack(self.vectors[2:])}


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


def _places(parents: Sequence[int]) -> list[str]:
    """Name each node's place among its parent's children; l1 and r1 are next to the parent."""
    places = [""] * len(parents)  # the root has none
    left = Counter[int]()
    right = Counter[int]()
    for node, parent in reversed(list(enumerate(parents))):
        if node < parent:
            left[parent] += 1
            places[node] = f"l{left[parent]}"
    for node, parent in enumerate(parents):
        if ROOT != parent < node:
            right[parent] += 1
            places[node] = f"r{right[parent]}"
    return places
