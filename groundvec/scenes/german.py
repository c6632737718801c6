"""The German of the captions: gender, case, endings and word order."""

from groundvec.scenes.grammar import Grammar
from groundvec.scenes.world import ANIMALS, ANIMATE

_NOUNS = {  # gender, nominative singular and plural
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
_COLOURS = {
    "red": "rot",
    "blue": "blau",
    "green": "grün",
    "yellow": "gelb",
    "black": "schwarz",
    "white": "weiß",
    "brown": "braun",
    "grey": "grau",
}
_CLOTHES = {"man": "Hemd", "woman": "Kleid", "child": "T-Shirt"}
_SIZES = {"big": ("groß",), "small": ("klein",)}
_NUMBERS = {2: "zwei", 3: "drei", 4: "vier"}
_ARTICLES = {
    "m": {"nom": "ein", "acc": "einen", "dat": "einem"},
    "f": {"nom": "eine", "acc": "eine", "dat": "einer"},
    "n": {"nom": "ein", "acc": "ein", "dat": "einem"},
}
_KEIN_PLURAL = {"nom": "keine", "acc": "keine", "dat": "keinen"}
# Adjective endings after ein and kein, and in the plural without an article.
_ENDINGS = {
    "m": {"nom": "er", "acc": "en", "dat": "en"},
    "f": {"nom": "e", "acc": "e", "dat": "en"},
    "n": {"nom": "es", "acc": "es", "dat": "en"},
    "plural": {"nom": "e", "acc": "e", "dat": "en"},
}
_PRONOUNS = {"m": "der", "f": "die", "n": "das"}
_POSTURES = {
    "bird": ("fliegt", "fliegen"),
    "kite": ("fliegt", "fliegen"),
    "balloon": ("schwebt", "schweben"),
    "ball": ("liegt", "liegen"),
    "boat": ("schwimmt", "schwimmen"),
}
# Finite form, the object's preposition and case, what closes the clause, passive participle.
_VERBS = {
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
    "sail in": (("segelt", "in", "dat", "", None), ("fährt", "in", "dat", "", None)),
}
_CONVERSES = {"chase": ("flieht", "vor"), "carry": ("reitet", "auf")}
_RELATIONS = {  # all with the dative
    "left of": (("links von", "links neben"), ("rechts von", "rechts neben")),
    "above": (("über",), ("unter",)),
    "in front of": (("vor",), ("hinter",)),
    "on": (("auf",), ()),
    "under": (("unter",), ()),
}
_PLACES = {
    "beach": ("am Strand", "an einem Strand", "am Meer"),
    "meadow": ("auf einer Wiese", "auf der Wiese", "auf einem Feld"),
    "street": ("auf der Straße", "auf einer Straße", "in der Stadt"),
    "snow": ("im Schnee", "in einer verschneiten Landschaft"),
    "mountains": ("in den Bergen", "im Gebirge"),
    "lake": ("am See", "an einem See", "am Ufer eines Sees"),
    "desert": ("in der Wüste", "in einer Wüste"),
    "forest": ("im Wald", "in einem Wald"),
}
_SKIES = {
    "sunny": ("bei Sonnenschein", "in der Sonne"),
    "cloudy": ("bei trübem Wetter", "bei bewölktem Himmel"),
    "rainy": ("im Regen", "bei Regen"),
    "sunset": ("bei Sonnenuntergang", "am Abend"),
    "night": ("nachts", "in der Nacht", "im Mondschein"),
}


class German(Grammar):
    """German grammar for the facts of a scene."""

    def noun(self, name: str, case: str, negated: bool = False) -> str:
        """Make a noun phrase in the case `nom`, `acc` or `dat`, such as `einen großen Hund`."""
        kind, many = self.kind(name), self.many(name)
        size, colour = self.value(name, "size"), self.value(name, "colour")
        count = self.count(name)
        gender, one, more = self.pick(kind, _NOUNS[kind]).split()
        ending = _ENDINGS["plural" if many else gender][case]
        if many and negated:
            ending, words = "en", [_KEIN_PLURAL[case]]
        elif many and count:
            words = [self.pick("digits", (_NUMBERS[count], str(count)))]
        elif many:
            words = ["einige" + ("n" if case == "dat" else "")]
        else:
            words = [("k" if negated else "") + _ARTICLES[gender][case]]
        if size:
            words.append(self.pick(size, _SIZES[size]) + ending)
        if colour and kind not in _CLOTHES:
            words.append(_COLOURS[colour] + ending)
        if many and case == "dat" and more[-1] not in "ns":
            more += "n"
        words.append(more if many else one)
        if colour and kind in _CLOTHES:
            colour = _COLOURS[colour]
            short, long = f"in {colour.capitalize()}", f"in einem {colour}en {_CLOTHES[kind]}"
            words.append(short if many else self.pick("dress", (short, short, long)))
        return " ".join(words)

    def adjuncts(self) -> list[str]:
        """List the sky, the background and the landmark of an action, as far as mentioned."""
        words = []
        if "sky" in self.mention:
            words.append(self.pick("sky", _SKIES[self.scene["sky"]]))
        if "background" in self.mention:
            words.append(self.pick("place", _PLACES[self.scene["background"]]))
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
            gender = self.pick(self.kind(name), _NOUNS[self.kind(name)])[0]
            pronoun = "die" if self.many(name) else _PRONOUNS[gender]
            options.append(f"{subject}, {pronoun} {mid} {rest} {tail} {finite}")
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Clauses in the active, in the passive or with a verb for the patient's part."""
        finite, preposition, case, tail, passive = self.pick("verb", _VERBS[verb])
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
            finite, preposition = _CONVERSES[verb]
            options += [self.clause(patient, finite, f"{preposition} {by}")]
        return self.pick("order", (options[0], *options))

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Clauses with either object as subject."""
        there, back = _RELATIONS[name]
        if self.pick("order", (False, True)) and back:
            subject, object, there = object, subject, back
        where = f"{self.pick('relation', there)} {self.noun(object, 'dat')}"
        posture = _POSTURES.get(self.kind(subject), ("steht", "stehen"))[self.many(subject)]
        if below:
            where += f" mit {self.noun(below, 'dat')} darunter"
        near = " ".join(self.adjuncts())
        options = [
            *self.clause(subject, posture, where),
            f"{where} {posture} {self.noun(subject, 'nom', self.negated)} {near}",
            f"man sieht {self.noun(subject, 'acc', self.negated)} {where} {near}",
        ]
        if not self.negated:
            options.append(f"{self.noun(subject, 'nom')} {where} {near}")
        return options

    def existence(self, names: list[str]) -> list[str]:
        """Clauses that say that there are these objects."""
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
