"""Items of the concept test: whole, in both languages, short enough for a phone, and drawn into parallel forms."""

from collections import Counter
from dataclasses import replace

import pytest

from attention_core.claims import claims
from attention_core.concept_test import FORMS, ITEMS, LENGTH, MISCONCEPTIONS, Choice, Item, form
from attention_core.language import using

CLAIMS = {claim.id for claim in claims()}


def texts(item: Item) -> list[str]:
    return [str(item.asked), *(str(choice.text) for choice in item.choices)]


def test_there_are_thirty_and_no_name_stands_twice() -> None:
    assert len(ITEMS) == 30
    assert len({item.id for item in ITEMS}) == 30


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_an_item_is_whole(item: Item) -> None:
    assert {case.key.partition(".")[0] for case in item.cases} <= CLAIMS
    assert item.source.title
    assert item.source.address.startswith("https://")
    beliefs = [choice.misconception for choice in item.choices if choice.misconception]
    assert len(beliefs) == 3
    assert set(beliefs) <= set(MISCONCEPTIONS)
    assert len(set(texts(item))) == 5
    assert str(item.asked).endswith("?")
    assert all(text.endswith(".") for text in texts(item)[1:])
    assert len(str(item.asked)) <= 200
    assert max(map(len, texts(item)[1:])) <= 80


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_an_item_is_asked_in_chinese_too(item: Item) -> None:
    english = texts(item)
    with using("zh"):
        chinese = texts(item)
    assert all(theirs != ours for theirs, ours in zip(chinese, english, strict=True) if not ours[:-1].isdecimal())
    assert len(set(chinese)) == 5


def test_no_length_gives_the_right_answer_away() -> None:
    """Were the right one the longest as often as not, or never, who knows nothing would do better than by chance."""
    for language in ("en", "zh"):
        with using(language):
            longest = sum(
                len(str(item.choices[item.by_theory].text)) == max(len(str(choice.text)) for choice in item.choices)
                for item in ITEMS
            )
        assert 2 <= longest <= 15, language


def test_every_misconception_is_offered_and_has_a_name_of_its_own() -> None:
    offered = Counter(choice.misconception for item in ITEMS for choice in item.choices if choice.misconception)
    assert set(offered) == set(MISCONCEPTIONS)
    assert len({str(one.name) for one in MISCONCEPTIONS.values()}) == len(MISCONCEPTIONS)
    assert all(str(one.belief).endswith(".") for one in MISCONCEPTIONS.values())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"choices": ITEMS[0].choices[:3]}, "has 3 choices, 4 are needed"),
        ({"choices": (*ITEMS[0].choices[:3], Choice("x", "local", (True,)))}, "each outcome makes one choice right"),
        ({"choices": tuple(replace(one, when=None) for one in ITEMS[0].choices)}, "some outcome makes one"),
        ({"cases": ITEMS[0].cases * 2}, "says of each of 2 verdicts"),
        ({"choices": tuple(replace(one, misconception="order") for one in ITEMS[0].choices)}, "no misconception"),
    ],
)
def test_an_item_that_is_none_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(ITEMS[0], **change)


def test_forms_of_a_seed_have_nothing_in_common_and_are_the_same_again() -> None:
    forms = [form(7, number) for number in range(FORMS)]
    assert [len(one) for one in forms] == [LENGTH] * 3
    assert {asked.item.id for one in forms for asked in one} == {item.id for item in ITEMS}
    assert form(7, 1) == forms[1]
    assert {asked.item.id for asked in form(8)} != {asked.item.id for asked in form(7)}
    assert all(sorted(asked.order) == [0, 1, 2, 3] for one in forms for asked in one)


def test_the_right_choice_stands_anywhere_and_any_item_comes() -> None:
    drawn = [asked for seed in range(200) for asked in form(seed)]
    places = Counter(asked.order.index(asked.item.by_theory) for asked in drawn)
    assert all(abs(places[place] - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5 for place in range(4))
    come = Counter(asked.item.id for asked in drawn)
    assert all(abs(come[item.id] - 200 / 3) < 5 * (200 * 2 / 9) ** 0.5 for item in ITEMS)


def test_a_form_stays_what_it_was() -> None:
    """A link holds its seed: who opens it later is asked the same."""
    assert [asked.item.id for asked in form(0)][:3] == ["pictures", "rank", "sink"]
    with pytest.raises(ValueError, match="number = 3 is not possible: 0 to 2 is allowed"):
        form(0, 3)
