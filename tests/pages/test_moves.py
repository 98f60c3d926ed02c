"""A browser that is behind repeats what widgets showed before: that undoes nothing, and every move counts."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

from pages._shared.core.session_keys import SETTINGS, SHOWN
from tests.pages.conftest import open_page
from tests.pages.read import page_of

ONE_BACK, AVERAGE, DROPOUT, RANDOM = 0, 2, 3, 4  # the second and the third show the softmax, the others all steps


@pytest.fixture(params=[1, -1], ids=["as drawn", "backwards"])
def at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Anatomy; a browser sends what its widgets show in any order, and so are callbacks called."""
    collect = ElementTree.get_widget_states

    def collected(tree: ElementTree) -> WidgetStates:
        return WidgetStates(widgets=list(collect(tree).widgets)[:: request.param])

    monkeypatch.setattr(ElementTree, "get_widget_states", collected)
    return open_page("anatomy", anatomy_answer="skipped")


def press(at: AppTest, *presets: int) -> None:
    for preset in presets:
        at.pills(key="_anatomy_preset").set_value(preset).run()
        at.run()  # AppTest knows what the last run drew alone


def add_heads(at: AppTest, heads: int) -> None:
    at.slider(key="anatomy_heads").set_value(heads).run()
    at.run()


def repeat(at: AppTest, step: str) -> None:
    """Have the next message say that this step is still shown."""
    at.segmented_control(key="anatomy_step").set_value(step)


def is_set(at: AppTest) -> dict[str, object]:
    return {key: value for key, value in at.session_state[SETTINGS].items() if key != "anatomy_answer"}


@pytest.mark.parametrize(
    ("before", "after", "shown"), [(AVERAGE, RANDOM, "softmax"), (ONE_BACK, DROPOUT, "overview")]
)
def test_a_preset_right_after_another_is_set_whole(at: AppTest, before: int, after: int, shown: str) -> None:
    other = {AVERAGE: ONE_BACK, ONE_BACK: AVERAGE}[before]
    press(at, before, other)
    repeat(at, shown)
    press(at, after)
    page = page_of("anatomy")
    assert is_set(at) == {f"anatomy_{name}": value for name, value in page.presets[after].settings.items()}
    assert at.pills(key="_anatomy_preset").value == after


def test_reset_after_presets_resets_all(at: AppTest) -> None:
    press(at, AVERAGE, ONE_BACK)
    repeat(at, "softmax")
    at.button(key="_anatomy_reset").click().run()
    assert is_set(at) == {}


def test_a_second_move_after_a_preset_does_not_press_it_again(at: AppTest) -> None:
    press(at, DROPOUT)
    add_heads(at, 4)
    at.pills(key="_anatomy_preset").set_value(DROPOUT)  # it went out, which the browser has not drawn yet
    add_heads(at, 8)
    assert is_set(at) == {"anatomy_dropout": 0.5, "anatomy_step": "softmax", "anatomy_heads": 8}


def test_back_to_what_was_shown_before_is_a_move_like_any_other(at: AppTest) -> None:
    press(at, AVERAGE, ONE_BACK)
    at.segmented_control(key="anatomy_step").set_value("softmax").run()
    assert is_set(at) == {"anatomy_step": "softmax"}


def test_two_moves_in_one_message_both_count_once_the_browser_has_drawn_what_is_set(at: AppTest) -> None:
    press(at, AVERAGE, ONE_BACK)
    add_heads(at, 4)  # says that the step is the one that was set
    at.segmented_control(key="anatomy_step").set_value("softmax")
    add_heads(at, 8)
    assert is_set(at) == {"anatomy_step": "softmax", "anatomy_heads": 8}


def test_what_a_session_knows_of_widgets_is_of_the_page_it_is_on(at: AppTest) -> None:
    press(at, *range(5), *range(5))
    shown = at.session_state[SHOWN]
    assert {len(values) for values in shown.values()} <= {1, 2, 3, 4}
    assert len(shown) < 30
