"""The tabs below the picture, of which only the open one is filled, and the links to the neighbouring pages."""

import dataclasses
import re
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.components.small import copy_button, png_button
from pages._shared.core.pages import neighbours, target
from pages._shared.core.text import no_line_breaks
from pages._shared.page.declaration import File, Tabs
from pages._shared.page.frame import Frame
from pages._shared.page.page import Look
from pages._shared.page.picture_files import picture_files, slide
from pages._shared.session import address
from pages._shared.session.links import link_to
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import TABS
from pages._shared.session.widget_keys import is_move, key_to_show
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.proof import ProofStep
from attention_core.figures.table import FORMATS
from attention_core.language import ENGLISH, using
from attention_core.language import gettext as _
from attention_core.measuring.verdict import Result


def open_tab(state: PageState, labels: dict[str, str]) -> tuple[str, Any]:
    """Draw a bar of tabs, and return name and container of the open one; only that is to be filled."""
    ids, labels = list(labels), {tab: str(label) for tab, label in labels.items()}
    name = state.extras["tab"] if state.extras["tab"] in labels else ids[0]
    key = key_to_show(f"{state.spec.name}_tab", labels[name])

    def moved() -> None:
        if not is_move(f"{state.spec.name}_tab", key):
            return
        label = st.session_state.get(key)
        state.extras.set(tab=next((tab for tab in ids if labels[tab] == label), ids[0]))
        state.write_link()

    drawn = st.tabs(list(labels.values()), key=key, on_change=moved)
    return name, drawn[ids.index(name)]


def draw_bar(state: PageState) -> tuple[str, Any]:
    """Draw the bar below a page's picture, and return name and container of the open tab."""
    return open_tab(
        state, {name: label for name, label in TABS.items() if name == "share" or address.part_visible(name)}
    )


def draw_why(why: tuple[ProofStep, ...]) -> None:
    """Draw the proof: each step a paragraph, and its measured quantity a quotation beside it (see style.css)."""
    paragraphs = (f"**{number}** {item.text}\n\n{_quoted(item.measured)}" for number, item in enumerate(why, 1))
    with st.container(key="why"):
        st.markdown(no_line_breaks(set_markdown("\n\n".join(paragraphs))))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def draw_neighbours(page: str) -> None:
    """Draw links to the pages before and after in the learning order."""
    before, after = neighbours(page)
    with st.container(horizontal=True, horizontal_alignment="distribute" if before else "right"):
        for page_there in filter(None, (before, after)):
            st.page_link(
                target(page_there.name), label=str(page_there.title), query_params=link_to(page_there.name),
                icon=":material/arrow_forward:" if page_there is after else ":material/arrow_back:",
                icon_position="right" if page_there is after else "left",
            )  # fmt: skip


def draw_code(shortest: str, snippet: str, page: str) -> None:
    """Show the shortest code that makes the page's point, then the whole, each with a button that copies it."""
    for heading, code, name in (
        (_("The point in a few lines, on random numbers of its own."), shortest, "short"),
        (_("The whole, for exactly these settings: it computes the headline quantity again."), snippet, "code"),
    ):
        st.markdown(_("**{heading}** Plain torch, without this project; it says what it prints.", heading=heading))
        copy_button(_("Copy the code"), code, key=f"{page}_copy_{name}")
        st.code(code, language="python")


def draw_data(frame: Frame, look: Look, result: Result, content: Tabs) -> None:
    """Show the picture's numbers, and buttons for every format; files are made when asked for."""
    page = frame.page.spec.name
    name, (svg, html) = file_name(page, look.config), picture_files(frame, look)
    with using(ENGLISH):  # as all that other programs read
        numbers = content.table()
    with st.container(horizontal=True):
        files = (
            *(File(*one[:3], partial(one.make, numbers, look.config, result)) for one in FORMATS),
            *content.files,
            svg,
            html,
        )
        for label, ending, mime, make in files:
            key = f"_{page}_{ending}"
            st.download_button(
                str(label), make, f"{name}.{ending}", mime, key=key, on_click="ignore", width="content"
            )
        png_button("PNG", svg.make, filename=name, key=f"_{page}_png")
    with st.container(horizontal=True, vertical_alignment="center"):
        make_slide, slide_name = slide(frame, look), f"{name}-slide"
        st.download_button(
            _("Slide (SVG)"), make_slide, f"{slide_name}.svg", "image/svg+xml", key=f"_{page}_slide_svg",
            on_click="ignore", icon=":material/slideshow:",
            help=_("The picture with its headline and its sentence, 16 : 9."),
        )  # fmt: skip
        png_button(_("Slide (PNG)"), make_slide, filename=slide_name, key=f"_{page}_slide_png")
    st.caption(
        _(
            "SVG, HTML and PNG show what the screen shows, HTML its numbers too; the JSON also says where the CSV's "
            "numbers come from."
        )
    )
    alt = _("The numbers of the picture. {summary}", summary=look.picture.summary)
    st.dataframe(numbers.as_columns(), hide_index=True, alt=alt)


def file_name(page: str, config: Any) -> str:
    """``attention-page-…`` with each setting that is not the default; only letters, digits, dots and dashes."""
    parts, usual = ["attention", page], type(config)()
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if value != getattr(usual, field.name):
            text = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{field.name}-{text}"[:32])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:120]
