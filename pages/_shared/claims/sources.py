"""The tab of the three documents that this project began with: their statements, and where each is shown."""

from collections.abc import Mapping

import streamlit as st

from pages._shared.core.pages import HOME, PAGES, target
from pages._shared.core.text import escape_markdown, plain_markdown
from pages._shared.session.links import link_to
from attention_core.claims import DOCUMENTS, FURTHER, SAID, Document, Said
from attention_core.language import SEMICOLON
from attention_core.language import gettext as _

_PAGES = {page.name: page for page in (HOME, *PAGES)}


def draw_sources(documents: tuple[str, ...]) -> None:
    """Draw what the documents say, a row for each statement, with the way to where it is shown."""
    st.markdown(
        _(
            "This project began with three documents. Here is what they say, in our words, where it is shown, and "
            "what is to be corrected or added."
        )
    )
    for document in DOCUMENTS:
        if document.name in documents:
            _draw_document(document)
    st.markdown(_(":small[**Further papers** that this project leans on: {papers}.]", papers=_links(FURTHER)))


def _draw_document(document: Document) -> None:
    st.markdown(
        f"**{escape_markdown(str(document.title), 120)}** {escape_markdown(str(document.about), 200)}  \n"
        + _(":small[Its references: {references}.]", references=_links(document.references))
    )
    for number, statement in enumerate(statement for statement in SAID if statement.source == document.name):
        with st.container(
            key=f"claim_{document.name.replace(' ', '_')}_{number}", horizontal=True, gap="small",
            vertical_alignment="center",
        ):  # fmt: skip
            _draw_statement(statement)


def _draw_statement(statement: Said) -> None:
    claim = statement.claim or _("no claim")
    lines = [
        plain_markdown(str(statement.statement), 300),
        f":small[:gray[{escape_markdown(str(statement.place))} · {claim}]]",
    ]
    if corrected := str(statement.corrected):
        corrected_text = plain_markdown(corrected[:1].upper() + corrected[1:], 500)
        lines.append(
            _(":small[:orange[:material/edit: **To be corrected or added:**] {corrected}.]", corrected=corrected_text)
        )
    st.markdown("  \n".join(lines), width="stretch")
    name, parameters = statement.where
    page = _PAGES[name]
    st.page_link(target(name), label=str(page.title), icon=page.icon, query_params=link_to(name, parameters))


def _links(addresses: Mapping[str, str]) -> str:
    links = (f"[{escape_markdown(str(name), 120)}]({address})" for name, address in addresses.items())
    return str(SEMICOLON).join(links)
