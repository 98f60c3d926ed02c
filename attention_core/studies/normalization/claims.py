"""Claims about norms, shown on the Normalization page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, NOTES, OURS, REVIEW, Break, Claim, Correction
from attention_core.studies.normalization.settings import NormalizationConfig

_LENGTH: Final = {"topic": "length"}
_BLOCK: Final = {"topic": "block"}
_FEED_FORWARD: Final = {"topic": "feed-forward", "d_model": 12}

CLAIMS: Final = (
    Claim(
        id="ln-deps",
        part="norm",
        statement=_(
            "A number after LayerNorm depends on its own token only, after BatchNorm on its own feature in all "
            "tokens."
        ),
        place=_("question 3a"),
        expected=HOLDS_WHEN,
        when=_("BatchNorm is in training mode; in evaluation it looks at one number alone"),
        breaks=Break(by=_("BatchNorm in evaluation mode"), options={"evaluation": True}),
        source=REVIEW,
        config=NormalizationConfig,
    ),
    Claim(
        id="ln-norm",
        part="norm",
        statement=_(
            "After LayerNorm with one γ for all features, and without its bias β, every token has the length |γ|·√d."
        ),
        place=_("question 3b"),
        expected=HOLDS_WHEN,
        when=_("ε is 0 and no token is constant; with ε tokens are shorter"),
        options=_LENGTH,
        breaks=Break(
            by=_("constant tokens, which leave nothing to divide by"),
            options={"constant": True},
        ),
        correction=Correction(
            says=_("the length is γ·√d"),
            found=_(
                "with one γ for all features it is |γ|·√d, and with ε shorter by the factor σ/√(σ² + ε); with a γ "
                "for each it lies between min|γ|·√d and max|γ|·√d"
            ),
            why=_("a length has no sign, and ε keeps the division from bringing a short token up to full length"),
        ),
        source=REVIEW,
        config=NormalizationConfig,
    ),
    Claim(
        id="norm-place",
        part="norm",
        statement=_(
            "Pre-norm and residual post-norm hand a token's input on as a summand, post-norm rescales the sum "
            "to one length for all tokens."
        ),
        place=_("the definitions"),
        expected=HOLDS_WHEN,
        when=_("the norm looks at each token alone and has one gain"),
        options=_BLOCK,
        breaks=Break(
            by=_("BatchNorm, which brings features to one size"),
            options={"norm": "BatchNorm"},
        ),
        correction=Correction(
            says=_("the original block is x + LN(f(x))"),
            found=_(
                "the original is LN(x + f(x)), after which all tokens have one length; x + LN(f(x)) keeps the "
                "input as it is"
            ),
            why=_(
                "the first is in Vaswani et al. (2017), section 3.1; the second, residual post-norm, came with Liu "
                "et al. (2022)"
            ),
        ),
        source=NOTES,
        config=NormalizationConfig,
    ),
    Claim(
        id="ffn-alone",
        part="feed-forward",
        statement=_(
            "What the feed-forward network makes of a word depends on that word alone, whatever its weights are."
        ),
        source=OURS,
        options=_FEED_FORWARD,
        breaks=Break(by=_("attention in its place"), options={"attention_instead": True}),
        config=NormalizationConfig,
    ),
    Claim(
        id="ffn-span",
        part="feed-forward",
        statement=_(
            "A context stays within what the values span, and what the feed-forward network makes of it does not."
        ),
        expected=HOLDS_WHEN,
        when=_("there are fewer words than features"),
        source=OURS,
        options=_FEED_FORWARD,
        breaks=Break(by=_("as many words as features"), options={"d_model": 5}),
        config=NormalizationConfig,
    ),
)
