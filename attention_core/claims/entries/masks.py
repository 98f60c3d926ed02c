"""Claims about masks, shown on the Masks page."""

from typing import Any, Final

from attention_core.claims.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.experiments.masking import MaskingConfig, run_masking

_HERE: Final[dict[str, Any]] = {"page": "masks", "run": run_masking, "config": MaskingConfig}
_UNMASKED: Final = Break(by="no padding mask", options={"unmasked": True})

CLAIMS: Final = (
    Claim(
        id="mask-encoder",
        statement="An encoder needs the key padding mask and no other.",
        source=REVIEW,
        place="question 2b",
        breaks=_UNMASKED,
        **_HERE,
    ),
    Claim(
        id="mask-decoder",
        statement="A decoder needs the causal mask and no padding mask.",
        source=REVIEW,
        place="question 2b",
        expected=HOLDS_WHEN,
        when="sentences are padded on the right",
        options={"stack": "decoder", "unmasked": True},
        link={"show": "padding"},
        breaks=Break(by="padding on the left", options={"side": "left"}),
        **_HERE,
    ),
    Claim(
        id="mask-encdec",
        statement="In an encoder–decoder the padding of the source is masked in the encoder and in cross-attention, "
        "and the decoder's self-attention is causal.",
        source=REVIEW,
        place="question 2b",
        options={"stack": "encoder-decoder"},
        breaks=_UNMASKED,
        **_HERE,
    ),
    Claim(
        id="mask-additive",
        statement="Adding −10000 to a score hides its key as well as −∞ does.",
        source=CODE,
        place="the forward pass",
        expected=HOLDS_WHEN,
        when="scores are far smaller than that",
        link={"show": "additive"},
        breaks=Break(by="scores 100,000 times as large", options={"score_std": 100_000}),
        correction=Correction(
            says="the mask is a large negative number that is added to the scores",
            found="a masked key gets weight again once scores lie that far apart",
            why="a finite number can be outweighed, and a row of nothing but masked keys gives them all their old "
            "weights back",
        ),
        **_HERE,
    ),
    Claim(
        id="mask-full",
        statement="A query that may see no key gets zeros, and never NaN.",
        source=OURS,
        link={"show": "empty"},
        breaks=Break(by="softmax alone, which divides 0 by 0", options={"naive": True}),
        **_HERE,
    ),
)
