"""What Python sends to each component is what ``types.d.ts`` says of it: no field more or less, each of its type."""

import json
import re
from typing import Any

import pytest

from pages._shared.components.loader import WEB
from pages._shared.core.visitor_state import CLASS
from tests.pages.conftest import open_page

TYPES = re.sub(r"/\*.*?\*/|//[^\n]*", "", (WEB / "base/types.d.ts").read_text("utf-8"), flags=re.DOTALL)
DATA = {
    "token_board/board": "BoardData",
    "matrix_view/view": "ViewData",
    "map/map": "MapData",
    "claims_chart/chart": "ChartData",
    "small/button": "ButtonData",
    "small/draft": "DraftData",
    "live_class/panel": "ClassData",
    "live_class/start": "StartData",
    "live_class/votes": "VotesData",
}
SIMPLE: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "boolean": (bool,)}
TOKEN = re.compile(r'"[^"]*"|\w+|\[\]|[\[\]{}<>|,;:?]')


class Reader:
    """Reads a TypeScript type, and checks a value against it as it goes."""

    def __init__(self, text: str) -> None:
        self.tokens, self.at = TOKEN.findall(text), 0

    def take(self, wanted: str = "") -> str:
        token = self.tokens[self.at]
        assert wanted in ("", token), (wanted, self.tokens[self.at :])
        self.at += 1
        return token

    def comes(self, token: str) -> bool:
        if self.tokens[self.at : self.at + 1] != [token]:
            return False
        self.at += 1
        return True

    def union(self, value: Any, where: str) -> list[str]:
        """What is wrong with a value; where one of several types fits, nothing."""
        found = [self.one(value, where)]
        while self.comes("|"):
            found.append(self.one(value, where))
        return min(found, key=len)

    def one(self, value: Any, where: str) -> list[str]:
        start = self.at
        wrong = self.primary(value, where)
        if not self.comes("[]"):
            return wrong
        end, wrong = self.at, [] if isinstance(value, list) else [f"{where} is no list"]
        for i, each in enumerate(value if isinstance(value, list) else ()):
            self.at = start
            wrong += self.primary(each, f"{where}[{i}]")
        self.at = end
        return wrong

    def primary(self, value: Any, where: str) -> list[str]:
        token = self.take()
        no = [f"{where} = {str(value)[:60]!r} is no {token}"]
        if token == "{":
            return self.fields(value, where)
        if token == "[":
            return self.tuple(value, where)
        if token == "Record":
            return self.record(value, where)
        if token in SIMPLE:
            return [] if isinstance(value, SIMPLE[token]) and isinstance(value, bool) == (token == "boolean") else no
        if token == "null" or token.startswith('"'):
            return [] if value == json.loads(token) else no
        return declared(token, value, where)

    def fields(self, value: Any, where: str) -> list[str]:
        value, wrong, known = value if isinstance(value, dict) else {}, [], set[str]()
        while not self.comes("}"):
            name = self.take()
            optional, _ = self.comes("?"), self.take(":")
            known.add(name)
            found = self.union(value.get(name), f"{where}.{name}")
            wrong += [] if optional and name not in value else found if name in value else [f"{where} has no {name}"]
            self.comes(";")
        return wrong + [f"{where} has {name}, too" for name in value if name not in known]

    def tuple(self, value: Any, where: str) -> list[str]:
        wrong, count = [], 0
        while not self.comes("]"):
            if self.tokens[self.at + 1] == ":":
                self.at += 2
            there = isinstance(value, list) and count < len(value)
            wrong += self.union(value[count] if there else None, f"{where}[{count}]")
            count += 1
            self.comes(",")
        return wrong if isinstance(value, list) and len(value) == count else [f"{where} is no {count} values"]

    def record(self, value: Any, where: str) -> list[str]:
        self.take("<")
        keys = [self.take()]
        while self.comes("|"):
            keys.append(self.take())
        is_empty = keys == ["string"] and value == {}  # what its values would be is read past
        if keys == ["string"]:  # whatever they are
            keys = list(map(json.dumps, value if isinstance(value, dict) and value else [""]))
        elif not keys[0].startswith('"'):
            keys = re.findall(r'"[^"]*"', alias(keys[0]))
        self.take(",")
        start, wrong = self.at, []
        for key in map(json.loads, keys):
            self.at = start
            wrong += self.union(value.get(key) if isinstance(value, dict) else None, f"{where}.{key}")
        self.take(">")
        return [] if is_empty else wrong


def alias(name: str) -> str:
    found = re.search(rf"type {name} =\s*(.*?);\n", TYPES, re.DOTALL)
    return found[1] if found else ""


def declared(name: str, value: Any, where: str) -> list[str]:
    """What is wrong with a value that is to be of a declared type."""
    if text := alias(name):
        return Reader(text).union(value, where)
    found = re.search(rf"interface {name}( extends (\w+))? {{(.*?)\n}}", TYPES, re.DOTALL)
    assert found, name
    text = found[3]
    while found and found[2]:
        found = re.search(rf"interface {found[2]}( extends (\w+))? {{(.*?)\n}}", TYPES, re.DOTALL)
        text += found[3] if found else ""
    return Reader(f"{{{text}}}").primary(value, where)


def test_all_that_is_sent_is_as_declared() -> None:
    sent: dict[str, list[Any]] = {name: [] for name in DATA}
    pages = [
        open_page(name)
        for name in ("home", "course", "permutation", "receptive_field", "projections", "trained", "claims")
    ]
    pages.append(open_page("masks", masks_tab="share"))
    pages.append(open_page("scaling", **{"class": "BCDFG"}))
    pages[-1].session_state[CLASS].teaches, pages[-1].session_state[CLASS].written = True, "Q\na\n* b"
    pages.append(pages[-1].run())
    pages.append(open_page("masks", course="order", step="6", **{"class": "BCDFG"}))
    for at in pages:
        for one in at.get("bidi_component"):
            data = json.loads(one.proto.json)
            assert data.pop("language") == "en", "every component is told it, for base/component.js"
            if one.proto.component_name in DATA:
                sent[one.proto.component_name].append(data)
    assert {name for name, found in sent.items() if not found} == set()
    kinds = {panel["kind"] for view in sent["matrix_view/view"] for panel in view["panels"]}
    assert kinds == {"matrix", "arcs", "bars", "rows", "areas", "lines", "graph"}
    wrong = [line for name, found in sent.items() for data in found for line in declared(DATA[name], data, name)]
    assert wrong == []


BOARD = {
    "tokens": ["a"], "order": [0], "role": "query", "label": "l", "group": "g", "locked": False, "answered": 0,
    "refused": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": 1}, "b has more, too"),
        ({"tokens": [1]}, "b.tokens[0] = '1' is no string"),
        ({"tokens": "a"}, "b.tokens is no list"),
        ({"role": "value"}, "b.role = 'value' is no \"query\""),
        ({"locked": 0}, "b.locked = '0' is no boolean"),
        ({"answered": True}, "b.answered = 'True' is no number"),
    ],
)
def test_what_is_not_would_be_found(change: dict[str, Any], said: str) -> None:
    found = declared("BoardData", BOARD | change, "b")
    assert said in found
    assert any(line.startswith("b has no colours") for line in found)
