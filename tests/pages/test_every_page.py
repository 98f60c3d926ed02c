"""What holds on every page: it opens, every control works at both ends, and no link breaks it."""

from itertools import cycle, islice

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.registry import HOME
from pages._shared.words import literal
from tests.pages.conftest import NAMES, Open, pictures

WIDGETS = ("slider", "select_slider", "number_input", "selectbox", "toggle", "segmented_control", "text_input")
TEXTS = (
    "",
    "one",
    "same same same",
    " ".join(["w"] * 64),
    " ".join(["w"] * 65),
    "x" * 600,
    '<b>bold</b> $x$ %{z} :red[x] `code` **bold** """',
    "🙂 مرحبا بالعالم שלום",
)
NONSENSE = ("", "nan", "inf", "-1", "abc", "1e999", "99999999999999999999", "<script>", "0.5,0.5")
SHORT = {"learning": {"learning_steps": "10"}}  # each move trains a model: here not for as long as it needs to learn


def ends(widget: object) -> list[object]:
    """The values at the ends of a control, and of a list all of them."""
    kind = getattr(widget, "type", "")
    if kind in ("slider", "number_input"):
        return [widget.min, widget.max]
    if kind == "toggle":
        return [True, False]
    if kind == "text_input":
        return list(TEXTS)
    return list(widget.options)


def answers(at: AppTest) -> bool:
    """No exception, and the page has its picture or a sentence saying why not."""
    return not at.exception and bool(pictures(at) or at.get("plotly_chart") or at.error)


def is_alive(at: AppTest) -> bool:
    """The page answers, and has its title."""
    return answers(at) and bool(at.title)


def can_be(at: AppTest, key: str, raw: str) -> bool:
    """Whether a number that is nonsense for most controls is one that this slider has: −1 for a mean."""
    widget = at.get_by_key(key)
    try:
        return widget.type == "slider" and widget.min <= float(raw) <= widget.max
    except ValueError:
        return False


def bound_widgets(at: AppTest) -> list[tuple[str, str]]:
    return [
        (kind, widget.key)
        for kind in WIDGETS
        for widget in at.get(kind)
        if widget.key and not widget.key.startswith("_")
    ]


@pytest.mark.parametrize("name", NAMES)
def test_opens_without_exception_warning_or_error(name: str, open_page: Open) -> None:
    at = open_page(name)
    assert is_alive(at)
    assert not at.error
    assert not at.warning


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_control_works_at_both_ends(name: str, open_page: Open) -> None:
    answered = {} if name == HOME.name else {f"{name}_answer": "skipped"}  # presenter view asks first
    settings = SHORT.get(name, {}) | answered
    at = open_page(name, **settings)
    # Moved, a control is not drawn again: the page answers alone. Presenter view, last, lays out the page anew.
    widgets = sorted((at.get_by_key(key) for _, key in bound_widgets(at)), key=lambda widget: widget.key == "present")
    assert widgets
    for widget in widgets:
        was = widget.value
        for value in ends(widget)[: 1 if widget.key == "present" else None]:
            after = widget.set_value(value).run()
            assert answers(after), f"{widget.type} {widget.key} = {value!r}"
            assert not any("Traceback" in error.value for error in after.error)
        widget.set_value(was)


@pytest.mark.parametrize("first", [0, 4])
@pytest.mark.parametrize("name", NAMES)
def test_a_link_with_nonsense_opens_the_page_and_says_so_once(name: str, first: int, open_page: Open) -> None:
    here = open_page(name)
    widgets = [key for kind, key in bound_widgets(here) if kind != "text_input"]
    nonsense = zip(widgets, islice(cycle(NONSENSE), first, None), strict=False)
    keys = {key: raw for key, raw in nonsense if not can_be(here, key, raw)}
    assert keys
    at = open_page(name, **keys)
    assert is_alive(at)
    assert len(at.warning) == len(keys), [warning.value for warning in at.warning]
    at.run()
    assert not at.warning
    assert not at.exception


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_setting_in_the_link_is_named(name: str, open_page: Open) -> None:
    at = open_page(name, **{f"{name}_nonsense": "1"})
    assert is_alive(at)
    assert [literal(f"{name}_nonsense") in warning.value for warning in at.warning] == [True]


@pytest.mark.parametrize("name", NAMES)
def test_precision_reaches_every_verdict(name: str, open_page: Open) -> None:
    at = open_page(name, dtype="float32")
    assert any("· float32 ·" in markdown.value for markdown in at.markdown)
    assert not any("· float64 ·" in markdown.value for markdown in at.markdown)
