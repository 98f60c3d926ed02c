"""The Share tab: the link to this state, its QR code, and what a teacher makes of it: a lesson, a course's step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.components.small import copy_button
from pages._shared.core import network
from pages._shared.core.qr_code import qr_code
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.page.question_field import draw_field
from pages._shared.session import address, course_position, draft
from pages._shared.session.settings import shared

if TYPE_CHECKING:
    from pages._shared.page.page import Page


def draw_share(page: Page) -> None:
    """Draw the tab.

    Args:
        page: The page, with the settings it has now.
    """
    shown = {name: text for name, text in page.parameters().items() if name != "present"}  # slide type is no phone's
    draw_link("This page with these settings", address.address(shown), f"{page.spec.name}_link")
    draw_start()
    if address.lesson() is not None:
        return
    course = st.container()
    with st.expander("Make a lesson of it", icon=":material/school:"):
        st.markdown(
            "A lesson keeps a class's attention: it shows the parts you choose and holds the controls you fix. "
            "It is no lock; anyone may leave it. A step that is added to the course is held to the same."
        )
        made = _ask_lesson(page)
        text = made.encode()
        if len(text) > course_position.MAX_TEXT:
            st.warning(
                f"This lesson takes {len(text):,} characters, more than a link can hold "
                f"({course_position.MAX_TEXT:,}): ask less, or make it a step of a course and hand out "
                "the course's file."
            )
        else:
            draw_link("The lesson", address.address(shown | {"lesson": text}), f"{page.spec.name}_lesson")
    with course:
        draft.draw_add(page, made)


def draw_link(title: str, url: str, key: str) -> None:
    """A link with its QR code, a button that copies it, and a sentence where students cannot open it.

    Args:
        title: What it leads to.
        url: The link as this visitor's browser knows it.
        key: For its button.
    """
    url, warning = network.for_students(url)
    left, right = st.columns([4, 1], gap="large")
    with left:
        st.markdown(f"**{title}**")
        st.code(url, language=None, wrap_lines=True)
        copy_button("Copy the link", url, key=f"_{key}_copy")
        if warning:
            st.warning(warning)
        elif known := network.audience(url):
            st.caption(known)
        if len(url) > address.LONG_LINK:
            st.warning(
                f"This link has {len(url):,} characters. Past {address.LONG_LINK:,} some mail and chat programs "
                "cut links: shorten the sentence, the note or the questions."
            )
    with right:
        draw_qr_code(title, url)


def draw_qr_code(title: str, url: str) -> None:
    """The QR code of a link, or a sentence where the link is too long for one.

    Args:
        title: What the link leads to.
        url: The link.
    """
    svg = qr_code(url)
    if svg is None:
        st.caption("The link is too long for a QR code.")
    else:
        st.image(svg, width=180, alt=f"QR code of the link: {title}")


def _ask_lesson(page: Page) -> Lesson:
    own = {page.settings.key(name): one.label for name, one in page.settings.declared.items()}
    labels = own | {shared().key(name): one.label for name, one in shared().declared.items()}
    written = page.settings.written() | shared().written()
    part_of = {page.settings.key(name): page.result_controls.parts.get(name, "controls") for name in page.settings}
    parts = st.multiselect(
        "Parts that show",
        tuple(PARTS),
        tuple(PARTS),
        format_func=PARTS.__getitem__,
        key=page.session_key("lesson_parts"),
    )
    name: Any = labels.__getitem__
    fixed = st.multiselect(
        "Controls drawn as their value", tuple(labels), format_func=name, key=page.session_key("lesson_fix")
    )
    hidden = st.multiselect(
        "Controls not drawn at all", tuple(labels), format_func=name, key=page.session_key("lesson_hide")
    )
    first = st.toggle("The prediction comes before the picture", key=page.session_key("lesson_first"))
    note = st.text_input("A note to the class", max_chars=MAX_NOTE, key=page.session_key("lesson_note"))
    questions = draw_field((), page.session_key("lesson_questions"), asks=True)
    # A control that is not drawn at all keeps the value it has now.
    gone = {*hidden, *(key for key, part in part_of.items() if part not in parts)}
    return Lesson(
        parts=tuple(part for part in PARTS if part in parts),
        fixed={key: written[key] for key in labels if key in {*fixed, *gone}},
        hidden=tuple(key for key in labels if key in gone),
        predict_first=first,
        note=note[:MAX_NOTE],
        questions=questions,
    )
