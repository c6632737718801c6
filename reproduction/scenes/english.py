"""The English grammar of the captions."""

from reproduction.scenes.grammar import Grammar, words_of
from reproduction.scenes.world import ANIMALS, ANIMATE


class English(Grammar):
    """English grammar for the facts of a scene."""

    words = words_of(__file__)

    def noun(self, name: str, negated: bool = False) -> str:
        """Write a noun phrase, such as `two big black dogs` or `a man in a red shirt`."""
        kind = self.kind(name)
        many = self.many(name)
        size, colour, count = self.mentioned(name)
        clothes = self.words["clothes"].get(kind)
        words = [self.pick(size, self.words["sizes"][size])] if size else []
        # The color of an animal or thing is an adjective; a person's color belongs to the clothes.
        if colour and not clothes:
            words.append(colour)
        words.append(self.pick(kind, self.words["nouns"][kind]).split()[many])
        if negated:
            words.insert(0, "no")
        elif count:
            words.insert(0, self.number(count))
        else:
            words.insert(0, "some" if many else "a")
        if colour and clothes:
            short = f"in {colour}"
            long = f"in a {colour} {clothes}"
            words.append(short if many else self.pick("dress", (short, short, long)))
        return " ".join(words)

    def in_front_of(self, name: str) -> str:
        """Write the adjunct `in front of` an object."""
        return f"in front of {self.noun(name)}"

    def clause(self, name: str, rest: str, finite: str = "") -> list[str]:
        """Write clauses with the object `name` as subject: `... is {rest}` or `... {finite}`."""
        subject = self.noun(name, self.negated)
        verb = "are" if self.many(name) else "is"
        adjuncts = self.adjuncts()
        end = " ".join(adjuncts)
        # Participle, finite verb, existential clause, and with an adjunct first.
        options = [
            f"{subject} {verb} {rest} {end}",
            f"{subject} {finite or f'{verb} {rest}'} {end}",
            f"there {verb} {subject} {rest} {end}",
        ]
        if adjuncts:
            options.append(f"{adjuncts[-1]}, {subject} {verb} {rest} {' '.join(adjuncts[:-1])}")
        # A phrase without a finite verb is frequent in captions, but cannot be denied.
        if not self.negated:
            options += 2 * [f"{subject} {rest} {end}"]
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Write clauses in the active, the passive, or with a verb for the patient's role."""
        options = list(self.voices(verb, agent, patient).values())
        return self.pick("order", (options[0], *options))  # the active is twice as likely

    def voices(self, verb: str, agent: str, patient: str) -> dict[str, list[str]]:
        """Write clauses in the active and, if they are natural, in the passive and with a converse.

        The clauses of the active and the passive correspond one by one.
        """
        finite, active, passive = self.pick("verb", self.words["verbs"][verb])
        cart = self.cart(verb, patient)
        other = self.noun(patient)
        voices = {
            "active": self.clause(agent, f"{active} {other} {cart}", f"{finite} {other} {cart}")
        }
        if passive:
            voice = self.pick("voice", (f"being {passive}", passive))
            voices["passive"] = self.clause(patient, f"{voice} {cart} by {self.noun(agent)}")
        if verb == "chase" or (verb == "carry" and self.kind(agent) in ANIMALS):
            finite, converse = self.words["converses"][verb]
            by = self.noun(agent)
            voices["converse"] = self.clause(patient, f"{converse} {by}", f"{finite} {by}")
        return voices

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Write clauses with either object as subject."""
        subject, preposition, object = self.turned(subject, name, object)
        where = f"{preposition} {self.noun(object)}"
        if below:
            where += f" with {self.noun(below)} under it"
        kind = self.kind(subject)
        posture = "standing" if kind in ANIMATE else self.words["postures"].get(kind, "")
        return self.clause(subject, f"{self.pick('posture', ('', posture))} {where}")

    def existence(self, names: list[str]) -> list[str]:
        """Write clauses that state the existence of these objects."""
        things = " and ".join(self.noun(name, self.negated) for name in names)
        adjuncts = self.adjuncts()
        end = " ".join(adjuncts)
        verb = "are" if self.many(names[0]) else "is"
        options = [f"there {verb} {things} {end}", f"you can see {things} {end}"]
        if adjuncts:
            options.append(f"{adjuncts[-1]}, there {verb} {things} {' '.join(adjuncts[:-1])}")
        if not self.negated:
            options += 2 * [f"{things} {end}"]
        return options
