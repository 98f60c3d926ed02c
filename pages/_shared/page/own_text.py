"""A text that a visitor brings to train on: pasted or from a file, checked, kept in the session, and closed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared.core.compat import forget_uploads
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import of_session
from pages._shared.page.page import Page
from pages._shared.page.picture import Picture
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.studies import learning
from attention_core.studies.learning.draw import text_words, written_html, written_words

BOX_PX, LIST_PX = 136, 280


@dataclass(slots=True)
class OwnTextState:
    """What a session keeps of its own text.

    Attributes:
        text: The open text; None where the ready-made one is trained on.
        refused: Why the last one could not be opened, as Markdown, to be shown once.
    """

    text: learning.Text | None = None
    refused: str = ""


def _state(page: Page) -> OwnTextState:
    return of_session(page.session_key("own_text"), OwnTextState)


def opened(page: Page) -> learning.Text | None:
    """The session's own text, if one is open."""
    return _state(page).text


def config(page: Page, values: dict[str, Any], view: Any, run: dict[str, Any]) -> learning.TextConfig:
    """A training on the text that this session has open, or on the ready-made one.

    Args:
        page: The page.
        values: The settings of its study.
        view: Its view.
        run: Precision, device and seed.

    Raises:
        ConfigError: If the model is not possible, or the view asks what cannot be asked of it.
    """
    if view.below != "gradients":
        raise ConfigError("below", view.below, _("of a text its gradients can be shown"))
    if view.text:
        allowed = _("keep this model (under Data), and ask it on the page Trained models")
        raise ConfigError("text", " ".join(view.text), allowed)
    own, idle = opened(page), ("kinds", "back")  # which its tokens say, and which no text has
    given = {name: value for name, value in values.items() if name not in idle}
    return learning.TextConfig(**given, **run, shuffled=view.shuffled, digest=own.digest if own else "")


def trains(config: learning.LearningConfig) -> Callable[[Any], Any]:
    """The training that a config is for."""
    return learning.steps_text if isinstance(config, learning.TextConfig) else learning.steps_learning


def draw(page: Page, result: learning.TextResult, view: Any, at: Picture) -> None:
    """Draw the boxes for a text, what the one is that is learned, and what the model writes at the moment shown.

    They stand in the fragment of the page's answers, which a press on one of their buttons draws anew.
    """
    run, moment = result.run, min(view.step, len(result.run.held_out) - 1)
    _draw_boxes(page)
    st.markdown(f":small[{text_words(run)}]")
    st.markdown(written_words(run, moment, view.temperature))
    st.html(f'<div class="written">{written_html(run, moment, view.temperature)}</div>')
    with st.container(width=LIST_PX):
        at.controls.show("temperature")


def _draw_boxes(page: Page) -> None:
    """Draw the boxes for a text, what was wrong with the last one, and the way back to the ready-made one."""
    state = _state(page)
    with st.expander(_("Train on a text of your own"), icon=":material/edit_note:", expanded=bool(state.refused)):
        # A form sends what was pasted with the press: sent before it, the page would move below the pointer.
        with st.form(page.session_key("text_form"), border=False):
            st.text_area(_("Paste a text"), key=widget_key(page.session_key("paste")), height=BOX_PX)
            st.file_uploader(
                _("or a .txt file in UTF-8"), type=["txt"], key=widget_key(page.session_key("text_file")),
                max_upload_size=1,
                help=_(
                    "Up to {most:,} bytes. It stays in this session, is in no link and on no disk, and leaves with "
                    "it; whoever opens your link sees the ready-made text.",
                    most=learning.MAX_TEXT,
                ),
            )  # fmt: skip
            if state.refused:
                st.error(state.refused)
                state.refused = ""
            st.form_submit_button(_("Train on it"), on_click=_open, args=(page,))
        if state.text:
            label, key = _("Back to the ready-made text"), page.session_key("close_text")
            st.button(label, key=key, on_click=_close, args=(page,))


def _open(page: Page) -> None:
    """Open the file's text, or where there is none what was pasted; or report why not, and keep the one before."""
    state, paste, box = _state(page), page.session_key("paste"), page.session_key("text_file")
    file = st.session_state.get(widget_key(box))
    try:
        if file is not None and file.size > learning.MAX_TEXT:
            raise learning.too_large(file.size)
        given = st.session_state.get(widget_key(paste)) or "" if file is None else file.getvalue()
        state.text = learning.bring_text(given)
        renew(paste)
    except ConfigError as error:
        state.refused = _refusal(error)
    if file is not None:
        forget_uploads(widget_key(box))
        renew(box)
    if not state.refused:
        st.rerun()  # of the whole page: a fragment would look at the settings alone, and these are as they were


def _refusal(error: ConfigError) -> str:
    """Markdown that says why a text was not opened."""
    allowed = escape_markdown(error.allowed, 300)
    if not error.value:
        most = learning.MAX_TEXT
        return _("Nothing came: {allowed}, and a file has at most {most:,} bytes.", allowed=allowed, most=most)
    return _("It was not opened: {given}; {allowed}.", given=escape_markdown(str(error.value), 120), allowed=allowed)


def _close(page: Page) -> None:
    """Forget the session's own text."""
    _state(page).text = None
    st.rerun()  # of the whole page, as above
