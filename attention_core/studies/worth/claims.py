"""Claims about what a weight is worth, shown on the page Worth."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.worth.gate import GateConfig
from attention_core.studies.worth.settings import WorthConfig

LONG: Final = (
    "Tom", "says", "“", "the", "red", "cat", "(", "that", "David", "sees", ")", "waits", "here", "and", "the",
    "lamps", "near", "the", "old", "books", "behind", "the",
)  # fmt: skip
_RENORMALISED: Final = {"rest": "renormalised"}

CLAIMS: Final = (
    Claim(
        id="weight-free",
        part="mixture",
        statement=_("A head that sees more keys than a value has numbers gives the same output with other weights."),
        source=OURS,
        place=_("after Brunner et al. (2020)"),
        options={"text": LONG},
        breaks=Break(by=_("weights moved along any direction"), options={"any_direction": True}),
        config=WorthConfig,
    ),
    Claim(
        id="edge-sum",
        part="mixture",
        statement=_("At attention’s own output the effects of single edges add up to that of all of them."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("the rest of the row is left as it is, and before norms and layers that follow"),
        breaks=Break(by=_("a row that is renormalised after the cut"), options=_RENORMALISED),
        config=WorthConfig,
    ),
    Claim(
        id="weight-effect",
        part="mixture",
        statement=_("Cutting an edge takes its weight times W_O v from the output: the weight is one factor of two."),
        source=OURS,
        place=_("after Kobayashi et al. (2020)"),
        expected=HOLDS_WHEN,
        when=_("the rest of the row is left as it is"),
        breaks=Break(by=_("a row that is renormalised after the cut"), options=_RENORMALISED),
        config=WorthConfig,
    ),
    Claim(
        id="sink-forced",
        part="softmax",
        statement=_("A row of softmax sums to one whatever its scores are, so a head must look somewhere."),
        source=OURS,
        place=_("after Miller (2023) and Xiao et al. (2024)"),
        breaks=Break(by=_("softmax plus one"), options={"plus_one": True}),
        config=WorthConfig,
    ),
    Claim(
        id="sink-gate",
        part="what it learns",
        statement=_("With nothing to look at, softmax learns to look at a word that stands in every text."),
        source=OURS,
        place=_("after Xiao et al. (2024) and Qiu et al. (2025)"),
        expected=HOLDS_WHEN,
        when=_("there is such a word, and attention alone answers"),
        breaks=Break(by=_("a first word like any other"), options={"same_first": True}),
        config=GateConfig,
        link={"show": "gate"},
    ),
)
