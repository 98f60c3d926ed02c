"""The glossary: the box of questions, and what the words mean."""

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.page.faq import draw_box, draw_found
from pages._shared.page.words import WORDS, word_line
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _

BOX = "_faq_glossary"


def draw_glossary() -> None:
    """Draw the popover; its content once it is open."""
    with st.container(width="content", key="glossary_box"):  # a fragment by itself takes what room there is
        st.fragment(_draw, key="glossary")()


def _draw() -> None:
    with gate().hold():
        popover = st.popover(
            _("Glossary"), icon=":material/menu_book:", type="tertiary", key="_glossary", on_change="rerun"
        )
        if popover.open:
            with popover:
                draw_box(BOX)
                draw_found(BOX)
                st.markdown(set_markdown("  \n".join(map(word_line, WORDS))))
