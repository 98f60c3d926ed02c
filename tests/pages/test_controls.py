"""Every value of every control opens its page and is shown, and every control works at both ends."""

import random
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import HOME, PAGES
from pages._shared.page.controls import received_value
from pages._shared.page.page import Page
from pages._shared.session.settings import shared
from attention_core.measuring import snippets
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import Device
from attention_core.measuring.settings import (
    AUTO,
    AutoSwitch,
    Choice,
    OneOf,
    Real,
    Setting,
    Switch,
    Whole,
    Words,
)
from tests.pages.conftest import NAMES, open_answered, open_page
from tests.pages.read import built, controls, notices, page_of, pictures
from tests.sweeps import some_by_day
from tests.texts import TOKENS

TEXTS = ("", "one", "same same same", " ".join(["w"] * 64), " ".join(["w"] * 65), "x" * 600, " ".join(TOKENS))
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
    """No exception, and the page has its picture, a table in its place, or a sentence saying why not."""
    return not at.exception and bool(pictures(at) or at.get("plotly_chart") or at.table or at.error)


def texts(one: Setting) -> list[str]:
    """How a link spells the values at the ends of a control, and of a list all of them; of words what is possible."""
    match one:
        case Whole(low=low, high=high) | Real(low=low, high=high):
            values = [low, high]
        case Switch():
            values = [False, True]
        case Choice(options=options) | Device(options=options):
            values = list(options)
        case OneOf(values=listed):
            values = list(listed)
        case Words():
            values = [value for value in map(one.read, TEXTS) if is_possible(one, value)]
        case _:
            raise TypeError(f"{one.label} has no control")
    return list(map(one.write, values))


def is_possible(one: Setting, value: object) -> bool:
    try:
        one.check("", value)
    except ValueError:
        return False
    return True


def opens(page: Page, link: dict[str, str]) -> bool:
    """Whether what a link holds is possible together."""
    with suppress(ValueError):
        built(page.spec.name, link)
        return True
    return False


def covering(page: Page, keys: set[str]) -> Iterator[dict[str, str]]:
    """Links that hold every value of every control between them.

    Each is of settings that are possible together, as many as there are; a value that none of these takes, by itself.

    Args:
        page: The page.
        keys: The controls, by what a link calls them.
    """
    base, chance = SHORT.get(page.spec.name, {}), random.Random(page.spec.name)
    controls = {
        values.key(name): one for values in (page.settings, shared()) for name, one in values.declared.items()
    }
    left = [(key, text) for key in sorted(keys - base.keys()) for text in texts(controls[key])]
    while left:
        link = dict(base)
        for key, text in chance.sample(left, len(left)):
            if key not in link and opens(page, link | {key: text}):
                link[key] = text
        if link == base:
            yield from (base | {key: text} for key, text in left)
            return
        left = [one for one in left if one not in link.items()]
        yield link


@pytest.mark.parametrize(
    ("name", "sent", "error"),
    [
        ("tokens", 3, TypeError), ("tokens", "x" * 2049, ValueError), ("tokens", "a b", None),
        ("num_keys", 200, ConfigError), ("num_keys", "3", ConfigError), ("num_keys", 64, None),
    ],
)  # fmt: skip
def test_what_a_widget_sent_is_checked_as_a_link_is(name: str, sent: Any, error: type[Exception] | None) -> None:
    one = page_of("biases" if name == "tokens" else "scaling").settings.declared[name]
    with pytest.raises(error) if error else nullcontext():
        assert received_value(name, one, sent) == (("a", "b") if name == "tokens" else 64)


# The last two take as long as all others.
BY_COST = sorted((page.name for page in PAGES), key=("complexity", "learning").count)


@pytest.mark.parametrize("name", some_by_day(BY_COST, len(BY_COST), mark="slow"))
def test_every_value_of_every_control_opens_and_is_shown(name: str) -> None:
    page = page_of(name)
    keys = set(controls(open_answered(name, **SHORT.get(name, {}))))
    assert len(keys) > len(shared().declared)
    for link in covering(page, keys):
        at = open_answered(name, **link)
        assert answers(at), link
        assert bool(at.error) != opens(page, link), (link, [said.value for said in at.error])
        assert not notices(at), (link, notices(at))
        asked = {key: at.get_by_key(key) for key in controls(at)}
        for values in (page.settings, shared()):
            read = values.read(link)
            for setting, value in read.items():
                if (key := values.key(setting)) in asked:
                    one = values.declared[setting]
                    shown = one.write(value) if isinstance(one, Words) else value
                    if shown == AUTO and isinstance(one, AutoSwitch):
                        shown = one.decided(read)
                    assert asked[key].value == shown, (key, link)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name == HOME.name else pytest.mark.nightly) for name in NAMES],
)
def test_every_control_works_at_both_ends(name: str) -> None:
    answered = {} if name == HOME.name else {f"{name}_answer": "skipped"}  # presenter view asks first
    settings = SHORT.get(name, {}) | answered
    at = open_page(name, **settings)
    # Moved, a control is not drawn again: the page answers alone. Presenter view, last, lays out the page anew.
    # Another language has other widgets: test_language.py.
    keys = [key for key in controls(at) if key != "lang"]
    widgets = sorted(map(at.get_by_key, keys), key=lambda widget: widget.key == "present")
    assert widgets
    for one in (*widgets, *at.pills):
        one.set_value(one.value)  # a later view need not have it: a test app asks for the values of all it once drew
    for widget in widgets:
        was = widget.value
        for value in ends(widget)[: 1 if widget.key == "present" else None]:
            after = widget.set_value(value).run()
            assert answers(after), f"{widget.type} {widget.key} = {value!r}"
            assert not any("Traceback" in error.value for error in after.error)
        widget.set_value(was)


@pytest.mark.parametrize("name", some_by_day((page.name for page in PAGES), 1))
def test_code_is_put_together_for_whoever_looks_at_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    names = snippets._names
    monkeypatch.setattr(snippets, "_names", lambda code: read.append(code) or names(code))
    open_page(name)
    assert not read
    open_page(name, **{f"{name}_tab": "code"})
    assert read


def test_a_browser_that_was_not_told_a_choice_yet_is_told_it_and_nobody_is_warned() -> None:
    """So it is on a phone that a class takes on before its page is whole."""
    at = open_page("masks", masks_side="left")

    def asked() -> Any:
        return next(one for one in at.get("button_group") if one.key.startswith("masks_side"))

    first = asked().key
    at = asked().set_value(None).run()
    assert not at.exception
    assert notices(at) == []
    assert (asked().value, at.query_params["masks_side"]) == ("left", "left")
    assert asked().key != first, "another widget, for the browser shows none"
