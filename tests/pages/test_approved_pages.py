"""What each page says, asks and offers, as it was approved: as it begins, answered, with each preset."""

import re
from collections.abc import Collection
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES
from tests.approved import lines
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import CONTROLS, QUICK, link_of, page_of, plain

NAMES = [page.name for page in PAGES]
TIMED = re.compile(r"`[\d.]+ [µm]?s`")
MACHINES = "Device"  # its options are the machine's
OTHERS = [HOME.name, LEDGER.name, COURSE.name]


def texts(at: AppTest) -> list[str]:
    """All that a page writes, then what it asks for and the buttons that it has."""
    asked = [
        f"{one.label} [{' | '.join(map(str, getattr(one, 'options', ())))}] = {one.value}"
        for kind in CONTROLS
        for one in at.get(kind)
        if one.key and not one.key.startswith("_") and one.label != MACHINES
    ]
    told = [one.value for kind in ("caption", "info", "warning", "error") for one in at.get(kind)]
    return [*plain(at).splitlines(), *told, *asked, *(one.label for one in at.button)]


@cache
def glossary() -> frozenset[str]:
    """What stands on every page."""
    return frozenset(line for line in texts(open_page(COURSE.name)) if line.startswith("**"))


def beyond(said: list[str], known: Collection[str]) -> str:
    """The lines that are not known already, without what was timed on this machine."""
    return lines("\n".join(line for line in said if line not in known and not TIMED.search(line)) or "nothing more")


def test_the_glossary_says_what_was_approved(approved: SnapshotAssertion) -> None:
    assert lines("\n".join(sorted(glossary()))) == approved


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    """But for the numbers of a model that is trained in float32: machines round it differently, step after step."""
    begins = texts(open_page(name, **QUICK.get(name, {})))
    answered = texts(open_answered(name, **QUICK.get(name, {})))
    if name in QUICK:
        begins, answered = ([re.sub(r"\d[\d.,]*", "#", line) for line in said] for said in (begins, answered))
    assert beyond(begins, glossary()) == approved(name="as it begins")
    assert beyond(answered, {*begins}) == approved(name="answered")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in QUICK])
def test_a_preset_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    usual = {*plain(open_answered(name)).splitlines()}
    for preset in page_of(name).presets:
        said = plain(open_answered(name, **link_of(name, preset.settings))).splitlines()
        assert beyond(said, usual) == approved(name=str(preset.name))


@pytest.mark.parametrize("name", OTHERS)
def test_what_leads_to_the_pages_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    assert beyond(texts(open_page(name)), glossary() if name != COURSE.name else ()) == approved
