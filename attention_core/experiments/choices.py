"""Choices of a module by the names that configs and links have for them."""

from typing import Final

from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey

POSITIONS: Final[dict[str, Position]] = {
    "none": NoPosition(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(max_len=64),
    "rotary": Rotary(),
    "alibi": Alibi(),
}
POSITION_NAMES: Final = {name: name for name in POSITIONS} | {"rotary": "rotary (RoPE)", "alibi": "ALiBi"}
ADDED: Final = ("sinusoidal", "learned")  # to the tokens, below the first layer; the others act in each
PROJECTIONS: Final[dict[str, Projections]] = {"full": Full(), "tied-kv": TiedKeyValue(), "tied-qk": TiedQueryKey()}
PLACEMENTS: Final[dict[str, Placement]] = {
    "pre-norm": PreNorm(),
    "post-norm": PostNorm(),
    "residual post-norm": ResidualPostNorm(),
}
MASKS: Final = {"none": "none", "causal": "causal", "window": "sliding window"}
