"""Claims about what attention costs, shown on the Complexity page."""

from typing import Any, Final

from attention_core.claims.claim import CODE, HOLDS_WHEN, REVIEW, Break, Claim
from attention_core.experiments.complexity import ComplexityConfig, run_complexity

_HERE: Final[dict[str, Any]] = {"page": "complexity", "run": run_complexity, "config": ComplexityConfig}
_NO_OUTPUT: Final = Break(by="no W_O", options={"output_projection": False}, link={"no_output": True})

CLAIMS: Final = (
    Claim(
        id="cplx-core",
        statement="Scores and weighted sums cost four operations for each pair of tokens and number of the width.",
        source=CODE,
        place="question 2",
        breaks=Break(
            by="heads wider than the width divided by their number",
            options={"large_heads": True},
            link={"large": True},
        ),
        **_HERE,
    ),
    Claim(
        id="cplx-mha",
        statement="With its projections attention costs 4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d operations.",
        source=REVIEW,
        place="question 2c",
        breaks=_NO_OUTPUT,
        **_HERE,
    ),
    Claim(
        id="cplx-bottleneck",
        statement="The projections dominate short texts, the scores and weighted sums those longer than twice the "
        "width.",
        source=REVIEW,
        place="question 2d",
        expected=HOLDS_WHEN,
        when="operations are counted, not seconds, and there is a W_O",
        breaks=_NO_OUTPUT,
        **_HERE,
    ),
)
