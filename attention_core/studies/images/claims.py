"""Claims about attention on pictures, shown on the Images page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.images.settings import ImagesConfig

CLAIMS: Final = (
    Claim(
        id="vit-order",
        part="positions",
        statement=_(
            "A vision transformer without positions gives the same answer to a picture and to its patches in any "
            "order; convolutions do not."
        ),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("nothing else tells where a patch stands, as a window does"),
        breaks=Break(by=_("learned positions"), options={"positions": "learned"}),
        config=ImagesConfig,
    ),
    Claim(
        id="patch-linear",
        part="embedding",
        statement=_("To embed patches is to convolve: the kernel is a patch, and so is its stride."),
        source=OURS,
        breaks=Break(by=_("a kernel that is read column by column"), options={"columns_first": True}),
        config=ImagesConfig,
    ),
    Claim(
        id="vit-reach",
        part="self-attention",
        statement=_(
            "One layer of attention sees the whole picture from every patch; convolutions of 3 × 3 pixels need as "
            "many layers as there are pixels from end to end, less one."
        ),
        source=OURS,
        breaks=Break(by=_("a window of neighbours"), options={"window": True}),
        config=ImagesConfig,
    ),
    Claim(
        id="vit-cover",
        part="mixture",
        statement=_("A patch that no token looks at may be covered, and the answer stays."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("the answer is read at the token that collects"),
        breaks=Break(by=_("an answer read from the mean of the patches"), options={"averaged": True}),
        config=ImagesConfig,
    ),
)
