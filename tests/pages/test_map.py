"""The map on Home: the whole ledger is on it, its links are the claims' own, and its colours what was found."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.claims import map as module
from pages._shared.claims.doors import DOORS, Door
from pages._shared.claims.map import BOXES, PARTS, Box, draw_map, told
from attention_core.claims import check, claims, statement
from tests.approved import lines
from tests.pages.conftest import open_page
from tests.pages.read import sent


def drawn(**parameters: str) -> list[dict[str, Any]]:
    at = open_page("home", **parameters)
    assert not at.exception
    (data,) = sent(at, "map/map")
    return [box for part in data["parts"] for box in part["boxes"]]


def test_every_claim_is_on_the_map_and_every_page_that_has_one_is_opened_by_a_box() -> None:
    assert {name for box in BOXES for name in box.claims} == {claim.id for claim in claims()}
    assert {box.first.page for box in BOXES} == {claim.page for claim in claims()}


def test_a_box_links_to_its_claim_with_the_settings_that_all_pages_share() -> None:
    boxes = drawn(seed="78", dtype="float32")
    assert [box["number"] for box in boxes] == list(range(len(BOXES)))
    for plain, box in zip(boxes, BOXES, strict=True):
        assert plain["href"].startswith(f"{box.first.page}?")
        assert "seed=78" in plain["href"]
        assert plain["says"] == statement(box.claims[0])
        assert (plain["state"], "not checked yet" in plain["told"]) == ("unchecked", True)


LAST = len(BOXES) - 1


@pytest.mark.parametrize(
    ("sent", "page"),
    [(0, BOXES[0].first.page), (LAST, BOXES[LAST].first.page), (LAST + 1, ""), (-1, ""), ("0", ""), (True, "")],
)
def test_a_box_that_is_pressed_leads_to_its_claim_and_nothing_else_does(
    sent: object, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr(module, "_draw", lambda **_: SimpleNamespace(go=sent))
    monkeypatch.setattr(module.st, "switch_page", lambda page, query_params: gone.append((page, query_params)))
    monkeypatch.setattr(module, "target", str)
    monkeypatch.setattr(module, "link_to", lambda _page, parameters: parameters)
    draw_map({}, key="map")
    assert [name for name, _ in gone] == [page] * bool(page)
    if page:
        assert gone[0][1] == BOXES[int(str(sent))].first.parameters()


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.page)
def test_the_small_picture_of_a_door_is_as_approved(door: Door, approved: SnapshotAssertion) -> None:
    light, dark = (door.picture(mode) for mode in ("light", "dark"))
    assert lines(light.replace("><", ">\n<")) == approved
    assert light != dark


def test_sublayers_stand_together() -> None:
    for part in PARTS.values():
        layers = [box.layer for box in part if box.layer]
        assert layers == sorted(layers)


@pytest.mark.parametrize(
    ("found", "state", "sentence"),
    [
        ((), "unchecked", "2 claims, not checked yet"),
        (("gauge",), "partly", "1 of 2 claims checked and as theory says"),
        (("gauge", "qk-tied"), "agrees", "2 of 2 claims checked and as theory says"),
    ],
)
def test_a_box_is_lit_by_what_was_found(found: tuple[str, ...], state: str, sentence: str) -> None:
    box = Box("Q, K, V", ("gauge", "qk-tied"))
    assert told(box, {name: check(name) for name in found}) == (state, sentence)


def test_a_surprise_outshines_the_rest() -> None:
    one = check("gauge")
    wrong = tuple(dataclasses.replace(verdict, expected=not verdict.expected) for verdict in one.verdicts)
    found = {"gauge": dataclasses.replace(one, verdicts=wrong), "qk-tied": check("qk-tied")}
    assert told(Box("Q, K, V", ("gauge", "qk-tied")), found) == ("surprises", "2 claims, not all as theory says")
