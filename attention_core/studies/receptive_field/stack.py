"""A stack of real attention layers that look where they are told to, and the two ways of asking what a token sees."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.measuring.choices import attention_mask
from attention_core.measuring.gradients import pull_back
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig, intended_targets

# exp(−1024) is 0 in every precision, and 9 · 10 bits · 512 still fits float16: the softmax saturates exactly.
SHARPNESS: Final = 512.0
OVERWRITTEN: Final = 2.0  # above 1 the common position outweighs the token's own
QUERY_BLOCK: Final = 256  # queries traced at a time, so that the scores of 8 heads and 1,024 tokens take 50 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadStack:
    """``x ← x + attention(x)``, layer upon layer, on tokens ``[one-hot position | content]``.

    W_Q sends the position of a query to the code of the position it is to look at, W_K a position to its own code,
    W_V reads the content, and W_O adds the heads' contents to the content, so that positions stay what they are.

    Attributes:
        layers: The attention layers, bottom first.
        tokens: Tokens the stack reads.
        channels: Contents of a token that are carried side by side, each by itself.
        mask: Bool (tokens, tokens), or None.
        residual: Whether the content is carried past the heads; positions always are.
        unit: Content of each input; small enough for the sum over all paths to stay finite in float16.
    """

    layers: tuple[MultiHeadAttention, ...]
    tokens: int
    channels: int
    mask: Bool[Tensor, "tokens tokens"] | None
    residual: bool
    unit: float


def position_codes(tokens: int, *, soft: bool) -> Float[Tensor, "tokens width"]:
    """What queries look for and keys show, float64: the position's bits as ±1, or for soft heads its one-hot vector.

    With bits, a wrong key scores at least 2 less than the right one in ⌈log₂ tokens⌉ numbers. One-hot vectors are as
    long as there are tokens, and all wrong keys score the same: what the softmax leaves over is spread evenly.
    """
    if soft:
        return torch.eye(tokens, dtype=torch.float64)
    bits = torch.arange(max(1, (tokens - 1).bit_length()))
    return ((torch.arange(tokens)[:, None] >> bits & 1) * 2 - 1).to(torch.float64)


def stack_of(
    config: ReceptiveFieldConfig, targets: Int[np.ndarray, "layers heads tokens"], *, channels: int
) -> HeadStack:
    """Attention layers in which query i of head h of layer l looks at key ``targets[l, h, i]``.

    With ``write_positions`` b_O of the first layer adds 2 · the first position to every token's position part: later
    queries then all look for what the first token looks for.

    Args:
        config: The settings; how many layers, heads and tokens there are, the targets say.
        targets: The keys, each visible under the config's mask.
        channels: Contents of a token.
    """
    layers, heads, tokens = targets.shape
    codes = position_codes(tokens, soft=config.soft)
    sharpness = 1 / config.temperature if config.soft else SHARPNESS
    built = [
        _layer(torch.from_numpy(layer), codes, sharpness, channels, writes=config.write_positions and depth == 0)
        for depth, layer in enumerate(targets)
    ]
    return HeadStack(
        layers=tuple(
            module.to(config.torch_device, config.torch_dtype).requires_grad_(False).eval() for module in built
        ),
        tokens=tokens,
        channels=channels,
        mask=attention_mask(config.mask, tokens, tokens, window=config.window, device=config.torch_device),
        residual=config.residual,
        unit=content_unit((heads + config.residual) ** layers),
    )


def content_unit(paths: int) -> float:
    """Content of each input, so that the sum over all paths stays finite in float16."""
    return 2.0 ** -max(0, math.ceil(math.log2(paths)) - 15)


def _layer(
    targets: Int[Tensor, "heads tokens"],
    codes: Float[Tensor, "tokens width"],
    sharpness: float,
    channels: int,
    *,
    writes: bool,
) -> MultiHeadAttention:
    heads, tokens = targets.shape
    width = codes.shape[1]
    d_head = max(width, channels)
    module = MultiHeadAttention(
        tokens + channels, heads, d_head=d_head, q_bias=False, k_bias=False, v_bias=False, o_bias=writes, scale=1.0,
        dtype=torch.float64,
    )  # fmt: skip
    content = torch.eye(channels, dtype=torch.float64)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
        w_q, w_k, w_v = (
            weight.view(heads, d_head, tokens + channels)  # pyright: ignore[reportOptionalMemberAccess]
            for weight in (module.q_weight, module.k_weight, module.v_weight)
        )
        w_q[:, :width, :tokens] = sharpness * codes[targets].mT  # (heads, width, tokens)
        w_k[:, :width, :tokens] = codes.mT
        w_v[:, :channels, tokens:] = content
        assert module.o_weight is not None
        module.o_weight.view(tokens + channels, heads, d_head)[tokens:, :, :channels] = content[:, None]
        if writes:
            assert module.o_bias is not None
            module.o_bias[0] = OVERWRITTEN
    return module


def looked_at(stack: HeadStack) -> tuple[Int[np.ndarray, "layers heads tokens"], float]:
    """Which key has the largest weight for each query of each head, from the modules' own weights.

    Returns:
        The keys, and the smallest of the largest weights: 1 where the softmax is saturated.
    """
    with torch.inference_mode():
        x = _inputs(stack, torch.full((stack.tokens, stack.channels), stack.unit, dtype=torch.float64))
        edges, smallest = [], math.inf
        for module in stack.layers:
            largest = [_largest(stack, module, x, first) for first in range(0, stack.tokens, QUERY_BLOCK)]
            edges.append(torch.cat([key for _, key in largest], dim=-1))
            smallest = float(np.min([smallest, *(float(weight.min()) for weight, _ in largest)]))  # NaN stays
            x = _apply(stack, module, x)
    return torch.stack(edges).to("cpu").numpy(), smallest


def _largest(stack: HeadStack, module: MultiHeadAttention, x: Tensor, first: int) -> tuple[Tensor, Tensor]:
    block = slice(first, first + QUERY_BLOCK)
    mask = None if stack.mask is None else stack.mask[block]
    weights = module.trace(x[:, block], x, attn_mask=mask).weights[0]  # (heads, queries, tokens)
    return weights.max(-1)


def softly_seen(config: ReceptiveFieldConfig) -> int:
    """How many inputs the last token sees one layer up, were its heads soft: those that one of them gives weight."""
    soft = replace(config, weights="soft", layers=1, write_positions=False)
    stack = stack_of(soft, intended_targets(soft), channels=1)
    with torch.inference_mode():
        x = _inputs(stack, torch.full((stack.tokens, 1), stack.unit, dtype=torch.float64))
        mask = None if stack.mask is None else stack.mask[-1:]
        seen = (stack.layers[0].trace(x[:, -1:], x, attn_mask=mask).weights[0] > 0).any(0)[0]
    return int(seen.sum()) + int(config.residual and not seen[-1])


def path_weights(stack: HeadStack, chosen: Int[np.ndarray, " chosen"]) -> Float[np.ndarray, "layers chosen tokens"]:
    """``∂ content of token i, n layers up / ∂ content of input j`` by autograd: the weight of all paths from i to j.

    The channels of the content never meet, so channel c asks for the token ``chosen[c]``: one backward pass a layer
    gives the derivatives of all chosen tokens.

    Args:
        stack: With as many channels as tokens are chosen.
        chosen: The tokens i.
    """
    module = stack.layers[0]
    assert module.o_weight is not None
    like = {"dtype": module.o_weight.dtype, "device": module.o_weight.device}
    ask = torch.zeros(stack.tokens, stack.channels, **like)
    ask[torch.from_numpy(chosen), torch.arange(stack.channels)] = stack.unit
    derivatives = []
    with torch.enable_grad():
        content = torch.full((stack.tokens, stack.channels), stack.unit, **like, requires_grad=True)
        x = _inputs(stack, content)
        for module in stack.layers:
            x = _apply(stack, module, x)
            (derivative,) = pull_back(x[0, :, stack.tokens :], content, ask, keep=True)
            derivatives.append(derivative.mT.to("cpu", torch.float64) / stack.unit)
    return torch.stack(derivatives).numpy()


def through_first_layer(
    stack: HeadStack, content: Float[Tensor, "tokens channels"]
) -> tuple[Float[Tensor, "tokens channels"], Float[Tensor, "heads tokens tokens"]]:
    """What the first layer makes of some content, and its weights."""
    with torch.inference_mode():
        x = _inputs(stack, content)
        made = _apply(stack, stack.layers[0], x)[0, :, stack.tokens :]
        return made, stack.layers[0].trace(x, attn_mask=stack.mask).weights[0]


def _inputs(stack: HeadStack, content: Tensor) -> Float[Tensor, "1 tokens d_model"]:
    weight = stack.layers[0].o_weight
    assert weight is not None
    positions = torch.eye(stack.tokens, dtype=weight.dtype, device=weight.device)
    return torch.cat((positions, content.to(positions)), dim=1)[None]


def _apply(stack: HeadStack, module: MultiHeadAttention, x: Tensor) -> Float[Tensor, "1 tokens d_model"]:
    fetched = module(x, attn_mask=stack.mask)
    if stack.residual:
        return x + fetched
    positions = torch.cat((x[..., : stack.tokens], torch.zeros_like(x[..., stack.tokens :])), dim=-1)
    return positions + fetched


def reach(
    edges: Int[np.ndarray, "layers heads tokens"], *, residual: bool = True
) -> Bool[np.ndarray, "layers tokens tokens"]:
    """Which inputs each token sees through a graph of argmax heads, 1 … ``layers`` layers up.

    ``sees[n][i] = ∪_h sees[n − 1][edges[n, h, i]]``, with the residual also ``∪ sees[n − 1][i]``.
    """
    layers, _, tokens = edges.shape
    sees = np.empty((layers, tokens, tokens), dtype=np.bool_)
    below = np.eye(tokens, dtype=np.bool_)
    for depth, layer in enumerate(edges):
        sees[depth] = below if residual else False
        for keys in layer:
            sees[depth] |= below[keys]
        below = sees[depth]
    return sees
