"""Same or not?: its answer waits, and where nothing can differ the page says why."""

from typing import Any

import pytest

from tests.pages.conftest import open_page
from tests.pages.read import page_of, plain, said, sent


def titles(at: Any) -> list[str]:
    return [panel["title"] for view in sent(at, "matrix_view/view") for panel in view["panels"]]


def test_nothing_gives_the_answer_away_until_the_question_is_answered() -> None:
    at = open_page("exactness", exactness_form="batch")
    assert "Where the next word changes" in titles(at)
    (view,) = sent(at, "matrix_view/view")
    assert [panel["kind"] for panel in view["panels"]] == ["bars", "lines", "bars"]
    tells = ("Only below the line", "no rounding", "rival was near", "twice what rounding may leave")
    for tell in tells:
        assert tell not in said(at)
        assert tell not in str(view)
    at.pills(key="_exactness_option").set_value(page_of("exactness").predict.options[0]).run()
    assert not at.exception
    (view,) = sent(at, "matrix_view/view")
    assert [panel["kind"] for panel in view["panels"]] == ["bars", "matrix", "bars"]
    assert "Only below the line" in str(view)
    assert "The measurement agrees" in plain(at)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"tile": "64"}, "the tile is as long as the text or longer: there is one, and nothing is merged"),
        ({"tokens": "alone"}, "there is one key, whose weight is 1 whatever its score is"),
        ({"tokens": "alone", "form": "pairs"}, "there is one key, whose weight is 1 whatever its score is"),
        ({"tokens": "alone", "form": "latent"}, "there is one key, whose weight is 1 whatever its score is"),
        ({"tokens": "no no no", "unscaled": "true"}, "all values are equal"),
    ],
)
def test_where_nothing_can_differ_the_page_says_why(link: dict[str, str], sentence: str) -> None:
    at = open_page("exactness", **{f"exactness_{name}": value for name, value in link.items()})
    assert not [*at.exception, *at.error]
    assert sentence in said(at)
    assert sent(at, "matrix_view/view")
