"""Claims about one forward pass, shown on the Anatomy page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.anatomy.settings import AnatomyConfig

_DROPOUT: Final = Break(by=_("dropout on the weights"), options={"dropout": 0.1})

CLAIMS: Final = (
    Claim(
        id="mha-reshape",
        part="heads",
        statement=_("Cutting the rows into heads and swapping two axes gives what a loop over the heads gives."),
        source=CODE,
        place=_("question 2"),
        link={"step": "heads"},
        breaks=Break(by=_("a cut by view alone, without the swap"), options={"no_transpose": True}),
        config=AnatomyConfig,
    ),
    Claim(
        id="mha-divisible",
        part="heads",
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
        id="head-sees-all",
        part="heads",
        statement=_(
            "A head's query is made of all numbers of a word: it is the queries that are cut, not the words."
        ),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("no weight is set to 0 by hand"),
        link={"step": "heads"},
        breaks=Break(by=_("an embedding that is cut by hand"), options={"cut": True}),
        config=AnatomyConfig,
        options={"weights": "random"},
    ),
    Claim(
        id="heads-several",
        part="heads",
        statement=_(
            "Several heads that look at different places do together what no single head can, however wide it is."
        ),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("their weights differ, which takes words that differ or have positions"),
        link={"step": "softmax", "head": "all"},
        breaks=Break(by=_("one head"), options={"heads": 1}),
        config=AnatomyConfig,
    ),
    Claim(
        id="drop-rows",
        part="softmax",
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
        part="mixture",
        statement=_("What a head gives a query is a mixture of its values and never lies outside of them."),
        source=OURS,
        link={"step": "context"},
        breaks=_DROPOUT,
        config=AnatomyConfig,
    ),
    Claim(
        id="soft-lookup",
        part="mixture",
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
