"""Claims about the order of tokens, shown on the Permutation page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import FALSE, HOLDS_WHEN, NOTES, OURS, Break, Claim, Correction
from attention_core.studies.permutation.along import run_along
from attention_core.studies.permutation.block import steps_blocks
from attention_core.studies.permutation.depth import run_depth
from attention_core.studies.permutation.order import steps_order
from attention_core.studies.permutation.settings import SENTENCE, PermutationConfig, ShuffleConfig
from attention_core.studies.permutation.terms import run_terms

_POSITIONS: Final = Break(
    by=_("positions that stay with the slot"),
    options={"positions": "sinusoidal"},
)
_TWO_BLOCKS: Final = {"mask": "causal", "model": "two", "show": "output"}
_AS_WRITTEN: Final = tuple(range(len(SENTENCE)))
_PROOF: Final = _("the proof of invariance")

CLAIMS: Final = (
    Claim(
        id="perm-kv",
        part="cross-attention",
        statement=_("Shuffling keys together with their values leaves the output as it is."),
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "keys"},
        breaks=Break(by=_("keys that move without their values"), options={"keys_alone": True}),
        config=PermutationConfig,
    ),
    Claim(
        id="perm-q",
        part="cross-attention",
        statement=_("Shuffling the queries shuffles the rows of the output with them, and nothing else."),
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "queries"},
        breaks=_POSITIONS,
        config=PermutationConfig,
    ),
    Claim(
        id="perm-self",
        part="self-attention",
        statement=_("In self-attention the output's rows follow their tokens, whatever the order."),
        source=NOTES,
        place=_PROOF,
        breaks=_POSITIONS,
        config=PermutationConfig,
    ),
    Claim(
        id="perm-pool",
        part="self-attention",
        statement=_("The mean over the real tokens does not depend on their order."),
        source=OURS,
        link={"show": "output"},
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=steps_blocks,
    ),
    Claim(
        id="perm-bias",
        part="self-attention",
        statement=_("Biases of the projections break none of this."),
        source=NOTES,
        place=_("the section on bias"),
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=steps_blocks,
    ),
    Claim(
        id="perm-block",
        part="feed-forward",
        statement=_("LayerNorm makes a transformer block lose its equivariance."),
        source=NOTES,
        place=_("after the section on bias"),
        expected=FALSE,
        instead=_("A whole block stays equivariant, wherever its norms stand."),
        link={"model": "post", "show": "output"},
        breaks=_POSITIONS,
        correction=Correction(
            says=_(
                "a block is not equivariant, since LayerNorm follows the attention, and LayerNorm is not invariant"
            ),
            found=_("a whole block stays equivariant, wherever its norms stand"),
            why=_(
                "LayerNorm looks at each token alone, so it moves with its token; in training even BatchNorm does, "
                "since its statistics do not depend on the order"
            ),
        ),
        config=PermutationConfig,
        run=steps_blocks,
    ),
    Claim(
        id="pe-order",
        part="positions",
        statement=_("Attention can see order only through positions or a mask that depends on the order."),
        source=NOTES,
        place=_("the introduction"),
        link={"positions": "rotary"},
        breaks=Break(
            by=_("the same word everywhere, so that no order differs"),
            options={"tokens": ("cat",) * 6},
        ),
        correction=Correction(
            says=_("positions are what tells a model the order"),
            found=_("a causal mask or a sliding window is enough, without any positions"),
            why=_("such a mask lets each slot see another set of tokens, so that a token's slot matters"),
        ),
        config=PermutationConfig,
        run=steps_order,
    ),
    Claim(
        id="pe-add",
        part="positions",
        statement=_("A word plus its position scores as the two would side by side, with one matrix for both."),
        source=OURS,
        link={"show": "terms", "order": "-".join(map(str, _AS_WRITTEN))},
        breaks=Break(by=_("one block left out"), options={"without_block": True}),
        config=ShuffleConfig,
        run=run_terms,
        options={"positions": "sinusoidal", "query_order": _AS_WRITTEN, "key_order": _AS_WRITTEN},
    ),
    Claim(
        id="rope-relative",
        part="positions",
        statement=_("A score depends on how far apart two words are, and not on where they stand."),
        source=OURS,
        place=_("after Su et al. (2021) and Press et al. (2022)"),
        expected=HOLDS_WHEN,
        when=_("positions are rotary or ALiBi; sinusoidal and learned ones are added to the words"),
        link={"show": "along"},
        breaks=Break(by=_("sinusoidal positions, which are added"), options={"positions": "sinusoidal"}),
        config=PermutationConfig,
        run=run_along,
        options={"positions": "rotary"},
    ),
    Claim(
        id="nope-depth",
        part="positions",
        statement=_(
            "Under a causal mask without positions the last token learns the order of what stands before it in "
            "the second layer, and not in the first."
        ),
        source=OURS,
        link=_TWO_BLOCKS,
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=run_depth,
    ),
    Claim(
        id="count-blind",
        part="embedding",
        statement=_("One word gives the same output however often it is repeated."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("no position is added to the embeddings; rotary positions, ALiBi and a causal mask change nothing"),
        link={"tokens": "cat cat cat cat", "show": "output"},
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=run_depth,
    ),
)
