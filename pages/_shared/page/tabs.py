"""Lazy bars of tabs, the proof, and the way to the next page."""

from typing import Any

import streamlit as st

from pages._shared.core.pages import neighbours
from pages._shared.core.text import no_line_breaks
from pages._shared.session import address
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import TABS
from attention_core.figures.proof import ProofStep


def open_tab(sheet: PageState, labels: dict[str, str]) -> tuple[str, Any]:
    """Draw a bar of tabs, and return id and container of the open one; only that is to be filled."""
    key, ids = f"{sheet.spec.name}_tab", list(labels)

    def moved() -> None:
        label = st.session_state.get(key)
        sheet.extras.set(tab=next((one for one in ids if labels[one] == label), ids[0]))
        sheet.write_link()

    here = sheet.extras["tab"] if sheet.extras["tab"] in labels else ids[0]
    if st.session_state.get(key) != labels[here]:
        st.session_state[key] = labels[here]
    drawn = st.tabs(list(labels.values()), key=key, on_change=moved)
    return here, drawn[ids.index(here)]


def draw_bar(sheet: PageState) -> tuple[str, Any]:
    """Draw the bar below a page's picture, and return id and container of the open tab."""
    return open_tab(
        sheet, {name: label for name, label in TABS.items() if name == "share" or address.part_visible(name)}
    )


def draw_why(why: tuple[ProofStep, ...]) -> None:
    """Each step of the proof, a paragraph, beside the measured quantity it speaks of, a quotation (see style.css)."""
    said = (f"**{number}** {item.argument}\n\n{_quoted(item.measured)}" for number, item in enumerate(why, 1))
    with st.container(key="why"):
        st.markdown(no_line_breaks("\n\n".join(said)))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def draw_neighbours(page: str) -> None:
    """Links to the pages before and after in the learning order."""
    before, after = neighbours(page)
    with st.container(horizontal=True, horizontal_alignment="distribute" if before else "right"):
        if before:
            st.page_link(
                before.file,
                label=before.title,
                icon=":material/arrow_back:",
                query_params=address.last_query(before.name),
            )
        if after:
            icon: Any = ":material/arrow_forward:"
            st.page_link(
                after.file,
                label=after.title,
                icon=icon,
                icon_position="right",
                query_params=address.last_query(after.name),
            )
