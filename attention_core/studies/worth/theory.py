"""What theory says of cuts at attention's own output, and the table of its tests."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import ONE_KEY
from attention_core.studies.worth.settings import WorthConfig

_GROW: Final = _("the other weights of the row grow as one is cut")
_MEAN: Final = _("the mean of all values comes in the place of the one that is cut")


def piece(config: WorthConfig) -> Theory:
    """The output is linear in the weights, so an edge takes away its weight times what its value writes."""
    if config.rest != "left":
        alone = len(config.spelled()[0]) == 1
        return Open(ONE_KEY) if alone else Fails(_GROW if config.rest == "renormalised" else _MEAN)
    return Holds()


def unseen(config: WorthConfig) -> Theory:
    """Values of d_head numbers and the sum see d_head + 1 directions of a row: one of more keys has others."""
    return Fails(_("values see the direction that the weights move along")) if config.any_direction else Holds()


def sums_to_one(config: WorthConfig) -> Theory:
    """Softmax divides by the sum of all that it is given."""
    if config.plus_one or config.has_sink:
        return Fails(_("a sink takes what is left of each row"))
    return Holds()


TESTS: Final = (
    ClaimTest(
        "weight-free", "≤", _("with other weights in the last row the output differs by at most"),
        _("max |f(a + δ) − f(a)|"), theory=unseen,
    ),
    ClaimTest(
        "edge-sum", "≤", _("at attention’s output the effects of the last row’s edges and that of all differ by"),
        "max |Σ_k (f − f_{−k}) − (f − f_{−all})|", theory=piece,
    ),
    ClaimTest(
        "weight-effect", "≤", _("an edge takes away its weight times what its value writes, up to"),
        "max |(f − f_{−k}) − a_k W_O v_k|", theory=piece,
    ),
    ClaimTest(
        "sink-forced.one", "≤", _("the sums of the head’s rows differ from 1 by at most"), "max |Σ_k a_k − 1|",
        theory=sums_to_one,
    ),
    ClaimTest(
        "sink-forced.plus-one", "≤", _("with softmax plus one they differ from what its scores say by at most"),
        "max |Σ_k a_k − (1 − 1/(1 + Σ_k e^{s_k}))|",
    ),
)  # fmt: skip
