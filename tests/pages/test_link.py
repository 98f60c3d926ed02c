"""A link holds what a control holds, and values between its steps too."""

import pytest

from pages._shared.core.visitor_state import VISIT
from tests.pages.conftest import open_page
from tests.pages.read import held, notices, pictures


@pytest.mark.parametrize(
    ("page", "name", "good", "value"),
    [
        ("biases", "size", "1.0", 1.0),
        ("biases", "key_size", "1000", 1000.0),
        ("scaling", "d_head", "1024", 1024),
        ("projections", "layer", "6", 6),
        ("projections", "head", "2", 2),
    ],
)
def test_a_slider_of_a_picture_stands_where_the_link_says_or_the_link_is_corrected(
    page: str, name: str, good: str, value: float
) -> None:
    at = open_page(page, **{f"{page}_{name}": good})
    assert not notices(at)
    assert at.session_state[VISIT].settings[f"{page}_{name}"] == value
    for wrong in ("-1", "99", "x", "nan", ""):
        at = open_page(page, **{f"{page}_{name}": wrong})
        assert len(notices(at)) == 1, wrong
        assert not at.exception


@pytest.mark.parametrize(
    ("page", "values"),
    [
        ("biases", {"size": "3.0"}),
        ("biases", {"size": "0.25", "show": "changes", "dropout": "true"}),
        ("normalization", {"topic": "length", "eps": "0.003", "std": "0.5"}),
        ("projections", {"topic": "rank", "num_heads": "3", "d_head": "5"}),
        ("projections", {"num_heads": "5", "d_head": "12"}),
        ("masks", {"score_size": "50", "show": "additive"}),
        ("learning", {"learning_rate": "0.02", "steps": "7"}),
    ],
)
def test_a_link_that_asks_for_what_lies_between_two_steps_is_drawn_and_comes_back(
    page: str, values: dict[str, str]
) -> None:
    given = {f"{page}_{name}": text for name, text in values.items()}
    at = open_page(page, **given, **{f"{page}_answer": "skipped", f"{page}_tab": "data"})
    assert not at.exception
    assert not notices(at)
    assert not at.error
    assert pictures(at)
    assert held(at, page) == values
