"""A picture that a visitor brings to a page: drawn on a board, or a file that is made small on the spot."""

from collections.abc import Callable

import streamlit as st

from pages._shared.components.drawing_board import drawing_board
from pages._shared.core.compat import forget_uploads
from pages._shared.core.text import escape_markdown
from pages._shared.page.page import Page
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.studies.images import FORMATS, MAX_BYTES, SIZE, PictureError, digits_of, read_picture

ENDINGS = ("png", "jpg", "jpeg", "webp", "gif", "bmp")


def draw_own(page: Page, pixels: str, put: Callable[[str], None] | None) -> None:
    """Draw the board and the box for a file.

    Args:
        page: The page, whose setting ``pixels`` declares what a picture is.
        pixels: The picture that is shown.
        put: Takes another one; None where none may be set.
    """
    board, file = st.columns(2, gap="medium")
    with board:
        drawing_board(
            pixels, key=page.session_key("drawing"), declared=page.settings.declared["pixels"],
            label=_("Draw on the picture"), on_change=put,
        )  # fmt: skip
    with file:
        name, refusal = page.session_key("picture_file"), page.session_key("picture_refused")
        most = min(MAX_BYTES // 2**20, st.get_option("server.maxUploadSize"))

        def take() -> None:
            """Called when a file has come: its picture is taken, or why it is none is kept to be said."""
            brought = st.session_state.get(widget_key(name))
            if brought is None or put is None:
                return
            try:
                small = read_picture(brought.getvalue(), SIZE)
            except PictureError as error:
                st.session_state[refusal] = str(error)
            else:
                st.session_state[refusal] = ""
                put(digits_of(small))
            forget_uploads(widget_key(name))
            renew(name)

        st.file_uploader(
            _("Or a file: {formats}", formats=", ".join(FORMATS)), type=list(ENDINGS), key=widget_key(name),
            max_upload_size=most, disabled=put is None, on_change=take,
            help=_(
                "Its middle is made {size} × {size} pixels of 16 greys, which are all that is kept and all that the "
                "link holds; the file itself is forgotten at once.", size=SIZE,
            ),
        )  # fmt: skip
        if said := st.session_state.get(refusal):
            st.error(escape_markdown(said, 400))
