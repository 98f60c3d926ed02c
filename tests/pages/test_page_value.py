"""A page is one value for all visitors, and holds nothing of any of them."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from pages._shared.core.pages import PAGES, PageSpec, read_spec
from tests.pages.conftest import open_page
from tests.pages.read import held, page_of
from tests.sweeps import some_by_day

EXPERIMENTS = [page.name for page in PAGES]


def parts(one: Any) -> Any:
    """What an object is made of, as something that can be compared; functions and classes are what they are."""
    if is_dataclass(one) and not isinstance(one, type):
        return type(one), {each.name: parts(getattr(one, each.name)) for each in fields(one)}
    if isinstance(one, tuple):
        return tuple(map(parts, one))
    if isinstance(one, dict):
        return {key: parts(value) for key, value in one.items()}
    return one if isinstance(one, FunctionType | type) else copy.copy(one)


@pytest.mark.parametrize("spec", PAGES, ids=EXPERIMENTS)
def test_what_is_read_of_a_page_before_its_module_is_imported_is_what_the_module_declares(spec: PageSpec) -> None:
    page = page_of(spec.name)
    assert page.spec == spec
    assert page.study.name == spec.name


def test_a_setting_that_a_page_names_nowhere_stands_last_in_its_drawer() -> None:
    masks, biases = page_of("masks"), page_of("biases")
    (rest,) = replace(masks, in_sight=("stack", "sentences"), drawer=()).drawer
    elsewhere = ("stack", "sentences", "dtype", "device", "seed")
    assert rest.names == tuple(one.name for one in fields(masks.study.config) if one.name not in elsewhere)
    assert replace(masks).drawer == masks.drawer, "where all are named there is no rest"
    assert "size" not in {name for part in replace(biases, drawer=()).drawer for name in part.names}


@pytest.mark.parametrize("begins", ["SPEC = PageSpec", "SPEC: Final = PageSpec"])
def test_a_file_with_a_spec_is_a_page_and_any_other_is_none(begins: str, tmp_path: Path) -> None:
    made = tmp_path / "shift.py"
    keywords = 'name="shift", title=gettext_lazy("Sh" "ift"), icon=":material/add:", section="", claim=_("One.")'
    made.write_text(f"import no_such_module\n{begins}({keywords})\npage = Page(spec=SPEC)\n", encoding="utf-8")
    assert read_spec(made) == PageSpec("shift", "Shift", ":material/add:", "", "One.")
    made.write_text('page = Page()\n"SPEC = PageSpec()"\n', encoding="utf-8")
    assert read_spec(made) is None


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 3))
def test_a_page_is_frozen_and_what_visitors_do_leaves_it_as_it_is(name: str) -> None:
    page = page_of(name)
    with pytest.raises(FrozenInstanceError):
        page.law = ""
    with pytest.raises(FrozenInstanceError):
        page.frame = None
    before = parts(page), set(vars(page)) | {"settings", "extras"}
    settings = pickle.dumps(page.settings._usual), dict(page.settings._keys), set(vars(page.settings))
    at = open_page(name, seed="3")
    at.pills(key=f"_{name}_preset").set_value(1).run()
    assert not at.exception
    assert (parts(page), set(vars(page)) | {"settings", "extras"}) == before
    assert (pickle.dumps(page.settings._usual), dict(page.settings._keys), set(vars(page.settings))) == settings


def test_two_who_are_on_one_page_at_once_each_have_their_own() -> None:
    one, other = open_page("masks", masks_answer="skipped"), open_page("masks", masks_answer="skipped")
    one.toggle(key="masks_unmasked").set_value(True).run()
    other.pills(key="_masks_preset").set_value(1).run()
    one.run()
    assert held(one, "masks") == {"unmasked": "true"}
    assert held(other.run(), "masks") == {"stack": "decoder", "unmasked": "true", "show": "padding"}
