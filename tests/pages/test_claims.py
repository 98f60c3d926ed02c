"""The Claims page: what it shows is what the ledger says, and its links open the pages with their settings."""

import dataclasses
import math
from importlib import import_module
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Markdown

from pages._shared.claims.results import MOST_SETTINGS, Ledger
from pages._shared.core.pages import LEDGER, PAGES, PageSpec
from pages._shared.core.text import escape_markdown, no_line_breaks, plain_markdown
from pages._shared.page.findings import capital, number_in_words
from attention_core.claims import (
    EXPECTED,
    FALSE,
    SAID,
    SOURCES,
    Claim,
    LedgerConfig,
    LedgerResult,
    Said,
    check,
    claims,
)
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import defaults
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import built, notices, page_of, sent, verdicts
from tests.sweeps import some_by_day

WITH_CLAIMS = [page for page in PAGES if any(claim.page == page.name for claim in claims())]
SEED = 77  # no other test has checked anything with it


def texts(at: AppTest) -> list[str]:
    return [item.value for item in at.markdown]


def entries(at: AppTest) -> list[str]:
    """The claims that are told in full, on the open tab."""
    return [item.value for item in told(at)]


def told(at: AppTest) -> list[Markdown]:
    """Their elements: what they are called and how they were measured exactly is a hover away."""
    ids = tuple(f"`{claim.id}`" for claim in claims())
    return [item for item in at.markdown if (item.proto.help or "").startswith(ids)]


def entry(at: AppTest, name: str) -> tuple[str, str]:
    """What is told of a claim, and what is a hover away."""
    (one,) = (item for item in told(at) if item.proto.help.startswith(f"`{name}`"))
    return one.value, one.proto.help


def rows(at: AppTest) -> list[dict[str, Any]]:
    """The rows of the chart, in the order in which they are shown."""
    (data,) = sent(at, "claims_chart/chart")
    return [row for column in data["columns"] for section in column for row in section["rows"]]


def glance(at: AppTest) -> list[str]:
    """The colours of all claims in the order in which they are shown."""
    return [row["state"] for row in rows(at)] if sent(at, "claims_chart/chart") else []


def meanings(at: AppTest) -> set[str]:
    """What the colours are said to mean."""
    return {row["means"] for row in rows(at)}


def place(name: str) -> int:
    """Where a claim stands in that order."""
    return [claim.id for claim in claims()].index(name)


@pytest.mark.parametrize("page", WITH_CLAIMS, ids=[page.name for page in WITH_CLAIMS])
def test_every_claim_is_named_and_those_of_the_open_page_are_told(page: PageSpec) -> None:
    at = open_page("claims", seed=str(SEED), claims_tab=page.name)
    assert not at.exception
    assert not notices(at)
    assert [tab.label for tab in at.tabs] == [*(page.title for page in WITH_CLAIMS), "Sources"]
    assert glance(at) == ["gray"] * len(claims())
    assert any("Nothing is checked yet" in text for text in texts(at))
    found, here = entries(at), [claim for claim in claims() if claim.page == page.name]
    assert len(found) == len(here)
    for claim, text in zip(here, found, strict=True):
        assert "Not checked yet" in text
        assert claim.id not in text, "a name is for who looks it up"
        assert entry(at, claim.id)[0] == text
        corrected = claim.correction is not None and claim.expected == FALSE
        assert all(word in text for word in ("What is said:", "What is measured:", "Why:")) == corrected


PLACES = ("bias", "review", "code", "ours")  # as a link holds what SOURCES says


def test_every_claim_belongs_to_a_page() -> None:
    assert {claim.page for claim in claims()} <= {page.name for page in PAGES}


@pytest.mark.parametrize(("verdict", "expected"), [*zip(("holds", "when", "false"), EXPECTED, strict=True)])
@pytest.mark.parametrize(("place", "source"), [*zip(PLACES, SOURCES, strict=True)])
def test_filters_are_in_the_link(verdict: str, expected: str, place: str, source: str) -> None:
    at = open_page("claims", seed=str(SEED), claims_verdict=verdict, claims_source=place)
    assert not at.exception
    assert not notices(at)
    assert set(at.query_params) == {"seed", "claims_verdict", "claims_source"}
    wanted = [claim for claim in claims() if (claim.expected, claim.source) == (expected, source)]
    assert bool(at.info) == (not wanted)
    if wanted:
        assert len(glance(at)) == len(wanted)
        assert len(entries(at)) == sum(claim.page == wanted[0].page for claim in wanted)
    shown = [page.title for page in PAGES if any(claim.page == page.name for claim in wanted)]
    assert [tab.label for tab in at.tabs] == [*shown, "Sources"]


def test_a_link_with_nonsense_is_answered_once() -> None:
    at = open_page("claims", claims_verdict="perhaps", claims_other="1", claims_tab="Share")
    assert not at.exception
    assert len(notices(at)) == 3
    assert any("Anatomy is used" in one for one in notices(at))
    at.run()
    assert not notices(at)


def test_one_claim_is_checked_and_shown_with_its_numbers() -> None:
    at = open_page("claims", seed=str(SEED + 1), claims_tab="projections")
    at.button(key="_claims_check_qk-tied").click()
    at.run()
    assert not at.exception
    one = check("qk-tied", seed=SEED + 1)
    text, exactly = entry(at, "qk-tied")
    assert ":\N{NO-BREAK SPACE}Holds" in text
    assert glance(at)[place("qk-tied")] == "green"
    assert glance(at).count("gray") == len(claims()) - 1
    assert meanings(at) == {"holds, and its switch breaks it", "not checked yet"}, "only what is there is explained"
    broken = next(verdict for verdict in one.broken if verdict.outcome == "fails")
    for verdict, before in ((one.verdicts[0], ""), (broken, "With a bias on one of the two sides only: ")):
        assert no_line_breaks(capital(before + number_in_words(verdict))) in text
        assert f"{before}`{verdict.numbers}`" in exactly
        assert verdict.quantity not in text
    score = f"**1 of 1** claims checked so far, of {len(claims())} in all, is as theory says"
    assert any(score in text for text in texts(at))


def test_of_a_source_that_is_corrected_all_numbers_are_told_and_of_another_claim_the_first() -> None:
    at = open_page("claims", seed=str(SEED + 5), claims_tab="biases")
    for name, told_of in (("bias-norm", 4), ("bias-k", 1)):
        at.button(key=f"_claims_check_{name}").click().run()
        one = check(name, seed=SEED + 5)
        assert len(one.verdicts) > 2
        found = [no_line_breaks(capital(number_in_words(verdict))) in entry(at, name)[0] for verdict in one.verdicts]
        assert found == [place < told_of for place in range(len(one.verdicts))]
    assert ("What is said:" in entry(at, "bias-norm")[0], "What is said:" in entry(at, "bias-k")[0]) == (True, False)


def test_what_is_chosen_is_checked_together() -> None:
    at = open_page("claims", seed=str(SEED + 2), claims_verdict="false", claims_source=PLACES[0], dtype="float32")
    button = at.button(key="_claims_all")
    assert button.label == "Check these 1"
    button.click()
    at.run()
    assert not at.exception
    assert ":\N{NO-BREAK SPACE}A myth, refuted" in entry(at, "perm-block")[0]
    assert glance(at) == ["violet"]
    assert not any("Stop" in item.label for item in at.button)


# Of each page the first; of Learning the first that needs one training.
FIRST = {claim.page: claim for claim in reversed(claims()) if claim.link.get("below") != "seeds"}
LINKED = [
    pytest.param(claim, broken, id=f"{claim.id}-{broken}")
    for claim in claims()
    for broken in (False, True)
    if not (broken and claim.breaks is None)
]
RUN = defaults(RunConfig)


def opened(claim: Claim, *, broken: bool = False) -> RunConfig:
    """What the page of a claim measures, opened by the claim's link; of Learning, from several seeds where asked."""
    module, parameters = import_module(f"pages.{claim.page}"), claim.parameters(broken=broken)
    assert parameters.keys() <= module.page.settings.keys
    config, view = built(claim.page, parameters)
    return module.several(config, view) if getattr(view, "below", "") == "seeds" else config


def is_measured_there(claim: Claim) -> bool:
    """Whether the page measures the claim's own config, rather than one of its own and the claim beside it."""
    return type(opened(claim)) is claim.config


@pytest.mark.parametrize(
    ("claim", "broken"), some_by_day((case for case in LINKED if case.values[0].page != "learning"), of=9)
)
def test_the_page_tells_what_came_of_a_claim_where_its_link_leads(claim: Claim, broken: bool) -> None:
    measured = page_of(claim.page).results_of(*built(claim.page, claim.parameters(broken=broken))).verdicts
    found = {verdict.outcome for verdict in measured if verdict.claim == claim.id}
    assert ("fails" in found) if broken else (found == {"holds"})


@pytest.mark.parametrize(("claim", "broken"), LINKED)
def test_the_link_of_a_claim_means_its_settings(claim: Claim, broken: bool) -> None:
    found, wanted = opened(claim, broken=broken), claim.settings(broken=broken, **RUN)
    if is_measured_there(claim):
        assert found == wanted
    else:
        beside = {*RUN, *claim.link, *(claim.breaks.link if broken else ())}
        now, was = dataclasses.asdict(found), dataclasses.asdict(wanted)
        assert all(now[name] == was[name] for name in (now.keys() & was.keys()) - beside)


@pytest.mark.parametrize(
    ("claim", "broken"),
    [
        pytest.param(*case.values, id=case.id, marks=[pytest.mark.nightly] * (case.values[0] not in FIRST.values()))
        for case in LINKED
        if case.values[0] in FIRST.values() or not is_measured_there(case.values[0])
    ],
)
def test_a_link_opens_the_page_where_the_claim_is_shown(claim: Claim, broken: bool) -> None:
    at = open_answered(claim.page, **claim.parameters(broken=broken))
    assert not at.exception
    assert not at.error
    assert not notices(at), notices(at)
    shown = {one.outcome for one in verdicts(at) if one.claim == claim.id}
    assert shown, "the page's verdicts name the claim"
    assert ("fails" in shown) == broken


OWN_PLACES = [said for said in SAID if said.page]


@pytest.mark.parametrize("said", OWN_PLACES, ids=lambda said: said.statement[:40])
def test_a_source_s_statement_without_a_claim_opens_its_page(said: Said) -> None:
    name, parameters = said.where
    at = open_page(name, **parameters)
    assert not at.exception
    assert not at.error
    assert not notices(at), notices(at)


@pytest.mark.parametrize(("source", "names"), [("anywhere", None), (PLACES[0], SOURCES[:1]), (PLACES[-1], ())])
def test_the_sources_tab_has_a_row_with_a_way_for_every_statement(source: str, names: tuple[str, ...] | None) -> None:
    at = open_page("claims", claims_tab="sources", claims_source=source)
    assert not at.exception
    told = [said for said in SAID if names is None or said.source in names]
    rows = [text for text in texts(at) if ":small[:gray[" in text]
    assert len(rows) == len(told)
    for said, row in zip(told, rows, strict=True):
        assert row.startswith(plain_markdown(said.statement, 300))
        assert ("To be corrected or added" in row) == bool(said.corrected)
    links = [link for link in at.main.get("page_link") if link.proto.page != LEDGER.name]
    assert [link.proto.page for link in links] == ["" if said.where[0] == "home" else said.where[0] for said in told]


def test_what_is_not_decided_is_grey_with_its_reason_and_counts_for_nothing() -> None:
    at = open_page("claims", seed=str(SEED), dtype="bfloat16", claims_tab="biases")
    at.button(key="_claims_check_softmax-shift").click().run()
    assert check("softmax-shift", seed=SEED, dtype="bfloat16").outcome == "undecided"
    assert "Not decided: rounding alone may move it" in entry(at, "softmax-shift")[0]
    assert glance(at)[place("softmax-shift")] == "gray"
    assert "not decided with these settings" in meanings(at)
    assert any("**0 of 1** claims" in text and "1 not decided" in text for text in texts(at))


def test_a_claim_that_fails_to_run_says_what_was_raised_and_the_next_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(config: object) -> object:
        raise RuntimeError("out of *memory*")

    entries = tuple(
        dataclasses.replace(claim, run=failing) if claim.id == "softmax-shift" else claim
        for claim in claims() if claim.id in ("softmax-shift", "bias-k")
    )  # fmt: skip
    monkeypatch.setattr("attention_core.claims.ledger.CLAIMS", entries)
    at = open_page("claims", seed=str(SEED + 6), device="cpu", claims_tab="biases")
    at.button(key="_claims_all").click().run()
    assert not at.exception
    assert (
        f"Failed to run: {escape_markdown('RuntimeError on cpu: out of *memory*', 500)}"
        in entry(at, "softmax-shift")[0]
    )
    assert glance(at)[-2:] == ["red", "green"]
    assert "failed to run" in meanings(at)
    assert any("**1 of 2** claims" in text and "1 failed to run" in text for text in texts(at))


def test_the_ledger_forgets_the_oldest_settings_and_knows_the_last() -> None:
    kept = Ledger()
    assert kept.score(46) == ""
    one = check("qk-tied")
    for seed in range(MOST_SETTINGS + 1):
        config = LedgerConfig(seed=seed)
        kept.keep(config, LedgerResult(checked=(one,), provenance=None))  # type: ignore[arg-type]
    assert not kept.checked(LedgerConfig(seed=0))
    assert kept.checked(LedgerConfig(seed=1)) == {"qk-tied": one}
    assert f"seed {MOST_SETTINGS}" in kept.score(46)
    assert "seed 3" in kept.score(46, LedgerConfig(seed=3))


def test_how_long_a_check_took_is_told_of_all_claims_alone() -> None:
    kept, all_ = Ledger(), LedgerConfig(seed=5)
    found = LedgerResult(checked=(check("qk-tied"),), provenance=None)  # type: ignore[arg-type]
    kept.keep(LedgerConfig(seed=5, ids=("qk-tied",)), found, 2.0)
    assert kept.seconds(all_) == 0
    kept.keep(all_, found, 30.0)
    kept.keep(LedgerConfig(seed=5, ids=("qk-tied",)), found, 2.0)
    assert kept.seconds(all_) == 30
    assert kept.seconds(LedgerConfig(seed=6)) == 0


def test_the_score_counts_each_outcome_apart() -> None:
    one, kept, config = check("gauge"), Ledger(), LedgerConfig(seed=4)
    surprising = tuple(dataclasses.replace(verdict, expected=False) for verdict in one.verdicts)
    open_ = tuple(dataclasses.replace(verdict, expected=None, because="too small") for verdict in one.broken)
    checked = [one]
    for name, change in (
        ("a", {"verdicts": surprising}), ("b", {"broken": open_}), ("c", {"refused": "no such precision"}),
        ("d", {"failed": "out of memory"}),
    ):  # fmt: skip
        checked.append(dataclasses.replace(one, claim=dataclasses.replace(one.claim, id=name), **change))
    kept.keep(config, LedgerResult(checked=tuple(checked), provenance=None))  # type: ignore[arg-type]
    assert kept.score(5) == (
        "**1 of 5** claims is as theory says, 1 not so, 1 not decided, 1 not measured, 1 failed to run "
        "(float64, seed 4)."
    )


def test_a_row_is_hollow_before_a_check_and_then_holds_what_was_measured() -> None:
    at = open_page("claims", seed=str(SEED + 3), claims_tab="projections")
    assert all((row["held"], row["bound"], row["broken"]) == (None, None, None) for row in rows(at))
    at.button(key="_claims_check_qk-tied").click().run()
    one = check("qk-tied", seed=SEED + 3)
    (row,) = (row for row in rows(at) if row["id"] == "qk-tied")
    held, bound = one.verdicts[0].measured, one.verdicts[0].bound
    broken = next(verdict.measured for verdict in one.broken if not verdict.holds)
    for mark, number in ((row["held"], held), (row["bound"], bound), (row["broken"], broken)):
        power = min(max(math.log10(abs(number)), -17), 1) if number else -17
        assert mark["at"] == pytest.approx((power + 17) / 18)
    assert [other["id"] for other in rows(at) if other["held"]] == ["qk-tied"]
