"""The English of the captions."""

from groundvec.scenes.grammar import Grammar
from groundvec.scenes.world import ANIMALS, ANIMATE

_NOUNS = {
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
_CLOTHES = {"man": "shirt", "woman": "dress", "child": "T-shirt"}
_SIZES = {"big": ("big", "large"), "small": ("small", "little")}
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_POSTURES = dict.fromkeys(ANIMATE, "standing") | {
    "bird": "flying",
    "kite": "flying",
    "balloon": "floating",
    "ball": "lying",
    "car": "parked",
}
# Third person, present participle and, where a passive is natural, past participle.
_VERBS = {
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
    "sail in": (("sails in", "sailing in", None),),
}
# The same seen from the patient.
_CONVERSES = {"chase": ("runs away from", "running away from"), "carry": ("rides on", "riding on")}
_RELATIONS = {
    "left of": (("to the left of", "left of"), ("to the right of", "right of")),
    "above": (("above", "over"), ("below", "under")),
    "in front of": (("in front of",), ("behind",)),
    "on": (("on", "on top of"), ()),
    "under": (("under", "underneath"), ()),
}
_PLACES = {
    "beach": ("on the beach", "at the beach", "on a beach", "by the sea"),
    "meadow": ("in a meadow", "in a field", "on the grass"),
    "street": ("on the street", "on a road", "in the city"),
    "snow": ("in the snow", "in a snowy landscape"),
    "mountains": ("in the mountains",),
    "lake": ("by the lake", "at a lake", "on the shore of a lake"),
    "desert": ("in the desert", "in a desert"),
    "forest": ("in the forest", "in a forest", "in the woods"),
}
_SKIES = {
    "sunny": ("on a sunny day", "in the sunshine"),
    "cloudy": ("on a cloudy day", "in cloudy weather"),
    "rainy": ("in the rain", "on a rainy day"),
    "sunset": ("at sunset", "in the evening"),
    "night": ("at night", "in the moonlight"),
}


class English(Grammar):
    """English grammar for the facts of a scene."""

    def noun(self, name: str, negated: bool = False) -> str:
        """Make a noun phrase, such as `two big black dogs` or `a man in a red shirt`."""
        kind, many = self.kind(name), self.many(name)
        size, colour = self.value(name, "size"), self.value(name, "colour")
        count = self.count(name)
        words = [self.pick(size, _SIZES[size])] if size else []
        if colour and kind not in _CLOTHES:
            words.append(colour)
        words.append(self.pick(kind, _NOUNS[kind]).split()[many])
        if negated:
            words.insert(0, "no")
        elif count:
            words.insert(0, self.pick("digits", (_NUMBERS[count], str(count))))
        else:
            words.insert(0, "some" if many else "a")
        if colour and kind in _CLOTHES:
            short, long = f"in {colour}", f"in a {colour} {_CLOTHES[kind]}"
            words.append(short if many else self.pick("dress", (short, short, long)))
        return " ".join(words)

    def adjuncts(self) -> list[str]:
        """List the landmark of an action, the background and the sky, as far as mentioned."""
        words = []
        if "action" in self.mention and "c" in self.mention:
            words.append(f"in front of {self.noun('c')}")
        if "background" in self.mention:
            words.append(self.pick("place", _PLACES[self.scene["background"]]))
        if "sky" in self.mention:
            words.append(self.pick("sky", _SKIES[self.scene["sky"]]))
        return words

    def clause(self, name: str, rest: str, finite: str = "") -> list[str]:
        """Clauses with the object `name` as subject: `... is {rest}` or `... {finite}`."""
        subject, verb = self.noun(name, self.negated), "are" if self.many(name) else "is"
        near = self.adjuncts()
        end = " ".join(near)
        options = [
            f"{subject} {verb} {rest} {end}",
            f"{subject} {finite or f'{verb} {rest}'} {end}",
            f"there {verb} {subject} {rest} {end}",
        ]
        if near:
            options.append(f"{near[-1]}, {subject} {verb} {rest} {' '.join(near[:-1])}")
        if not self.negated:
            options += 2 * [f"{subject} {rest} {end}"]
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Clauses in the active, in the passive or with a verb for the patient's part."""
        options = list(self.voices(verb, agent, patient).values())
        return self.pick("order", (options[0], *options))

    def voices(self, verb: str, agent: str, patient: str) -> dict[str, list[str]]:
        """Clauses in the active, and where they are natural the passive and a converse.

        Those of the active and the passive are alike, one by one.
        """
        finite, active, passive = self.pick("verb", _VERBS[verb])
        cart = ""
        if verb in ("pull", "push") and self.kind(patient) in ANIMATE:
            cart = self.pick("cart", ("in a cart", "in a wagon"))
        other = self.noun(patient)
        voices = {
            "active": self.clause(agent, f"{active} {other} {cart}", f"{finite} {other} {cart}")
        }
        if passive:
            voice = self.pick("voice", (f"being {passive}", passive))
            voices["passive"] = self.clause(patient, f"{voice} {cart} by {self.noun(agent)}")
        if verb == "chase" or (verb == "carry" and self.kind(agent) in ANIMALS):
            finite, converse = _CONVERSES[verb]
            by = self.noun(agent)
            voices["converse"] = self.clause(patient, f"{converse} {by}", f"{finite} {by}")
        return voices

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Clauses with either object as subject."""
        there, back = _RELATIONS[name]
        if self.pick("order", (False, True)) and back:
            subject, object, there = object, subject, back
        where = f"{self.pick('relation', there)} {self.noun(object)}"
        if below:
            where += f" with {self.noun(below)} under it"
        posture = self.pick("posture", ("", _POSTURES.get(self.kind(subject), "")))
        return self.clause(subject, f"{posture} {where}")

    def existence(self, names: list[str]) -> list[str]:
        """Clauses that say that there are these objects."""
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
