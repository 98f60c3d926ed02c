"""Claims about what people make of attention to run it, shown on the Variants page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.variants.settings import VariantsConfig

CLAIMS: Final = (
    Claim(
        id="kv-repeat",
        part="keys and values",
        statement=_("Heads that share keys and values give the same as heads that have copies of them."),
        breaks=Break(by=_("the shared heads repeated in turn"), options={"tiled": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="kv-bytes",
        part="keys and values",
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
        part="keys and values",
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
        id="no-q-cache",
        part="keys and values",
        statement=_("A new word needs keys and values of earlier words, but no query of them: none is kept."),
        expected=HOLDS_WHEN,
        when=_("a causal mask keeps the new word from changing what is kept of earlier ones"),
        link={"show": "queries"},
        options={"causal": True},
        breaks=Break(by=_("no causal mask, in two layers or more"), options={"causal": False}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="linear-cost",
        part="keys and values",
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
        part="keys and values",
        statement=_("Without softmax the products of queries, keys and values may be taken in either order."),
        breaks=Break(by=_("softmax between the two products"), options={"softmax": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="additive-order",
        part="scores",
        statement=_("Additive attention (Bahdanau) does not know order either: its outputs move with its words."),
        link={"show": "additive"},
        breaks=Break(by=_("a causal mask"), options={"causal": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="additive-rank",
        part="scores",
        statement=_("Products of narrow queries and keys have low rank (Luong); additive scores (Bahdanau) do not."),
        link={"show": "additive"},
        breaks=Break(by=_("tanh left out"), options={"no_tanh": True}),
        source=OURS,
        config=VariantsConfig,
    ),
    Claim(
        id="additive-cost",
        part="scores",
        statement=_(
            "An additive score takes a tanh for each number of a head, and as many numbers in memory, where a "
            "product takes one."
        ),
        link={"show": "additive"},
        breaks=Break(by=_("tanh left out"), options={"no_tanh": True}),
        source=OURS,
        config=VariantsConfig,
    ),
)
