"""The Share tab: the link to this state, its QR code, and the lesson a teacher makes of it."""

import io
from collections.abc import Iterable
from typing import Any

import segno
import streamlit as st

from pages._shared import link
from pages._shared.browser import copy_button
from pages._shared.controls import Controls

_PART_NAMES = {
    "predict": "Predict",
    "presets": "Presets",
    "controls": "Controls",
    "break": "Break it",
    "why": "Why",
    "code": "Code",
    "data": "Data",
    "pin": "Pin",
}


def draw_share(page: str, controls: Iterable[Controls]) -> None:
    """Draw the tab.

    Args:
        page: Name of the page.
        controls: The page's own and the shared controls, with the values they have now.
    """
    _draw_link("This page with these settings", link.address(page), f"{page}_link")
    if link.lesson() is not None:
        return
    with st.expander("Make a lesson of it", icon=":material/school:"):
        st.markdown(
            "A lesson keeps a class's attention: it shows the parts you choose and holds the controls you fix. "
            "It is no lock; anyone may leave it."
        )
        made = _ask_lesson(page, list(controls))
        _draw_link("The lesson", link.address(page, {"lesson": made.encode()}), f"{page}_lesson")


def _draw_link(title: str, address: str, key: str) -> None:
    left, right = st.columns([4, 1], gap="large")
    with left:
        st.markdown(f"**{title}**")
        st.code(address, language=None, wrap_lines=True)
        copy_button("Copy the link", address, key=f"_{key}_copy")
        if len(address) > link.LONG_LINK:
            st.warning(
                f"This link has {len(address):,} characters. Past {link.LONG_LINK:,} some mail and chat programs cut "
                "links: shorten the sentence or the note."
            )
    with right:
        draw_qr_code(title, address)


def draw_qr_code(title: str, address: str) -> None:
    """The QR code of a link, or a sentence where the link is too long for one.

    Args:
        title: What the link leads to.
        address: The link.
    """
    svg = _qr_code(address)
    if svg is None:
        st.caption("The link is too long for a QR code.")
    else:
        st.image(svg, width=180, alt=f"QR code of the link: {title}")


@st.cache_data(max_entries=64, show_spinner=False)
def _qr_code(address: str) -> str | None:
    try:
        code = segno.make(address, error="l", micro=False)
    except segno.DataOverflowError:
        return None
    out = io.BytesIO()
    code.save(out, kind="svg", scale=4, border=3, light="#ffffff", dark="#000000", xmldecl=False)
    return out.getvalue().decode()


def _ask_lesson(page: str, controls: list[Controls]) -> link.Lesson:
    labels = {key: label for control in controls for key, label in control.labels.items()}
    values = {key: value for control in controls for key, value in control.values.items()}
    parts = st.multiselect(
        "Parts that show", tuple(_PART_NAMES), tuple(_PART_NAMES), format_func=_PART_NAMES.__getitem__,
        key=f"_{page}_lesson_parts",
    )  # fmt: skip
    name: Any = labels.__getitem__
    fixed = st.multiselect(
        "Controls drawn as their value", tuple(labels), format_func=name, key=f"_{page}_lesson_fix"
    )
    hidden = st.multiselect("Controls not drawn at all", tuple(labels), format_func=name, key=f"_{page}_lesson_hide")
    first = st.toggle("The prediction comes before the picture", key=f"_{page}_lesson_first")
    note = st.text_input("A note to the class", max_chars=link.MAX_NOTE, key=f"_{page}_lesson_note")
    # A control that is not drawn at all keeps the value it has now.
    own = controls[0]
    gone = {*hidden, *(key for key, part in own.parts.items() if part not in parts)}
    return link.Lesson(
        parts=tuple(part for part in link.LESSON_PARTS if part in parts),
        fixed={key: values[key] for key in labels if key in {*fixed, *gone}},
        hidden=tuple(key for key in labels if key in gone),
        predict_first=first,
        note=note[: link.MAX_NOTE],
    )
