"""Claims about the order of tokens, shown on the Permutation page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import FALSE, HOLDS_WHEN, NOTES, OURS, Break, Claim, Correction
from attention_core.studies.permutation.block import steps_blocks
from attention_core.studies.permutation.depth import run_depth
from attention_core.studies.permutation.order import steps_order
from attention_core.studies.permutation.settings import PermutationConfig

_POSITIONS: Final = Break(
    by=_("positions that stay with the slot"),
    options={"positions": "sinusoidal"},
)
_TWO_BLOCKS: Final = {"mask": "causal", "model": "two", "show": "output"}
_PROOF: Final = _("the proof of invariance")

CLAIMS: Final = (
    Claim(
        id="perm-kv",
        statement=_("Shuffling keys together with their values leaves the output as it is."),
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "keys"},
        breaks=Break(by=_("keys that move without their values"), options={"keys_alone": True}),
        config=PermutationConfig,
    ),
    Claim(
        id="perm-q",
        statement=_("Shuffling the queries shuffles the rows of the output with them, and nothing else."),
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "queries"},
        breaks=_POSITIONS,
        config=PermutationConfig,
    ),
    Claim(
        id="perm-self",
        statement=_("In self-attention the output's rows follow their tokens, whatever the order."),
        source=NOTES,
        place=_PROOF,
        breaks=_POSITIONS,
        config=PermutationConfig,
    ),
    Claim(
        id="perm-pool",
        statement=_("The mean over the real tokens does not depend on their order."),
        source=OURS,
        link={"show": "output"},
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=steps_blocks,
    ),
    Claim(
        id="perm-bias",
        statement=_("Biases of the projections break none of this."),
        source=NOTES,
        place=_("the section on bias"),
        breaks=_POSITIONS,
        config=PermutationConfig,
        run=steps_blocks,
    ),
    Claim(
        id="perm-block",
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
        id="nope-depth",
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
