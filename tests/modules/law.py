"""What holds for every module, call, mask, size and precision: trace and forward agree, and nothing is NaN.

The bound is derived for each draw. Both begin with the same queries, keys and values. Scores are float32 in half
precision and the module's own precision else; weights are rounded to the module's precision once by ``trace`` and at
most once by a kernel, and so are the context and the output.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from tests.modules.draws import RELATIVE, STRETCHED, redraw

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
LENGTHS = (0, 1, 2, 5)
IN_MASKS = ("sink", "relative_keys.table")
HIDING = ("-inf", "least of float32", "-1e9", "-10000")


@dataclass
class Call:
    """A module, what it is called with, and the same module in float64."""

    module: MultiHeadAttention
    args: tuple[Tensor, ...]
    masks: dict[str, Any]
    exact: MultiHeadAttention


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Any options, lengths from 0, masks of every shape and precision, positions given or not, large inputs too."""
    dtype = draw(st.sampled_from(DTYPES))
    batch, q_len, kv_len = (draw(st.sampled_from(LENGTHS)) for _ in range(3))
    heads, d_head = draw(st.sampled_from(((2, 4), (3, 2), (1, 6))))
    d_model = heads * d_head
    rotary = (Rotary(), *(each for each in STRETCHED if each.part == 1))
    some = (draw(st.sampled_from(kinds)) for kinds in (rotary, RELATIVE))
    position = draw(st.sampled_from((NoPosition(), Sinusoidal(), Learned(9), Alibi(), *some)))
    module = MultiHeadAttention(
        d_model,
        heads,
        projections=draw(st.sampled_from((Full(), TiedKeyValue(), TiedQueryKey(), Identity()))),
        position=position,
        score="product"
        if isinstance(position, Rotary | RelativeKey)
        else draw(st.sampled_from(("product", "additive"))),
        qk_norm=draw(st.sampled_from((False, True, RMSNorm(1e-3, plus_one=True)))),
        qk_norm_together=draw(st.booleans()),
        soft_cap=draw(st.sampled_from((None, None, 0.8, 30.0))),
        **draw(st.sampled_from(({}, {"zero_sink": True}, {"sink": True}))),
        output_projection=draw(st.booleans()),
        scale=draw(st.sampled_from((None, 0.25, -0.5, 0.0))),
        dtype=dtype,
        **{name: draw(st.booleans()) for name in ("q_bias", "k_bias", "v_bias", "o_bias")},
    )
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    redraw(module, generator)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    outlier = draw(st.sampled_from((1.0, 1.0, 300.0)))
    kind = draw(st.sampled_from(("self", "memory", "values")))
    kv_len = q_len if kind == "self" else kv_len
    lengths = {"self": (q_len,), "memory": (q_len, kv_len), "values": (q_len, kv_len, kv_len)}[kind]
    args = tuple(normal(batch, length, d_model).to(dtype) for length in lengths)
    with torch.no_grad():
        for x in args[:2]:
            x[..., :1] *= outlier  # one feature far larger than the others, as trained models have them
    masks: dict[str, Any] = {"is_causal": q_len == kv_len and draw(st.booleans())}
    shape = draw(
        st.sampled_from(
            ((kv_len,), (1, kv_len), (q_len, 1), (q_len, kv_len), (batch, q_len, kv_len), (1, heads, 1, kv_len),
             (batch, 1, q_len, kv_len), (batch, heads, q_len, kv_len))
        )
    )  # fmt: skip
    seen = torch.rand(shape, generator=generator) < draw(st.sampled_from((0.0, 0.4, 0.8)))
    match draw(st.sampled_from(("none", "bool", "additive"))):
        case "bool":
            masks["attn_mask"] = seen
        case "additive":
            precision = draw(st.sampled_from(DTYPES))
            hidden = {"-inf": -torch.inf, "least of float32": torch.finfo(torch.float32).min, "-1e9": -1e9}
            value = torch.tensor(hidden.get(draw(st.sampled_from(HIDING)), -1e4), dtype=torch.float64)
            masks["attn_mask"] = torch.where(seen, normal(*shape), value).to(precision)
    if draw(st.booleans()):
        masks["key_padding_mask"] = torch.rand((batch, kv_len), generator=generator) < 0.5
    if draw(st.booleans()):
        masks["query_positions"] = torch.arange(q_len) + draw(st.integers(0, 3))
    if draw(st.booleans()):
        masks["key_positions"] = torch.arange(kv_len).expand(batch, kv_len)
    return Call(module, args, masks, copy.deepcopy(module).double())


@torch.no_grad()
def bound(call: Call) -> float:
    """How far rounding may bring ``trace`` and ``forward`` apart in any number of the output."""
    module, dtype = call.module, call.args[0].dtype
    eps, inner = torch.finfo(dtype).eps, torch.finfo(torch.promote_types(dtype, torch.float32)).eps
    found = module.trace(*call.args, **call.masks)
    if not found.output.numel() or not found.weights.numel():
        return 0.0
    q_size, k_size = found.q.double().norm(dim=-1)[..., :, None], found.k.double().norm(dim=-1)[..., None, :]
    sizes = q_size * k_size
    if module.score_weight is not None:
        sizes = module.score_weight.double().norm(dim=-1)[:, None, None] * (1 + q_size + k_size)
    masked = found.masked_scores.double().abs()
    size = sizes * abs(module.scale) + masked.masked_fill(masked.isinf(), 0.0)
    d_head, kv_len = found.q.shape[-1], found.k.shape[-2]
    # Each score is a sum of d_head products, scaled, with a mask added; softmax has that error in its exponent twice,
    # once for the largest one, and adds that of a sum and a quotient.
    relative = (2 * (d_head + 4) * inner * size.amax()).expm1() + (kv_len + 4) * inner
    # Rounded weights, and the context, in the module's precision; the kernel may round partial sums at each block.
    values = found.v.double().abs().amax()
    context = values * (2 * relative + 4 * eps)
    if module.o_weight is None:
        return float(context)
    rows = module.o_weight.double().abs().sum(1).amax()
    # The output's own sum is accumulated at least in float32, or in its own precision, and rounded once by both.
    width = module.o_weight.shape[1]
    return float(rows * context + 2 * (width * inner + eps) * (rows * values + found.output.double().abs().amax()))


def apart(a: Tensor, b: Tensor) -> float:
    return float((a.detach().double() - b.detach().double()).abs().max()) if a.numel() else 0.0


def largest_gradient(call: Call, masks: dict[str, Any]) -> float:
    """The largest number in any gradient, of the same module in float64: float16 cannot hold every one."""
    inputs = [x.double().requires_grad_() for x in call.args]
    wanted = [*inputs, *call.exact.parameters()]
    found = torch.autograd.grad(call.exact(*inputs, **masks).sum(), wanted, allow_unused=True)
    return max((float(each.abs().max()) for each in found if each is not None and each.numel()), default=0.0)


def cloned(args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The same numbers in tensors of their own: what was self-attention is called as cross-attention."""
    query, key, value = (*args, *args[-1:], *args[-1:])[:3]
    return query, key.clone(), value.clone()


def check(call: Call, module: Callable[..., Tensor] | None = None) -> None:
    """The law, with gradients; ``module`` is what is called in place of the module's forward."""
    inputs = [x.clone().requires_grad_() for x in call.args]
    masks = {**call.masks}
    if len(call.args) == 1 and "query_positions" in masks:
        masks.setdefault("key_positions", masks["query_positions"])
    output = (call.module if module is None else module)(*inputs, **masks)
    trace = call.module.trace(*inputs, **masks)
    limit = bound(replace(call, masks=masks))
    assert output.shape == (*call.args[0].shape[:2], output.shape[2])
    assert output.dtype == trace.weights.dtype == call.args[0].dtype
    assert apart(output, trace.output) <= limit
    assert apart(output, call.module(*cloned(call.args), **masks)) <= limit
    assert trace.weights.isfinite().all()
    large = largest_gradient(call, masks) > torch.finfo(call.args[0].dtype).max / 64
    for found in (output, trace.output):
        assert found.isfinite().all()
        wanted = [*inputs, *call.module.parameters()]
        gradients = torch.autograd.grad(found.float().sum(), wanted, allow_unused=True, retain_graph=True)
        assert large or all(each is None or each.isfinite().all() for each in gradients)
        missing = {
            name
            for (name, _), each in zip(call.module.named_parameters(), gradients[len(inputs) :], strict=True)
            # Torch's kernel drops the mask of nothing.
            if each is None and (name not in IN_MASKS or (output.numel() and trace.weights.numel()))
        }
        assert not missing, f"no gradient reaches {missing}"
