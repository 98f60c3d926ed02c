"""Moves as browsers send them, one message each, with what a widget's own code never sends twice."""

import json

import pytest

from pages._shared.core.pages import PAGES
from tests.load.client import Run, Session, Widget, flipped
from tests.processes import Server
from tests.sweeps import some_by_day

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("moves")]


# Controls that a picture holds are drawn with it.
IN_PICTURE = {"bug_hunt": ["bug_hunt_say_a"]}


def controls(run: Run) -> list[str]:
    kinds = {"slider", "selectbox", "checkbox", "text_input", "number_input"}
    names = [one.name for one in run.widgets if one.kind in kinds]
    return [name for name in names if not name.startswith("_")]


def words(run: Run) -> list[str]:
    return sorted(proto.body for kind, proto in run.elements if kind == "markdown")


def drawn(run: Run) -> Run:
    """Of a run what it drew, without what it left as it was."""
    return Run(run.messages, run.seconds)


def named(run: Run, name: str) -> Widget | None:
    return next((one for one in run.widgets if one.name == name), None)


@pytest.mark.parametrize("name", some_by_day([page.name for page in PAGES], 0))
def test_what_a_move_and_a_preset_draw_anew_is_as_much_as_they_change(name: str, server: Server) -> None:
    with Session(server.url) as visitor:
        visitor.visit(name)
        whole = visitor.open_drawer()
        for at in range(2):
            run = visitor.change([flipped(visitor, whole, name, at)])
        assert not named(drawn(run), "seed")
        away = visitor.change([flipped(visitor, whole, name, 2)])
        assert controls(drawn(away)) == IN_PICTURE.get(name, [])
        assert words(drawn(away))
        assert not named(drawn(away), f"_{name}_preset"), "none is lit, and none was"
        again = visitor.change()
        assert (controls(away), words(away)) == (controls(again), words(again)) == (controls(whole), words(again))

        preset, before = named(again, f"_{name}_preset"), visitor.parameters
        assert preset
        lit = visitor.change([preset.state([preset.proto.options[1].content])])
        after = visitor.parameters
        other = {key for key in before | after if before.get(key) != after.get(key)} & set(controls(lit))
        assert other <= set(controls(drawn(lit))), "with new values"
        assert named(drawn(lit), f"_{name}_preset"), "with its line"
        again = visitor.change()
        assert (sorted(controls(lit)), words(lit)) == (sorted(controls(again)), words(again))
        out = visitor.change([flipped(visitor, whole, name, 2)])  # the first ones may follow what the preset chose
        assert named(drawn(out), f"_{name}_preset"), "it goes out"
        assert not named(drawn(out), "seed")


@pytest.mark.parametrize("name", some_by_day([page.name for page in PAGES], 1))
def test_a_control_that_was_moved_there_and_back_in_one_go_leaves_a_page_that_goes_on(
    name: str, server: Server
) -> None:
    with Session(server.url) as visitor:
        visitor.visit(name)
        first = visitor.open_drawer()
        toggles = [one for one in first.widgets if one.kind == "checkbox" and one.key.startswith(name)]
        one = toggles[0]
        for value in (not one.proto.default, not one.proto.default, one.proto.default):
            run = visitor.change([one.state(value)])
            assert not run.failures
            assert [said for said in run.told if "went wrong" in said] == []
        again = visitor.change()
        assert sorted(controls(run)) == sorted(controls(again)) == sorted(controls(first))
        assert sorted(words(run)) == sorted(words(again))


def test_a_preset_leaves_groups_of_controls_alone_that_it_does_not_change(server: Server) -> None:
    with Session(server.url) as visitor:
        preset = named(visitor.visit("scaling"), "_scaling_preset")
        assert preset
        lit = visitor.change([preset.state([preset.proto.options[1].content])])
        assert set(controls(drawn(lit))) == {f"scaling_{name}" for name in ("scale", "num_keys", "show")}


def test_a_cell_chosen_in_the_picture_draws_the_controls_anew_that_name_it(server: Server) -> None:
    with Session(server.url) as visitor:
        in_sight = controls(visitor.visit("receptive_field"))
        whole = visitor.open_drawer()
        graph = named(whole, "receptive_field")
        assert graph
        number = json.loads(graph.proto.json)["at"]["order"]
        chosen = visitor.change([graph.state(json.dumps({"cell": [number, 0, 1, 2]}))])
        boxes = {key: named(drawn(chosen), f"receptive_field_{key}") for key in ("level", "token")}
        assert set(controls(drawn(chosen))) == {*controls(whole)} - {*in_sight}, "the drawer's, and no other"
        assert {key: list(box.proto.value) for key, box in boxes.items() if box} == {"level": [1], "token": [3]}


def test_a_sentence_below_a_box_goes_with_its_cause_whatever_removes_it(server: Server) -> None:
    with Session(server.url) as visitor:
        box = named(visitor.visit("anatomy"), "anatomy_tokens")
        assert box
        refused = visitor.change([box.state(" ".join(["w"] * 65))])
        assert [said for said in refused.told if "65" in said]
        preset = named(refused, "_anatomy_preset")
        assert preset
        put_right = visitor.change([preset.state([preset.proto.options[1].content])])
        assert named(drawn(put_right), "anatomy_tokens")
        assert put_right.told == []
