"""Two visitors with different settings, at once on every page: each sees what they would see alone."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pages._shared.core.pages import PAGES
from tests.load.client import Run, Session, element_of, flipped
from tests.processes import Server
from tests.sweeps import some_by_day

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("moves")]
SETTINGS = ({"seed": "3"}, {"seed": "4", "dtype": "float64"})
COUNTED = re.compile(r'"(order|answered|id)": ?("[^"]*"|\d+)')


def seen(run: Run) -> list[Any]:
    """Words, pictures and charts of a page in their places, without the numbers by which a session counts."""
    assert run.failures == []
    found = {}
    for message in run.shown:
        kind, proto = element_of(message) or ("", None)
        place = tuple(message.metadata.delta_path)  # what was shown there before is gone
        if kind == "bidi_component":
            found[place] = COUNTED.sub("", proto.mixed.json or proto.json)
        elif kind in ("markdown", "alert", "heading"):
            found[place] = proto.body
        elif kind == "plotly_chart":
            found[place] = json.loads(proto.spec)["data"]
    return [found[place] for place in sorted(found)]


def walk(visitor: Session, name: str, which: int) -> Iterator[list[Any]]:
    """What a visitor sees of a page that they open, and change in a way of their own."""
    first = visitor.visit(name, SETTINGS[which])
    yield seen(first)
    visitor.change([flipped(visitor, visitor.open_drawer(), name, which)])
    yield seen(visitor.change())


@pytest.mark.parametrize("name", some_by_day([page.name for page in PAGES], 3))
def test_each_sees_what_they_would_see_alone(name: str, server: Server) -> None:
    alone = []
    for which in range(2):
        with Session(server.url) as visitor:
            alone.append(list(walk(visitor, name, which)))
    assert alone[0] != alone[1]
    with Session(server.url) as one, Session(server.url) as other, ThreadPoolExecutor(2) as both:
        walks = [walk(visitor, name, which) for which, visitor in enumerate((one, other))]
        for step in range(2):
            shown = list(both.map(next, walks))
            assert shown == [steps[step] for steps in alone]
