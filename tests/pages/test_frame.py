"""What a page draws anew in a whole run; ``tests/load/test_moves.py`` has what it draws of a part."""

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import PAGES
from pages._shared.core.session_keys import COMPLETE
from attention_core.device import available_devices
from tests.pages.conftest import Open

CONTROLS = ("slider", "number_input", "selectbox", "toggle", "segmented_control", "text_input")
EXPERIMENTS = [page.name for page in PAGES]


def drawn(at: AppTest) -> list[str]:
    """The keys of the controls that the last run drew."""
    return [widget.key for kind in CONTROLS for widget in at.get(kind) if not str(widget.key).startswith("_")]


def said(at: AppTest) -> list[str]:
    return [text.value for text in at.markdown]


def test_a_slide_no_longer_names_a_preset_that_a_move_has_left(open_page: Open) -> None:
    at = open_page("masks", present="true", masks_answer="skipped")
    assert any("1 of 5: Encoder" in text for text in said(at))
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert any("5 presets: PageDown" in text for text in said(at))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_answer_draws_the_controls_with_their_new_values(name: str, open_page: Open) -> None:
    at = open_page(name)
    option = at.pills(key=f"_{name}_option")
    option.set_value(option.options[0]).run()
    assert [key for key in drawn(at) if key.startswith(f"{name}_")]
    assert any("You said" in text for text in said(at))


def test_a_link_may_name_a_device_that_is_not_among_those_offered(open_page: Open) -> None:
    at = open_page("anatomy", device="cpu:0")
    assert not [*at.exception, *at.warning, *at.error]
    box = at.selectbox(key="device")
    assert (box.value, box.options) == ("cpu:0", ["auto", *available_devices(), "cpu:0"])
    assert at.session_state["_anatomy_good"][0].device == "cpu:0"
    box.set_value("cpu").run()
    assert at.session_state["_anatomy_good"][0].device == "cpu"
    at = open_page("anatomy", device="abacus")
    assert "asks for Device = “abacus”, which is not possible; auto is used" in at.warning[0].value
    assert at.session_state["_anatomy_good"][0].device == "auto"


def test_a_run_that_was_cut_off_is_made_good_by_a_whole_one(open_page: Open) -> None:
    at = open_page("masks")
    at.session_state[COMPLETE] = ""
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert len(at.title) == 1
    assert drawn(at)
