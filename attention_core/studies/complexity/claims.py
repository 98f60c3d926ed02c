"""Claims about what attention costs, shown on the Complexity page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, REVIEW, Break, Claim, Correction
from attention_core.studies.complexity.settings import ComplexityConfig

_NO_OUTPUT: Final = Break(by=_("no W_O"), options={"no_output": True})

CLAIMS: Final = (
    Claim(
        id="cplx-core",
        part="scores",
        statement=_("Scores and weighted sums cost four operations per feature for each pair of tokens."),
        source=CODE,
        place=_("question 2"),
        breaks=Break(
            by=_("heads wider than the width divided by their number"),
            options={"large_heads": True},
        ),
        config=ComplexityConfig,
    ),
    Claim(
        id="cplx-mha",
        part="scores",
        statement=_("With its projections attention costs 4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d operations."),
        source=REVIEW,
        place=_("question 2c"),
        breaks=_NO_OUTPUT,
        config=ComplexityConfig,
    ),
    Claim(
        id="cplx-heads",
        part="scores",
        statement=_("Where heads have a size of their own, h·d_head takes the place of d once in every product."),
        source=REVIEW,
        place=_("question 2c"),
        options={"large_heads": True},
        breaks=_NO_OUTPUT,
        correction=Correction(
            says=_("the cost in d_head and h equals that in d_model, where h·d_head = d_model is taken for granted"),
            found=_("in general it is (4·n_t·d + 4·n_s·d + 4·n_t·n_s)·h·d_head"),
            why=_("a projection leads from d_model numbers to h·d_head, and only one of its two sizes is the heads'"),
        ),
        config=ComplexityConfig,
    ),
    Claim(
        id="cplx-bottleneck",
        part="scores",
        statement=_(
            "The projections dominate short texts, the scores and weighted sums those longer than twice the width."
        ),
        source=REVIEW,
        place=_("question 2d"),
        expected=HOLDS_WHEN,
        when=_("operations are counted, not seconds, and there is a W_O"),
        breaks=_NO_OUTPUT,
        config=ComplexityConfig,
    ),
)
