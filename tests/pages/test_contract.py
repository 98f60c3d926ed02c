"""What every page owes its visitor: the frame with real content, verdicts as measured, and a fair question."""

import ast
import re
from itertools import cycle, islice, product

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import COURSE, FOLDER, HOME, LEDGER, PAGES, TEST
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import CLASS
from pages._shared.page.findings import details
from attention_core.claims import claims
from attention_core.figures.mathematics import set_markdown
from attention_core.measuring.settings import declared
from tests.pages.conftest import NAMES, looked_at, open_answered, open_page
from tests.pages.read import (
    QUICK,
    built,
    button,
    controls,
    grade,
    held,
    link_of,
    looks,
    notices,
    page_of,
    pictures,
    said,
    sent,
    trains,
    truth,
    verdicts,
)
from tests.sweeps import some_by_day
from tests.texts import NONSENSE

EXPERIMENTS = [page.name for page in PAGES]
CLAIMS = {claim.id for claim in claims()}
NUMBER = re.compile(r"`[^`]*\d[^`]*`")
SPOKEN = {  # settings that begin in the reader's language
    "anatomy_tokens", "biases_tokens", "bug_hunt_tokens", "exactness_model", "exactness_tokens", "masks_sentences",
    "masks_targets", "permutation_tokens", "projections_tokens", "trained_model", "trained_text", "variants_tokens",
    "worth_model", "worth_text",
}  # fmt: skip


def is_alive(at: AppTest) -> bool:
    """No exception, a title, and a picture or a sentence saying why not."""
    return not at.exception and bool(at.title) and bool(pictures(at) or at.get("plotly_chart") or at.error)


def captions(at: AppTest) -> set[str]:
    return {item.value for item in at.caption}


def tab(name: str, which: str) -> AppTest:
    return looked_at(name, **{f"{name}_tab": which, "seed": "7"})


# ---- looked at ----


def test_every_script_in_the_folder_is_listed() -> None:
    scripts = {path.stem for path in FOLDER.glob("*.py")}
    assert scripts == {HOME.name, *EXPERIMENTS, LEDGER.name, COURSE.name, TEST.name}
    for page in PAGES:
        assert len(page.claim.split()) >= 6
        assert page_of(page.name).law
        assert ast.get_docstring(ast.parse((FOLDER / f"{page.name}.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 1))
def test_the_tabs_have_a_proof_code_data_and_links(name: str) -> None:
    (proof,) = (item.value for item in tab(name, "why").markdown if item.value.startswith("**1** "))
    steps = re.split(r"^\*\*\d+\*\* ", proof, flags=re.M)[1:]
    words, measured = zip(*(step.split("\n\n> ") for step in steps), strict=True)
    assert len(steps) >= 2
    assert all(len(one.split()) >= 12 for one in words)
    assert sum(bool(NUMBER.search(one)) for one in measured) >= 2

    short, code = (item.value for item in tab(name, "code").code)
    assert short == page_of(name).study.shortest.strip()
    assert re.search(r"^import .*\btorch\b", code, re.M)
    assert "attention_core" not in code
    assert 8 <= sum(map(bool, code.splitlines())) <= 100, "with the functions that all studies share"

    at = tab(name, "data")
    assert len(at.dataframe[0].value) >= 2
    files = [item.label for item in at.get("download_button")]
    assert {"CSV", "JSON", "SVG", "HTML"} <= {*files}
    assert len(files) == len({*files})

    at = tab(name, "share")
    links = [item.value for item in at.code]
    assert any("seed=7" in link and "course=" not in link for link in links)
    assert any("course=" in link for link in links)
    assert at.get("image")


# ---- verdicts ----


LOOKS = [
    pytest.param(name, one, id=f"{name} {at}", marks=[pytest.mark.slow] * trains(one))
    for name in EXPERIMENTS
    for at, one in enumerate(looks(name))
]


@pytest.mark.parametrize(("name", "link"), some_by_day(LOOKS, of=11))
def test_each_view_tells_every_verdict_of_what_is_measured_and_no_other(name: str, link: dict[str, str]) -> None:
    measured = page_of(name).results_of(*built(name, link)).verdicts
    assert {one.claim for one in measured} <= CLAIMS, "a verdict's key begins with the id of a claim"
    at = open_answered(name, **link)
    assert not [*at.exception, *at.error, *at.warning, *notices(at)]
    assert measured or name == "anatomy", "there a step may have no claim of its own"
    told = {(one.outcome, one.line.rpartition(" :small[")[2]) for one in verdicts(at)}
    assert told == {(one.outcome, details(one).removeprefix(":small[")) for one in measured}
    assert pictures(at) or at.table


# ---- links ----


def can_be(at: AppTest, key: str, raw: str) -> bool:
    """Whether a text that is nonsense for most controls is none for this one: any words, and −1 for a mean."""
    widget = at.get_by_key(key)
    try:
        return widget.type == "text_input" or (widget.type == "slider" and widget.min <= float(raw) <= widget.max)
    except ValueError:
        return False


@pytest.mark.parametrize(("name", "first"), some_by_day(product(NAMES, [0, 4]), of=3))
def test_a_link_with_nonsense_opens_the_page_and_names_each_part_once(name: str, first: int) -> None:
    here = looked_at(name)
    given = zip(controls(here), islice(cycle(NONSENSE), first, None), strict=False)
    wrong = {key: raw for key, raw in given if not can_be(here, key, raw)}
    at = open_page(name, **wrong, **{f"{name}_nonsense": "1"})
    assert is_alive(at)
    assert len(notices(at)) == len(wrong) + 1 > 3
    assert sum(escape_markdown(f"{name}_nonsense") in one for one in notices(at)) == 1
    at.run()
    assert not [*at.warning, *notices(at), *at.exception]


@pytest.mark.parametrize("name", [*NAMES, LEDGER.name])
def test_another_visit_to_a_page_keeps_no_class_more(name: str) -> None:
    """A page's file runs anew for each visit; what it declares is one for all, or each visit would stay in memory."""
    looked_at(name)
    known = declared.cache_info().currsize
    open_page(name)
    assert declared.cache_info().currsize == known


# ---- moved ----


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, of=5))
def test_an_answer_sets_every_control_and_is_graded_by_what_was_measured(name: str) -> None:
    page = page_of(name)
    elsewhere = link_of(name, page.presets[-1].settings) | QUICK.get(name, {})
    at, move = open_page(name, **elsewhere, seed="5"), link_of(name, page.predict.move)
    shown = {key for key in controls(at) if key.startswith(f"{name}_")}
    right = truth(name, move | {"seed": "5"})
    for said_first in page.predict.options:
        at.pills(key=f"_{name}_option").set_value(said_first).run()
        assert not at.exception
        assert grade(at) == (said_first, right)
        assert ("**Why:** " in said(at)) == bool(page.predict.claim)
        assert held(at, name) == {key.removeprefix(f"{name}_"): text for key, text in move.items()} != {}
        assert shown & set(controls(at)), "they are drawn with their new values"
        button(at, "Ask again").click()
        at.run()
        assert grade(at) is None
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    assert not any(group.label.startswith("**Predict.**") for group in at.pills)
    assert grade(at) is None
    assert page.spec.claim in said(at)


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 2, of=3))
def test_a_class_is_told_what_was_measured_after_the_move(name: str) -> None:
    page = page_of(name)
    move = link_of(name, page.predict.move)
    at = open_page(name, **{"class": "BCDFG"}, **link_of(name, page.presets[-1].settings))
    at.session_state[CLASS].teaches, at.session_state[CLASS].to_measure = True, (name, "one")
    at.run()
    assert not at.exception
    found = {"question": "one", "answer": page.predict.options.index(truth(name, move))}
    assert at.session_state[CLASS].measured == found
    assert [one["measured"] for one in sent(at, "live_class/panel")] == [found]
    assert at.session_state[CLASS].to_measure is None
    # In a class the sentence is named, too, which begins otherwise in another language.
    begins = page.settings.spelled(page.settings.defaults)
    named = {key: text for key, text in begins.items() if key in SPOKEN - move.keys()}
    assert held(at, name) == {key.removeprefix(f"{name}_"): text for key, text in (move | named).items()}


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 4, of=6))
def test_presets_go_where_they_say_and_a_pinned_picture_stays_and_reset_comes_back(name: str) -> None:
    at, page = open_page(name), page_of(name)
    start = dict(at.query_params)
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    for press, pinned in (("Pin", True), ("Unpin", False), ("Pin", True)):
        button(at, press).click()
        at.run()
        assert ("Pinned" in captions(at)) == pinned
    for index, preset in enumerate(page.presets):
        at.pills(key=f"_{name}_preset").set_value(index).run()
        assert not [*at.exception, *at.error], index
        assert {"Now", "Pinned"} <= captions(at)
        at.run()  # the groups of controls that a preset leaves as they are are not drawn anew
        assert at.pills(key=f"_{name}_preset").value == index, "it is lit while the controls are as it set them"
        link = link_of(name, preset.settings)
        assert held(at, name) == {key.removeprefix(f"{name}_"): text for key, text in link.items()}
        assert f":small[:gray[{set_markdown(preset.caption)}]]" in said(at)
    button(at, "Reset").click()
    at.run()
    assert "Pinned" not in captions(at)
    assert dict(at.query_params) == start


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_presets_differ_and_say_something(name: str) -> None:
    presets = page_of(name).presets
    assert len({str(one.settings) for one in presets}) == len({one.caption for one in presets}) == len(presets)
    assert all(len(one.caption.split()) >= 3 for one in presets)
