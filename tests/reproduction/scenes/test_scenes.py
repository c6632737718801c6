"""The drawn scenes: reproducible, truly described in two languages, hard for a bag of words."""

import json
import random
import re
from collections import Counter, defaultdict
from io import BytesIO

import numpy as np
import pytest
import yaml
from PIL import Image, ImageColor

from reproduction.scenes import caption, choose, facts, families, generate, picture, swap
from reproduction.scenes.pen import PAINT

BEACH = yaml.safe_load("""
background: beach
sky: night
objects:
  - {id: a, kind: dog, colour: black, size: big, count: 1}
  - {id: b, kind: cat, colour: white, size: null, count: 1}
  - {id: c, kind: house, colour: red, size: null, count: 1}
relations: [{subject: a, name: in front of, object: c}]
action: {verb: chase, agent: a, patient: b}
""")
FLEET = yaml.safe_load("""
background: lake
sky: sunny
objects:
  - {id: a, kind: bird, colour: red, size: null, count: 3}
  - {id: b, kind: boat, colour: yellow, size: null, count: 2}
relations: []
action: null
""")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data set of 200 images, which are left blank: to draw them takes seconds."""
    folder = tmp_path_factory.mktemp("scenes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reproduction.scenes.picture", lambda *_: Image.new("RGB", (1, 1)))
        captions, images = generate(folder, 200, seed=7)
    lines = (folder / "scenes.jsonl").read_text(encoding="utf-8").splitlines()
    return folder, captions, images, [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def worlds():
    """Many scenes, not drawn."""
    source = families(random.Random(3))
    return [scene for _ in range(250) for scene in next(source)]


def draws(scene, mention, language, n=400, **how):
    rng = random.Random(0)
    return {caption(scene, set(mention), rng, language, **how).rstrip(".!") for _ in range(n)}


# ------------------------------------------------------------------------- the data set


def test_the_data_set_has_five_captions_of_each_image_in_each_language_and_their_facts(made):
    folder, captions, images, scenes = made
    assert list(captions) == ["image_id", "language", "split", "caption"]
    assert list(images) == ["image_id", "split", "path"]
    assert images["image_id"].tolist() == [f"scene-{k:04d}" for k in range(1, 201)]
    assert images["split"].value_counts().to_dict() == {"train": 140, "dev": 30, "test": 30}
    different = captions.groupby(["image_id", "language"])["caption"].nunique()
    assert len(different) == 400 and (different == 5).all()
    assert len(list((folder / "images").iterdir())) == len(scenes) == 200
    rows = captions.itertuples()
    for scene in scenes:
        for each in scene["captions"]:
            row = next(rows)
            assert (row.image_id, row.split) == (scene["image_id"], scene["split"])
            assert (row.caption, row.language) == (each["caption"], each["language"])
            assert set(each["mentions"]) <= facts(scene).keys()


def test_same_seed_same_bytes(tmp_path):
    def everything(name, seed):
        captions, _ = generate(tmp_path / name, 20, seed=seed)
        paths = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        return captions, {path.name: path.read_bytes() for path in paths}

    captions, files = everything("one", 11)
    same_captions, same_files = everything("two", 11)
    assert len(files) == 21 and files == same_files and captions.equals(same_captions)
    with Image.open(BytesIO(files["scene-0001.png"])) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (320, 256))
    assert not captions.equals(everything("three", 12)[0])


def test_families_stay_in_one_split_and_share_their_words(made):
    scenes = made[3]
    related = defaultdict(list)
    for scene in scenes:
        related[scene["family"]].append(scene)
    assert sum(len(family) > 1 for family in related.values()) > 0.8 * len(related)
    for family in related.values():
        assert len({scene["split"] for scene in family}) == 1
        assert len({frozenset(facts(scene).values()) for scene in family}) == len(family)
        assert len({(scene["background"], scene["sky"]) for scene in family}) == 1
        for attribute in ("kind", "colour", "size", "count"):
            bags = {tuple(sorted(str(o[attribute]) for o in s["objects"])) for s in family}
            assert len(bags) == 1


def test_no_scene_comes_twice():
    source = families(random.Random(2))
    scenes = [scene for _ in range(800) for scene in next(source)]
    assert len({frozenset(facts(scene).values()) for scene in scenes}) == len(scenes)


# ---------------------------------------------------------- captions are true of the facts
# Read back with words and patterns of the test's own, not with the grammar that wrote them.

KINDS = yaml.safe_load("""
man: man men guy guys
woman: woman women lady ladies
child: child children kid kids
dog: dog dogs
cat: cat cats
horse: horse horses
sheep: sheep
duck: duck ducks
rabbit: rabbit rabbits bunny bunnies
bird: bird birds
house: house houses
tree: tree trees
car: car cars
boat: boat boats sailboat sailboats
bicycle: bicycle bicycles bike bikes
ball: ball balls
balloon: balloon balloons
kite: kite kites
table: table tables
""")
KIND = {word: kind for kind, words in KINDS.items() for word in words.split()}
SIZE = yaml.safe_load("{big: big, large: big, small: small, little: small}")
COUNT = yaml.safe_load("""
{a: 1, two: 2, three: 3, four: 4, "2": 2, "3": 3, "4": 4, some: null}
""")
COLOUR = "red|blue|green|yellow|black|white|brown|grey"
PHRASE = re.compile(
    rf"\b(?P<count>{'|'.join(COUNT)}) (?:(?P<size>{'|'.join(SIZE)}) )?(?:(?P<fur>{COLOUR}) )?"
    rf"(?P<noun>{'|'.join(sorted(KIND, key=len, reverse=True))})\b"
    rf"(?: in (?:a )?(?P<cloth>{COLOUR})\b(?: shirt| dress| t-shirt)?)?"
)
# Each fact: the words between its subject and its object; and those if the object comes first.
PATTERNS = r"""
chase       :: chas(es|ing)|runs? after|running after :: chased .*by|away from
pull        :: pull(s|ing)\b :: pulled .*by
push        :: push(es|ing)\b :: pushed .*by
carry       :: carr(ies|ying) :: carried .*by|rid(es|ing) on
jump over   :: (jump|leap)(s|ing) over
hold        :: hold(s|ing) :: held .*by
fly         :: fl(ies|ying)$ :: flown .*by
ride        :: rid(es|ing)$ :: ridden .*by
play with   :: play(s|ing) with
drive       :: driv(es|ing) :: driven .*by
sail in     :: sail(s|ing) in
left of     :: left of :: right of
above       :: ^(?!.*(jump|leap)).*\b(above|over)$ :: \b(below|under)$
in front of :: in front of$ :: behind$
on          :: \bon$|on top of
"""
BETWEEN = {}
for line in PATTERNS.strip().splitlines():
    fact, *patterns = re.split(" +:: ", line)
    BETWEEN[fact] = patterns


def read(text):
    """The phrases of an English caption, and the fact between the first two of them."""
    text = text.lower().rstrip(".!")
    found = list(PHRASE.finditer(text))
    things = {
        KIND[m["noun"]]: (m["fur"] or m["cloth"], SIZE.get(m["size"]), COUNT[m["count"]])
        for m in found
    }
    if text.startswith("in front of"):  # a landmark that was put first
        found = [*found[1:], found[0]]
    if len(found) < 2:
        return things, None
    first, second = found[:2]
    between = re.sub(r"in a (cart|wagon)", "", text[first.end() : second.start()]).strip()
    said = [
        (fact, backwards)
        for fact, patterns in BETWEEN.items()
        for backwards, pattern in enumerate(patterns)
        if re.search(pattern, between)
    ]
    kinds = KIND[first["noun"]], KIND[second["noun"]]
    if "underneath" in between:
        said = [("under", False)]
    if not said:
        assert between == "and"
        return things, None
    # Only under a table can something be without hovering below it.
    if said == [("above", True)] and kinds[1] == "table":
        said = [("under", False)]
    if said[-1] == ("on", False) and len(said) > 1:  # "riding on"
        said = said[:-1]
    ((name, backwards),) = said
    return things, f"{kinds[backwards]} {name} {kinds[not backwards]}"


def test_english_captions_state_their_facts_and_no_others(worlds):
    rng = random.Random(5)
    relations = Counter()
    for scene in worlds:
        named = facts(scene)
        by_kind = {thing["kind"]: thing for thing in scene["objects"]}
        for _ in range(3):
            mention = choose(scene, rng)
            text = caption(scene, mention, rng, "en")
            things, said = read(text)
            assert set(things) == {by_kind[named[i]]["kind"] for i in mention & set("abc")}, text
            for kind, (colour, size, count) in things.items():
                thing = by_kind[kind]
                assert colour == (thing["colour"] if f"{thing['id']}.colour" in mention else None)
                assert size == (thing["size"] if f"{thing['id']}.size" in mention else None)
                exact = thing["count"] == 1 or f"{thing['id']}.count" in mention
                assert count == (thing["count"] if exact else None), text
            predicates = [named[m] for m in mention if m == "action" or " " in m]
            assert (said in predicates) if predicates else (said is None), text
            relations[said and said.split(" ", 1)[1].rsplit(" ", 1)[0]] += 1
    assert len(relations) == 5 + 6 + 5 + 1  # role verbs, other verbs, relations, none


def test_captions_name_the_scene_s_background_and_sky(worlds):
    words = yaml.safe_load("""
        beach     : beach|sea|Strand|Meer
        meadow    : meadow|field|grass|Wiese|Feld
        street    : street|road|city|Straße|Stadt
        snow      : snow|Schnee|verschneit
        mountains : mountains|Bergen|Gebirge
        lake      : lake|See
        desert    : desert|Wüste
        forest    : forest|woods|Wald
        sunny     : sunny|sunshine|Sonne$|Sonne |Sonnenschein
        cloudy    : cloudy|trüb|bewölkt
        rainy     : rain|Regen
        sunset    : sunset|evening|Sonnenuntergang|Abend
        night     : night|moon|[Nn]acht|Mond
    """)
    rng = random.Random(6)
    for scene in worlds:
        for language in ("en", "de"):
            mention = choose(scene, rng)
            text = caption(scene, mention, rng, language).rstrip(".!")
            said = {fact for fact, pattern in words.items() if re.search(rf"\b({pattern})", text)}
            assert said == {facts(scene)[name] for name in mention & {"background", "sky"}}, text


# Kind, gender, then each noun with its plural.
GERMAN = """
man m Mann Männer
woman f Frau Frauen Dame Damen
child n Kind Kinder
dog m Hund Hunde
cat f Katze Katzen
horse n Pferd Pferde
sheep n Schaf Schafe
duck f Ente Enten
rabbit n Kaninchen Kaninchen
bird m Vogel Vögel
house n Haus Häuser
tree m Baum Bäume
car n Auto Autos
boat n Boot Boote Segelboot Segelboote
bicycle n Fahrrad Fahrräder Rad Räder
ball m Ball Bälle
balloon m Luftballon Luftballons Ballon Ballons
kite m Drachen Drachen
table m Tisch Tische
"""
SINGULAR = {}
PLURAL = {}
for line in GERMAN.strip().splitlines():
    kind, gender, *nouns = line.split()
    SINGULAR |= dict.fromkeys(nouns[::2], (kind, gender))
    PLURAL |= dict.fromkeys(nouns[1::2], kind)
PLURAL |= {f"{w}n": k for w, k in PLURAL.items() if w[-1] not in "ns"}  # the dative
# Gender, article, and the ending of an adjective after it.
ARTICLES = "m ein er; m einen en; m einem en; f eine e; f einer en; n ein es; n einem en"
ENDINGS = {(words[0], words[1]): words[2] for words in map(str.split, ARTICLES.split("; "))}
ADJECTIVE = "(?:groß|klein|rot|blau|grün|gelb|schwarz|weiß|braun|grau)"
GERMAN_PHRASE = re.compile(
    r"\b(eine?[nmr]?|zwei|drei|vier|[234]|einigen?)"
    rf"((?: {ADJECTIVE}e[srn]?)*)"
    rf" ({'|'.join(sorted(SINGULAR.keys() | PLURAL.keys(), key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def read_german(text):
    """The kinds that a caption names; each article and adjective has its noun's gender and case."""
    kinds = set()
    for article, adjectives, noun in GERMAN_PHRASE.findall(text):
        endings = {re.sub(ADJECTIVE, "", word) for word in adjectives.split()}
        article = article.lower()
        if article.startswith("ein") and not article.startswith("einig"):
            kind, gender = SINGULAR[noun]
            assert endings <= {ENDINGS[gender, article]}, text
        else:
            kind = PLURAL[noun]
            if article.startswith("einig"):
                endings.add(article.removeprefix("einig"))
            assert endings <= {"e"} or (endings == {"en"} and noun[-1] in "ns"), text
        kinds.add(kind)
    return kinds


def test_german_has_the_right_gender_and_number(worlds):
    rng = random.Random(8)
    for scene in worlds:
        kinds = {thing["id"]: thing["kind"] for thing in scene["objects"]}
        for _ in range(3):
            mention = choose(scene, rng)
            text = caption(scene, mention, rng, "de")
            assert read_german(text) == {kinds[i] for i in mention & set("abc")}, text


def test_german_sentences_by_hand():
    swapped = swap(BEACH, "role", "a", "b")
    said = draws(swapped, ["a", "b", "b.size", "action", "background"], "de")
    assert said >= {
        "Am Strand jagt eine Katze einen großen Hund",
        "Ein großer Hund wird am Strand von einer Katze gejagt",
    }
    above = FLEET | {"relations": [{"subject": "a", "name": "above", "object": "b"}]}
    said = draws(above, ["a", "a.count", "b", "b.count", "b.colour", "a above b"], "de")
    assert {"Drei Vögel fliegen über zwei gelben Booten", "2 gelbe Boote unter 3 Vögeln"} < said
    woman, kite = (thing | {"count": 1} for thing in FLEET["objects"])
    objects = [woman | {"kind": "woman"}, kite | {"kind": "kite"}]
    flight = FLEET | {"objects": objects, "action": {"verb": "fly", "agent": "a", "patient": "b"}}
    said = draws(flight, ["a", "a.colour", "b", "b.colour", "action", "background"], "de", 2000)
    assert "Am See lässt eine Frau in Rot einen gelben Drachen steigen" in said


def test_negations_by_hand():
    mention = ["a", "a.colour", "b", "action"]
    assert "No black dog is chasing a cat" in draws(BEACH, mention, "en", negated=True)
    assert "Kein schwarzer Hund jagt eine Katze" in draws(BEACH, mention, "de", negated=True)
    mention = ["a", "a.colour", "a.count"]
    assert "There are no red birds" in draws(FLEET, mention, "en", negated=True)
    assert "Man sieht keine roten Vögel" in draws(FLEET, mention, "de", negated=True)


@pytest.mark.parametrize(
    "mention", [{"d"}, {"background"}, {"a", "b.colour"}, {"a", "action"}, {*"abc", "action"}]
)
def test_facts_that_make_no_sentence_are_refused(mention):
    with pytest.raises(ValueError, match="facts"):
        caption(BEACH, mention, random.Random(0), "en")


# --------------------------------------------------------------------------- how hard it is


def test_most_test_captions_fit_one_picture_only(made):
    test = [scene for scene in made[3] if scene["split"] == "test"]
    fits = []
    for scene in test:
        for each in scene["captions"]:
            said = {facts(scene)[name] for name in each["mentions"]}
            fits.append(sum(said <= set(facts(other).values()) for other in test))
    assert min(fits) == 1 and np.mean(np.array(fits) == 1) > 0.75


# ------------------------------------------------------------------------------- the pictures


def test_pictures_show_every_object_in_its_colour(worlds):
    for scene in random.Random(1).sample(worlds, 40):
        pixels = np.asarray(picture(scene, random.Random(2)), dtype=int)
        for thing in scene["objects"]:
            paint = ImageColor.getrgb(PAINT[thing["colour"]])
            shown = (abs(pixels - paint) < 4).all(axis=2)
            assert shown.sum() > 100, thing


def test_swapped_scenes_are_different_pictures():
    scenes = [BEACH, swap(BEACH, "role", "a", "b"), swap(BEACH, "colour", "a", "b")]
    shown = [np.asarray(picture(s, random.Random(0)), dtype=int) for s in scenes]
    for k in range(3):
        difference = abs(shown[k] - shown[k - 1]).max(axis=2)
        assert (difference > 60).mean() > 0.01
