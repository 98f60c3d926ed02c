"""A small English grammar of some eighty words: what the model ``grammar`` was trained on, and is measured with.

A text is a sentence ("the keys near the cabinet are old"), somebody who says one ("Anna says “ the keys are old ”"),
or two names that come back ("Anna and Ben wait near the tree . Ben sees Anna"). Between a subject and its verb
stands nothing, a phrase, a clause, or one of these in brackets. Texts for training and cases for measuring come from
one writer; a rule on nouns keeps them apart: :func:`held_out`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.shipped.corpus import END, START, Construction, shuffled
from attention_core.shipped.writer import Writer, language_of

THINGS: Final = {
    "key": "keys", "cabinet": "cabinets", "book": "books", "box": "boxes", "tree": "trees", "lamp": "lamps",
}  # fmt: skip
ANIMALS: Final = {"dog": "dogs", "cat": "cats", "bird": "birds", "horse": "horses"}
NOUNS: Final = THINGS | ANIMALS
NAMES: Final = {
    "Anna": "she", "Ben": "he", "Clara": "she", "David": "he",
    "Emma": "she", "Felix": "he", "Lucy": "she", "Tom": "he",
}  # fmt: skip
COPULAS: Final = {"is": "are", "was": "were", "seems": "seem"}
INTRANSITIVE: Final = {"falls": "fall", "moves": "move", "waits": "wait", "stays": "stay"}
TRANSITIVE: Final = {"sees": "see", "likes": "like", "hears": "hear"}
VERBS: Final = COPULAS | INTRANSITIVE | TRANSITIVE
ADJECTIVES: Final = ("old", "new", "small", "red", "quiet")
PREPOSITIONS: Final = ("near", "behind", "under", "beside")
PLACES: Final = ("here", "there")
REFLEXIVE: Final = {"she": "herself", "he": "himself", "it": "itself", "they": "themselves"}
CLOSING: Final = (")", "”", ".")

WORDS: Final = (
    START, END, ".", "“", "”", "(", ")", "the", "that", "and", "today", *PREPOSITIONS, *PLACES, *ADJECTIVES,
    *NOUNS, *NOUNS.values(), *NAMES, *REFLEXIVE, *REFLEXIVE.values(), *VERBS, *VERBS.values(), "says",
)  # fmt: skip
_NUMBER: Final = {word: at for at, stem in enumerate([*NOUNS, *NAMES]) for word in (stem, NOUNS.get(stem, stem))}


def held_out(words: Sequence[str]) -> bool:
    """Whether training never shows these words, because two of their nouns never follow one another there.

    Nouns and names are numbered, singular and plural alike. Two different ones, not both names, whose sum is a
    multiple of 6 are never neighbours in training, in either order and whatever stands between them. So one pair in
    six is kept back, and every noun is seen with others.
    """
    numbers = [_NUMBER[word] for word in words if word in _NUMBER]
    return any(
        one != other and (one + other) % 6 == 0 and min(one, other) < len(NOUNS) for one, other in pairwise(numbers)
    )


@dataclass(frozen=True, slots=True)
class _Noun:
    """A noun in a text: where it stands, and what agrees with it."""

    place: int
    pronoun: str
    alive: bool

    @property
    def plural(self) -> bool:
        return self.pronoun == "they"

    @property
    def named(self) -> bool:
        return self.pronoun in ("she", "he")


class _Text(Writer):
    """A text that is written word by word, and the choices made in it."""

    def __init__(self, draw: Random) -> None:
        super().__init__(draw)
        kind = self.pick("sentence", "sentence", "saying", "names")
        {"sentence": self.sentence, "saying": self.saying, "names": self.names}[kind]()
        self.say(".", END)

    def sentence(self) -> None:
        """Write "the keys near the cabinet are old", and perhaps more of them or of another."""
        if self.often(0.2):
            self.say("today")
        subject, between, way = self.subject()
        self.predicate(subject, between, way)
        if self.often(0.4):
            self.say("and")
            if self.often(0.6):
                if any(other.pronoun != subject.pronoun for other in between):
                    self.choose("pronoun", subject.place, [subject.pronoun], [*REFLEXIVE])
                self.say(subject.pronoun)
                self.predicate(subject, [], "pronoun")
            else:
                self.predicate(self.noun(), [], "near")

    def saying(self) -> None:
        """Write "Anna says “ the keys are old ”"."""
        self.say(self.pick(*NAMES), "says", "“")
        opened = len(self.words) - 1
        self.sentence()
        self.choose("closing", opened, ["”"], CLOSING)
        self.say("”")

    def names(self) -> None:
        """Write "Anna and Ben wait near the tree . Ben sees Anna", and perhaps more of the two."""
        pair = shuffled(self.draw, [*NAMES])[:2]
        first = len(self.words)
        self.say(pair[0], "and", pair[1], self.pick(*INTRANSITIVE.values()))
        self.say(self.pick(*PREPOSITIONS), "the", self.pick(*NOUNS, *NOUNS.values()))
        going = True
        while going:
            who = int(self.often(0.5))
            self.say(".", pair[who], self.pick(*TRANSITIVE))
            self.choose("names", first + 2 * (1 - who), [pair[1 - who]], [*NAMES])
            self.say(pair[1 - who])
            going = self.often(0.5) and len(self.words) < 24

    def noun(self, *, alive: bool = False) -> _Noun:
        """Write "the old key", or "Anna"."""
        if self.often(0.5 if alive else 0.25):
            name = self.new(NAMES)
            self.say(name)
            return _Noun(len(self.words) - 1, NAMES[name], True)
        self.say("the")
        if self.often(0.2):
            self.say(self.pick(*ADJECTIVES))
        stem, plural = self.new(ANIMALS if alive else NOUNS), self.often(0.5)
        self.say(NOUNS[stem] if plural else stem)
        return _Noun(len(self.words) - 1, "they" if plural else "it", stem in ANIMALS)

    def subject(self) -> tuple[_Noun, list[_Noun], str]:
        """Write a subject and what parts it from its verb; give it, the nouns between, and the kind of parting."""
        subject = self.noun()
        way = self.pick("near", "phrase", "phrase", "bracket", "phrase" if subject.named else "clause")
        if way == "bracket":
            self.say("(")
            opened = len(self.words) - 1
            between = self.phrase() if subject.named or self.often(0.5) else self.clause(subject)
            self.choose("closing", opened, [")"], CLOSING)
            self.say(")")
            return subject, between, way
        if way == "phrase":
            return subject, self.phrase(), way
        return subject, self.clause(subject) if way == "clause" else [], way

    def phrase(self) -> list[_Noun]:
        """Write "near the cabinet", and perhaps "behind the tree" too."""
        found = list[_Noun]()
        while not found or (len(found) < 2 and self.often(0.25)):
            self.say(self.pick(*PREPOSITIONS))
            found.append(self.noun())
        return found

    def clause(self, subject: _Noun) -> list[_Noun]:
        """Write "that the dog sees", or of somebody alive "that see the cabinet"."""
        self.say("that")
        if subject.alive and self.often(0.5):
            self.verb(subject, TRANSITIVE)
            return [self.noun()]
        other = self.noun(alive=True)
        self.verb(other, TRANSITIVE)
        return [other]

    def verb(self, subject: _Noun, options: dict[str, str]) -> str:
        """Write one of these verbs as its subject wants it, and give its singular."""
        stem = self.pick(*options)
        self.say(options[stem] if subject.plural else stem)
        return stem

    def predicate(self, subject: _Noun, between: list[_Noun], way: str) -> None:
        """Write "are old", "wait here", "see the tree" or "see themselves"."""
        verbs = [*VERBS.values()] if subject.plural else [*VERBS]
        if all(other.plural != subject.plural for other in between):
            self.choose(f"agreement-{way}", subject.place, verbs, [*VERBS, *VERBS.values()])
        stem = self.verb(subject, VERBS if subject.alive else COPULAS | INTRANSITIVE)
        if stem in COPULAS:
            self.say(self.pick(*ADJECTIVES))
        elif stem in INTRANSITIVE:
            self.place()
        elif self.often(0.5):
            if any(other.pronoun != subject.pronoun for other in between):
                self.choose("reflexive", subject.place, [REFLEXIVE[subject.pronoun]], [*REFLEXIVE.values()])
            self.say(REFLEXIVE[subject.pronoun])
        else:
            self.noun()

    def new(self, stems: dict[str, str]) -> str:
        """One of these nouns that the text does not have yet; any of them where it has all."""
        used = {_NUMBER[word] for word in self.words if word in _NUMBER}
        return self.pick(*[stem for stem in stems if _NUMBER[stem] not in used] or stems)

    def place(self) -> None:
        """Write "here", perhaps."""
        if self.often(0.3):
            self.say(self.pick(*PLACES))


GRAMMAR: Final = language_of(
    WORDS,
    _Text,
    held_out,
    (
        Construction("agreement-near", _("a verb right after its subject")),
        Construction("agreement-phrase", _("a verb across a phrase")),
        Construction("agreement-clause", _("a verb across a clause")),
        Construction("agreement-bracket", _("a verb across brackets")),
        Construction("pronoun", _("she, he, it or they")),
        Construction("reflexive", _("herself, himself, itself or themselves")),
        Construction("closing", _("brackets and quotes close")),
        Construction("names", _("a name comes back")),
    ),
    longest=32,
)
