"""The concept test at home: one question at a time, first answers kept apart, and the page that shows why."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from pages.concept_test import SPECS, explaining
from attention_core.concept_test import ITEMS, LENGTH, Asked, Item, form
from attention_core.figures.mathematics import set_markdown
from attention_core.language import using
from tests.pages.conftest import open_page
from tests.pages.read import built, page_of, said

NEXT, AGAIN, OTHERS = "_concept_test_next", "_concept_test_again", "_concept_test_others"


def shown(at: AppTest) -> str:
    """The question."""
    return at.subheader[0].value


def take(at: AppTest, asked: Asked, *, right: bool = True) -> None:
    """Press the choice that theory says is right, or the first that is not."""
    theory = asked.item.by_theory
    place = theory if right else next(place for place in asked.order if place != theory)
    at.button(key=f"_concept_test_choice_{'ABCD'[asked.order.index(place)]}").click().run()
    assert not at.exception


def go_on(at: AppTest) -> None:
    at.button(key=NEXT).click().run()


def answer_all(at: AppTest, *, wrong: int = 0, number: int = 0) -> None:
    """Answer the ten, the first few of them wrong."""
    for place, asked in enumerate(form(0, number)):
        assert shown(at) == set_markdown(asked.item.asked)
        take(at, asked, right=place >= wrong)
        go_on(at)


def test_a_question_has_four_choices_and_says_that_nobody_has_validated_it() -> None:
    at = open_page("concept_test")
    asked = form(0)[0]
    assert shown(at) == str(asked.item.asked)
    labels = [at.button(key=f"_concept_test_choice_{letter}").label for letter in "ABCD"]
    texts = [str(asked.item.choices[place].text) for place in asked.order]
    assert labels == [f"**{letter}** {text}" for letter, text in zip("ABCD", texts, strict=True)]
    assert "**Not validated.**" in said(at)
    assert said(at).count("radio_button_unchecked") == LENGTH - 1
    assert not [one for one in at.button if one.key == NEXT]


def test_after_a_right_answer_stands_what_was_measured() -> None:
    at = open_page("concept_test")
    take(at, form(0)[0])
    assert ":green[:material/check: right] The measurement agrees." in said(at)
    assert "The scores of the classes after the shuffle differ by **nothing" in said(at)
    assert said(at).count(":material/check_circle:") == 2, "among the ten, and at the choice"


def test_after_a_wrong_one_what_it_stands_for() -> None:
    at = open_page("concept_test")
    asked = form(0)[0]
    take(at, asked, right=False)
    assert ":gray[:material/close: wrong] This stands for **A transformer sees the picture**: Where a patch" in said(
        at
    )
    assert said(at).count(":material/cancel:") == 2
    assert ":green[:material/check_circle:] **A** Those of the convolutions only." in said(at)


@pytest.mark.slow
def test_first_answers_stay_apart_from_later_ones() -> None:
    at = open_page("concept_test")
    answer_all(at, wrong=3)
    assert shown(at) == "Your first answers: 7 of 10 as measured"
    at.button(key=AGAIN).click().run()
    answer_all(at)
    assert shown(at) == "Your first answers: 7 of 10 as measured"
    assert "Your last: 10 of 10. First answers stay as they were." in said(at)
    at.button(key=AGAIN).click().run()
    assert len(at.session_state["_concept_test_sitting"].rounds) == 2, "however often it is asked again"
    answer_all(at)
    assert len(at.main.get("page_link")) == 3, "one for each that was wrong at first"
    at.button(key=OTHERS).click().run()
    assert at.query_params["concept_test_form"] == "2"
    assert shown(at) == str(form(0, 1)[0].item.asked)


def test_a_link_asks_the_same_of_others() -> None:
    at = open_page("concept_test", concept_test_form="4")
    assert shown(at) == str(form(1, 0)[0].item.asked)


def test_an_impossible_form_is_told_and_the_first_is_taken() -> None:
    at = open_page("concept_test", concept_test_form="0")
    assert not at.exception
    assert shown(at) == str(form(0)[0].item.asked)
    assert any("Set of questions" in one.value for one in at.toast)


def test_where_settings_cannot_tell_an_answer_is_neither_right_nor_wrong() -> None:
    at = open_page("concept_test", dtype="bfloat16")
    take(at, form(0)[0])
    assert "These settings cannot tell." in said(at)
    assert said(at).count(":material/help:") == 3, "among the ten, at the choice, and in words"
    assert ":material/check" not in said(at)


def test_another_precision_measures_again() -> None:
    at = open_page("concept_test", dtype="float32")
    take(at, form(0)[0])
    assert "The measurement agrees." in said(at)
    assert "10⁻¹⁵" not in said(at), "that is float64's rounding"


def test_it_is_asked_in_chinese() -> None:
    at = open_page("concept_test", lang="zh")
    with using("zh"):
        assert shown(at) == str(form(0)[0].item.asked)
    assert "**未经验证。**" in said(at)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_the_page_that_shows_why_measures_the_same(item: Item) -> None:
    """The way leads to settings under which the page says of the claim what the key was read from."""
    case = explaining(item)
    name = case.claim.page
    assert name in SPECS
    assert {key.partition("_")[0] for key in case.parameters} <= {name.partition("_")[0]}
    measured = {one.key: one for one in page_of(name).results_of(*built(name, case.parameters)).verdicts}
    assert measured[case.key].holds == item.choices[item.by_theory].when[-1]


def test_the_way_leads_there() -> None:
    at = open_page("concept_test")
    take(at, form(0)[0])
    (link,) = at.main.get("page_link")
    assert link.proto.page == "images"
    assert dict(parse_qsl(link.proto.query_string)) == {"images_answer": "skipped"}
    assert link.proto.label == "See why: Images"


@pytest.mark.slow
def test_files_are_made_of_keys_that_were_measured_for_them() -> None:
    at = open_page("concept_test", dtype="bfloat16")
    assert not at.get("download_button")
    at.button(key="_concept_test_measure").click().run()
    assert not at.exception
    assert [one.label for one in at.get("download_button")] == ["QTI 2.1", "Moodle XML", "CSV"]
    assert "keys cannot be told: these items are left out." in said(at)
