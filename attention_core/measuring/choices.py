"""Choices of a module by the names that configs and links have for them."""

import math
from typing import Final

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.masks import causal_mask, sliding_window_mask
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey
from attention_core.modules.rope_scaling import DynamicNTK, LinearScaling, Llama3Scaling, LongRoPE, YaRN

POSITIONS: Final[dict[str, Position]] = {
    "none": NoPosition(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(max_len=64),
    "rotary": Rotary(),
    "alibi": Alibi(),
}
POSITION_NAMES: Final = {
    "none": _("none"), "sinusoidal": _("sinusoidal"), "learned": _("learned"), "rotary": _("rotary (RoPE)"),
    "alibi": "ALiBi",
}  # fmt: skip
# Rotary positions as models for texts four times longer than those of training have them. Training had texts of 64
# tokens; of 4 where angles depend on how long a text is by now, so that a short sentence is a long text already.
STRETCHED_NAMES: Final = {
    "rotary-linear": _("rotary, interpolated ÷ 4"), "rotary-yarn": _("rotary, YaRN × 4"),
    "rotary-llama3": _("rotary, Llama 3 × 4"), "rotary-ntk": _("rotary, dynamic NTK"),
    "rotary-longrope": _("rotary, LongRoPE"), "rotary-part": _("rotary, half a head"),
}  # fmt: skip
_ROTARIES: Final[dict[str, Rotary]] = {
    "rotary": Rotary(),
    "rotary-linear": Rotary(scaling=LinearScaling(4.0)),
    "rotary-yarn": Rotary(scaling=YaRN(4.0, 64)),
    "rotary-llama3": Rotary(scaling=Llama3Scaling(4.0, 64)),
    "rotary-ntk": Rotary(scaling=DynamicNTK(4.0, 4)),
    "rotary-part": Rotary(part=0.5),
}
STRETCHED_HINT: Final = _(
    "YaRN and others stretch angles for texts 4 times longer than in training: longer than 64 tokens, and than 4 for "
    "dynamic NTK and LongRoPE."
)
ADDED: Final = ("sinusoidal", "learned")  # to the tokens, below the first layer; the others act in each
PROJECTIONS: Final[dict[str, Projections]] = {"full": Full(), "tied-kv": TiedKeyValue(), "tied-qk": TiedQueryKey()}
PLACEMENTS: Final[dict[str, Placement]] = {
    "pre-norm": PreNorm(),
    "post-norm": PostNorm(),
    "residual post-norm": ResidualPostNorm(),
}
MASKS: Final = {"none": _("none"), "causal": _("causal"), "window": _("sliding window")}


def turns(positions: str) -> bool:
    """Whether positions of that name turn queries and keys, stretched or not."""
    return positions == "rotary" or positions in STRETCHED_NAMES


def position_of(name: str, d_head: int) -> Position:
    """The positions of that name in ``POSITION_NAMES`` or ``STRETCHED_NAMES``, for heads of ``d_head`` numbers."""
    return rotary_of(name, d_head) if turns(name) else POSITIONS[name]


def rotary_of(name: str, d_head: int) -> Rotary:
    """The rotary positions of that name, for heads of ``d_head`` numbers; only LongRoPE's depend on these.

    Its numbers, which a search finds for a trained model, go from 1 to 4 in equal steps here; its gain is Phi-3's.
    """
    if name != "rotary-longrope":
        return _ROTARIES[name]
    pairs = d_head // 2
    long = tuple(1 + 3 * pair / max(pairs - 1, 1) for pair in range(pairs))
    gain = math.sqrt(1 + math.log(4) / math.log(4))  # of texts 4 times longer than 4
    return Rotary(scaling=LongRoPE(4, short=(1.0,) * pairs, long=long, gain=gain))


def attention_mask(
    name: str, q_len: int, kv_len: int, *, window: int, device: torch.device
) -> Bool[Tensor, "q_len kv_len"] | None:
    """The mask of that name in ``MASKS``, for these lengths; None where it hides nothing."""
    match name:
        case "causal":
            return causal_mask(q_len, kv_len, device=device)
        case "window":
            return sliding_window_mask(q_len, window, kv_len, device=device)
        case _:
            return None
