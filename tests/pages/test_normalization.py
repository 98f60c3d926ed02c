"""The normalization page: curves come and go with its questions, and an output is chosen in its link."""

from attention_core.studies.normalization import TOPICS
from tests.pages.conftest import open_page
from tests.pages.read import notices

_, LENGTH, _, BLOCK, _ = TOPICS


def test_a_question_with_curves_follows_one_without() -> None:
    """Curves stand outside of the answers, which alone run again: a place there has to be kept from the beginning."""
    at = open_page("normalization")
    assert not at.get("plotly_chart")
    at.selectbox(key="normalization_topic").set_value(BLOCK).run()
    assert not at.exception
    assert any(one.key == "normalization_curves" for one in at.get("bidi_component"))


def test_the_link_holds_the_chosen_output() -> None:
    assert not notices(open_page("normalization", normalization_cell="2.3"))
    assert len(notices(open_page("normalization", normalization_cell="9.9"))) == 1
