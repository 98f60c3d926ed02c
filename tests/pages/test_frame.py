"""A moved control has the page answer again; what changes the controls has it ask again."""

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.registry import COMPLETE, PAGES
from tests.pages.conftest import Open

CONTROLS = ("slider", "number_input", "selectbox", "toggle", "segmented_control", "text_input")
EXPERIMENTS = [page.name for page in PAGES]


def drawn(at: AppTest) -> list[str]:
    """The keys of the controls that the last run drew."""
    return [widget.key for kind in CONTROLS for widget in at.get(kind) if not str(widget.key).startswith("_")]


def said(at: AppTest) -> list[str]:
    return [text.value for text in at.markdown]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_moved_control_draws_the_answers_alone_and_they_are_those_of_the_whole_page(
    name: str, open_page: Open
) -> None:
    whole = open_page(name)
    everything = drawn(whole)
    key = next(toggle.key for toggle in whole.toggle if toggle.key.startswith(f"{name}_"))
    was_lit = whole.pills(key=f"_{name}_preset").value is not None
    new = not whole.toggle(key=key).value
    away = whole.toggle(key=key).set_value(new).run()
    assert "seed" not in drawn(away)
    assert bool(away.pills) == was_lit, "the strip of presets is drawn anew where one of them goes out"
    lit = [strip.value for strip in away.pills]
    assert len(away.title) == 0
    answers = said(away)
    assert answers
    whole = away.run()
    assert drawn(whole) == everything
    assert whole.toggle(key=key).value == new
    assert lit in ([], [whole.pills(key=f"_{name}_preset").value])
    assert set(answers) < set(said(whole))


def test_a_slide_no_longer_names_a_preset_that_a_move_has_left(open_page: Open) -> None:
    at = open_page("masks", present="true", masks_answer="skipped")
    assert any("1 of 5: Encoder" in text for text in said(at))
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert not at.title
    assert any("5 presets: PageDown" in text for text in said(at))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_preset_and_an_answer_draw_the_controls_with_their_new_values(name: str, open_page: Open) -> None:
    at = open_page(name)
    whole = set(drawn(at))
    at.pills(key=f"_{name}_preset").set_value(1).run()
    assert {key for key in whole if key.startswith(f"{name}_")} - {f"{name}_predict_strip"} <= {*drawn(at)}
    assert not at.title, "the rest stays as it is"
    at.run()
    option = at.pills(key=f"_{name}_option")
    option.set_value(option.options[0]).run()
    assert [key for key in drawn(at) if key.startswith(f"{name}_")]
    assert any("You said" in text for text in said(at))


def test_a_run_that_was_cut_off_is_made_good_by_a_whole_one(open_page: Open) -> None:
    at = open_page("masks")
    at.session_state[COMPLETE] = ""
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert len(at.title) == 1
    assert drawn(at)


def test_controls_that_a_cut_off_run_still_owed_are_drawn_with_the_next_move(open_page: Open) -> None:
    at = open_page("masks")
    everything = set(drawn(at)) - {"device", "dtype", "seed", "present"}
    at.session_state["_masks_due"] = {"masks_controls"}
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert not at.title
    assert set(drawn(at)) == everything
    at.run()
    at = at.toggle(key="masks_unmasked").set_value(False).run()
    assert "masks_unmasked" not in drawn(at), "and then no longer"
