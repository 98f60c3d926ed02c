"""A model of a visitor's own: files that are checked, opened into the session, and let go of."""

from collections.abc import Callable

import streamlit as st

from pages._shared.core.text import escape_markdown
from pages._shared.page.page import Page
from pages._shared.session.settings import error_message
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed
from attention_core.measuring.checks import ConfigError
from attention_core.studies import learning as kept
from attention_core.studies import trained as study


def opened(page: Page) -> study.Brought | None:
    """The model that this session has brought; it lasts as long as the session keeps it."""
    return st.session_state.get(page.session_key("brought"))


def draw(page: Page, begin_with: Callable[[str], None]) -> None:
    """Draw files that a visitor brings, and where the server's owner offers some, those; and what is open.

    Args:
        page: The page, whose setting ``model`` becomes ``OWN``.
        begin_with: Has it begin with another of its models.
    """
    most = min(study.MAX_BYTES, st.get_option("server.maxUploadSize") * 2**20)
    said = {"most": _megabytes(most), "free": _megabytes(min(most, study.free_bytes()))}
    st.markdown(_(":small[Up to {most} for all models that are open here; {free} are free.]", **said))
    brought = st.file_uploader(
        _("config.json, model.safetensors and, where there is one, tokenizer.json"),
        type=["json", "safetensors"],
        accept_multiple_files=True,
        key=widget_key(page.session_key("files")),
        max_upload_size=most // 2**20,
        help=_(
            "Of bert, distilbert, roberta, gpt2, gpt_neo, llama, mistral or qwen2; or one file that was kept on "
            "Learning. They stay in this session, are in no link, and leave with it."
        ),
    )
    files = {one.name: one for one in brought}
    if files and sum(one.size for one in brought) <= most:
        _draw_opener(page, begin_with, {name: one.getvalue() for name, one in files.items()})
    elif files:
        st.error(_("These files have more than {most}, which all models here may take together.", **said))
    if offered := study.offered():
        name = st.selectbox(_("On this server"), list(offered), index=None, key=page.session_key("offered"))
        if name:
            _draw_opener(page, begin_with, name)
    if own := opened(page):
        name, size = escape_markdown(str(own.name)), _megabytes(own.nbytes)
        st.markdown(_(":small[Open: **{name}**, {size}.]", name=name, size=size))
        st.button(_("Close it"), key=page.session_key("close"), on_click=_close, args=(page, begin_with))
    if sentence := st.session_state.pop(page.session_key("refused"), ""):
        st.error(sentence)


def _was_kept(source: str | dict[str, bytes]) -> bool:
    """Whether it is a model that was kept on Learning, which is one file."""
    return isinstance(source, dict) and len(source) == 1 and kept.is_kept(*source.values())


def _draw_opener(page: Page, begin_with: Callable[[str], None], source: str | dict[str, bytes]) -> None:
    """What a model needs, before it is loaded, and the button that loads it; or which file is still to come."""
    try:
        alone = isinstance(source, str) or _was_kept(source)
        if awaited := () if alone else study.awaited(source):
            names = listed(f"**{escape_markdown(name)}**" for name in awaited)
            st.markdown(_(":material/hourglass_empty: Still to come: {names}.", names=names))
            return
        needed = len(*source.values()) if _was_kept(source) else study.needed_bytes(source)
    except ValueError as error:
        st.error(_refusal(page, error))
        return
    st.markdown(_(":small[It needs {needed} of memory.]", needed=_megabytes(needed)))
    where = "offered" if isinstance(source, str) else "brought"
    key = page.session_key(f"open_{where}")
    st.button(_("Open it"), key=key, on_click=_open_model, args=(page, begin_with, source))


def _open_model(page: Page, begin_with: Callable[[str], None], source: str | dict[str, bytes]) -> None:
    """Open a model of the server's, a folder's files, or one that was kept on Learning; or say why it cannot be."""
    try:
        if isinstance(source, str):
            own = study.read_offered(source)
        elif _was_kept(source):
            ((name, content),) = source.items()
            trained = kept.load_kept(content)
            words = kept.letters(range(trained.config.kinds))
            own = study.hold(
                kept.rebuild(trained), words, content, name=name, longest=trained.config.tokens,
                continues=trained.config.predicts_next,
            )  # fmt: skip
        else:
            own = study.read_files(source, gettext_lazy("your model"))
    except ValueError as error:
        st.session_state[page.session_key("refused")] = _refusal(page, error)
        return
    st.session_state[page.session_key("brought")] = own
    renew(page.session_key("files"))  # Streamlit lets go of what was in it
    begin_with(study.OWN)


def _refusal(page: Page, error: ValueError) -> str:
    """Why files are no model, as Markdown."""
    if isinstance(error, ConfigError):
        return error_message(error, page.settings)
    return escape_markdown(str(error), 400)


def _close(page: Page, begin_with: Callable[[str], None]) -> None:
    """Let go of the model that this session brought."""
    st.session_state.pop(page.session_key("brought"), None)
    begin_with(page.settings.defaults["model"])


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.{0 if size >= 100 * 2**20 else 1}f} MB"
