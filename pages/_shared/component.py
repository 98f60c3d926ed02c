"""The browser's side of our components: ES modules that a browser fetches once, from ``web/``.

The package's name holds a digest of all files. A new version has new addresses, so nobody's tab runs old code.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit as st

from pages._shared.compat import serve_modules
from attention_core.figures.theme import GRID, HIDDEN, MUTED, ROLE_COLOURS, SCALES

WEB: Final = Path(__file__).parent / "web"
COLOURS: Final = {
    mode: {
        "roles": ROLE_COLOURS[mode],
        "scales": SCALES[mode],
        "muted": MUTED[mode],
        "grid": GRID[mode],
        "hidden": HIDDEN[mode],
    }
    for mode in ("light", "dark")
}


@cache
def _version() -> str:
    files = sorted(path for path in WEB.rglob("*") if path.is_file())
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:8]


def component(script: str) -> Callable[..., Any]:
    """What draws a component: called like what ``st.components.v2.component`` returns.

    Args:
        script: The component's module, relative to ``web/``; its styles are beside it.
    """
    short = Path(script).stem

    def draw(**given: Any) -> Any:
        return _drawer(serve_modules(f"attention-{_version()}", _version(), short, WEB), script)(**given)

    return draw


@cache
def _drawer(name: str, script: str) -> Callable[..., Any]:
    return st.components.v2.component(name, js=script)
