"""The tasks on letters: what is right can be read from the text, and training never shows the letters of a case."""

from collections.abc import Iterator
from itertools import islice, product
from random import Random

import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core.shipped.corpus import END, START, Case, Construction, Language
from attention_core.shipped.languages import LANGUAGES
from attention_core.shipped.tasks import INDUCTION, LETTERS, REVERSE, TURN, WORDS, held_out
from attention_core.shipped.writer import Writer, language_of

COUNT = 300


def texts_of(language, count: int = COUNT) -> list[list[str]]:
    texts = language.texts(Random(0))
    return [[WORDS[each] for each in next(texts)] for _ in range(count)]


def test_reversed_texts_are_what_they_say() -> None:
    for start, *words, end in texts_of(REVERSE):
        turn = words.index(TURN)
        assert (start, end) == (START, END)
        assert words[turn + 1 :] == words[:turn][::-1]
        assert 2 <= turn <= 8


@pytest.mark.parametrize("language", [REVERSE, INDUCTION])
def test_cases_ask_for_a_letter_that_the_beginning_tells(language) -> None:
    (cases,) = language.cases(COUNT, 0).values()
    assert len({case.beginning for case in cases}) == COUNT
    assert not any(map(held_out, texts_of(language)))
    for case in cases:
        words = [WORDS[each] for each in case.beginning]
        (right,) = (WORDS[each] for each in case.right)
        assert {WORDS[each] for each in case.wrong} == {*LETTERS} - {right}
        assert case.chance == 1 / 16
        assert words[case.cue] == right
        if language is REVERSE:
            turn = words.index(TURN)
            assert case.cue == turn - (len(words) - turn)
        else:
            assert words[case.cue - 1] == words[-1]
            assert words.count(words[-1]) == 2
        assert held_out(words)


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_case_begins_a_text_for_training(name: str) -> None:
    language = LANGUAGES[name]
    texts = language.texts(Random(0))
    begun = {text[:place] for text in (next(texts) for _ in range(5000)) for place in range(1, len(text))}
    for some in language.cases(100, 0).values():
        beginnings = {case.beginning for case in some}
        assert len(beginnings) == 100
        assert not begun & beginnings
    texts = language.texts(Random(1))
    again = {next(texts)[:4] for _ in range(300)}
    assert begun & again, "it is the rule that does it: what is not kept back does come again"


def test_what_is_held_out_is_told_by_the_first_three_words() -> None:
    beginnings = [[START, *letters] for letters in product(LETTERS, repeat=3)]
    share = sum(map(held_out, beginnings)) / len(beginnings)
    assert 0.18 < share < 0.22
    assert all(held_out(words) == held_out([*words, "a", "|"]) for words in beginnings)


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_first_texts_and_cases_of_each_language(name: str, approved: SnapshotAssertion) -> None:
    language = LANGUAGES[name]
    texts = language.texts(Random(0))
    shown = [f"{each.name}: {each.label}" for each in language.constructions]
    shown += [" ".join(language.words[each] for each in next(texts)) for _ in range(9)]
    for construction, cases in language.cases(2, 0).items():
        for case in cases:
            words, right, wrong = (
                " ".join(language.words[each] for each in ids) for ids in (case.beginning, case.right, case.wrong)
            )
            shown += [f"{construction}: {words} → {right}, not {wrong}; by word {case.cue}"]
    assert "\n".join(shown) == approved


def test_no_answer_is_right_in_more_than_half_of_the_cases_and_a_hundred_draws_are_enough() -> None:
    def draw(_source: Random) -> Iterator[tuple[str, Case]]:
        for number in range(10**6):
            taken.append(number)
            yield "one", Case((number,), 0, (number % 5 == 0,), ())
            yield "none", Case((0,), 0, (0,), ())

    taken: list[int] = []
    language = Language((), lambda _: iter(()), (Construction("one", ""), Construction("none", "")), draw)
    found = language.cases(6, 0)
    assert [case.beginning[0] for case in found["one"]] == [0, 1, 2, 3, 5, 10]
    assert [case.beginning for case in found["none"]] == [(0,)]
    assert len(taken) == 600


def test_texts_that_are_too_long_or_held_out_are_not_taken() -> None:
    def write(draw: Random) -> Writer:
        text = Writer(draw)
        text.say(*["a"] * draw.randrange(1, 9))
        text.choose("next", 0, ["a"], ["a", "<start>"])
        return text

    language = language_of((START, "a"), write, lambda words: len(words) == 5, (), longest=6)
    assert {len(text) for text in islice(language.texts(Random(0)), 200)} == {2, 3, 4, 6}
    cases = islice(language.draw(Random(0)), 9)
    assert {*cases} == {("next", Case((0, 1, 1, 1, 1), 0, (1,), (0,)))}
