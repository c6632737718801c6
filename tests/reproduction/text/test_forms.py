"""Forms of a sentence's tree."""

import pytest
from hypothesis import given

from reproduction.text import forms
from reproduction.text.treebank import Tree, problem
from tests.support.treebanks import EXAMPLE, NAMES, WILD, drawn_trees, parsed


def edges(nodes):
    """A tree's edges as text, in the order of the words: `head -relation-> word`."""
    assert problem(nodes.parents) == ""
    assert nodes.relations[nodes.parents.index(-1)] == "root"
    return [
        f"{nodes.words[parent] if parent >= 0 else ''} -{relation}-> {word}".strip()
        for word, parent, relation in zip(*nodes, strict=True)
    ]


# The tree of a sentence, and the edges of its collapsed form.
COLLAPSED = """
preposition
Students 2 nsubj; ride 0 root; bikes 2 dobj; at 2 prep ADP; night 4 pobj; . 2 punct
ride -nsubj-> students; -root-> ride; ride -dobj-> bikes; ride -prep_at-> night

a clause, and what else hangs from the preposition
relax 0 root; by 1 prep ADP; just 2 advmod; riding 2 pcomp; bikes 4 dobj
-root-> relax; riding -advmod-> just; relax -prepc_by-> riding; riding -dobj-> bikes

agent
child 3 nsubjpass; was 3 auxpass; hugged 0 root; by 3 agent ADP; mother 4 pobj
hugged -nsubjpass-> child; hugged -auxpass-> was; -root-> hugged; hugged -agent-> mother

dative
gives 0 root; it 1 dobj; to 1 dative ADP; her 3 pobj
-root-> gives; gives -dobj-> it; gives -prep_to-> her

next to
man 0 root; Right 3 advmod; Next 1 advmod; to 3 prep ADP; it 4 pobj
-root-> man; it -advmod-> right; man -prep_next_to-> it

a phrase is of neighbors
sits 0 root; in 1 prep ADP; the 4 det; front 2 pobj; of 4 prep ADP; cars 5 pobj
-root-> sits; front -det-> the; sits -prep_in-> front; front -prep_of-> cars

two prepositions
sits 0 root; on 1 prep ADP; beds 2 pobj; or 2 cc; under 2 conj ADP; them 5 pobj
-root-> sits; sits -prep_on-> beds; sits -prep_under-> them

a preposition joined to a verb
jumps 0 root; up 1 prt ADP; and 1 cc; into 1 conj ADP; water 4 pobj
-root-> jumps; jumps -prt-> up; jumps -prep_into-> water

a preposition without an object stays
looks 0 root; out 1 prep ADP
-root-> looks; looks -prep-> out

a preposition as the root stays
In 0 root ADP; water 1 pobj
-root-> in; in -pobj-> water

a row of conjuncts hangs from the first
dogs 0 root; , 1 punct; cats 1 conj; & 3 cc; cows 3 conj; or 5 cc; men 5 conj
-root-> dogs; dogs -conj_and-> cats; dogs -conj_and-> cows; dogs -conj_or-> men

a conjunction that joins nothing
dog 0 root; cat 1 conj; and 4 cc; runs 1 dep
-root-> dog; dog -conj-> cat; runs -cc-> and; dog -dep-> runs

possessive
man 3 poss; 's 1 case PART; dog 0 root
dog -poss-> man; -root-> dog

Universal Dependencies
dog 2 nsubj; runs 0 root; out 5 case ADP; of 3 fixed ADP; water 2 obl; and 8 cc; in 8 case ADP; \
mud 5 conj; of 10 case ADP; May 8 nmod
runs -nsubj-> dog; -root-> runs; runs -obl_out_of-> water; mud -case-> in; \
water -conj_and-> mud; mud -nmod_of-> may

punctuation as the root
" 0 root; - 1 dep; Dogs 1 dep; run 1 dep
-root-> dogs; dogs -dep-> run

punctuation alone
! 2 punct; ? 0 root; ! 2 punct
-root-> ?
"""
CASES = [block.splitlines() for block in COLLAPSED.strip().split("\n\n")]


@pytest.mark.parametrize("case, tree, expected", CASES)
def test_dependency_trees_are_collapsed(case, tree, expected):
    nodes = forms.collapsed(parsed(tree.replace("; ", "\n")))
    assert "; ".join(edges(nodes)) == expected, case


@given(WILD)
def test_a_collapsed_tree_has_some_of_the_words_in_order(tree):
    nodes = forms.collapsed(tree)
    assert edges(nodes)
    left = iter(tree.words)
    assert all(word in left for word in nodes.words)  # in their order
    assert len(nodes.words) == 1 or all(map(forms._has_letters, nodes.words))


def test_an_empty_sentence_is_an_unknown_word():
    for form in forms.FORMS.values():
        assert form(Tree([], [], [], [], "")) == ([""], [-1], ["root"])


def test_a_basic_tree_has_a_node_for_every_word_but_punctuation():
    expected = "ride -nsubj-> students; -root-> ride; ride -dobj-> bikes; ride -prep-> at; "
    assert "; ".join(edges(forms.basic(parsed(EXAMPLE)))) == expected + "at -pobj-> night"


@given(WILD)
def test_a_basic_tree_is_a_tree_of_all_words_in_their_order(tree):
    nodes = forms.basic(tree)
    assert edges(nodes)
    spoken = [word.lower() for word in tree.words if forms._has_letters(word)]
    assert nodes.words == (spoken or [tree.words[tree.heads.index(-1)].lower()])


def brackets(nodes, node=None):
    """A binary tree as text."""
    node = nodes.parents.index(-1) if node is None else node
    children = [child for child, parent in enumerate(nodes.parents) if parent == node]
    if not children:
        return nodes.words[node]
    left, right = children
    assert left < node < right
    assert nodes.words[node] is None
    assert (nodes.relations[left], nodes.relations[right]) == ("left", "right")
    return f"({brackets(nodes, left)} {brackets(nodes, right)})"


def test_binary_trees_grow_from_the_head_outwards():
    tree = parsed(
        "A 2 det\nman 4 nsubj\nnever 4 neg\nrides 0 root\na 7 det\nred 7 amod\nbike 4 dobj\n"
        "fast 4 advmod\n. 4 punct"
    )
    assert brackets(forms.binary(tree)) == "((a man) (never ((rides (a (red bike))) fast)))"


def test_crossing_edges_are_lifted():
    tree = parsed("a 4 dep\nb 0 root\nc 1 dep\nd 2 dep")
    assert brackets(forms.binary(tree)) == "(a ((b c) d))"


@given(drawn_trees(words=NAMES, most=14))
def test_binary_trees_keep_the_words_in_order_and_have_two_children_a_node(tree):
    nodes = forms.binary(tree)
    spoken = [word for word in tree.words if forms._has_letters(word)]
    spoken = spoken or [tree.words[tree.heads.index(-1)]]
    assert brackets(nodes).replace("(", "").replace(")", "").split() == spoken
    assert len(nodes.words) == 2 * len(spoken) - 1


@given(drawn_trees(words=NAMES, most=14))
def test_each_word_of_a_chain_is_the_left_child_of_the_next(tree):
    words, parents, relations = forms.chain(tree)
    assert words == [word for word in forms.binary(tree).words if word is not None]
    assert parents == [*range(1, len(words)), -1]
    assert relations == ["left"] * (len(words) - 1) + ["root"]
