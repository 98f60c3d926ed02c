"""A link to hand out: the address as others can open it, a button that copies it, its QR code."""

from typing import Final

import streamlit as st

from pages._shared.components.small import copy_button
from pages._shared.core import network
from pages._shared.core.qr_code import qr_code
from attention_core.language import gettext as _

LONG_LINK: Final = 1_500


def draw_link(title: str, url: str, key: str) -> None:
    """Draw a link with its QR code, a button that copies it, and a warning where students cannot open it."""
    url, warning = network.for_students(url)
    left, right = st.columns([4, 1], gap="large")
    with left:
        st.markdown(f"**{title}**")
        st.code(url, language=None, wrap_lines=True)
        copy_button(_("Copy the link"), url, key=f"_{key}_copy")
        if warning:
            st.warning(warning)
        elif audience := network.audience(url):
            st.caption(audience)
        if len(url) > LONG_LINK:
            st.warning(
                _(
                    "This link has {count:,} characters. Past {limit:,} some mail and chat programs "
                    "cut links: shorten the sentence, the note or the questions.",
                    count=len(url),
                    limit=LONG_LINK,
                )
            )
    with right:
        draw_qr_code(title, url)


def draw_qr_code(title: str, url: str) -> None:
    """Draw the QR code of a link, or a sentence if the link is too long for one."""
    svg = qr_code(url)
    if svg is None:
        st.caption(_("The link is too long for a QR code."))
    else:
        st.image(svg, width=180, alt=_("QR code of the link: {title}", title=title))
