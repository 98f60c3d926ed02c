"""The lines below a picture that say which claims held."""

from collections.abc import Iterable

import streamlit as st

from pages._shared.words import in_order, verdict_lines
from attention_core.experiments.verdict import Result

MOST_VERDICTS = 4


def draw_verdicts(results: Iterable[Result]) -> None:
    """Draw a line for each verdict: surprises and broken claims first, all but the first few folded.

    Args:
        results: The results that hold them.
    """
    said = in_order(verdict for result in results for verdict in result.verdicts)
    first, more = said[:MOST_VERDICTS], said[MOST_VERDICTS:]
    st.markdown(verdict_lines(first))
    if more:
        agree = all(verdict.as_expected for verdict in more)
        with st.expander(f"{len(more)} more{', all as theory says' if agree else ''}"):
            st.markdown(verdict_lines(more))
