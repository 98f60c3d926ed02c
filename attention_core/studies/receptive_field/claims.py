"""Claims about how far a token sees, shown on the Receptive field page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig

_RANDOM: Final = {"weights": "random"}

CLAIMS: Final = (
    Claim(
        id="rf-bound",
        part="layers",
        statement=_(
            "With k heads that look at one key each, and the residual, a token n layers up sees at most "
            "(k + 1)ⁿ inputs."
        ),
        source=REVIEW,
        place=_("question 2a"),
        expected=HOLDS_WHEN,
        when=_("softmax is saturated; soft heads see in one layer all that no mask hides"),
        breaks=Break(
            by=_("soft heads, which give every key some weight"),
            options={"weights": "soft"},
        ),
        config=ReceptiveFieldConfig,
    ),
    Claim(
        id="rf-tight",
        part="layers",
        statement=_(
            "The bound is reached: heads that look at one key each can be built so that the last token sees exactly "
            "(k + 1)ⁿ inputs."
        ),
        source=OURS,
        breaks=Break(by=_("no residual"), options={"residual": False}),
        config=ReceptiveFieldConfig,
    ),
    Claim(
        id="rf-random",
        part="layers",
        statement=_(
            "Heads that look anywhere at random reach the share of the bound that chance leaves them: more "
            "than half with one token for each path, and nearly all with many."
        ),
        source=OURS,
        options=_RANDOM,
        breaks=Break(by=_("a causal mask"), options={"mask": "causal"}),
        config=ReceptiveFieldConfig,
    ),
    Claim(
        id="head-tap",
        part="heads",
        statement=_(
            "A head that looks a fixed distance back is one tap of a convolution, and k of them with the "
            "residual are a kernel of k + 1 taps."
        ),
        source=CODE,
        place=_("questions 2 and 3"),
        link={"show": "kernel"},
        breaks=Break(by=_("heads that choose their key token by token, which no kernel can"), options=_RANDOM),
        config=ReceptiveFieldConfig,
    ),
)
