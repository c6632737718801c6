"""Forms of a sentence's tree."""

import pytest
from hypothesis import given

from reproduction.text import forms, treebank
from reproduction.text.treebank import Tree, problem
from tests.support.treebanks import ENGLISH, EXAMPLE, NAMES, WILD, drawn_trees, parsed


def edges(nodes):
    """A tree's edges as text, in the order of the words: `head -relation-> word`."""
    assert problem(nodes.parents) == ""
    assert nodes.relations[nodes.parents.index(-1)] == "root"
    return [
        f"{nodes.words[parent] if parent >= 0 else ''} -{relation}-> {word}".strip()
        for word, parent, relation in zip(*nodes, strict=True)
    ]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(
            "Students 2 nsubj\nride 0 root\nbikes 2 dobj\nat 2 prep ADP\nnight 4 pobj\n. 2 punct",
            [
                "ride -nsubj-> students",
                "-root-> ride",
                "ride -dobj-> bikes",
                "ride -prep_at-> night",
            ],
            id="preposition",
        ),
        pytest.param(
            "relax 0 root\nby 1 prep ADP\njust 2 advmod\nriding 2 pcomp\nbikes 4 dobj",
            [
                *("-root-> relax", "riding -advmod-> just"),
                *("relax -prepc_by-> riding", "riding -dobj-> bikes"),
            ],
            id="a clause, and what else hangs from the preposition",
        ),
        pytest.param(
            "child 3 nsubjpass\nwas 3 auxpass\nhugged 0 root\nby 3 agent ADP\nmother 4 pobj",
            [
                *("hugged -nsubjpass-> child", "hugged -auxpass-> was"),
                *("-root-> hugged", "hugged -agent-> mother"),
            ],
            id="agent",
        ),
        pytest.param(
            "gives 0 root\nit 1 dobj\nto 1 dative ADP\nher 3 pobj",
            ["-root-> gives", "gives -dobj-> it", "gives -prep_to-> her"],
            id="dative",
        ),
        pytest.param(
            "car 0 root\nin 1 prep ADP\nfront 2 pobj\nof 3 prep ADP\ntrees 4 pobj",
            ["-root-> car", "car -prep_in_front_of-> trees"],
            id="in front of",
        ),
        pytest.param(
            "man 0 root\nRight 3 advmod\nNext 1 advmod\nto 3 prep ADP\nit 4 pobj",
            ["-root-> man", "it -advmod-> right", "man -prep_next_to-> it"],
            id="next to",
        ),
        pytest.param(
            "sits 0 root\nin 1 prep ADP\nthe 4 det\nfront 2 pobj\nof 4 prep ADP\ncars 5 pobj",
            ["-root-> sits", "front -det-> the", "sits -prep_in-> front", "front -prep_of-> cars"],
            id="a phrase is of neighbors",
        ),
        pytest.param(
            "sits 0 root\non 1 prep ADP\nbeds 2 pobj\nor 2 cc\nunder 2 conj ADP\nthem 5 pobj",
            ["-root-> sits", "sits -prep_on-> beds", "sits -prep_under-> them"],
            id="two prepositions",
        ),
        pytest.param(
            "jumps 0 root\nup 1 prt ADP\nand 1 cc\ninto 1 conj ADP\nwater 4 pobj",
            ["-root-> jumps", "jumps -prt-> up", "jumps -prep_into-> water"],
            id="a preposition joined to a verb",
        ),
        pytest.param(
            "looks 0 root\nout 1 prep ADP\n",
            ["-root-> looks", "looks -prep-> out"],
            id="a preposition without an object stays",
        ),
        pytest.param(
            "In 0 root ADP\nwater 1 pobj",
            ["-root-> in", "in -pobj-> water"],
            id="a preposition as the root stays",
        ),
        pytest.param(
            "dogs 0 root\n, 1 punct\ncats 1 conj\n& 3 cc\ncows 3 conj\nor 5 cc\nmen 5 conj",
            [
                "-root-> dogs",
                "dogs -conj_and-> cats",
                "dogs -conj_and-> cows",
                "dogs -conj_or-> men",
            ],
            id="a row of conjuncts hangs from the first",
        ),
        pytest.param(
            "dog 0 root\ncat 1 conj\nand 4 cc\nruns 1 dep",
            ["-root-> dog", "dog -conj-> cat", "runs -cc-> and", "dog -dep-> runs"],
            id="a conjunction that joins nothing",
        ),
        pytest.param(
            "man 3 poss\n's 1 case PART\ndog 0 root",
            ["dog -poss-> man", "-root-> dog"],
            id="possessive",
        ),
        pytest.param(
            "dog 2 nsubj\nruns 0 root\nout 5 case ADP\nof 3 fixed ADP\nwater 2 obl\nand 8 cc\nin 8 "
            "case ADP\nmud 5 conj\nof 10 case ADP\nMay 8 nmod",
            [
                *("runs -nsubj-> dog", "-root-> runs", "runs -obl_out_of-> water"),
                *("mud -case-> in", "water -conj_and-> mud", "mud -nmod_of-> may"),
            ],
            id="Universal Dependencies",
        ),
        pytest.param(
            '" 0 root\n- 1 dep\nDogs 1 dep\nrun 1 dep',
            ["-root-> dogs", "dogs -dep-> run"],
            id="punctuation as the root",
        ),
        pytest.param("! 2 punct\n? 0 root\n! 2 punct", ["-root-> ?"], id="punctuation alone"),
    ],
)
def test_dependency_trees_are_collapsed(tree, expected):
    assert edges(forms.collapsed(parsed(tree))) == expected


def test_real_parses_are_collapsed():
    """The paper's examples (sections 3 and 3.2)."""
    sentences = [
        "A man jumps on his bike near a beach.",
        "The child was hugged by its mother.",
        "A gray car is parked in front of the trees and next to a house.",
    ]
    jump, hug, car = map(forms.collapsed, treebank.parse(sentences, ENGLISH))
    assert {"jumps -nsubj-> man", "jumps -prep_on-> bike", "jumps -prep_near-> beach"} < {
        *edges(jump)
    }
    assert {"hugged -agent-> mother", "hugged -nsubjpass-> child"} < {*edges(hug)}
    assert {"parked -prep_in_front_of-> trees", "parked -prep_next_to-> house"} < {*edges(car)}
    assert "and" not in car.words and "." not in car.words


@given(WILD)
def test_what_is_collapsed_is_a_tree_of_some_of_the_words(tree):
    nodes = forms.collapsed(tree)
    assert edges(nodes)
    left = iter(tree.words)
    assert all(word in left for word in nodes.words)  # in their order
    assert len(nodes.words) == 1 or all(map(forms._has_letters, nodes.words))


def test_an_empty_sentence_is_an_unknown_word():
    for form in forms.FORMS.values():
        assert form(Tree([], [], [], [], "")) == ([""], [-1], ["root"])


def test_a_basic_tree_has_a_node_for_every_word_but_punctuation():
    assert edges(forms.basic(parsed(EXAMPLE))) == [
        "ride -nsubj-> students",
        "-root-> ride",
        "ride -dobj-> bikes",
        "ride -prep-> at",
        "at -pobj-> night",
    ]


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
def test_in_a_chain_each_word_is_the_left_child_of_the_next(tree):
    words, parents, relations = forms.chain(tree)
    assert words == [word for word in forms.binary(tree).words if word is not None]
    assert parents == [*range(1, len(words)), -1]
    assert relations == ["left"] * (len(words) - 1) + ["root"]
