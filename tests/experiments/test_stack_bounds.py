"""What rounding may do to a stack covers what it does, and is no excuse for more."""

from typing import Any

import pytest
import torch

from attention_core.measuring.inputs import draw_parameters
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.modules.feed_forward import GELU, SiLU
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import Learned, Rotary
from attention_core.modules.stack import Decoder

STACKS: tuple[dict[str, Any], ...] = (
    {"activation": GELU(tanh=True), "position": Learned(max_len=9)},
    {"activation": SiLU(), "gated": True, "feed_forward_bias": False, "norm": RMSNorm(), "position": Rotary()},
    {"input_norm": True, "window": 2},
)


@pytest.mark.parametrize("options", STACKS)
def test_float32_stays_within_and_a_fault_does_not(options: dict[str, Any]) -> None:
    exact = draw_parameters(Decoder(24, 3, 3, final_norm=True, dtype=torch.float64, **options), 0)
    x = torch.randn(1, 9, 24, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rounded = Decoder(24, 3, 3, final_norm=True, **options)
    rounded.load_state_dict(exact.state_dict())
    bound = stack_tolerance(rounded, lambda stack, x: stack(x), x.float())
    with torch.no_grad():
        off = (rounded(x.float()) - exact(x.float().double())).abs().max()
        assert off < bound < 100 * off
        exact.layers[0].self_attention.q_bias[0] += 1e-3
        assert (rounded(x.float()) - exact(x.float().double())).abs().max() > bound
