"""The browser's side of our components: ES modules that a browser fetches once, from ``web/``.

The path they are served at holds a digest of them all. A new version has new addresses, so nobody's tab runs old
code, and a browser need never ask again for what it has. Streamlit is given a script of two lines that imports the
component's own, and sends it with every message about the component.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit as st
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from attention_core.figures.theme import GRID, HIDDEN, MUTED, ROLE_COLOURS, SCALES, TONES
from attention_core.language import current

WEB: Final = Path(__file__).parent / "web"
_DIGEST: Final = sha256(b"".join(path.read_bytes() for path in sorted(WEB.rglob("*")) if path.is_file())).hexdigest()
ADDRESS: Final = f"/web/{_DIGEST[:8]}"
ROUTE: Final = Mount(ADDRESS, StaticFiles(directory=WEB))
COLOURS: Final = {
    mode: {
        "roles": {**ROLE_COLOURS[mode], **TONES[mode]},
        "scales": SCALES[mode],
        "muted": MUTED[mode],
        "grid": GRID[mode],
        "hidden": HIDDEN[mode],
    }
    for mode in ("light", "dark")
}


def component(script: str) -> Callable[..., Any]:
    """A function that draws a component, called like that of ``st.components.v2.component``, by keywords alone.

    The browser gets ``data`` with the visitor's language.
    """
    js = (
        f'const {{ default: draw }} = await import(new URL("{ADDRESS[1:]}/{script}", document.baseURI));\n'
        "export default draw;"
    )
    mount = st.components.v2.component(script.removesuffix(".js"), js=js)

    def draw(*, data: Mapping[str, Any] | None = None, **options: Any) -> Any:
        return mount(data={**(data or {}), "language": current()}, **options)

    return draw
