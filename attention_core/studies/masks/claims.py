"""Claims about masks, shown on the Masks page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.studies.masks.forcing import run_forcing
from attention_core.studies.masks.length import run_length
from attention_core.studies.masks.settings import MasksConfig

_UNMASKED: Final = Break(by=_("no padding mask"), options={"unmasked": True})

CLAIMS: Final = (
    Claim(
        id="mask-encoder",
        part="padding mask",
        statement=_("The key padding mask is all that an encoder needs to keep padding out of its outputs."),
        source=REVIEW,
        place=_("question 2b"),
        breaks=_UNMASKED,
        config=MasksConfig,
    ),
    Claim(
        id="mask-decoder",
        part="causal attention",
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
        config=MasksConfig,
    ),
    Claim(
        id="mask-encdec",
        part="cross-attention",
        statement=_(
            "In an encoder–decoder the padding of the source is masked in the encoder and in cross-attention, "
            "and the decoder's self-attention is causal."
        ),
        source=REVIEW,
        place=_("question 2b"),
        options={"stack": "encoder-decoder"},
        breaks=_UNMASKED,
        config=MasksConfig,
    ),
    Claim(
        id="mask-additive",
        part="mask",
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
        config=MasksConfig,
    ),
    Claim(
        id="mask-full",
        part="mask",
        statement=_("A query that may see no key gets zeros, and never NaN."),
        source=OURS,
        link={"show": "empty"},
        breaks=Break(by=_("softmax alone, which divides 0 by 0"), options={"naive": True}),
        config=MasksConfig,
    ),
    Claim(
        id="forcing",
        part="causal attention",
        statement=_(
            "With a causal mask one pass over a text predicts after every word what a pass over the words so far "
            "predicts."
        ),
        source=OURS,
        options={"stack": "decoder"},
        link={"show": "forcing"},
        breaks=Break(by=_("no causal mask, as in an encoder"), options={"stack": "encoder"}),
        config=MasksConfig,
        run=run_forcing,
    ),
    Claim(
        id="any-length",
        part="positions",
        statement=_("The same parameters take a text of any length."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("positions come from no table that was learned"),
        link={"show": "length"},
        breaks=Break(by=_("a learned table of positions"), options={"positions": "learned"}),
        config=MasksConfig,
        run=run_length,
    ),
)
