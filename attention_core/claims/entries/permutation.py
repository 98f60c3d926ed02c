"""Claims about the order of tokens, shown on the Permutation page."""

from typing import Any, Final

from attention_core.claims.claim import FALSE, HOLDS_WHEN, NOTES, OURS, Break, Claim, Correction
from attention_core.experiments.permutation import (
    PermutationConfig,
    run_depth,
    run_permutation,
    steps_blocks,
    steps_order,
)

_PERMUTE: Final[dict[str, Any]] = {"page": "permutation", "run": run_permutation, "config": PermutationConfig}
_BLOCKS: Final[dict[str, Any]] = _PERMUTE | {"run": steps_blocks}
_ORDER: Final[dict[str, Any]] = _PERMUTE | {"run": steps_order}
_DEPTH: Final[dict[str, Any]] = _PERMUTE | {"run": run_depth}
_POSITIONS: Final = Break(
    by="positions that stay with the slot",
    options={"positions": "sinusoidal"},
    link={"positions": "sinusoidal"},
)
_TWO_BLOCKS: Final = {"mask": "causal", "model": "two", "show": "output"}
_PROOF: Final = "the proof of invariance"

CLAIMS: Final = (
    Claim(
        id="perm-kv",
        statement="Shuffling keys together with their values leaves the output as it is.",
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "keys"},
        breaks=Break(
            by="keys that move without their values", options={"keys_alone": True}, link={"keys_alone": True}
        ),
        **_PERMUTE,
    ),
    Claim(
        id="perm-q",
        statement="Shuffling the queries shuffles the rows of the output with them, and nothing else.",
        source=NOTES,
        place=_PROOF,
        link={"shuffle": "queries"},
        breaks=_POSITIONS,
        **_PERMUTE,
    ),
    Claim(
        id="perm-self",
        statement="In self-attention the output's rows follow their tokens, whatever the order.",
        source=NOTES,
        place=_PROOF,
        breaks=_POSITIONS,
        **_PERMUTE,
    ),
    Claim(
        id="perm-pool",
        statement="The mean over the real tokens does not depend on their order.",
        source=OURS,
        link={"show": "output"},
        breaks=_POSITIONS,
        **_BLOCKS,
    ),
    Claim(
        id="perm-bias",
        statement="Biases of the projections break none of this.",
        source=NOTES,
        place="the section on bias",
        breaks=_POSITIONS,
        **_BLOCKS,
    ),
    Claim(
        id="perm-block",
        statement="LayerNorm makes a transformer block lose its equivariance.",
        source=NOTES,
        place="after the section on bias",
        expected=FALSE,
        link={"model": "post", "show": "output"},
        breaks=_POSITIONS,
        correction=Correction(
            says="a block is not equivariant, since LayerNorm follows the attention, and LayerNorm is not invariant",
            found="a whole block stays equivariant, wherever its norms stand",
            why="LayerNorm looks at each token alone, so it moves with its token; in training even BatchNorm does, "
            "since its statistics do not depend on the order",
        ),
        **_BLOCKS,
    ),
    Claim(
        id="pe-order",
        statement="Attention can see order only through positions or a mask that depends on the order.",
        source=NOTES,
        place="the introduction",
        link={"positions": "rotary"},
        breaks=Break(
            by="the same word everywhere, so that no order differs",
            options={"tokens": ("cat",) * 6},
            link={"tokens": "cat cat cat cat cat cat"},
        ),
        correction=Correction(
            says="positions are what tells a model the order",
            found="a causal mask or a sliding window is enough, without any positions",
            why="such a mask lets each slot see another set of tokens, so that a token's slot matters",
        ),
        **_ORDER,
    ),
    Claim(
        id="nope-depth",
        statement="Under a causal mask without positions the last token learns the order of what stands before it in "
        "the second layer, and not in the first.",
        source=OURS,
        link=_TWO_BLOCKS,
        breaks=_POSITIONS,
        **_DEPTH,
    ),
    Claim(
        id="count-blind",
        statement="One word gives the same output however often it is repeated.",
        source=OURS,
        expected=HOLDS_WHEN,
        when="no position is added to the embeddings; rotary positions, ALiBi and a causal mask change nothing",
        link={"tokens": "cat cat cat cat", "show": "output"},
        breaks=_POSITIONS,
        **_DEPTH,
    ),
)
