"""Claims about masks, shown on the Masks page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.studies.masks.settings import MaskingConfig

_UNMASKED: Final = Break(by=_("no padding mask"), options={"unmasked": True})

CLAIMS: Final = (
    Claim(
        id="mask-encoder",
        statement=_("The key padding mask is all that an encoder needs to keep padding out of its outputs."),
        source=REVIEW,
        place=_("question 2b"),
        breaks=_UNMASKED,
        config=MaskingConfig,
    ),
    Claim(
        id="mask-decoder",
        statement=_(
            "With padding on the right, the causal mask is all that a decoder needs to keep padding out of its "
            "outputs."
        ),
        source=REVIEW,
        place=_("question 2b"),
        expected=HOLDS_WHEN,
        when=_("sentences are padded on the right"),
        options={"stack": "decoder", "unmasked": True},
        link={"show": "padding"},
        breaks=Break(by=_("padding on the left"), options={"side": "left"}),
        config=MaskingConfig,
    ),
    Claim(
        id="mask-encdec",
        statement=_(
            "In an encoder–decoder the padding of the source is masked in the encoder and in cross-attention, "
            "and the decoder's self-attention is causal."
        ),
        source=REVIEW,
        place=_("question 2b"),
        options={"stack": "encoder-decoder"},
        breaks=_UNMASKED,
        config=MaskingConfig,
    ),
    Claim(
        id="mask-additive",
        statement=_("Adding −10000 to a score hides its key as well as −∞ does."),
        source=CODE,
        place=_("the forward pass"),
        expected=HOLDS_WHEN,
        when=_("scores are far smaller than that"),
        link={"show": "additive"},
        breaks=Break(by=_("scores 100,000 times as large"), options={"score_std": 100_000}),
        correction=Correction(
            says=_("the mask is a large negative number that is added to the scores"),
            found=_("a masked key gets weight again once scores lie that far apart"),
            why=_(
                "a finite number can be outweighed, and a row of nothing but masked keys gives them all their old "
                "weights back"
            ),
        ),
        config=MaskingConfig,
    ),
    Claim(
        id="mask-full",
        statement=_("A query that may see no key gets zeros, and never NaN."),
        source=OURS,
        link={"show": "empty"},
        breaks=Break(by=_("softmax alone, which divides 0 by 0"), options={"naive": True}),
        config=MaskingConfig,
    ),
)
