"""Four numbers for each edge of a head: weight, weight by what the value writes, gradient by weight, and effect."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.edge_effects import edge_effects_in_passes
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.models import Head, attentions
from attention_core.modules.multi_head import MultiHeadAttention

Target = Callable[[Tensor], Tensor]


def lead_of_kinds(right: tuple[int, ...], wrong: tuple[int, ...]) -> Target:
    """From logits to how far the likeliest of ``right`` leads the likeliest of ``wrong`` in the last place."""

    def lead(logits: Tensor) -> Tensor:
        last = logits[:, -1]
        return last[:, list(right)].amax(-1) - last[:, list(wrong)].amax(-1)

    return lead


def lead_of_next(best: int) -> Target:
    """From logits to how far ``best`` leads all other words: below 0 another comes next."""

    def lead(logits: Tensor) -> Tensor:
        last = logits[:, -1]
        others = last.clone()
        others[:, best] = -torch.inf
        return last[:, best] - others.amax(-1)

    return lead


@torch.inference_mode(False)
def by_gradient(module: Checkpoint, ids: Tensor, target: Target) -> list[Tensor]:
    """Of each layer ∂target/∂a · a, for every edge of every head (heads, queries, keys), from one pass and back.

    To first order by how much the target falls when an edge is cut and the rest of its row is left: Michel et al.
    (2019), section 4, do so with whole heads.
    """
    added: list[Tensor] = []
    weights: list[Tensor] = []

    def watch(pattern: Tensor) -> Tensor:
        added.append(torch.zeros_like(pattern, requires_grad=True))
        weights.append(pattern.detach())
        return pattern + added[-1]

    names = [f"layers.{layer}.self_attention.weights" for layer in range(len(attentions(module)))]
    with torch.enable_grad():
        told = target(module.trace(ids[None].clone(), replace=dict.fromkeys(names, watch)).output)
        gradients = torch.autograd.grad(told.sum(), added)
    return [(g * a)[0] for g, a in zip(gradients, weights, strict=True)]


def written(attention: MultiHeadAttention, values: Tensor, head: int) -> Tensor:
    """What each value of a head writes into the stream, W_O v (keys, d_output), in float64.

    Args:
        attention: The attention.
        values: The values of one text, ``trace.v[0]``.
        head: The number of the head of queries, which shares values with those of its group.
    """
    own = values[head // (attention.num_heads // values.shape[0])]
    context = own.new_zeros((1, attention.num_heads, *own.shape))
    context[0, head] = own
    both = attention.out_of_heads(torch.cat((context, torch.zeros_like(context))))
    return on_cpu(both[0]) - on_cpu(both[1])


@dataclass(frozen=True, slots=True)
class Edges:
    """What is known of each edge of a head on one text; queries by keys, without a sink.

    Attributes:
        seen: Which edges there are.
        weights: The weights.
        lengths: ‖W_O v‖ of each key.
        gradients: Gradient by weight.
        effects: By how much the target falls without each.
        lead: The target with nothing cut.
    """

    seen: np.ndarray
    weights: np.ndarray
    lengths: np.ndarray
    gradients: np.ndarray
    effects: np.ndarray
    lead: float


@torch.inference_mode(False)
def largest_head(found: list[Tensor]) -> Head:
    """The head on whose weights the target depends most, Σ |gradient · weight|, below the last layer if there is one.

    Of the last layer only the last row is felt.
    """
    sizes = head_sizes(found)[: max(1, len(found) - 1)]
    layer, head = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return int(layer), int(head)


def head_sizes(found: list[Tensor]) -> np.ndarray:
    """Σ |gradient · weight| of each head (layers, heads)."""
    return torch.stack([on_cpu(each).abs().sum((-1, -2)) for each in found]).numpy()


def edges_in_passes(
    module: Checkpoint, ids: Tensor, target: Target, head: Head, rest: Any, gradients: list[Tensor]
) -> Generator[float, None, Edges]:
    """Everything about the edges of a head: yields the share that is done, and returns it."""
    layer, number = head
    n = len(ids)
    found = yield from edge_effects_in_passes(module, ids, target, layer=layer, head=number, rest=rest)
    with torch.no_grad():
        values = list(module.trace(ids[None]))[layer].v[0]
        lengths = written(attentions(module)[layer], values, number)[:n].norm(dim=-1)
    effects = on_cpu(found.effects)[:, :n].numpy()
    return Edges(
        seen=np.isfinite(effects),
        weights=on_cpu(found.weights)[:, :n].numpy(),
        lengths=lengths.numpy(),
        gradients=on_cpu(gradients[layer][number])[:, :n].numpy(),
        effects=effects,
        lead=found.target,
    )


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 0 to 1 of some numbers, the largest 1; equal ones share the mean of theirs."""
    order = np.sort(values)
    low, high = np.searchsorted(order, values, "left"), np.searchsorted(order, values, "right")
    return (low + high - 1) / 2 / max(1, len(values) - 1)


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Rank correlation (Spearman 1904); NaN where one of both is the same everywhere."""
    a, b = (ranks(each) - ranks(each).mean() for each in (one, other))
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / size) if size else float("nan")
