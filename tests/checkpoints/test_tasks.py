"""The tasks on letters: what is right can be read from the text, and training never shows the letters of a case."""

from itertools import product
from random import Random

import pytest

from attention_core.checkpoints.language import END, START
from attention_core.checkpoints.tasks import INDUCTION, LETTERS, REVERSE, TURN, WORDS, held_out

COUNT = 300


def drawn(language, count: int = COUNT) -> list[list[str]]:
    texts = language.texts(Random(0))
    return [[WORDS[each] for each in next(texts)] for _ in range(count)]


def test_reversed_texts_are_what_they_say() -> None:
    for start, *words, end in drawn(REVERSE):
        turn = words.index(TURN)
        assert (start, end) == (START, END)
        assert words[turn + 1 :] == words[:turn][::-1]
        assert 2 <= turn <= 8


def test_texts_for_induction_end_with_a_part_that_was_there_before() -> None:
    for start, *words, end in drawn(INDUCTION):
        assert (start, end) == (START, END)
        assert len({*words[-3:]}) == 3
        assert words[-3:] in [words[at : at + 3] for at in range(len(words) - 6)]


@pytest.mark.parametrize("language", [REVERSE, INDUCTION])
def test_cases_ask_for_a_letter_that_the_beginning_tells(language) -> None:
    (cases,) = language.cases(COUNT, 0).values()
    assert len({case.beginning for case in cases}) == COUNT
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


@pytest.mark.parametrize("language", [REVERSE, INDUCTION])
def test_no_case_begins_a_text_for_training(language) -> None:
    assert not any(map(held_out, drawn(language)))
    texts = language.texts(Random(0))
    begun = {text[:place] for text in (next(texts) for _ in range(20_000)) for place in range(1, len(text))}
    assert not begun & {case.beginning for cases in language.cases(COUNT, 0).values() for case in cases}


def test_what_is_held_out_is_told_by_the_first_three_words() -> None:
    beginnings = [[START, *letters] for letters in product(LETTERS, repeat=3)]
    share = sum(map(held_out, beginnings)) / len(beginnings)
    assert 0.18 < share < 0.22
    assert all(held_out(words) == held_out([*words, "a", "|"]) for words in beginnings)
