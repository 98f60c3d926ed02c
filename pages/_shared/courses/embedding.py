"""A view in a frame of another page: of slides, or of a learning platform."""

from html import escape
from typing import Final

import streamlit as st

from pages._shared.core.language import carried
from pages._shared.core.network import for_students
from pages._shared.page.page import Page
from pages._shared.session import address
from attention_core.language import gettext as _

EMBEDDED: Final = {"embed": "true"}  # Streamlit's own, which no page reads


def draw_embedding(page: Page, settings: dict[str, str]) -> None:
    """Draw the frame in which a slide or a learning platform shows the view."""
    with st.expander(_("In a slide or on a page of your own"), icon=":material/frame_source:"):
        link = for_students(address.url(settings | carried() | EMBEDDED))[0]
        st.markdown(_("Put this where HTML may stand, or the address in it where a frame is asked for its address."))
        frame = (
            f'<iframe src="{escape(link)}" title="{escape(str(page.spec.title))}" width="100%" height="640" '
            'style="border: 0"></iframe>'
        )
        st.code(frame, language="html", wrap_lines=True)
