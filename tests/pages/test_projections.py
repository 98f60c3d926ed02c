"""The projections page: matrices come with curves, and what is too large together is refused."""

import pytest

from attention_core.studies.projections import TOPICS
from tests.pages.conftest import open_page
from tests.pages.read import pictures


@pytest.mark.parametrize("topic", TOPICS)
def test_matrices_come_with_curves_where_there_are_any(topic: str) -> None:
    assert len(pictures(open_page("projections", projections_topic=topic))) == (
        1 if topic in ("gauge", "names", "fixed") else 2
    )


def test_what_is_too_large_together_is_refused_in_words_and_the_page_lives() -> None:
    at = open_page("projections", projections_num_heads="8", projections_d_head="64")
    assert "with 8 heads at most 32 is allowed" in at.error[0].value
    assert not at.exception
