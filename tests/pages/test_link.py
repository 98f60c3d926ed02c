"""The link: what a lesson shows and fixes, and what cannot be read is refused with a sentence."""

import pytest

from pages._shared.core.session_keys import SETTINGS
from pages._shared.lessons.lesson import PARTS, Lesson
from tests.pages.conftest import Open, held, lesson_text, page_path, pictures


def lesson_of(**more: object) -> str:
    lesson = Lesson(fixed={"permutation_positions": "sinusoidal"}, note="Look **here**", **more)  # type: ignore[arg-type]
    return lesson_text("permutation", lesson)


def test_a_fixed_control_is_drawn_as_its_value_and_presets_and_reset_cannot_move_it(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_of())
    assert not at.exception
    assert "permutation_positions" not in {box.key for box in at.selectbox}
    assert any("Positions: **sinusoidal**" in text.value for text in at.markdown)
    assert any("Look \\*\\*here\\*\\*" in text.value for text in at.markdown)
    presets = at.pills(key="_permutation_preset")
    for name, label in enumerate(presets.options):
        at.pills(key="_permutation_preset").set_value(name).run()
        assert not at.exception
        if label != "Carried positions":
            assert any("does not hold: " in text.value for text in at.markdown), label
        at.run()  # groups of controls that a preset leaves as they are are not drawn anew
        assert any("Positions: **sinusoidal**" in text.value for text in at.markdown)
    next(button for button in at.button if button.label == "Reset").click().run()
    assert any("does not hold: " in text.value for text in at.markdown)


def test_a_hidden_control_is_not_drawn_and_keeps_its_value(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_of(hidden=("permutation_positions",)))
    assert not any("Positions" in text.value for text in at.markdown)
    assert any("does not hold: " in text.value for text in at.markdown)


def test_a_lesson_survives_a_page_switch_and_can_be_left(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_of())
    at.switch_page(page_path("home")).run()
    assert any("Lesson." in text.value for text in at.markdown)
    assert at.query_params["course"] == lesson_of()
    at.switch_page(page_path("permutation")).run()
    assert "permutation_positions" not in {box.key for box in at.selectbox}
    at.button(key="_course_leave").click().run()
    assert "permutation_positions" in {box.key for box in at.selectbox}
    assert "course" not in at.query_params


def test_in_a_lesson_the_prediction_can_come_before_the_picture(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_of(predict_first=True))
    assert not pictures(at)
    at.pills(key="_permutation_option").set_value("Skip").run()
    assert pictures(at)


def test_only_the_chosen_parts_show(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_of(parts=("controls", "break")))
    labels = {button.label for button in at.button}
    assert "Pin" not in labels
    assert not at.pills
    assert [tab.label for tab in at.tabs] == ["Share"]


@pytest.mark.parametrize(
    ("part", "left_out", "stays"),
    [
        ("controls", "permutation_shuffle", "permutation_positions"),
        ("break", "permutation_positions", "permutation_show"),
    ],
)
def test_a_part_that_is_left_out_takes_its_controls_along(
    part: str, left_out: str, stays: str, open_page: Open
) -> None:
    parts = tuple(one for one in PARTS if one != part)
    at = open_page("permutation", course=lesson_text("permutation", Lesson(parts=parts)))
    keys = {one.key for one in (*at.selectbox, *at.button_group)}
    assert left_out not in keys
    assert stays in keys
    assert ("Reset" in {button.label for button in at.button}) == (part != "controls")


def test_an_unreadable_lesson_opens_the_page_without_it_and_says_so(open_page: Open) -> None:
    at = open_page("permutation", course="nonsense")
    assert not at.exception
    assert ["course cannot be read" in warning.value for warning in at.warning] == [True]
    assert "permutation_positions" in {box.key for box in at.selectbox}


@pytest.mark.parametrize(
    "fixed",
    [
        {"permutation_positions": "bogus"},
        {"permutation_carried": "yes"},
        {"permutation_order": "0-0"},
        {"permutation_order": "evil"},
        {"seed": "-1"},
    ],
)
def test_a_lesson_with_a_value_that_is_not_possible_frees_the_control_and_says_so(
    fixed: dict[str, str], open_page: Open
) -> None:
    at = open_page("permutation", course=lesson_text("permutation", Lesson(fixed=fixed, hidden=tuple(fixed))))
    assert not at.exception
    assert not at.error
    assert ["The lesson fixes" in warning.value for warning in at.warning] == [True]
    assert not at.run().warning
    assert any("Lesson." in text.value for text in at.markdown)


@pytest.mark.parametrize(
    ("page", "name", "good", "value"),
    [
        ("biases", "size", "2.0", 2.0),
        ("biases", "key_size", "1000", 1000.0),
        ("scaling", "d_head", "1024", 1024),
        ("projections", "layer", "6", 6),
    ],
)
def test_a_slider_of_a_picture_stands_where_the_link_says_or_the_link_is_corrected(
    page: str, name: str, good: str, value: float, open_page: Open
) -> None:
    at = open_page(page, **{f"{page}_{name}": good})
    assert not at.warning
    assert at.session_state[SETTINGS][f"{page}_{name}"] == value
    for wrong in ("-1", "99", "x", "nan", ""):
        at = open_page(page, **{f"{page}_{name}": wrong})
        assert len(at.warning) == 1, wrong
        assert not at.exception


@pytest.mark.parametrize(
    ("page", "values"),
    [
        ("biases", {"size": "3.0"}),
        ("biases", {"size": "0.25", "show": "changes", "dropout": "true"}),
        ("normalization", {"topic": "length", "eps": "0.003", "std": "0.5"}),
        ("projections", {"topic": "rank", "num_heads": "3", "d_head": "5"}),
        ("projections", {"num_heads": "5", "d_head": "12"}),
        ("masks", {"score_size": "50", "show": "additive"}),
        ("learning", {"learning_rate": "0.02", "steps": "7"}),
    ],
)
def test_a_link_that_asks_for_what_lies_between_two_steps_is_drawn_and_comes_back(
    page: str, values: dict[str, str], open_page: Open
) -> None:
    given = {f"{page}_{name}": text for name, text in values.items()}
    at = open_page(page, **given, **{f"{page}_answer": "skipped", f"{page}_tab": "data"})
    assert not at.exception
    assert not at.warning
    assert not at.error
    assert pictures(at)
    assert held(at, page) == values
