"""The browser's side of the components is served as files from a plain clone, and only those files."""

import re
from typing import Any

from streamlit.testing.v1 import AppTest

from pages._shared.components.loader import WEB

IMPORTED = re.compile(r'^(?:import|\} from|import .* from) .*?"(\.[^"]+)";$|from "(\.[^"]+)";$', re.MULTILINE)


def one_of_each() -> None:
    from pages._shared.components.reconnect import watch_connection
    from pages._shared.components.small import copy_button, save_figure_button
    from pages._shared.components.token_board import token_board

    token_board(("a", "b"), (0, 1), key="board", role="query", label="Tokens", hover_group="g")
    copy_button("Copy", "text", key="copy")
    save_figure_button("Save", image_format="png", filename="figure", key="save")
    watch_connection()


def drawn() -> list[Any]:
    at = AppTest.from_function(one_of_each, default_timeout=30).run()
    assert not at.exception
    return [one.proto for one in at.get("bidi_component")]


def test_a_message_names_the_script_and_holds_none():
    protos = drawn()
    assert [proto.js_source_path for proto in protos] == [
        "token_board/token_board.js",
        "button.js",
        "button.js",
        "watch_connection.js",
    ]
    assert not any(proto.js_content or proto.css_content or proto.html_content for proto in protos)
    assert len({proto.component_name.split(".")[0] for proto in protos}) == 1


def test_a_second_server_in_one_process_draws_them_too():
    assert [proto.component_name for proto in drawn()] == [proto.component_name for proto in drawn()]


def test_all_that_scripts_import_is_there_and_nothing_else_is_served():
    scripts = sorted(WEB.rglob("*.js"))
    for script in scripts:
        for found in IMPORTED.findall(script.read_text("utf-8")):
            assert (script.parent / "".join(found)).resolve() in scripts
    assert {path.suffix for path in WEB.rglob("*") if path.is_file()} == {".js", ".css", ".ts"}
