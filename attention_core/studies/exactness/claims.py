"""Claims about computing the same in another way, shown on the page Same or not?"""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, OURS, Break, Claim
from attention_core.studies.exactness.settings import ExactnessConfig

CLAIMS: Final = (
    Claim(
        id="tile-exact",
        part="softmax",
        statement=_("Attention tile by tile, in any order of the tiles, is attention: only rounding differs."),
        breaks=Break(by=_("no rescaling when the maximum moves"), options={"unscaled": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="tile-memory",
        part="softmax",
        statement=_("Tile by tile, the numbers alive at once grow with the text, not with its square."),
        breaks=Break(by=_("all tiles kept until the last"), options={"kept": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="same-batch",
        part="causal attention",
        statement=_("A cache, padding or a batch of other texts move what a model says by rounding alone."),
        options={"form": "batch"},
        breaks=Break(by=_("positions counted anew"), options={"restart": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="flip",
        part="causal attention",
        statement=_("Rounding changes the next word only where two words lie nearer than twice its bound."),
        expected=HOLDS_WHEN,
        when=_("words keep their positions and padding is hidden"),
        options={"form": "batch"},
        breaks=Break(by=_("padding that is seen"), options={"seen": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="rope-pairs",
        part="positions",
        statement=_("Rotary pairs of neighbours and of halves are one function of weights with reordered rows."),
        options={"form": "pairs"},
        breaks=Break(by=_("the rows of W_Q alone reordered"), options={"one_side": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="mla-absorb",
        part="keys and values",
        statement=_("Of latent keys W_UK can be folded into the queries: the outputs stay the same."),
        expected=HOLDS_WHEN,
        when=_("rotary positions turn a part of each head that is kept apart"),
        options={"form": "latent"},
        breaks=Break(by=_("rotary positions on whole heads"), options={"whole": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="spec-greedy",
        part="causal attention",
        statement=_("Drafts of another model, read by the large one, change no word that it would have written."),
        options={"form": "speculation"},
        breaks=Break(by=_("drafts checked one place late"), options={"late": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
    Claim(
        id="spec-dist",
        part="causal attention",
        statement=_("Drafts kept with min(1, p/q), and drawn again from (p − q)₊, have exactly the distribution p."),
        options={"form": "speculation"},
        breaks=Break(by=_("greedy drafts under that rule"), options={"greedy": True}),
        source=OURS,
        config=ExactnessConfig,
    ),
)
