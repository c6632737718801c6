"""The German grammar of the captions: gender, case, endings and word order."""

from reproduction.scenes.grammar import Grammar, words_of
from reproduction.scenes.world import ANIMALS


class German(Grammar):
    """German grammar for the facts of a scene."""

    words = words_of(__file__)

    def noun(self, name: str, case: str, negated: bool = False) -> str:
        """Write a noun phrase in the case `nom`, `acc` or `dat`, such as `einen großen Hund`."""
        kind = self.kind(name)
        many = self.many(name)
        size, colour, count = self.mentioned(name)
        clothes = self.words["clothes"].get(kind)
        gender, singular, plural = self.pick(kind, self.words["nouns"][kind]).split()
        ending = self.words["endings"]["plural" if many else gender][case]
        if many and negated:
            ending = "en"  # adjectives after "keine" are weak
            words = ["keinen" if case == "dat" else "keine"]
        elif many and count:
            words = [self.number(count)]
        elif many:
            words = ["einige" + ("n" if case == "dat" else "")]
        else:
            words = [("k" if negated else "") + self.words["articles"][gender][case]]
        if size:
            words.append(self.pick(size, self.words["sizes"][size]) + ending)
        if colour and not clothes:
            words.append(self.words["colours"][colour] + ending)
        # Plurals get -n in the dative, unless they end in -n or -s.
        if many and case == "dat" and plural[-1] not in "ns":
            plural += "n"
        words.append(plural if many else singular)
        if colour and clothes:
            colour = self.words["colours"][colour]
            short = f"in {colour.capitalize()}"
            long = f"in einem {colour}en {clothes}"
            words.append(short if many else self.pick("dress", (short, short, long)))
        return " ".join(words)

    def in_front_of(self, name: str) -> str:
        """Write the adjunct `in front of` an object."""
        return f"vor {self.noun(name, 'dat')}"

    def adjuncts(self) -> list[str]:
        """List the sky, the background and the landmark of an action, if they are mentioned."""
        return super().adjuncts()[::-1]

    def clause(self, name: str, finite: str, rest: str, tail: str = "") -> list[str]:
        """Write clauses with the subject `name`; `tail` is the second part of the verb."""
        subject = self.noun(name, "nom", self.negated)
        adjuncts = self.adjuncts()
        mid = " ".join(adjuncts)
        # In a main clause the finite verb is second; one element may come before it.
        options = [
            f"{subject} {finite} {mid} {rest} {tail}",
            f"{subject} {finite} {rest} {mid} {tail}",
            f"hier {finite} {subject} {mid} {rest} {tail}",
        ]
        if adjuncts:
            options += 2 * [
                f"{adjuncts[0]} {finite} {subject} {' '.join(adjuncts[1:])} {rest} {tail}"
            ]
        if not self.negated:
            gender = self.pick(self.kind(name), self.words["nouns"][self.kind(name)])[0]
            # A relative clause has the finite verb at its end.
            pronoun = "die" if self.many(name) else self.words["pronouns"][gender]
            options.append(f"{subject}, {pronoun} {mid} {rest} {tail} {finite}")
        return options

    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Write clauses in the active, the passive, or with a verb for the patient's role."""
        finite, preposition, case, tail, passive = self.pick("verb", self.words["verbs"][verb])
        cart = self.cart(verb, patient)
        by = self.noun(agent, "dat")
        other = f"{preposition} {self.noun(patient, case)} {cart}"
        options = [self.clause(agent, finite, other, tail)]
        if passive:
            auxiliary = "werden" if self.many(patient) else "wird"
            options += [self.clause(patient, auxiliary, f"von {by} {cart}", passive)]
        if verb == "chase" or (verb == "carry" and self.kind(agent) in ANIMALS):
            finite, preposition = self.words["converses"][verb]
            options += [self.clause(patient, finite, f"{preposition} {by}")]
        return self.pick("order", (options[0], *options))

    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Write clauses with either object as subject."""
        subject, preposition, object = self.turned(subject, name, object)
        where = f"{preposition} {self.noun(object, 'dat')}"
        postures = self.words["postures"].get(self.kind(subject), ("steht", "stehen"))
        posture = postures[self.many(subject)]
        if below:
            where += f" mit {self.noun(below, 'dat')} darunter"
        adjuncts = " ".join(self.adjuncts())
        options = [
            *self.clause(subject, posture, where),
            f"{where} {posture} {self.noun(subject, 'nom', self.negated)} {adjuncts}",
            f"man sieht {self.noun(subject, 'acc', self.negated)} {where} {adjuncts}",
        ]
        if not self.negated:
            options.append(f"{self.noun(subject, 'nom')} {where} {adjuncts}")
        return options

    def existence(self, names: list[str]) -> list[str]:
        """Write clauses that state the existence of these objects."""
        things = " und ".join(self.noun(name, "nom", self.negated) for name in names)
        seen = " und ".join(self.noun(name, "acc", self.negated) for name in names)
        finite = "sind" if len(names) > 1 or self.many(names[0]) else "ist"
        adjuncts = self.adjuncts()
        mid = " ".join(adjuncts)
        options = [
            f"{things} {finite} {mid} zu sehen",
            f"man sieht {mid} {seen}",
            f"hier gibt es {mid} {seen}",
        ]
        if adjuncts:
            options.append(f"{adjuncts[0]} {finite} {' '.join(adjuncts[1:])} {things} zu sehen")
        if not self.negated:
            options += 2 * [f"{things} {mid}"]
        return options
