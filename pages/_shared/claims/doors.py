"""The doors on Home: three ways on, each with a small picture of what is behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import streamlit as st

from pages._shared.core.pages import target
from pages._shared.session.links import link_to
from attention_core.figures.theme import ROLE_COLOURS, SCALES, Role
from attention_core.language import gettext_lazy as _

Mode = Literal["light", "dark"]
_ROLES: Final[tuple[Role, ...]] = ("query", "key", "value", "output", "query")


def _svg(*parts: str) -> str:
    size = 'viewBox="0 0 112 80" width="112" height="80"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} fill="none">{"".join(parts)}</svg>'


def _path(d: str, colour: str, width: float, opacity: float = 1) -> str:
    return f'<path d="{d}" stroke="{colour}" stroke-width="{width}" opacity="{opacity}"/>'


def _square(x: float, y: float, side: float, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="2" fill="{colour}"/>'


def _anatomy(mode: Mode) -> str:
    """Ways lead into a matrix of weights whose diagonal is dark."""
    ways = (
        _path(f"M2 {16 + 12 * at}C26 {16 + 12 * at} 26 {18 + 11 * at} 48 {18 + 11 * at}", colour, 5, 0.45)
        for at, colour in enumerate(ROLE_COLOURS[mode][role] for role in _ROLES)
    )
    ink = SCALES[mode]["sequential"]
    cells = (
        _square(52 + 11 * column, 13.5 + 11 * row, 9, ink[6 if row == column else 1])
        for row, column in product(range(5), range(5))
    )
    return _svg(*ways, *cells)


def _trained(mode: Mode) -> str:
    """The last word looks back, at one word more than at another."""
    ink = SCALES[mode]["sequential"]
    arcs = _path("M94 56C94 4 34 4 34 56", ink[4], 4) + _path("M94 56C94 16 10 16 10 56", ink[2], 2)
    return _svg(arcs, *(_square(3 + 21 * at, 60, 14, ink[{1: 4, 4: 5}.get(at, 1)]) for at in range(5)))


def _learning(mode: Mode) -> str:
    """A curve that rises once, late."""
    ink = SCALES[mode]["sequential"]
    curve = _path("M4 70H108", ink[1], 2) + _path("M4 66C34 64 40 58 52 38S70 10 100 10", ink[4], 4)
    return _svg(curve, f'<circle cx="101" cy="10" r="6" fill="{ink[4]}"/>')


@dataclass(frozen=True, slots=True)
class Door:
    """One way on.

    Attributes:
        page: The page it opens.
        label: What is done there.
        line: What is seen there.
        picture: A small picture of it, as SVG.
    """

    page: str
    label: str
    line: str
    picture: Callable[[Mode], str]


DOORS: Final = (
    Door("anatomy", _("Follow one sentence through"), _("Every step of attention, number by number."), _anatomy),
    Door("trained", _("Ask a trained model"), _("Which words did it look at? Switch a head off."), _trained),
    Door("learning", _("Watch one learn"), _("Train a small model here, step by step."), _learning),
)


def draw_doors() -> None:
    """Draw them side by side; all of a door leads to its page."""
    mode: Mode = "dark" if st.context.theme.type == "dark" else "light"
    with st.container(horizontal=True, key="doors"):
        for door in DOORS:
            with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"door_{door.page}"):
                st.image(door.picture(mode), width=112, alt="")
                with st.container(gap="xxsmall"):
                    way = link_to(door.page)
                    st.page_link(target(door.page), label=f"**{door.label}**", icon="", query_params=way)
                    st.markdown(f":small[:gray[{door.line}]]")
