"""The link: lessons survive the way through an address, and what cannot be read is refused with a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from tests.pages.conftest import Open, held, page_path, pictures

VALUES = st.one_of(
    st.booleans(), st.integers(-1000, 1000), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=30)
)
LESSONS = st.builds(
    lambda parts, fixed, first, note: Lesson(
        parts=tuple(part for part in PARTS if part in parts),
        fixed=fixed,
        hidden=tuple(fixed)[:1],
        predict_first=first,
        note=note,
    ),
    st.sets(st.sampled_from(list(PARTS))),
    st.dictionaries(st.text(max_size=20), st.one_of(VALUES, st.lists(st.integers(0, 9)).map(tuple)), max_size=5),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=MAX_NOTE),
)


@given(LESSONS)
def test_a_lesson_survives_its_link(lesson: Lesson) -> None:
    assert Lesson.decode(lesson.encode()) == lesson


@given(st.text(max_size=200))
def test_what_is_no_lesson_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="This link's lesson cannot be read"):
        Lesson.decode(text)


def test_a_lesson_that_unpacks_to_too_much_is_refused() -> None:
    bomb = Lesson(fixed={"a": "x" * 1_000_000}).encode()
    assert len(bomb) < 2_000
    with pytest.raises(ValueError, match="cannot be read"):
        Lesson.decode(bomb)


def lesson_of(**more: object) -> str:
    return Lesson(fixed={"permutation_positions": "sinusoidal"}, note="Look **here**", **more).encode()  # type: ignore[arg-type]


def test_a_fixed_control_is_drawn_as_its_value_and_presets_and_reset_cannot_move_it(open_page: Open) -> None:
    at = open_page("permutation", lesson=lesson_of())
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
    at = open_page("permutation", lesson=lesson_of(hidden=("permutation_positions",)))
    assert not any("Positions" in text.value for text in at.markdown)
    assert any("does not hold: " in text.value for text in at.markdown)


def test_a_lesson_survives_a_page_switch_and_can_be_left(open_page: Open) -> None:
    at = open_page("permutation", lesson=lesson_of())
    at.switch_page(page_path("home")).run()
    assert any("Lesson." in text.value for text in at.markdown)
    assert at.query_params["lesson"] == lesson_of()
    at.switch_page(page_path("permutation")).run()
    assert "permutation_positions" not in {box.key for box in at.selectbox}
    at.button(key="_leave_lesson").click().run()
    assert "permutation_positions" in {box.key for box in at.selectbox}
    assert "lesson" not in at.query_params


def test_in_a_lesson_the_prediction_can_come_before_the_picture(open_page: Open) -> None:
    at = open_page("permutation", lesson=lesson_of(predict_first=True))
    assert not pictures(at)
    at.pills(key="_permutation_option").set_value("Skip").run()
    assert pictures(at)


def test_only_the_chosen_parts_show(open_page: Open) -> None:
    at = open_page("permutation", lesson=lesson_of(parts=("controls", "break")))
    labels = {button.label for button in at.button}
    assert "Pin" not in labels
    assert not at.pills
    assert [tab.label for tab in at.tabs] == ["Share"]


def test_an_unreadable_lesson_opens_the_page_without_it_and_says_so(open_page: Open) -> None:
    at = open_page("permutation", lesson="nonsense")
    assert not at.exception
    assert ["lesson cannot be read" in warning.value for warning in at.warning] == [True]
    assert "permutation_positions" in {box.key for box in at.selectbox}


@pytest.mark.parametrize(
    "fixed",
    [
        {"permutation_positions": "bogus"},
        {"permutation_positions": 3.0},
        {"permutation_tokens": 1},
        {"permutation_carried": "yes"},
        {"permutation_order": (0, 0)},
        {"permutation_order": "evil"},
        {"seed": -1},
        {"seed": True},
    ],
)
def test_a_lesson_with_a_value_that_is_not_possible_frees_the_control_and_says_so(
    fixed: dict[str, object], open_page: Open
) -> None:
    at = open_page("permutation", lesson=Lesson(fixed=fixed, hidden=tuple(fixed)).encode())
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
    assert at.session_state["_values"][f"{page}_{name}"] == value
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
