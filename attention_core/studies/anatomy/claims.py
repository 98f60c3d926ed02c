"""Claims about one forward pass, shown on the Anatomy page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.anatomy.settings import AnatomyConfig

_DROPOUT: Final = Break(by=_("dropout on the weights"), options={"dropout": 0.1})

CLAIMS: Final = (
    Claim(
        id="mha-reshape",
        statement=_("Cutting the rows into heads and swapping two axes gives what a loop over the heads gives."),
        source=CODE,
        place=_("question 2"),
        link={"step": "heads"},
        breaks=Break(by=_("a cut by view alone, without the swap"), options={"no_transpose": True}),
        config=AnatomyConfig,
    ),
    Claim(
        id="mha-divisible",
        statement=_("The model's width must be a multiple of the number of heads."),
        source=CODE,
        place=_("the constructor"),
        expected=HOLDS_WHEN,
        when=_("heads get no size of their own"),
        link={"step": "heads"},
        breaks=Break(by=_("a size of a head that is given"), options={"d_head": 8}),
        config=AnatomyConfig,
    ),
    Claim(
        id="drop-rows",
        statement=_("Each row of weights adds up to 1."),
        source=CODE,
        place=_("the forward pass"),
        expected=HOLDS_WHEN,
        when=_("no weight is dropped; with dropout the mean is still 1"),
        link={"step": "softmax"},
        breaks=_DROPOUT,
        config=AnatomyConfig,
    ),
    Claim(
        id="convex-hull",
        statement=_("What a head gives a query is a mixture of its values and never lies outside of them."),
        source=OURS,
        link={"step": "context"},
        breaks=_DROPOUT,
        config=AnatomyConfig,
    ),
    Claim(
        id="soft-lookup",
        statement=_(
            "What a head reads lies as near to the value of its best key as the weight of the other keys is small."
        ),
        source=CODE,
        place=_("question 1"),
        link={"step": "lookup"},
        breaks=_DROPOUT,
        config=AnatomyConfig,
    ),
)
