"""Which ten questions are asked, and whether a class is asked them before or after what it learns."""

from dataclasses import dataclass
from typing import Final

from pages._shared.core.pages import TEST
from pages._shared.session.page_state import PageState
from attention_core.concept_test import FORMS, Asked, form
from attention_core.language import gettext_lazy as _
from attention_core.measuring.settings import Choice, Whole, setting

MOST_FORMS: Final = 300
AT_HOME: Final = "none"
TIMES: Final = {"before": _("Test before"), "after": _("Test after")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is asked, and when."""

    form: int = setting(1, Whole(1, MOST_FORMS, label=_("Set of questions")))
    time: str = setting(AT_HOME, Choice({AT_HOME: _("at home"), **TIMES}, label=_("In a class")))


state = PageState(TEST, (Chosen,))


def asked_now() -> tuple[Asked, ...]:
    """The questions; three forms in a row have none in common."""
    return asked_in(state.settings["form"])


def asked_in(number: int) -> tuple[Asked, ...]:
    """The questions of a form that is counted from 1."""
    seed, place = divmod(number - 1, FORMS)
    return form(seed, place)


def parallel(number: int) -> int:
    """Another form of the same seed, which has no question in common with this one."""
    return number - 1 if number % FORMS == 0 else number + 1
