"""Claims about what an attention can be told from, shown on the page Bug hunt."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.bug_hunt.identified import IdentifiedConfig
from attention_core.studies.bug_hunt.settings import LETTERS, PAIRS, RIGHT, BugHuntConfig

CLAIMS: Final = (
    Claim(
        id="id-probes",
        part="self-attention",
        statement=_(
            "Causal attention that is right passes six probes: words shuffled, a later word changed, a second "
            "sentence, padding, larger heads, sums of rows."
        ),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("there are no positions"),
        breaks=Break(by=_("rotary positions"), options={"planted": PAIRS}),
        config=BugHuntConfig,
    ),
    Claim(
        id="id-right",
        part="self-attention",
        statement=_("Asked what it computes, attention that is right is never called faulty."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("nothing that slips make too is meant"),
        options={"planted": RIGHT, "letters": LETTERS},
        link={"say_a": "right"},
        breaks=Break(by=_("no scale, on purpose, as in GPT-Neo"), options={"meant": True}),
        config=IdentifiedConfig,
    ),
    Claim(
        id="id-names",
        part="self-attention",
        statement=_("Asked what it computes, faulty attention is named by its fault."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("the fault changes what comes out"),
        options={"planted": "softmax", "letters": LETTERS},
        link={"say_a": "softmax"},
        breaks=Break(by=_("a key's bias that is not used"), options={"unseen": True}),
        config=IdentifiedConfig,
    ),
)
