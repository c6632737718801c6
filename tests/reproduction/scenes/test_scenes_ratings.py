"""The graded pairs of sentences about scenes: graded by their facts, all phenomena, no leaks."""

import random
import re

import pytest

from groundvec.data.ratings import COLUMNS, count
from reproduction.scenes import facts, ratings
from reproduction.scenes.captions import voices
from reproduction.scenes.ratings import grade, graded_pairs
from reproduction.scenes.voices import SENTENCES, exchanges
from tests.support.result_files import read_table


def scene(agent, patient, verb="chase"):
    """Two things, each given by its number, colour and kind, and what one does to the other."""
    objects = []
    for name, thing in zip("ab", (agent, patient), strict=True):
        number, colour, kind = thing.split()
        parts = {"kind": kind, "colour": colour, "size": None, "count": int(number)}
        objects.append({"id": name, **parts})
    action = {"verb": verb, "agent": "a", "patient": "b"}
    where = {"background": "beach", "sky": "night", "relations": []}
    return where | {"objects": objects, "action": action}


CHASE = scene("1 black dog", "1 white cat")
OTHERWISE = scene("1 black cat", "1 white dog")
ALL = {"a", "b", "a.colour", "b.colour", "action"}  # weights 2, 2, 1, 1, 3


def say(text):
    """Make a sentence of a scene, and of the facts that it mentions: `no` denies them."""
    scene, *mention = text.removeprefix("no ").split()
    scene = {"chase": CHASE, "otherwise": OTHERWISE}[scene]
    mention = ALL if mention == ["all"] else set(mention)
    return ratings._sentence(scene, mention, random.Random(0), text.startswith("no "))


# By the weights of shared facts: 5 * 4/9 for a dog and a cat, 5 * 2*7/(9+7) and 5 * 2*2/(2+4).
GRADES = read_table("""
    one          | two                | grade
    chase all    | chase all          | 5
    chase all    | otherwise all      | 2.2
    chase all    | chase a b action   | 4.4
    chase a      | chase a a.colour sky | 3.3
    chase a      | chase b            | 0
    chase all    | no chase all       | 2.5
    no chase all | no chase all       | 5
    no chase all | otherwise all      | 1.1
""")


@pytest.mark.parametrize("one, two, expected", GRADES.values.tolist())
def test_grades_by_hand(one, two, expected):
    assert grade(say(one), say(two)) == grade(say(two), say(one)) == expected


@pytest.fixture(scope="module")
def made():
    """Pairs, and the scenes of each subtask and split."""
    scenes = []
    original = ratings._distinct

    def record(makers, families, *others):
        scenes.append([scene for family in families for scene in family])
        return original(makers, families, *others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "_distinct", record)
        return graded_pairs(1), scenes


def test_the_same_seed_gives_the_same_pairs(made):
    table, _ = made
    assert graded_pairs(1).equals(table)
    assert not graded_pairs(2).equals(table)


def test_every_subtask_has_its_pairs_and_a_spread_of_grades(made):
    table, _ = made
    assert list(table.columns) == COLUMNS
    tasks = count(table, ratings.SOURCES)
    assert tasks[["train", "dev", "test"]].values.tolist() == [
        *[[0, 0, 80]] * 4,
        [400, 100, 300],
    ]
    assert table.rating.between(0, 5).all() and (table.rating == table.rating.round(1)).all()
    groups = table.groupby(["task", "subtask", "split"])
    assert (groups.rating.std() > 1).all()
    assert (groups.rating.min() < 1).all() and (groups.rating.max() > 4).all()


def test_sentences_differ_and_no_pair_is_there_twice(made):
    table, _ = made
    assert (table.sentence_a != table.sentence_b).all()
    for _, group in table.groupby(["task", "subtask", "split"]):
        both = zip(group.sentence_a, group.sentence_b, strict=True)
        assert len(set(map(frozenset, both))) == len(group)


def test_no_scene_is_in_two_subtasks_or_splits(made):
    _, scenes = made
    assert len(scenes) == 7
    facts_of = [{frozenset(facts(scene).values()) for scene in each} for each in scenes]
    assert len(set().union(*facts_of)) == sum(map(len, facts_of))


def denied(text):
    return bool(re.search(r"\b[Nn]o\b", text))


def test_phenomena(made):
    table, _ = made
    of = {name: group for name, group in table[table.task == "Scenes"].groupby("subtask")}
    assert (of["Paraphrase"].rating == 5).sum() >= 40

    no = of["Negation"][["sentence_a", "sentence_b"]].map(denied)
    one = no.sentence_a != no.sentence_b
    both = no.sentence_a & no.sentence_b
    assert one.sum() >= 20 and both.sum() >= 20
    assert (of["Negation"].rating[one] <= 2.5).all()
    assert (of["Negation"].rating[both] == 5).sum() >= 20
    for name in ("Paraphrase", "Overlap", "Swap"):
        assert not of[name][["sentence_a", "sentence_b"]].map(denied).to_numpy().any()

    bags = of["Swap"][["sentence_a", "sentence_b"]].map(
        lambda text: sorted(re.findall(r"[\w-]+", text.lower()))
    )
    same_words = of["Swap"][bags.sentence_a == bags.sentence_b]
    assert len(same_words) >= 5  # the same words with exchanged roles
    assert (same_words.rating < 5).all()


def test_a_denial_does_not_mention_numbers():
    """ "No two dogs" would be odd: numbers are left out, and then not graded either."""
    balloons = scene("1 red man", "3 blue balloon", "hold")
    denials = ratings._denials([[balloons]], random.Random(0))
    for _ in range(50):
        one, two = next(denials)
        assert two.denied
        assert "3 balloon" not in one.weights | two.weights
        assert not re.search(r"three|3", one.text + two.text)


# Active and passive


def test_a_scene_in_the_active_and_in_the_passive():
    roles = {**CHASE, "action": {"verb": "carry", "agent": "b", "patient": "a"}}
    found = set()
    for seed in range(200):
        said = voices(roles, ALL, random.Random(seed))
        found.add((said["active"], said["passive"]))
    actives, passives = (
        {text.rstrip(".!").lower() for text in voice} for voice in zip(*found, strict=True)
    )
    assert actives == {
        f"{start} a black dog"
        for start in (
            "a white cat carries",
            "a white cat is carrying",
            "there is a white cat carrying",
            "a white cat carrying",
        )
    }
    assert passives == {
        f"{start} {voice} by a white cat"
        for start in ("a black dog is", "there is a black dog", "a black dog")
        for voice in ("carried", "being carried")
    }
    jump = scene("1 black dog", "1 white cat", "jump over")
    assert "passive" not in voices(jump, ALL, random.Random(0))


def test_roles_are_exchanged_in_the_same_words():
    table = exchanges(1, 60)
    assert exchanges(1, 60).equals(table) and not exchanges(2, 60).equals(table)
    assert list(table.columns) == SENTENCES and len(table) == 60
    assert table["active"].is_unique
    words = table.map(lambda text: sorted(re.findall(r"[\w-]+", text.lower())))
    assert words["active"].equals(words["exchanged_active"])
    assert words["passive"].equals(words["exchanged_passive"])
    for _, row in table.iterrows():
        assert len(set(row)) == 4
        assert [" by a " in text for text in row] == [False, True, False, True]
