"""A browser that is behind tells of widgets that have been replaced: that undoes nothing, and every move counts."""

from typing import Any

import pytest
import streamlit
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

from pages._shared.core.visitor_state import VISIT, VisitState
from pages._shared.session.widget_keys import is_move, key_to_show
from tests.pages.conftest import open_page
from tests.pages.read import page_of, widget

ONE_BACK, AVERAGE, DROPOUT, RANDOM = 0, 2, 3, 4  # the second and the third show the softmax, the others all steps


@pytest.fixture
def late() -> list[Any]:
    """Widgets of which the browser still says what they show, for it has not drawn those in their places."""
    return []


@pytest.fixture(params=[1, -1], ids=["as drawn", "backwards"])
def behind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, late: list[Any]) -> None:
    """A browser sends what its widgets show in any order, and so are callbacks called."""
    collect = ElementTree.get_widget_states

    def collected(tree: ElementTree) -> WidgetStates:
        widgets = [*collect(tree).widgets, *late]
        return WidgetStates(widgets=widgets[:: request.param])

    monkeypatch.setattr(ElementTree, "get_widget_states", collected)


@pytest.fixture
def at(behind: None) -> AppTest:
    return open_page("anatomy", anatomy_answer="skipped")


def press(at: AppTest, *presets: int, page: str = "anatomy") -> None:
    for preset in presets:
        widget(at, f"_{page}_preset").set_value(preset).run()
        at.run()  # AppTest knows what the last run drew alone


def add_heads(at: AppTest, heads: int) -> None:
    widget(at, "anatomy_heads").set_value(heads).run()
    at.run()


def is_set(at: AppTest) -> dict[str, object]:
    return {key: value for key, value in at.session_state[VISIT].settings.items() if not key.endswith("_answer")}


@pytest.mark.parametrize(("before", "after", "shown"), [(AVERAGE, RANDOM, "softmax"), (ONE_BACK, DROPOUT, "pass")])
def test_a_preset_right_after_another_is_set_whole(
    at: AppTest, late: list[Any], before: int, after: int, shown: str
) -> None:
    press(at, before)
    late.append(widget(at, "anatomy_step").set_value(shown)._widget_state)
    press(at, {AVERAGE: ONE_BACK, ONE_BACK: AVERAGE}[before])
    press(at, after)
    assert not at.exception
    page = page_of("anatomy")
    assert is_set(at) == {f"anatomy_{name}": value for name, value in page.presets[after].settings.items()}
    assert widget(at, "_anatomy_preset").value == after


@pytest.mark.usefixtures("behind")
def test_what_is_no_longer_drawn_moves_nothing(late: list[Any]) -> None:
    at, page = open_page("bug_hunt", bug_hunt_answer="skipped"), page_of("bug_hunt")
    accuses_a, accuses_c, accuses_nobody = 3, 4, 5
    press(at, accuses_a, page="bug_hunt")
    late.append(widget(at, "bug_hunt_say_a")._widget_state)
    press(at, accuses_c, page="bug_hunt")  # what C does is asked in its place
    press(at, accuses_nobody, page="bug_hunt")
    assert is_set(at) == {f"bug_hunt_{name}": value for name, value in page.presets[accuses_nobody].settings.items()}


def test_each_move_counts_once_though_nothing_is_drawn_between(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {VISIT: VisitState("masks")}
    monkeypatch.setattr(streamlit, "session_state", state)
    key = key_to_show("side", "left")
    moves = []
    for sent in ("left", "right", "right", "left"):
        state[key] = sent
        moves.append(is_move("side", key))
    assert moves == [False, True, False, True]
    assert key_to_show("side", "right") != key
    assert not is_move("side", key), "it has been replaced"


def test_reset_after_presets_resets_all(at: AppTest, late: list[Any]) -> None:
    press(at, AVERAGE)
    late.append(widget(at, "anatomy_step")._widget_state)
    press(at, ONE_BACK)
    at.button(key="_anatomy_reset").click().run()
    assert is_set(at) == {}


def test_a_second_move_after_a_preset_does_not_press_it_again(at: AppTest, late: list[Any]) -> None:
    press(at, DROPOUT)
    late.append(widget(at, "_anatomy_preset")._widget_state)  # it goes out, which the browser has not drawn yet
    add_heads(at, 4)
    add_heads(at, 8)
    assert is_set(at) == {"anatomy_dropout": 0.5, "anatomy_step": "softmax", "anatomy_heads": 8}


def test_a_hand_on_a_widget_that_has_been_replaced_moves_nothing(at: AppTest, late: list[Any]) -> None:
    press(at, AVERAGE)
    replaced = widget(at, "anatomy_step")
    press(at, ONE_BACK)
    late.append(replaced.set_value("qkv")._widget_state)
    at.run()
    assert is_set(at) == {}
    at.run()
    assert widget(at, "anatomy_step").value == "pass"


def test_back_to_what_was_shown_before_is_a_move_like_any_other(at: AppTest) -> None:
    press(at, AVERAGE, ONE_BACK)
    widget(at, "anatomy_step").set_value("softmax").run()
    assert is_set(at) == {"anatomy_step": "softmax"}


def test_two_moves_in_one_message_both_count(at: AppTest) -> None:
    press(at, AVERAGE, ONE_BACK)
    add_heads(at, 4)
    widget(at, "anatomy_step").set_value("softmax")
    add_heads(at, 8)
    assert is_set(at) == {"anatomy_step": "softmax", "anatomy_heads": 8}


def test_what_was_typed_stays_as_it_was_typed_where_it_means_the_same() -> None:
    at = open_page("anatomy", anatomy_answer="skipped")
    widget(at, "anatomy_tokens").set_value("  a   b ").run()
    at.run()
    assert widget(at, "anatomy_tokens").value == "  a   b "
    assert dict(at.query_params)["anatomy_tokens"] == "a b"


def test_what_a_session_knows_of_widgets_grows_with_their_number_alone(at: AppTest) -> None:
    press(at, *range(5))
    visit = at.session_state[VISIT]
    replaced, shown = set(visit.widget_turns), set(visit.widgets_show)
    assert replaced < shown
    press(at, *range(5), *range(5))
    assert set(visit.widget_turns) <= shown
    assert set(visit.widgets_show) == shown
    assert {type(turn) for turn in visit.widget_turns.values()} == {int}
