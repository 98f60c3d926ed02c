"""Claims about norms, shown on the Normalization page."""

from typing import Any, Final

from attention_core.claims.claim import HOLDS_WHEN, REVIEW, Break, Claim, Correction
from attention_core.experiments.normalization import NormalizationConfig, run_normalization

_HERE: Final[dict[str, Any]] = {
    "page": "normalization",
    "source": REVIEW,
    "run": run_normalization,
    "config": NormalizationConfig,
}
_LENGTH: Final = {"topic": "length of the output"}

CLAIMS: Final = (
    Claim(
        id="ln-deps",
        statement="A number after LayerNorm depends on its own token only, after BatchNorm on its own feature only.",
        place="question 3a",
        expected=HOLDS_WHEN,
        when="BatchNorm is in training mode; in evaluation it looks at one number alone",
        breaks=Break(by="BatchNorm in evaluation mode", options={"evaluation": True}, link={"evaluation": True}),
        **_HERE,
    ),
    Claim(
        id="ln-norm",
        statement="After LayerNorm, and without its bias β, every token has the length |γ|·√d.",
        place="question 3b",
        expected=HOLDS_WHEN,
        when="ε is 0 and no token is constant; with ε tokens are shorter",
        options=_LENGTH,
        link=_LENGTH,
        breaks=Break(
            by="constant tokens, which leave nothing to divide by",
            options={"constant": True},
            link={"constant": True},
        ),
        correction=Correction(
            says="the length is γ·√d",
            found="it is |γ|·√d, and with ε it is shorter by the factor σ/√(σ² + ε)",
            why="a length has no sign, and ε keeps the division from bringing a short token up to full length",
        ),
        **_HERE,
    ),
)
