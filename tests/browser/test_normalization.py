"""Normalization in a real browser: outputs chosen by hand, the circle in space, every question above the fold."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_at_rest

pytestmark = pytest.mark.slow


def test_choosing_an_output_shows_what_it_depends_on(visit: Callable, settled: Callable) -> None:
    page = visit("normalization")
    before = pictures_at_rest(page)
    canvas = page.locator(".st-key-figure canvas").nth(1)
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 0.75, "y": box["height"] * 0.75})
    settled(page)
    after = pictures_at_rest(page)
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert "normalization_cell=" in page.url
    row, column = page.url.split("normalization_cell=")[1].split("&")[0].split(".")
    assert f"y at ({int(row) + 1}, {int(column) + 1})" in page.locator(".st-key-figure .view").inner_text()


def test_three_features_are_one_figure_in_space(visit: Callable) -> None:
    page = visit("normalization", "?normalization_topic=length+of+the+output&normalization_d_model=3")
    page.wait_for_selector(".js-plotly-plot .gl-container canvas")
    assert page.locator(".js-plotly-plot").count() == 1


def test_every_question_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("normalization")
    for topic in ("what is left of a bias", "a whole block", "length of the output"):
        page.get_by_role("combobox", name="Question").click()
        page.get_by_role("option", name=topic, exact=True).click()
        settled(page)
        verdicts = page.locator(".st-key-finding").bounding_box()
        assert verdicts["y"] + verdicts["height"] <= 900, topic


def test_the_ends_of_a_narrow_colour_bar_stand_on_one_line(visit: Callable) -> None:
    link = "?normalization_topic=length&normalization_d_model=3&normalization_eps=0.01&normalization_std=0.1"
    page = visit("normalization", f"{link}&normalization_answer=skipped", viewport={"width": 390, "height": 844})
    legends = page.locator(".st-key-figure .legend:visible").filter(has=page.locator(".ramp"))
    tops = legends.evaluate_all(
        "all => all.map((one) => [...one.querySelectorAll('.number')].map((n) => n.offsetTop))"
    )
    assert len(tops) == 2
    assert all(low == high for low, high in tops)
