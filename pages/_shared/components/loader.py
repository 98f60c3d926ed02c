"""The browser's side of our components: ES modules that a browser fetches once, from ``web/``.

The package's name holds a digest of all files. A new version has new addresses, so nobody's tab runs old code, and a
browser need never ask again for what it has.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit as st

from pages._shared.core.compat import serve_modules
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
def _files() -> dict[str, Path]:
    return {path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*")) if path.is_file()}


@cache
def _version() -> str:
    return sha256(b"".join(path.read_bytes() for path in _files().values())).hexdigest()[:8]


@cache
def _package() -> str:
    return f"attention-{_version()}"


def file_at(path: str) -> Path | None:
    """The file that browsers are served at an address; None where it is none of ours.

    Args:
        path: Of the address: what ends in the package, the component, and the file's place in ``web/``.
    """
    _, _, after = path.partition(f"/{_package()}.")
    return _files().get(after.partition("/")[2])


def component(script: str) -> Callable[..., Any]:
    """What draws a component: called like what ``st.components.v2.component`` returns.

    Args:
        script: The component's module, relative to ``web/``; its styles are beside it.
    """
    short = Path(script).stem

    def draw(**given: Any) -> Any:
        return _drawer(serve_modules(_package(), _version(), short, WEB), script)(**given)

    return draw


@cache
def _drawer(name: str, script: str) -> Callable[..., Any]:
    return st.components.v2.component(name, js=script)
