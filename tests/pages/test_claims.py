"""The Claims page: what it shows is what the ledger says, and its links open the pages with their settings."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.ledger import MOST_SETTINGS, Ledger
from pages._shared.registry import PAGES, PageSpec
from attention_core.claims import EXPECTED, FALSE, SOURCES, LedgerConfig, LedgerResult, check, claims
from tests.pages.conftest import Open

SEED = 77  # no other test has checked anything with it


def texts(at: AppTest) -> list[str]:
    return [item.value for item in at.markdown]


def entries(at: AppTest) -> list[str]:
    """The claims that are told in full, on the open tab."""
    ids = tuple(f" **{claim.id}** " for claim in claims())
    return [text for text in texts(at) if any(name in text for name in ids)]


def glance(at: AppTest) -> list[str]:
    """The names of all claims, in the order and with the colours in which they are shown."""
    (shown,) = (text for text in texts(at) if "&nbsp;" in text)
    return re.findall(r":(\w+)\[:material/\w+:&nbsp;([\w-]+)\]", shown)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_claim_is_named_and_those_of_the_open_page_are_told(page: PageSpec, open_page: Open) -> None:
    at = open_page("claims", seed=str(SEED), claims_tab=page.title)
    assert not at.exception
    assert not at.warning
    assert [tab.label for tab in at.tabs] == [page.title for page in PAGES]
    assert glance(at) == [("gray", claim.id) for claim in claims()]
    assert any("Nothing is checked yet" in text for text in texts(at))
    found, told = entries(at), [claim for claim in claims() if claim.page == page.name]
    assert len(found) == len(told)
    for claim, text in zip(told, found, strict=True):
        assert f"**{claim.id}** not checked yet" in text
        corrected = claim.correction is not None and claim.expected == FALSE
        assert all(word in text for word in ("What is said:", "What is measured:", "Why:")) == corrected


def test_every_claim_belongs_to_a_page() -> None:
    order = [page.name for page in PAGES]
    places = [order.index(claim.page) for claim in claims()]
    assert set(places) == set(range(len(PAGES)))


@pytest.mark.parametrize("expected", EXPECTED)
@pytest.mark.parametrize("source", SOURCES)
def test_filters_are_in_the_link(expected: str, source: str, open_page: Open) -> None:
    at = open_page("claims", seed=str(SEED), claims_verdict=expected, claims_source=source)
    assert not at.exception
    assert not at.warning
    wanted = [claim for claim in claims() if (claim.expected, claim.source) == (expected, source)]
    assert bool(at.info) == (not wanted)
    if wanted:
        assert [name for _, name in glance(at)] == [claim.id for claim in wanted]
        assert [tab.label for tab in at.tabs] == [
            page.title for page in PAGES if any(claim.page == page.name for claim in wanted)
        ]
        assert len(entries(at)) == sum(claim.page == wanted[0].page for claim in wanted)


def test_a_link_with_nonsense_is_answered_once(open_page: Open) -> None:
    at = open_page("claims", claims_verdict="perhaps", claims_other="1", claims_tab="Share")
    assert not at.exception
    assert len(at.warning) == 3
    assert any("Anatomy is used" in warning.value for warning in at.warning)
    at.run()
    assert not at.warning


def test_one_claim_is_checked_and_shown_with_its_numbers(open_page: Open) -> None:
    at = open_page("claims", seed=str(SEED + 1), claims_tab="Permutation")
    at.button(key="_claims_check_perm-kv").click()
    at.run()
    assert not at.exception
    one = check("perm-kv", seed=SEED + 1)
    entry = next(text for text in entries(at) if "perm-kv" in text)
    assert "**perm-kv** holds" in entry
    assert ("green", "perm-kv") in glance(at)
    assert ("gray", "perm-q") in glance(at)
    (legend,) = (text.partition("\n")[0] for text in texts(at) if "&nbsp;" in text)
    assert ":green[:material/check_circle: holds]" in legend
    assert "not checked yet" in legend
    assert "not as theory says" not in legend, "only what is there is explained"
    assert one.verdicts[0].sentence().split(" · ")[0] in entry
    assert f"With keys that move without their values: `{one.broken[0].sentence().split(' · ')[0]}`" in entry
    assert any("**1 of 1** claims checked so far, of 46 in all, is as theory says" in text for text in texts(at))
    home = open_page("home")
    assert any("**1 of 1** claims checked so far" in text and f"seed {SEED + 1}" in text for text in texts(home))


def test_what_is_chosen_is_checked_together(open_page: Open) -> None:
    at = open_page("claims", seed=str(SEED + 2), claims_verdict=FALSE, claims_source=SOURCES[0], dtype="float32")
    button = at.button(key="_claims_all")
    assert button.label == "Check these 1"
    button.click()
    at.run()
    assert not at.exception
    entry = entries(at)[0]
    assert "**perm-block** is false" in entry
    assert glance(at) == [("orange", "perm-block")]
    assert not any("Stop" in item.label for item in at.button)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("claim", claims(), ids=[claim.id for claim in claims()])
def test_a_link_opens_the_page_where_the_claim_is_shown(claim: object, broken: bool, open_page: Open) -> None:
    if broken and claim.breaks is None:
        return
    at = open_page(claim.page, **claim.parameters(broken=broken))
    assert not at.exception
    assert not at.error
    assert not at.warning, [warning.value for warning in at.warning]
    shown = [text for text in texts(at) if f"**{claim.id} " in text]
    assert shown, "the page's verdicts name the claim"
    if claim.breaks:
        assert any(f"**{claim.id} does not hold**" in text for text in shown) == broken


def test_the_ledger_forgets_the_oldest_settings_and_knows_the_last() -> None:
    kept = Ledger()
    assert kept.score() == ""
    one = check("qk-tied")
    for seed in range(MOST_SETTINGS + 1):
        config = LedgerConfig(seed=seed)
        kept.keep(config, LedgerResult(checked=(one,), provenance=None))  # type: ignore[arg-type]
    assert not kept.found(LedgerConfig(seed=0))
    assert kept.found(LedgerConfig(seed=1)) == {"qk-tied": one}
    assert f"seed {MOST_SETTINGS}" in kept.score()
    assert "seed 3" in kept.score(LedgerConfig(seed=3))
