"""Random modules and inputs for the tests: every size a different prime, so that no transposition can pass."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from attention_core.measuring.bounds import tolerance
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from attention_core.modules.rope_scaling import DynamicNTK, LinearScaling, Llama3Scaling, YaRN
from tests.modules.oracle import Answer, Case

F64 = torch.float64
Module = TypeVar("Module", bound=torch.nn.Module)
ROTARY = (Rotary(base=50.0), Rotary(base=50.0, halves=True))
STRETCHED = (
    Rotary(base=50.0, scaling=LinearScaling(2.5)),
    Rotary(base=50.0, halves=True, scaling=DynamicNTK(3.0, 5)),
    Rotary(base=50.0, scaling=YaRN(4.0, 20, beta_fast=2.0, beta_slow=0.5)),
    Rotary(base=50.0, halves=True, scaling=Llama3Scaling(8.0, 20, low=0.3)),
    Rotary(base=50.0, halves=True, part=0.5),
)
RELATIVE = (RelativeKey(max_len=3), RelativeKey(max_len=29, both=True))
POSITIONS = (NoPosition(), Sinusoidal(base=100.0), Learned(max_len=29), *ROTARY, *STRETCHED, Alibi(), *RELATIVE)
IN_PRODUCTS = (*ROTARY, *STRETCHED, *RELATIVE)
# Of a text that grows, a cache keeps keys as they were turned: with angles of its length it is another computation.
CACHED_POSITIONS = tuple(
    each for each in POSITIONS if not (isinstance(each, Rotary) and isinstance(each.scaling, DynamicNTK))
)
PROJECTIONS = (Full(), TiedKeyValue(), TiedQueryKey(), Identity())
MASKS = (
    "none",
    "bool",
    "bool per sentence",
    "bool per head",
    "additive",
    "padding",
    "padding and additive",
    "blind row",
)


@dataclass
class Draw:
    """One module and one call of it; ``args`` and ``masks`` are tensors on the CPU."""

    module: MultiHeadAttention
    args: tuple[Tensor, ...]
    masks: dict[str, Any]

    def case(self) -> Case:
        query = self.args[0]
        key = self.args[1] if len(self.args) > 1 else query
        value = self.args[2] if len(self.args) > 2 else key
        arrays = {name: v.numpy() if isinstance(v, Tensor) else v for name, v in self.masks.items()}
        if len(self.args) == 1 and "query_positions" in arrays:
            arrays.setdefault("key_positions", arrays["query_positions"])
        if "attn_mask" in arrays and arrays["attn_mask"].dtype != bool:
            arrays["attn_mask"] = arrays["attn_mask"].astype(np.float64)
        return Case(query.double().numpy(), key.double().numpy(), value.double().numpy(), **arrays)

    def bound(self, answer: Answer) -> float:
        """What rounding may do to any number of the trace, from the sizes and lengths of all sums on its way."""
        module = self.module
        kv_len = answer.weights.shape[-1]
        terms = 2 * module.d_model + module.d_head + 2 * kv_len + module.num_heads * module.d_head
        return tolerance(self.args[0].dtype, scale=answer.size, terms=terms)


@st.composite
def draws(draw: st.DrawFn, *, positions: Any = POSITIONS, projections: Any = PROJECTIONS, dtype: Any = None) -> Draw:
    dtype = dtype or draw(st.sampled_from((torch.float64, torch.float32)))
    position, projection = draw(st.sampled_from(positions)), draw(st.sampled_from(projections))
    batch, heads, d_head, q_len, kv_len = draw(st.permutations((2, 3, 5, 7, 11)))
    if isinstance(position, Rotary):
        d_head = 2 if heads != 2 and position.part == 1 else 4
    kv_heads = heads
    if isinstance(projection, Full | TiedKeyValue):  # the others have as many heads of keys as of queries
        heads *= draw(st.sampled_from((1, 1, 2))) if heads <= 3 else 1
        kv_heads = draw(st.sampled_from((kv_heads, kv_heads, 1)))
    if draw(st.integers(0, 4)) == 0:
        batch, heads, q_len, kv_len = (draw(st.sampled_from((1, size))) for size in (batch, heads, q_len, kv_len))
        kv_heads = min(heads, kv_heads)
    d_model = 13 if draw(st.booleans()) and not isinstance(projection, Identity) else heads * d_head
    switches = {name: draw(st.booleans()) for name in ("q_bias", "k_bias", "v_bias", "o_bias")}
    options = {
        "output_projection": draw(st.sampled_from((True, True, False))),
        "scale": draw(st.sampled_from((None, None, 0.7, 0.7, -0.3, 0.0))),
        "qk_norm": draw(st.sampled_from((False, False, True, RMSNorm(0.3), RMSNorm(0.3, plus_one=True)))),
        "qk_norm_together": draw(st.booleans()),
        "soft_cap": draw(st.sampled_from((None, None, 0.8, 5.0))),
        **draw(st.sampled_from(({}, {}, {"zero_sink": True}, {"sink": True}))),
        "gate": draw(st.booleans()),
        "window": draw(st.sampled_from((None, None, 0, 3))),
        "score": draw(st.sampled_from(("product", "additive"))) if position not in IN_PRODUCTS else "product",
        "num_kv_heads": draw(st.sampled_from((None, kv_heads))) if kv_heads == heads else kv_heads,
    }
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    module = MultiHeadAttention(
        d_model, heads, d_head=d_head, projections=projection, position=position, dtype=dtype, **switches, **options
    )
    redraw(module, generator)
    kv_len = draw(st.sampled_from((q_len, kv_len)))
    lengths = {0: (q_len,), 1: (q_len, kv_len), 2: (q_len, kv_len, kv_len)}[draw(st.integers(0, 2))]
    args = tuple(torch.randn(batch, n, d_model, generator=generator, dtype=F64).to(dtype) for n in lengths)
    kv_len = lengths[-1]
    masks = drawn_masks(draw(st.sampled_from(MASKS)), (batch, heads, q_len, kv_len), generator, dtype)
    masks["is_causal"] = draw(st.booleans()) and q_len == kv_len
    if draw(st.booleans()):
        masks["query_positions"] = torch.randperm(q_len, generator=generator) + 3
    if len(args) > 1 and draw(st.booleans()):
        masks["key_positions"] = torch.randint(0, 23, (batch, kv_len), generator=generator)
    return Draw(module, args, masks)


def redraw(module: torch.nn.Module, generator: torch.Generator, std: float = 0.6) -> None:
    """All parameters anew from N(0, std²), the same in every precision."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=F64) * std)


def redrawn(module: Module, seed: int = 0, std: float = 0.6) -> Module:
    """The module, with all parameters drawn anew from a seed."""
    redraw(module, torch.Generator().manual_seed(seed), std)
    return module


def tokens(*shape: int, seed: int = 7, dtype: torch.dtype = F64) -> Tensor:
    """Standard normal numbers, the same in every precision; by default others than a module begins with."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64).to(dtype)


def drawn_masks(kind: str, shape: tuple[int, ...], generator: torch.Generator, dtype: torch.dtype) -> dict[str, Any]:
    batch, _heads, q_len, kv_len = shape

    def coin(*size: int) -> Tensor:
        return torch.rand(size, generator=generator) < 0.6

    def numbers(*size: int) -> Tensor:
        drawn = torch.randn(size, generator=generator, dtype=F64).to(dtype)
        return drawn.masked_fill(~coin(*size), -torch.inf)

    padding = ~coin(batch, kv_len)
    match kind:
        case "bool":
            return {"attn_mask": coin(q_len, kv_len)}
        case "bool per sentence":
            return {"attn_mask": coin(batch, q_len, kv_len)}
        case "bool per head":
            return {"attn_mask": coin(*shape)}
        case "additive":
            return {"attn_mask": numbers(q_len, kv_len)}
        case "padding":
            return {"key_padding_mask": padding}
        case "padding and additive":
            return {"attn_mask": numbers(batch, 1, q_len, kv_len), "key_padding_mask": padding}
        case "blind row":
            seen = torch.ones(q_len, kv_len, dtype=torch.bool)
            seen[q_len // 2] = False
            return {"attn_mask": seen}
        case _:
            return {}
