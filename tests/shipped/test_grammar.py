"""The small English grammar: its sentences are right, its cases ask what they say, and training never shows them."""

import random
import re
from itertools import pairwise
from random import Random

import pytest
import torch

from attention_core.shipped import grammar
from attention_core.shipped.corpus import END, START, Case
from attention_core.shipped.grammar import GRAMMAR, NAMES, NOUNS, REFLEXIVE, VERBS, WORDS, held_out

COUNT = 200
LETTER = {
    START: "<", END: ">", ".": ".", "“": "“", "”": "”", "(": "(", ")": ")",
    "the": "t", "that": "h", "and": "&", "today": "y", "says": "w",
    **dict.fromkeys(grammar.PREPOSITIONS, "o"), **dict.fromkeys(grammar.PLACES, "e"),
    **dict.fromkeys(grammar.ADJECTIVES, "a"), **dict.fromkeys(NAMES, "n"),
    **dict.fromkeys(grammar.THINGS, "k"), **dict.fromkeys(grammar.THINGS.values(), "K"),
    **dict.fromkeys(grammar.ANIMALS, "d"), **dict.fromkeys(grammar.ANIMALS.values(), "D"),
    **dict.fromkeys(grammar.COPULAS, "c"), **dict.fromkeys(grammar.COPULAS.values(), "C"),
    **dict.fromkeys(grammar.INTRANSITIVE, "i"), **dict.fromkeys(grammar.INTRANSITIVE.values(), "I"),
    **dict.fromkeys(grammar.TRANSITIVE, "r"), **dict.fromkeys(grammar.TRANSITIVE.values(), "R"),
    **dict.fromkeys(("she", "he", "it"), "s"), "they": "p",
    **dict.fromkeys(("herself", "himself", "itself"), "f"), "themselves": "F",
}  # fmt: skip


def pattern() -> re.Pattern[str]:
    """All texts of the grammar as a regular expression on one letter for each word, capitals for plural."""
    anybody = "(?:n|ta?[kKdD])"
    phrase = f"(?:o{anybody}){{1,2}}"
    of_another = "h(?:(?:n|ta?d)r|ta?DR)"
    sentences, others = [], []
    for thing, animal, name, copula, stays, sees, itself, pronoun in ("kdncirfs", "KD-CIRFp"):
        of_thing = f"{copula}a|{stays}e?"
        of_living = f"{of_thing}|{sees}(?:{itself}|{anybody})"
        of_animal = f"{of_another}|h{sees}{anybody}"
        others += [f"ta?{thing}(?:{of_thing})|(?:ta?{animal}|{name})(?:{of_living})"]
        for subject, clause, predicate in (
            (f"ta?{thing}", f"|{of_another}", of_thing),
            (f"ta?{animal}", f"|{of_animal}", of_living),
            (name, "", of_living),
        ):
            between = f"(?:{phrase}{clause}|\\((?:{phrase}{clause})\\))?"
            sentences += [f"{subject}{between}(?:{predicate})(?:&(?:{pronoun}(?:{predicate})|OTHER))?"]
    sentence = f"y?(?:{'|'.join(sentences)})".replace("OTHER", f"(?:{'|'.join(others)})")
    return re.compile(f"<(?:{sentence}|nw“{sentence}”|n&nIot[kKdD](?:\\.nrn)+)\\.>")


PATTERN = pattern()


def letters_of(words: list[str]) -> str:
    return "".join(LETTER[word] for word in words)


def texts_of(count: int, seed: int = 0) -> list[list[str]]:
    texts = GRAMMAR.texts(Random(seed))
    return [[WORDS[each] for each in next(texts)] for _ in range(count)]


def test_the_words_are_some_eighty_and_each_has_one_id() -> None:
    assert len(WORDS) == len({*WORDS}) == 79
    assert {*LETTER} == {*WORDS}
    assert GRAMMAR.ids(["<start>", "the", "keys"]) == (0, WORDS.index("the"), WORDS.index("keys"))
    with pytest.raises(ValueError, match="zebra"):
        GRAMMAR.ids(["zebra"])


def test_every_text_is_of_the_grammar_and_none_with_a_verb_of_the_other_number_is() -> None:
    other = VERBS | {plural: single for single, plural in VERBS.items()}
    changed = 0
    for words in texts_of(1000):
        assert PATTERN.fullmatch(letters_of(words)), words
        for place, word in enumerate(words):
            if word in other:
                wrong = [*words[:place], other[word], *words[place + 1 :]]
                assert not PATTERN.fullmatch(letters_of(wrong)), wrong
                changed += 1
    assert changed > 1000


def test_a_seed_gives_the_same_texts_and_takes_nothing_from_the_process() -> None:
    before = random.getstate(), torch.get_rng_state()
    assert texts_of(50) == texts_of(50) != texts_of(50, seed=1)
    assert GRAMMAR.cases(20, 0) == GRAMMAR.cases(20, 0) != GRAMMAR.cases(20, 1)
    assert random.getstate() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])


@pytest.fixture(scope="module")
def all_cases() -> dict[str, tuple[Case, ...]]:
    return GRAMMAR.cases(COUNT, 0)


@pytest.mark.parametrize("name", [each.name for each in GRAMMAR.constructions])
class TestCases:
    @pytest.fixture
    def cases(self, name: str, all_cases: dict[str, tuple[Case, ...]]) -> tuple[Case, ...]:
        return all_cases[name]

    def test_what_is_right_makes_a_text_of_the_grammar(self, name: str, cases: tuple[Case, ...]) -> None:
        for case in cases:
            words = [WORDS[each] for each in case.beginning]
            right, wrong = ({WORDS[each] for each in ids} for ids in (case.right, case.wrong))
            assert held_out(words)
            assert not right & wrong
            assert case.chance == len(right) / len(right | wrong)
            cue = words[case.cue]
            if name.startswith("agreement"):
                plural = cue in NOUNS.values()
                assert right == {*(VERBS.values() if plural else VERBS)}
                assert {*VERBS, *VERBS.values()} == right | wrong
                between = [word for word in words[case.cue + 1 :] if word in {*NOUNS, *NOUNS.values(), *NAMES}]
                assert bool(between) == (name != "agreement-near")
                assert all((word in NOUNS.values()) != plural for word in between)
            elif name in ("pronoun", "reflexive"):
                pronoun = NAMES.get(cue) or ("they" if cue in NOUNS.values() else "it")
                assert right == {pronoun if name == "pronoun" else REFLEXIVE[pronoun]}
            elif name == "closing":
                opened = [mark for mark in words if mark in "“("]
                assert cue == opened[-1] or ")" in words
                assert right == {{"“": "”", "(": ")"}[cue]}
            else:
                assert right == {cue} <= {*NAMES}
                assert words[-2] != cue
                assert {words[1], words[3]} == {words[-2], cue}


def test_training_shows_every_noun_before_and_after_others() -> None:
    pairs = set()
    for words in texts_of(4000):
        nouns = [word for word in words if word in {*NOUNS, *NOUNS.values(), *NAMES}]
        pairs |= {*pairwise(nouns)}
        assert not held_out(words)
    assert {first for first, _ in pairs} == {second for _, second in pairs} == {*NOUNS, *NOUNS.values(), *NAMES}


@pytest.mark.parametrize(
    ("words", "is_held_out"),
    [
        ("the keys near the cabinet", False),  # 0 and 1
        ("the cabinets behind the lamp", True),  # 1 and 5
        ("the lamp behind the old cabinet", True),
        ("the cabinets are old", False),
        ("the key near the dogs", True),  # 0 and 6
        ("Anna and Ben", False),  # 10 and 11
        ("Ben and David", False),  # 11 and 13, two names
        ("Ben behind the tree and", False),  # 11 and 4
        ("Ben behind the cabinets", True),  # 11 and 1
        ("Clara sees Clara", False),  # 12 and 12
    ],
)
def test_what_is_held_out(words: str, is_held_out: bool) -> None:
    assert held_out(words.split()) == is_held_out
