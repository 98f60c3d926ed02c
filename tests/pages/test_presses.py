"""What a press on a picture may move: nothing from a pinned one, nothing that a lesson fixes, else the page."""

from collections.abc import Callable
from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.pages import PAGES
from pages._shared.core.visitor_state import VISIT, visit_state
from pages._shared.lessons.lesson import Lesson
from tests.approved import lines
from tests.pages.conftest import lesson_text, open_answered, page_hashes
from tests.pages.read import button, link_of, looks, page_of, trains, widget
from tests.sweeps import some_by_day

EXPERIMENTS = [page.name for page in PAGES]
LOOKS = [
    pytest.param(name, one, id=f"{name} {at}", marks=[pytest.mark.slow] * trains(one))
    for name in EXPERIMENTS
    for at, one in enumerate(looks(name))
]
CELLS = [list(cell) for cell in product(range(3), range(4), range(5))]  # panel, row and column: of any that are there
STEPS = range(6)
PRESSED = (
    "anatomy",
    "complexity",
    "images",
    "normalization",
    "receptive_field",
    "trained",
    "worth",
)  # pages whose cells set something
SLID = (
    "biases",
    "exactness",
    "learning",
    "projections",
    "receptive_field",
    "scaling",
    "variants",
)  # pages whose sliders do


class Presses:
    """A browser that presses and slides all that it is shown, at once as it is drawn, and sends what no hand can.

    Attributes:
        drawn: The keys of the views and boards that were drawn.
        moved: The key of each that has moved a setting, or asked for a run in order to; the setting is put back.
        sets: What the address holds of it after a press or a slide, where that moved a setting.
    """

    def __init__(self) -> None:
        self.drawn: set[str] = set()
        self.moved: set[str] = set()
        self.sets: dict[str, str] = {}

    def view(self, *, key: str, data: dict[str, Any], on_step_change: Callable, on_cell_change: Callable) -> None:
        order = data["at"]["order"]
        self.drawn.add(key)
        for cell in CELLS:
            self._send(key, {"cell": [order, *cell]}, on_cell_change)
        for step in STEPS:
            self._send(key, {"step": [order, step]}, on_step_change)

    def board(self, *, key: str, data: dict[str, Any], on_sent_change: Callable) -> None:
        self.drawn.add(key)
        self._send(key, {"sent": {"serial": 1, "order": list(reversed(data["order"]))}}, on_sent_change)

    def _send(self, key: str, state: dict[str, Any], callback: Callable) -> None:
        before = dict(visit_state().settings)
        st.session_state[key] = state
        try:
            callback()
        except BaseException:  # noqa: BLE001 - a run that is asked for is raised, and no error
            self.moved.add(key)
        after = visit_state().settings
        if after != before:
            self.moved.add(key)
            told = {name: after.get(name, "as it begins") for name in sorted({*before, *after})}
            new = {name: value for name, value in told.items() if before.get(name, "as it begins") != value}
            part, what = next(iter(state.items()))
            at = what["order"] if part == "sent" else what[1:]  # how often a picture was drawn depends on the clock
            self.sets[f"{key} {part} {at}"] = " ".join(f"{name}={value}" for name, value in new.items())
        visit_state().settings = before
        del st.session_state[key]


@pytest.fixture
def presses(monkeypatch: pytest.MonkeyPatch) -> Presses:
    page_hashes()  # the first time Home is opened, whose board is not meant
    browser = Presses()
    monkeypatch.setattr("pages._shared.components.matrix_view._component", browser.view)
    monkeypatch.setattr("pages._shared.components.token_board._board", browser.board)
    return browser


def fixing(name: str, link: dict[str, str], *names: str) -> str:
    """A lesson that fixes settings of a page where a link leads: all, or those that are named."""
    page = page_of(name)
    texts = page.settings.spelled(page.settings.read(link))
    fixed = {key: text for key, text in texts.items() if not names or key in map(page.settings.key, names)}
    return lesson_text(name, Lesson(fixed=fixed), **link)


def kept(at: AppTest, name: str) -> dict[str, Any]:
    """What the page's settings are, behind what a lesson fixes."""
    settings = at.session_state[VISIT].settings
    return {key: value for key, value in settings.items() if key in page_of(name).settings.keys}


@pytest.mark.parametrize(("name", "link"), some_by_day(LOOKS, of=27))
def test_a_press_on_the_pinned_picture_moves_nothing(name: str, link: dict[str, str], presses: Presses) -> None:
    at = open_answered(name, **link, **{f"{name}_pin": urlencode(link | {"seed": "1"})})
    assert not at.exception
    pinned = {key for key in presses.drawn if "_pinned" in key}
    assert pinned or at.table, "a table stands in a picture's place, which nobody can press"
    assert not pinned & presses.moved


@pytest.mark.parametrize(("name", "link"), some_by_day(LOOKS, 1, of=7))
def test_a_press_moves_nothing_that_a_lesson_fixes(name: str, link: dict[str, str], presses: Presses) -> None:
    at = open_answered(name, course=fixing(name, link))
    assert not at.exception
    assert presses.drawn or at.table
    assert not presses.moved


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_press_on_the_picture_itself_moves_what_it_is_there_for(
    name: str, presses: Presses, approved: SnapshotAssertion
) -> None:
    assert not open_answered(name).exception
    assert (name in presses.moved) == (name in {*PRESSED, *SLID})
    assert bool({key for key in presses.moved if key != name}) == (name == "permutation"), "its boards"
    corners = ("[0, 0, 0]", "[0, 1, 2]", "[1, 0, 3]", "[2, 2, 4]")
    told = [
        f"{press}: {what}"
        for press, what in presses.sets.items()
        if "cell" not in press or any(at in press for at in corners)
    ]
    assert lines("\n".join(told) or "nothing") == approved


def test_a_cell_is_chosen_of_the_step_that_is_shown(presses: Presses) -> None:
    assert not open_answered("anatomy", anatomy_step="softmax").exception
    assert presses.sets["anatomy cell [0, 1, 2]"] == "anatomy_cell=(8, 0, 1, 2)"


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ([3, 31], "level=as it begins token=as it begins"),  # the top of three layers, the last of 32 tokens
        ([2, 31], "level=2 token=as it begins"),
        ([3, 30], "level=as it begins token=31"),
        ([0, 0], "level=0 token=1"),
    ],
)  # fmt: skip
def test_a_node_at_the_edge_of_a_graph_stays_there_as_it_grows(
    cell: list[int], found: str, presses: Presses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.pages.test_presses.CELLS", [[0, *cell]])
    link = link_of("receptive_field", {"level": 1, "token": 2, "down": 1})
    assert not open_answered("receptive_field", **link).exception
    (press,) = (what for key, what in presses.sets.items() if "cell" in key)
    assert press.replace("receptive_field_", "") == f"down=as it begins {found}"


@pytest.mark.parametrize(
    ("name", "fixed"),
    [("complexity", "d_model"), ("complexity", "num_keys"), ("receptive_field", "level"), ("trained", "cell")],
)
def test_a_press_that_would_set_several_sets_none_where_one_is_fixed(name: str, fixed: str, presses: Presses) -> None:
    assert not open_answered(name, course=fixing(name, {}, fixed)).exception
    assert name in presses.drawn
    moved = presses.moved - ({name} if name == "receptive_field" else set())  # its slider is free
    assert not moved


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 2))
def test_presets_answers_and_reset_leave_what_is_fixed_as_it_was_behind_the_lesson(name: str) -> None:
    page = page_of(name)
    lesson = Lesson(fixed=page.settings.spelled(page.settings.defaults))
    at = open_answered(name, course=lesson_text(name, lesson))
    at.session_state[VISIT].settings |= {
        page.settings.key(setting): value for setting, value in page.presets[-1].settings.items()
    }
    before = kept(at, name)
    assert before
    button(at, "Reset").click().run()
    at.pills(key=f"_{name}_option").set_value(page.predict.options[0]).run()
    for preset in range(len(page.presets)):
        widget(at, f"_{name}_preset").set_value(preset).run()
        at.run()
        assert not at.exception
        assert kept(at, name) == before
    at.button(key="_course_leave").click().run()
    assert kept(at, name) == before, "who leaves the lesson has what was theirs"


def test_a_head_s_switch_that_is_fixed_does_not_move_by_a_message_either() -> None:
    for name, link in (("trained", {"trained_show": "heads"}), ("learning", {"learning_below": "heads"})):
        quick = {"learning_steps": "10"} if name == "learning" else {}
        at = open_answered(name, course=fixing(name, link | quick), **link, **quick)
        before = kept(at, name)
        switches = at.multiselect(key="_trained_off") if name == "trained" else at.pills(key="_learning_on")
        assert switches.disabled
        switches.proto.disabled = False  # a message that no browser of ours sends
        switches.set_value([(0, 0)] if name == "trained" else []).run()
        assert not at.exception
        assert kept(at, name) == before
