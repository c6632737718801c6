"""Captions: a small grammar of English and of German over the facts of a scene.

Both languages build a sentence alike: noun phrases for the objects, a clause about them (an
action, a relation or that they exist) and adjuncts (landmark, place, weather). All choices of
words hang on one random number and on what is chosen for, not on the order of choosing, so that
the scenes of a family can be captioned in the same words.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

from grounded.data.scenes.world import ANIMALS, ANIMATE, Scene, facts

T = TypeVar("T")


def caption(
    scene: Scene, mention: set[str], rng: random.Random, language: str, negated: bool = False
) -> str:
    """Say some facts of a scene in one sentence.

    Args:
        scene: as in `grounded.data.scenes.world`.
        mention: names of facts, as in `facts(scene)`; see `choose` for what goes together.
        rng: chooses the words and their order; another draw gives a paraphrase.
        language: `en` or `de`.
        negated: deny it instead: "There is no dog on the beach", "Kein Hund jagt eine Katze".

    Raises:
        ValueError: a name is not a fact of the scene, or an object is mentioned that has no part
            in the mentioned action or relations.
    """
    said = [name for name in predicates(scene) if name in mention]
    objects = {thing["id"] for thing in scene["objects"]} & mention
    if unknown := mention - facts(scene).keys():
        raise ValueError(f"not facts of this scene: {sorted(unknown)}")
    if said and objects != {each for name in said for each in predicates(scene)[name]}:
        raise ValueError(f"{sorted(objects)} are not the objects of {said}")
    grammar = {"en": _English, "de": _German}[language](scene, mention, rng.random(), negated)
    options = grammar.clauses(said)
    text = " ".join(grammar.pick("clause", options).split())
    return text[0].upper() + text[1:] + grammar.pick("end", (*["."] * 8, "", "!"))


def choose(scene: Scene, rng: random.Random) -> set[str]:
    """What a describer might mention: usually what happens, rarely everything.

    The action or relations that are kept bring their objects; without any, `a` and perhaps `b`
    are just there. Then each of these objects' attributes, the background and the sky.
    """
    mention = set()
    for name, objects in predicates(scene).items():
        landmark = name == "a in front of c"
        if rng.random() < (0.3 if landmark else 0.92):
            mention |= {name, *objects}
    if not mention:
        mention = {"a", "b"} if rng.random() < 0.9 or not scene["action"] else {"a"}
    place = rng.random()
    for name in facts(scene):
        thing, _, attribute = name.partition(".")
        likely = {"colour": 0.75, "size": 0.85, "count": 0.9}.get(attribute, 0)
        if thing in mention and rng.random() < likely:
            mention.add(name)
    # Seldom both, or captions grow longer than people write them.
    return (
        mention
        | ({"background"} if place < 0.5 else set())
        | ({"sky"} if 0.42 < place < 0.75 else set())
    )


def predicates(scene: Scene) -> dict[str, tuple[str, str]]:
    """The facts that say something about two objects, and which objects these are."""
    action = scene["action"]
    named = {"action": (action["agent"], action["patient"])} if action else {}
    for relation in scene["relations"]:
        pair = relation["subject"], relation["object"]
        named[f"{pair[0]} {relation['name']} {pair[1]}"] = pair
    return named


class _Grammar:
    """What the two languages share: picking words, and what is said about which object."""

    def __init__(self, scene: Scene, mention: set[str], salt: float, negated: bool) -> None:
        self.scene, self.mention, self.salt, self.negated = scene, mention, salt, negated
        self.things = {thing["id"]: thing for thing in scene["objects"]}

    def pick(self, name: str, options: Sequence[T]) -> T:
        """One of `options`: the same one whenever asked again for the same `name`."""
        return random.Random(f"{self.salt} {name}").choice(options)

    def kind(self, name: str) -> str:
        return self.things[name]["kind"]

    def many(self, name: str) -> bool:
        return self.things[name]["count"] > 1

    def value(self, name: str, attribute: str) -> str | int | None:
        """The attribute's value if it is to be mentioned."""
        return self.things[name][attribute] if f"{name}.{attribute}" in self.mention else None

    def clauses(self, said: list[str]) -> list[str]:
        """All clauses that say the predicates `said`, or that the mentioned objects exist."""
        if not said:
            named = [name for name in self.things if name in self.mention]
            return self.existence(self.pick("order", (named, named[::-1])))
        if said[0] == "action":
            agent, patient = predicates(self.scene)["action"]
            return self.action(self.scene["action"]["verb"], agent, patient)
        relation, *others = [
            relation
            for relation in self.scene["relations"]
            if f"{relation['subject']} {relation['name']} {relation['object']}" in said
        ]
        return self.relation(**relation, below=others[0]["subject"] if others else None)


# ------------------------------------------------------------------------------------ English

_EN_NOUNS = {
    "man": ("man men", "guy guys"),
    "woman": ("woman women", "lady ladies"),
    "child": ("child children", "kid kids"),
    "dog": ("dog dogs",),
    "cat": ("cat cats",),
    "horse": ("horse horses",),
    "sheep": ("sheep sheep",),
    "duck": ("duck ducks",),
    "rabbit": ("rabbit rabbits", "bunny bunnies"),
    "bird": ("bird birds",),
    "house": ("house houses",),
    "tree": ("tree trees",),
    "car": ("car cars",),
    "boat": ("boat boats", "sailboat sailboats"),
    "bicycle": ("bicycle bicycles", "bike bikes"),
    "ball": ("ball balls",),
    "balloon": ("balloon balloons",),
    "kite": ("kite kites",),
    "table": ("table tables",),
}
_EN_CLOTHES = {"man": "shirt", "woman": "dress", "child": "T-shirt"}
_EN_SIZES = {"big": ("big", "large"), "small": ("small", "little")}
_EN_NUMBERS = {2: "two", 3: "three", 4: "four"}
_EN_POSTURES = dict.fromkeys(ANIMATE, "standing") | {
    "bird": "flying",
    "kite": "flying",
    "balloon": "floating",
    "ball": "lying",
    "car": "parked",
}
# Third person, present participle and, where a passive is natural, past participle.
_EN_VERBS = {
    "chase": (("chases", "chasing", "chased"), ("runs after", "running after", None)),
    "pull": (("pulls", "pulling", "pulled"),),
    "push": (("pushes", "pushing", "pushed"),),
    "carry": (("carries", "carrying", "carried"),),
    "jump over": (("jumps over", "jumping over", None), ("leaps over", "leaping over", None)),
    "hold": (("holds", "holding", "held"),),
    "fly": (("flies", "flying", "flown"),),
    "ride": (("rides", "riding", "ridden"),),
    "play with": (("plays with", "playing with", None),),
    "drive": (("drives", "driving", "driven"),),
    "sit in": (("sits in", "sitting in", None),),
}
# The same seen from the patient.
_EN_CONVERSES = {
    "chase": ("runs away from", "running away from"),
    "carry": ("rides on", "riding on"),
}
_EN_RELATIONS = {
    "left of": (("to the left of", "left of"), ("to the right of", "right of")),
    "above": (("above", "over"), ("below", "under")),
    "in front of": (("in front of",), ("behind",)),
    "on": (("on", "on top of"), ()),
    "under": (("under", "underneath"), ()),
}
_EN_PLACES = {
    "beach": ("on the beach", "at the beach", "on a beach", "by the sea"),
    "meadow": ("in a meadow", "in a field", "on the grass"),
    "street": ("on the street", "on a road", "in the city"),
    "snow": ("in the snow", "in a snowy landscape"),
    "mountains": ("in the mountains",),
    "lake": ("by the lake", "at a lake", "on the shore of a lake"),
    "desert": ("in the desert", "in a desert"),
    "forest": ("in the forest", "in a forest", "in the woods"),
}
_EN_SKIES = {
    "sunny": ("on a sunny day", "in the sunshine"),
    "cloudy": ("on a cloudy day", "in cloudy weather"),
    "rainy": ("in the rain", "on a rainy day"),
    "sunset": ("at sunset", "in the evening"),
    "night": ("at night", "in the moonlight"),
}


class _English(_Grammar):
    def noun(self, name: str, negated: bool = False) -> str:
        """A noun phrase, such as `two big black dogs` or `a man in a red shirt`."""
        kind, many = self.kind(name), self.many(name)
        size, colour, count = (self.value(name, each) for each in ("size", "colour", "count"))
        words = [self.pick(size, _EN_SIZES[size])] if size else []
        if colour and kind not in _EN_CLOTHES:
            words.append(colour)
        words.append(self.pick(kind, _EN_NOUNS[kind]).split()[many])
        if negated:
            words.insert(0, "no")
        elif count:
            words.insert(0, self.pick("digits", (_EN_NUMBERS[count], str(count))))
        else:
            words.insert(0, "some" if many else "a")
        if colour and kind in _EN_CLOTHES:
            one = f"in a {colour} {_EN_CLOTHES[kind]}"
            words.append(f"in {colour}" if many else self.pick("dress", (one, f"in {colour}")))
        return " ".join(words)

    def adjuncts(self) -> list[str]:
        """The landmark of an action, the background and the sky, as far as mentioned."""
        words = []
        if "action" in self.mention and "c" in self.mention:
            words.append(f"in front of {self.noun('c')}")
        if "background" in self.mention:
            words.append(self.pick("place", _EN_PLACES[self.scene["background"]]))
        if "sky" in self.mention:
            words.append(self.pick("sky", _EN_SKIES[self.scene["sky"]]))
        return words

    def clause(self, name: str, rest: str, finite: str = "") -> list[str]:
        """Clauses with the object `name` as subject: `... is {rest}` or `... {finite}`."""
        subject, verb = self.noun(name, self.negated), "are" if self.many(name) else "is"
        near = self.adjuncts()
        end = " ".join(near)
        options = [
            f"{subject} {verb} {rest} {end}",
            f"{subject} {finite} {end}" if finite else f"{subject} {verb} {rest} {end}",
            f"there {verb} {subject} {rest} {end}",
        ]
        if near:
            options.append(f"{near[-1]}, {subject} {verb} {rest} {' '.join(near[:-1])}")
        if not self.negated:
            options += 2 * [f"{subject} {rest} {end}"]
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        finite, active, passive = self.pick("verb", _EN_VERBS[verb])
        cart = ""
        if verb in ("pull", "push") and self.kind(patient) in ANIMATE:
            cart = self.pick("cart", ("in a cart", "in a wagon"))
        other = self.noun(patient)
        options = [self.clause(agent, f"{active} {other} {cart}", f"{finite} {other} {cart}")]
        if passive:
            voice = self.pick("voice", (f"being {passive}", passive))
            options += [self.clause(patient, f"{voice} {cart} by {self.noun(agent)}")]
        if verb == "chase" or (verb == "carry" and self.kind(agent) in ANIMALS):
            finite, converse = _EN_CONVERSES[verb]
            by = self.noun(agent)
            options += [self.clause(patient, f"{converse} {by}", f"{finite} {by}")]
        return self.pick("order", (options[0], *options))

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        there, back = _EN_RELATIONS[name]
        if back and self.pick("order", (False, True)):
            subject, object, there = object, subject, back
        where = f"{self.pick('relation', there)} {self.noun(object)}"
        if below:
            where += f" and {self.noun(below)} under it"
        posture = self.pick("posture", ("", _EN_POSTURES.get(self.kind(subject), "")))
        return self.clause(subject, f"{posture} {where}")

    def existence(self, names: list[str]) -> list[str]:
        things = " and ".join(self.noun(name, self.negated) for name in names)
        near = self.adjuncts()
        end = " ".join(near)
        verb = "are" if self.many(names[0]) else "is"
        options = [f"there {verb} {things} {end}", f"you can see {things} {end}"]
        if near:
            options.append(f"{near[-1]}, there {verb} {things} {' '.join(near[:-1])}")
        if not self.negated:
            options += 2 * [f"{things} {end}"]
        return options


# ------------------------------------------------------------------------------------- German

_DE_NOUNS = {  # gender, nominative singular and plural
    "man": ("m Mann Männer",),
    "woman": ("f Frau Frauen", "f Dame Damen"),
    "child": ("n Kind Kinder",),
    "dog": ("m Hund Hunde",),
    "cat": ("f Katze Katzen",),
    "horse": ("n Pferd Pferde",),
    "sheep": ("n Schaf Schafe",),
    "duck": ("f Ente Enten",),
    "rabbit": ("n Kaninchen Kaninchen",),
    "bird": ("m Vogel Vögel",),
    "house": ("n Haus Häuser",),
    "tree": ("m Baum Bäume",),
    "car": ("n Auto Autos",),
    "boat": ("n Boot Boote", "n Segelboot Segelboote"),
    "bicycle": ("n Fahrrad Fahrräder", "n Rad Räder"),
    "ball": ("m Ball Bälle",),
    "balloon": ("m Luftballon Luftballons", "m Ballon Ballons"),
    "kite": ("m Drachen Drachen",),
    "table": ("m Tisch Tische",),
}
_DE_COLOURS = {
    "red": "rot",
    "blue": "blau",
    "green": "grün",
    "yellow": "gelb",
    "black": "schwarz",
    "white": "weiß",
    "brown": "braun",
    "grey": "grau",
}
_DE_CLOTHES = {"man": "Hemd", "woman": "Kleid", "child": "T-Shirt"}
_DE_SIZES = {"big": ("groß",), "small": ("klein",)}
_DE_NUMBERS = {2: "zwei", 3: "drei", 4: "vier"}
_DE_ARTICLES = {
    "m": {"nom": "ein", "acc": "einen", "dat": "einem"},
    "f": {"nom": "eine", "acc": "eine", "dat": "einer"},
    "n": {"nom": "ein", "acc": "ein", "dat": "einem"},
}
_DE_KEIN_PLURAL = {"nom": "keine", "acc": "keine", "dat": "keinen"}
# Adjective endings after ein and kein, and in the plural without an article.
_DE_ENDINGS = {
    "m": {"nom": "er", "acc": "en", "dat": "en"},
    "f": {"nom": "e", "acc": "e", "dat": "en"},
    "n": {"nom": "es", "acc": "es", "dat": "en"},
    "plural": {"nom": "e", "acc": "e", "dat": "en"},
}
_DE_PRONOUNS = {"m": "der", "f": "die", "n": "das"}
_DE_POSTURES = {
    "bird": ("fliegt", "fliegen"),
    "kite": ("fliegt", "fliegen"),
    "balloon": ("schwebt", "schweben"),
    "ball": ("liegt", "liegen"),
    "boat": ("schwimmt", "schwimmen"),
}
# Finite form, the object's preposition and case, what closes the clause, passive participle.
_DE_VERBS = {
    "chase": (("jagt", "", "acc", "", "gejagt"), ("verfolgt", "", "acc", "", "verfolgt")),
    "pull": (("zieht", "", "acc", "", "gezogen"),),
    "push": (("schiebt", "", "acc", "", "geschoben"),),
    "carry": (("trägt", "", "acc", "", "getragen"),),
    "jump over": (("springt", "über", "acc", "", None),),
    "hold": (("hält", "", "acc", "", "gehalten"),),
    "fly": (("lässt", "", "acc", "steigen", None),),
    "ride": (("fährt", "auf", "dat", "", None), ("fährt", "mit", "dat", "", None)),
    "play with": (("spielt", "mit", "dat", "", None),),
    "drive": (("fährt", "", "acc", "", "gefahren"), ("lenkt", "", "acc", "", "gelenkt")),
    "sit in": (("sitzt", "in", "dat", "", None),),
}
_DE_CONVERSES = {"chase": ("flieht", "vor"), "carry": ("reitet", "auf")}
_DE_RELATIONS = {  # all with the dative
    "left of": (("links von", "links neben"), ("rechts von", "rechts neben")),
    "above": (("über",), ("unter",)),
    "in front of": (("vor",), ("hinter",)),
    "on": (("auf",), ()),
    "under": (("unter",), ()),
}
_DE_PLACES = {
    "beach": ("am Strand", "an einem Strand", "am Meer"),
    "meadow": ("auf einer Wiese", "auf der Wiese", "im Gras"),
    "street": ("auf der Straße", "auf einer Straße", "in der Stadt"),
    "snow": ("im Schnee", "in einer verschneiten Landschaft"),
    "mountains": ("in den Bergen", "im Gebirge"),
    "lake": ("am See", "an einem See", "am Ufer eines Sees"),
    "desert": ("in der Wüste", "in einer Wüste"),
    "forest": ("im Wald", "in einem Wald"),
}
_DE_SKIES = {
    "sunny": ("bei Sonnenschein", "in der Sonne"),
    "cloudy": ("bei trübem Wetter", "bei bewölktem Himmel"),
    "rainy": ("im Regen", "bei Regen"),
    "sunset": ("bei Sonnenuntergang", "am Abend"),
    "night": ("nachts", "in der Nacht", "im Mondschein"),
}


class _German(_Grammar):
    def noun(self, name: str, case: str, negated: bool = False) -> str:
        """A noun phrase in the case `nom`, `acc` or `dat`, such as `einen großen Hund`."""
        kind, many = self.kind(name), self.many(name)
        size, colour, count = (self.value(name, each) for each in ("size", "colour", "count"))
        gender, one, more = self.pick(kind, _DE_NOUNS[kind]).split()
        ending = _DE_ENDINGS["plural" if many else gender][case]
        if many and negated:
            ending, words = "en", [_DE_KEIN_PLURAL[case]]
        elif many and count:
            words = [self.pick("digits", (_DE_NUMBERS[count], str(count)))]
        elif many:
            words = ["einige" + ("n" if case == "dat" else "")]
        else:
            words = [("k" if negated else "") + _DE_ARTICLES[gender][case]]
        if size:
            words.append(self.pick(size, _DE_SIZES[size]) + ending)
        if colour and kind not in _DE_CLOTHES:
            words.append(_DE_COLOURS[colour] + ending)
        if many and case == "dat" and more[-1] not in "ns":
            more += "n"
        words.append(more if many else one)
        if colour and kind in _DE_CLOTHES:
            colour = _DE_COLOURS[colour]
            dress = f"in einem {colour}en {_DE_CLOTHES[kind]}", f"in {colour.capitalize()}"
            words.append(dress[1] if many else self.pick("dress", dress))
        return " ".join(words)

    def adjuncts(self) -> list[str]:
        """The sky, the background and the landmark of an action, as far as mentioned."""
        words = []
        if "sky" in self.mention:
            words.append(self.pick("sky", _DE_SKIES[self.scene["sky"]]))
        if "background" in self.mention:
            words.append(self.pick("place", _DE_PLACES[self.scene["background"]]))
        if "action" in self.mention and "c" in self.mention:
            words.append(f"vor {self.noun('c', 'dat')}")
        return words

    def clause(self, name: str, finite: str, rest: str, tail: str = "") -> list[str]:
        """Clauses with the object `name` as subject; `tail` closes the verb's bracket."""
        subject = self.noun(name, "nom", self.negated)
        near = self.adjuncts()
        mid = " ".join(near)
        options = [
            f"{subject} {finite} {mid} {rest} {tail}",
            f"{subject} {finite} {rest} {mid} {tail}",
            f"hier {finite} {subject} {mid} {rest} {tail}",
        ]
        if near:
            options += 2 * [f"{near[0]} {finite} {subject} {' '.join(near[1:])} {rest} {tail}"]
        if not self.negated:
            gender = self.pick(self.kind(name), _DE_NOUNS[self.kind(name)])[0]
            pronoun = "die" if self.many(name) else _DE_PRONOUNS[gender]
            options.append(f"{subject}, {pronoun} {mid} {rest} {tail} {finite}")
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        finite, preposition, case, tail, passive = self.pick("verb", _DE_VERBS[verb])
        cart = ""
        if verb in ("pull", "push") and self.kind(patient) in ANIMATE:
            cart = self.pick("cart", ("in einem Karren", "in einem Wagen"))
        by = self.noun(agent, "dat")
        other = f"{preposition} {self.noun(patient, case)} {cart}"
        options = [self.clause(agent, finite, other, tail)]
        if passive:
            auxiliary = "werden" if self.many(patient) else "wird"
            options += [self.clause(patient, auxiliary, f"von {by} {cart}", passive)]
        if verb == "chase" or (verb == "carry" and self.kind(agent) in ANIMALS):
            finite, preposition = _DE_CONVERSES[verb]
            options += [self.clause(patient, finite, f"{preposition} {by}")]
        return self.pick("order", (options[0], *options))

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        there, back = _DE_RELATIONS[name]
        if back and self.pick("order", (False, True)):
            subject, object, there = object, subject, back
        where = f"{self.pick('relation', there)} {self.noun(object, 'dat')}"
        posture = _DE_POSTURES.get(self.kind(subject), ("steht", "stehen"))[self.many(subject)]
        near = " ".join(self.adjuncts())
        # A relative clause cannot be followed by what else is under the table.
        options = [
            each for each in self.clause(subject, posture, where) if not below or "," not in each
        ]
        options.append(f"{where} {posture} {self.noun(subject, 'nom', self.negated)} {near}")
        if not self.negated:
            options.append(f"{self.noun(subject, 'nom')} {where} {near}")
        if below:
            return [f"{each} und {self.noun(below, 'nom')} darunter" for each in options]
        return [*options, f"man sieht {self.noun(subject, 'acc', self.negated)} {where} {near}"]

    def existence(self, names: list[str]) -> list[str]:
        things = " und ".join(self.noun(name, "nom", self.negated) for name in names)
        seen = " und ".join(self.noun(name, "acc", self.negated) for name in names)
        finite = "sind" if len(names) > 1 or self.many(names[0]) else "ist"
        near = self.adjuncts()
        mid = " ".join(near)
        options = [
            f"{things} {finite} {mid} zu sehen",
            f"man sieht {mid} {seen}",
            f"hier gibt es {mid} {seen}",
        ]
        if near:
            options.append(f"{near[0]} {finite} {' '.join(near[1:])} {things} zu sehen")
        if not self.negated:
            options += 2 * [f"{things} {mid}"]
        return options
