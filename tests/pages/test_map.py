"""The map on Home: the whole ledger is on it, its links are the claims' own, and its colours what was found."""

import dataclasses
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.claims import map as module
from pages._shared.claims.doors import DOORS, Door
from pages._shared.claims.map import BOXES, PARTS, Box, box_state, draw_map
from attention_core.claims import check, claims, statement
from attention_core.measuring.claim import Part
from tests.approved import lines
from tests.pages.conftest import open_page
from tests.pages.read import sent


def drawn(**parameters: str) -> list[dict[str, Any]]:
    at = open_page("home", **parameters)
    assert not at.exception
    (data,) = sent(at, "map/map")
    return [box for part in data["parts"] for box in part["boxes"]]


def test_every_claim_is_on_the_map_where_the_part_that_it_is_about_stands() -> None:
    parts = {claim.id: claim.part for claim in claims()}
    assert {name for box in BOXES for name in box.claims} == {*parts}
    assert {parts[box.says] for box in BOXES} == {*parts.values()} == {*get_args(Part)}
    for box in BOXES:
        assert box.says in box.claims
        assert {parts[name] for name in box.claims} == {parts[box.says]}


def test_a_box_links_to_its_claim_with_the_settings_that_all_pages_share() -> None:
    boxes = drawn(seed="78", dtype="float32")
    assert [box["number"] for box in boxes] == list(range(len(BOXES)))
    for plain, box in zip(boxes, BOXES, strict=True):
        assert plain["href"].startswith(f"{box.claim.page}?")
        assert "seed=78" in plain["href"]
        assert plain["says"] == statement(box.says)
        assert (plain["state"], "not checked yet" in plain["told"]) == ("unchecked", True)


def test_a_box_of_the_feed_forward_network_opens_it() -> None:
    found = [box for box in drawn() if box["label"] == "Feed-forward"]
    assert [(box["page"], "normalization_topic=feed-forward" in box["href"]) for box in found] == [
        ("Normalization", True)
    ] * 2


LAST = len(BOXES) - 1


@pytest.mark.parametrize(
    ("sent", "page"),
    [(0, BOXES[0].claim.page), (LAST, BOXES[LAST].claim.page), (LAST + 1, ""), (-1, ""), ("0", ""), (True, "")],
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
        assert gone[0][1] == BOXES[int(str(sent))].claim.parameters()


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.page)
def test_the_small_picture_of_a_door_is_as_approved(door: Door, approved: SnapshotAssertion) -> None:
    light, dark = (door.picture(mode) for mode in ("light", "dark"))
    assert lines(light.replace("><", ">\n<")) == approved
    assert light != dark


def test_sublayers_stand_together() -> None:
    for part in PARTS.values():
        layers = [box.layer for box in part if box.layer]
        assert layers == sorted(layers)


@pytest.fixture
def two_about_softmax(monkeypatch: pytest.MonkeyPatch) -> Box:
    """A box of a ledger with two claims about softmax, and one about something else."""
    known = {claim.id: claim for claim in claims() if claim.id in ("drop-rows", "softmax-shift", "gauge")}
    monkeypatch.setattr(module, "_CLAIMS", known)
    return Box("Softmax", "drop-rows")


@pytest.mark.parametrize(
    ("found", "state", "sentence"),
    [
        ((), "unchecked", "2 claims, not checked yet"),
        (("drop-rows",), "partly", "1 of 2 claims checked and as theory says"),
        (("drop-rows", "softmax-shift", "gauge"), "agrees", "2 of 2 claims checked and as theory says"),
    ],
)
def test_a_box_is_lit_by_what_was_found(
    found: tuple[str, ...], state: str, sentence: str, two_about_softmax: Box
) -> None:
    assert box_state(two_about_softmax, {name: check(name) for name in found}) == (state, sentence)


def test_a_surprise_outshines_the_rest(two_about_softmax: Box) -> None:
    one = check("drop-rows")
    wrong = tuple(dataclasses.replace(verdict, expected=not verdict.expected) for verdict in one.verdicts)
    found = {"drop-rows": dataclasses.replace(one, verdicts=wrong), "softmax-shift": check("softmax-shift")}
    assert box_state(two_about_softmax, found) == ("surprises", "2 claims, not all as theory says")
