"""Keys and values of low rank, with W_UK folded into the queries and not; and the bytes that each sharing keeps."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing, variance
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.dot_product import product, scaled_dot_product_attention
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import NoPosition, Rotary
from attention_core.studies.exactness.settings import D_HEAD, D_MODEL, D_ROTARY, HEADS, ExactnessConfig

SHARING: Final = (HEADS, HEADS // 2, 1)  # heads of keys and values that a cache of heads keeps


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Latent(Record):
    """What queries that meet keys and queries that meet latents gave.

    Attributes:
        plain: Weights of queries and keys, mean of the heads (tokens, tokens).
        folded: Weights of queries and latents, likewise.
        moved: Largest difference of each word's output (tokens,).
        bound: What rounding may leave.
        token_bytes: What a cache keeps of a word: with ``SHARING``, and of latents (4,).
    """

    plain: np.ndarray
    folded: np.ndarray
    moved: np.ndarray
    bound: float
    token_bytes: np.ndarray


@torch.no_grad()
def measure_latent(config: ExactnessConfig) -> tuple[dict[str, Measurement], Latent]:
    """One attention on latents, folded and not."""
    x = embed(config.tokens, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    plain, folded = (attention(config, folded=each) for each in (False, True))
    one, other = (each.trace(x, is_causal=config.causal) for each in (plain, folded))
    bound = folding_tolerance(plain, one, other)
    whole, met, weights = one.output, folded(x, is_causal=config.causal), (one.weights, other.weights)
    if config.whole:
        whole, met, weights = _turned_whole(config, plain, x)
    off = (on_cpu(whole) - on_cpu(met)).abs()
    tokens = ngettext_lazy("{count:,} token", "{count:,} tokens", len(config.tokens))
    found = {"mla-absorb": Measurement(largest(off), bound, tokens, largest(whole))}
    kept = [
        MultiHeadAttention(D_MODEL, HEADS, num_kv_heads=heads, dtype=config.torch_dtype, device="meta").cache(1, 1)
        for heads in SHARING
    ]
    return found, Latent(
        plain=on_cpu(weights[0])[0].mean(0).numpy(),
        folded=on_cpu(weights[1])[0].mean(0).numpy(),
        moved=off.amax((0, 2)).numpy(),
        bound=bound,
        token_bytes=np.array([each.nbytes for each in (*kept, folded.cache(1, 1))]),
    )


def attention(config: ExactnessConfig, *, folded: bool) -> MultiHeadAttention:
    """The attention, with a part of each head kept apart for rotary positions unless whole heads are turned."""
    d_rotary = 0 if config.whole else D_ROTARY
    position = NoPosition() if config.whole else Rotary()
    module = MultiHeadAttention(
        D_MODEL,
        HEADS,
        projections=LatentKeyValue(config.rank, d_rotary, folded),
        dtype=torch.float64,
        position=position,
    )
    return draw_parameters(module, config.seed, bias_std=0.5).to(config.torch_device, config.torch_dtype)


def _turned_whole(
    config: ExactnessConfig, module: MultiHeadAttention, x: Tensor
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """Outputs and weights with rotary positions on whole heads: queries are turned, and folded all the same."""
    k_up, v_up, matrix, bias = module.k_up_weight, module.v_up_weight, module.k_weight, module.k_bias
    assert k_up is not None
    assert v_up is not None
    assert matrix is not None
    assert bias is not None
    full = MultiHeadAttention(D_MODEL, HEADS, position=Rotary(), dtype=x.dtype, device=x.device)
    for mine, theirs in (
        (full.q_weight, module.q_weight), (full.q_bias, module.q_bias), (full.o_weight, module.o_weight),
        (full.o_bias, module.o_bias), (full.k_weight, product(k_up, matrix)), (full.v_weight, product(v_up, matrix)),
        (full.k_bias, product(k_up, bias[:, None])[:, 0]), (full.v_bias, product(v_up, bias[:, None])[:, 0]),
    ):  # fmt: skip
        assert mine is not None
        assert theirs is not None
        mine.copy_(theirs)
    trace = full.trace(x, is_causal=config.causal)
    folding = LatentKeyValue(config.rank, folded=True)
    _q, latents, c = module.into_heads(x, x, x)
    q, k, v = folding.meeting(trace.q, latents, c, k_up, v_up)
    eye = torch.eye(k.shape[-2], dtype=x.dtype, device=x.device).expand(*k.shape[:2], -1, -1)
    met, weights = (
        scaled_dot_product_attention(q, k, each, enable_gqa=True, is_causal=config.causal, scale=full.scale)
        for each in (v, eye)
    )
    output = module.out_of_heads(folding.fetched(met, v_up))
    return trace.output, output, (trace.weights, weights)


def folding_tolerance(module: MultiHeadAttention, plain: AttentionTrace, folded: AttentionTrace) -> float:
    """Largest difference of two outputs that rounding explains, of queries that meet keys and ones that meet latents.

    On both ways a query and a latent are sums of d_model terms. Then a key is a sum of ``rank`` of them, or a folded
    query one of ``d_head``; the score is a sum over the head, or over the latent; and a value is made of a latent
    before it is mixed, or of the mixture. An error δc of a latent moves the score by the folded query times δc, and
    the output of a value by its weight.

    Args:
        module: Its projections are not folded.
        plain: A trace of it.
        folded: A trace of its folded twin.
    """
    latent, dtype = module.projections, plain.output.dtype
    assert isinstance(latent, LatentKeyValue)
    assert module.v_up_weight is not None
    v_up = on_cpu(module.v_up_weight).unflatten(0, (HEADS, D_HEAD))
    q, k, v, weights, context = (on_cpu(each) for each in plain[:3] + plain[5:7])
    asked, met, c = (on_cpu(each) for each in folded[:3])
    n, scale = weights.shape[-1], module.scale
    at_q = variance(q, dtype, terms=D_MODEL, roundings=2)
    at_met = variance(met, dtype, terms=D_MODEL, roundings=2)
    at_c = at_met[..., : latent.rank]
    # A score, by either way: what queries and latents bring along, then what is rounded on that way alone.
    shared = at_q @ k.square().mT + asked.square() @ at_met.mT
    own_key = variance(k, dtype, terms=latent.rank)
    own_asked = variance(asked, dtype, terms=D_HEAD)
    ways = (q.square() @ own_key.mT, own_asked @ met.square().mT)
    sums = (q.square() @ k.square().mT, asked.square() @ met.square().mT)
    scores = on_cpu(plain.scores)
    error = 0.0
    for way, products in zip(ways, sums, strict=True):
        score = scale**2 * (shared + way)
        score = score + variance(scores, dtype, terms=asked.shape[-1] + 2, squares=scale**2 * products, roundings=2)
        moved = weights.square() * score
        spread = moved @ v.square() - 2 * context * (moved @ v) + context.square() * moved.sum(-1, keepdim=True)
        at_weights = variance(weights, dtype, terms=n + 3)
        made = at_c @ v_up.square().mT + variance(v, dtype, terms=latent.rank)
        mixed = weights @ c  # (…, heads, q_len, rank): what is fetched before W_UV
        fetched = variance(mixed, dtype, terms=n, squares=weights.square() @ c.square()) @ v_up.square().mT
        at_context = spread.clamp(min=0) + weights.square() @ made + at_weights @ v.square() + fetched
        at_context = at_context + variance(
            context, dtype, terms=n + latent.rank, squares=weights.square() @ v.square()
        )
        error = max(error, _through_output(module, at_context, context, dtype))
    last = float(spacing(on_cpu(plain.output), dtype).max()) if is_half(dtype) else 0.0
    return LAMBDA * math.sqrt(2 * error) + last


def _through_output(module: MultiHeadAttention, at_context: Tensor, context: Tensor, dtype: torch.dtype) -> float:
    """The largest variance of an output's error before its last rounding."""
    assert module.o_weight is not None
    merged, sums = (each.transpose(-3, -2).flatten(-2) for each in (at_context, context.square()))
    matrix = on_cpu(module.o_weight).square()
    found = merged @ matrix.mT
    if not is_half(dtype):
        bias = 0.0 if module.o_bias is None else on_cpu(module.o_bias).square()
        found = found + variance(found, dtype, terms=sums.shape[-1], squares=sums @ matrix.mT + bias)
    return float(found.max())


def _absorbed(config: ExactnessConfig) -> Theory:
    """Between W_UKᵀ and a turned query stands the turn of the key, which differs from key to key."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    between = _("a turn by the distance stands between W_UK and the query, and no matrix can take its place")
    return Fails(between) if config.whole else Holds()


TESTS: Final = (
    ClaimTest("mla-absorb", "≤", _("with queries that meet latents the outputs differ by at most"),
              "max |f(x) − f_folded(x)|", theory=_absorbed),
)  # fmt: skip
