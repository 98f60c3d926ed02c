"""Choices of a module by the names that configs and links have for them."""

from typing import Final

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.masks import causal_mask, sliding_window_mask
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey
from attention_core.modules.rope_scaling import LinearScaling, Llama3Scaling, YaRN

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
# Rotary positions as texts four times longer than those of training, of 64 tokens, have them. Dynamic NTK is the
# plain one in texts as short as a page's, and LongRoPE has numbers that a search found for one size of a head.
STRETCHED: Final[dict[str, Rotary]] = {
    "rotary-linear": Rotary(scaling=LinearScaling(4.0)),
    "rotary-yarn": Rotary(scaling=YaRN(4.0, 64)),
    "rotary-llama3": Rotary(scaling=Llama3Scaling(4.0, 64)),
}
STRETCHED_NAMES: Final = {
    "rotary-linear": _("rotary, interpolated ÷ 4"), "rotary-yarn": _("rotary, YaRN × 4"),
    "rotary-llama3": _("rotary, Llama 3 × 4"),
}  # fmt: skip
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
    return positions == "rotary" or positions in STRETCHED


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
