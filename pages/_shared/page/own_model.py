"""A model that a visitor brings: files that are checked, opened into the session, and closed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from pages._shared.core.compat import forget_uploads
from pages._shared.core.pages import target
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import of_session
from pages._shared.page.page import Page
from pages._shared.session.links import link_to
from pages._shared.session.settings import error_message
from pages._shared.session.widget_keys import is_move, key_to_show, renew, widget_key
from attention_core.checkpoints.families import FAMILIES
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed
from attention_core.measuring.checks import ConfigError
from attention_core.studies import learning
from attention_core.studies import trained as study


@dataclass(slots=True)
class OwnModelState:
    """What a session keeps of its own model, which is open on all pages that look at models.

    Attributes:
        model: The open model; None if none is.
        begun: The digest of the model that each page has begun with, by the page's name.
        refused: Why the last one could not be opened, as Markdown, to be shown once.
    """

    model: study.Brought | None = None
    begun: dict[str, str] = field(default_factory=dict)
    refused: str = ""


def _state() -> OwnModelState:
    return of_session("_own_model", OwnModelState)


def opened() -> study.Brought | None:
    """The session's own model, if one is open."""
    return _state().model


def draw_chooser(page: Page, begin_with: Callable[[str], None], name: str) -> None:
    """Draw which model is looked at, and the way to open one's own.

    Args:
        page: The page.
        begin_with: Has it begin with a model: its text, and what else goes with it.
        name: The setting of the model.
    """
    key, declared = key_to_show(page.settings.key(name), page.settings[name]), page.settings.declared[name]

    def switch() -> None:
        """Called when another model is chosen; a message for a widget that is no more is not heard."""
        if is_move(page.settings.key(name), key) and (chosen := st.session_state.get(key)) in study.MODELS:
            begin_with(chosen)

    st.selectbox(str(declared.label), list(study.MODELS), format_func=declared.say, key=key, on_change=switch)
    with st.expander(_("Open a model of your own"), expanded=page.settings[name] == study.OWN, type="compact"):
        draw(page, begin_with)


def follow(page: Page, begin_with: Callable[[str], None]) -> None:
    """Begin anew where the model that this page looked at was closed on another, or another one opened."""
    if page.settings.is_fixed("model"):
        return
    state, looks_at_own = _state(), page.settings["model"] == study.OWN
    now, before = state.model.digest if state.model else "", state.begun.get(page.spec.name)
    if looks_at_own:
        state.begun[page.spec.name] = now
        if before not in (None, now):
            begin_with(study.OWN if now else page.settings.defaults["model"])
    else:
        state.begun.pop(page.spec.name, None)


def draw(page: Page, begin_with: Callable[[str], None]) -> None:
    """Draw the box for files, the models that the server's owner offers, and the open model.

    Args:
        page: The page, whose setting ``model`` becomes ``OWN``.
        begin_with: Has it begin with another of its models.
    """
    most = min(study.MAX_BYTES, st.get_option("server.maxUploadSize") * 2**20)
    sizes = {"most": _megabytes(most), "free": _megabytes(min(most, study.free_bytes()))}
    st.markdown(_(":small[Up to {most} for all models that are open here; {free} are free.]", **sizes))
    brought = st.file_uploader(
        _("config.json, model.safetensors and, where there is one, tokenizer.json"),
        type=["json", "safetensors"],
        accept_multiple_files=True,
        key=widget_key(page.session_key("files")),
        max_upload_size=most // 2**20,
        help=_(
            "Of these families: {families}; or one file that was kept on Learning. They stay in this session, are in "
            "no link, and leave with it.",
            families=listed(FAMILIES),
        ),
    )
    files = {file.name: file for file in brought}
    if files and sum(file.size for file in brought) <= most:
        _draw_opener(page, begin_with, {name: file.getvalue() for name, file in files.items()})
    elif files:
        st.error(_("These files have more than {most}, which all models here may take together.", **sizes))
    if offered := study.offered():
        name = st.selectbox(_("On this server"), list(offered), index=None, key=page.session_key("offered"))
        if name:
            _draw_opener(page, begin_with, name)
    if model := opened():
        name, size = escape_markdown(str(model.name)), _megabytes(model.nbytes)
        st.markdown(_(":small[Open: **{name}**, {size}.]", name=name, size=size))
        with st.container(horizontal=True, gap="small"):
            for one in study.special(model.attentions):
                st.page_link(target(one.page), label=f":small[{one.text}]", query_params=link_to(one.page))
        st.button(_("Close it"), key=page.session_key("close"), on_click=_close, args=(page, begin_with))
    state = _state()
    if state.refused:
        st.error(state.refused)
        state.refused = ""


def _kept(source: str | dict[str, bytes]) -> bytes | None:
    """The one file of a model that was kept on Learning; None of others."""
    (content, *others) = source.values() if isinstance(source, dict) else (b"",)
    return content if not others and learning.is_kept(content) else None


def _draw_opener(page: Page, begin_with: Callable[[str], None], source: str | dict[str, bytes]) -> None:
    """Draw how much memory a model needs and the button that loads it, or which files are missing."""
    try:
        kept = _kept(source)
        if awaited := () if isinstance(source, str) or kept is not None else study.awaited(source):
            names = listed(f"**{escape_markdown(name)}**" for name in awaited)
            st.markdown(_(":material/hourglass_empty: Still to come: {names}.", names=names))
            return
        needed = study.needed_bytes(source) if kept is None else len(kept)
    except ValueError as error:
        st.error(_refusal(page, error))
        return
    st.markdown(_(":small[It needs {needed} of memory.]", needed=_megabytes(needed)))
    where = "offered" if isinstance(source, str) else "brought"
    key = page.session_key(f"open_{where}")
    st.button(_("Open it"), key=key, on_click=_open_model, args=(page, begin_with, source))


def _open_model(page: Page, begin_with: Callable[[str], None], source: str | dict[str, bytes]) -> None:
    """Open a model of the server's, of a folder's files, or one kept on Learning; or report why not."""
    try:
        if isinstance(source, str):
            model = study.read_offered(source)
        elif (content := _kept(source)) is not None:
            (name,) = source
            trained = learning.load_kept(content)
            model = study.hold(
                learning.rebuild(trained), learning.shown(trained.words), content, name=name,
                longest=trained.config.tokens, continues=trained.config.predicts_next,
                encode=learning.encoder(trained), example=learning.example(trained),
            )  # fmt: skip
        else:
            model = study.read_files(source, gettext_lazy("your model"))
    except ValueError as error:
        _state().refused = _refusal(page, error)
        return
    state = _state()
    state.model, state.begun[page.spec.name] = model, model.digest
    if isinstance(source, dict):  # measuring begins in this run, which holds it to its end
        source.clear()
        forget_uploads(widget_key(page.session_key("files")))
        renew(page.session_key("files"))
    begin_with(study.OWN)


def _refusal(page: Page, error: ValueError) -> str:
    """Markdown that says why files are no model."""
    if isinstance(error, ConfigError):
        return error_message(error, page.settings)
    return escape_markdown(str(error), 400)


def _close(page: Page, begin_with: Callable[[str], None]) -> None:
    """Close the session's own model, on all pages."""
    _state().model = None
    _state().begun.pop(page.spec.name, None)
    begin_with(page.settings.defaults["model"])


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.{0 if size >= 100 * 2**20 else 1}f} MB"
