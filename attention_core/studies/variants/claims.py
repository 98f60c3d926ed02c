"""Claims about what people make of attention to run it, shown on the Variants page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import OURS, Break, Claim
from attention_core.studies.variants.settings import VariantsConfig

CLAIMS: Final = (
    Claim(
        id="kv-repeat",
        statement=_("Heads that share keys and values give the same as heads that have copies of them."),
        breaks=Break(by=_("the shared heads repeated in turn"), options={"tiled": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="kv-bytes",
        statement=_(
            "A token adds two vectors for each head of keys to the cache, however many heads of queries share it."
        ),
        link={"show": "bytes"},
        breaks=Break(by=_("a cache of the repeated heads"), options={"repeated": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="cache-exact",
        statement=_(
            "Word by word with a cache of keys and values, causal attention gives what the whole pass gives."
        ),
        link={"show": "cache"},
        options={"positions": "rotary"},
        breaks=Break(by=_("positions that begin anew with each block"), options={"restart": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="linear-cost",
        statement=_(
            "Without softmax attention costs the same for each token, so that twice the text costs twice as much."
        ),
        link={"show": "operations"},
        breaks=Break(by=_("weights that are formed first"), options={"quadratic": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="linear-order",
        statement=_("Without softmax the products of queries, keys and values may be taken in either order."),
        breaks=Break(by=_("softmax between the two products"), options={"softmax": True}),
        source=OURS,
        config=VariantsConfig,
    ),
)
