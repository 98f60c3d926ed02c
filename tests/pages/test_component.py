"""The browser's side of the components is served as files from a plain clone, and only those files."""

import re
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.components import small
from pages._shared.components.loader import ADDRESS, WEB
from tests.processes import PATIENCE_S


def imported(source: str) -> list[str]:
    """What a script imports of ours, types too."""
    return re.findall(r'(?:from |import\()"(\.[^"]+)"', source)


def one_of_each() -> None:
    from pages._shared.components.small import copy_button, png_button, watch_connection
    from pages._shared.components.token_board import token_board

    token_board(("a", "b"), (0, 1), key="board", role="query", label="Tokens", hover_group="g")
    copy_button("Copy", "text", key="copy")
    png_button("Save", lambda: "<svg/>", filename="figure", key="save")
    watch_connection()


def drawn() -> list[Any]:
    at = AppTest.from_function(one_of_each, default_timeout=PATIENCE_S).run()
    assert not at.exception
    return [one.proto for one in at.get("bidi_component")]


def test_a_message_names_the_script_and_holds_no_more():
    protos = drawn()
    scripts = [re.search(rf'"{ADDRESS[1:]}/(.*?)"', proto.js_content)[1] for proto in protos]
    assert scripts == ["token_board/board.js", "small/button.js", "small/png.js", "small/watch_connection.js"]
    assert all((WEB / script).is_file() for script in scripts)
    assert max(len(proto.js_content) for proto in protos) < 200
    assert not any(proto.css_content or proto.html_content for proto in protos)


@pytest.mark.parametrize(("sent", "picture"), [(7, "<svg/>"), ("7", ""), (True, ""), (None, ""), ({"a": 1}, "")])
def test_a_press_has_the_picture_sent_once_and_a_forged_one_does_not(
    sent: object, picture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(small.st, "session_state", {"save": SimpleNamespace(pressed=sent)})
    monkeypatch.setattr(small, "_png", lambda **given: told.append(given))
    draw = partial(small.png_button.__wrapped__, "Save", lambda: "<svg/>", filename="figure", key="save")
    draw()
    told[0]["on_pressed_change"]()
    draw()
    draw()
    assert [one["data"]["svg"] for one in told] == ["", picture, ""]


def test_a_second_server_in_one_process_draws_them_too():
    assert [proto.component_name for proto in drawn()] == [proto.component_name for proto in drawn()]


def test_all_that_scripts_import_is_there_and_nothing_else_is_served():
    scripts = sorted(WEB.rglob("*.js"))
    for script in scripts:
        for found in imported(script.read_text("utf-8")):
            assert (script.parent / found).resolve() in [*scripts, WEB / "base/types"]
    assert {path.suffix for path in WEB.rglob("*") if path.is_file()} == {".js", ".css", ".ts"}


def test_a_room_imports_the_base_and_no_other_room():
    rooms = {
        path.name: {
            found
            for script in path.glob("*.js")
            for found in imported(script.read_text("utf-8"))
            if found.startswith("..") and not found.startswith("../base/")
        }
        for path in WEB.iterdir()
    }
    assert set(rooms) == {
        "base", "small", "map", "token_board", "matrix_view", "live_class", "claims_chart", "drawing_board"
    }  # fmt: skip
    assert not any(rooms.values()), rooms


@pytest.mark.parametrize(
    "source",
    ['import { a } from "../map/map.js";', '/** @import { A } from "../map/map.js" */', 'import("../map/map.js")'],
)
def test_an_import_would_be_found(source: str):
    assert imported(source) == ["../map/map.js"]
