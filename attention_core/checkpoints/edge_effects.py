"""What one look is worth: by how much a model's answer falls when one edge of one head is cut, edge by edge."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint

Rest = Literal["left", "renormalised", "mean"]
Target = Callable[[Tensor], Tensor]  # from outputs (batch, tokens, any) to a number for each of the batch

MOST_TOKENS: Final = 64  # of a text: its edges are squared
AT_ONCE: Final = 64  # edges that are cut in one pass, at most
MOST_NUMBERS: Final = 2**24  # of all layers and of the outputs that one pass keeps, at most


@dataclass(frozen=True, slots=True)
class EdgeEffects:
    """What each edge of a head is worth on one text.

    Attributes:
        weights: The head's weights, queries by keys.
        effects: By how much the target falls when this edge alone is cut; NaN where no edge is.
        target: What it is with nothing cut.
    """

    weights: Float[Tensor, "tokens tokens"]
    effects: Float[Tensor, "tokens tokens"]
    target: float


def edge_effects(
    checkpoint: Checkpoint,
    input_ids: Int[Tensor, " tokens"],
    target: Target,
    *,
    layer: int,
    head: int,
    rest: Rest = "left",
    progress: Callable[[float], None] | None = None,
) -> EdgeEffects:
    """Cut every edge of a head, one at a time, and see by how much the target falls: ``t − t without a_qk``.

    Exact: a whole pass for each edge, up to ``AT_ONCE`` of them together. Michel et al. (2019), "Are Sixteen Heads
    Really Better than One?", cut whole heads so; an edge is the smallest look that can be cut.

    Args:
        checkpoint: The model.
        input_ids: Numbers of a text's tokens, 64 at most.
        target: What is asked of the model: from its outputs, as ``forward`` gives them, to a number for each of the
            batch, such as ``lambda logits: logits[:, -1, verb] - logits[:, -1, wrong]``.
        layer: Number of the layer, the bottom one 0.
        head: Number of the head.
        rest: What becomes of a row whose weight w_k is cut. ``"left"``: the others stay, and sum to 1 − w_k.
            ``"renormalised"``: they are divided by their sum, where it is not 0. ``"mean"``: in the place of that
            value comes the mean of all that the query sees, so that each of its m keys gets w_k/m.
        progress: Told the share that is done.

    Raises:
        ValueError: If there is no such layer, head or ``rest``, the text has no tokens or too many, or ``target``
            does not give a number for each of the batch.
    """
    passes = edge_effects_in_passes(checkpoint, input_ids, target, layer=layer, head=head, rest=rest)
    while True:
        try:
            done = next(passes)
        except StopIteration as end:
            return end.value
        if progress is not None:
            progress(done)


def edge_effects_in_passes(
    checkpoint: Checkpoint,
    input_ids: Int[Tensor, " tokens"],
    target: Target,
    *,
    layer: int,
    head: int,
    rest: Rest = "left",
) -> Generator[float, None, EdgeEffects]:
    """As ``edge_effects``: yields the share that is done after each pass, and returns the effects.

    Args:
        checkpoint: As in ``edge_effects``; also the next five.
        input_ids: Numbers of a text's tokens.
        target: What is asked of the model.
        layer: Number of the layer.
        head: Number of the head.
        rest: What becomes of the rest of the row.

    Raises:
        ValueError: As ``edge_effects``.
    """
    layers = checkpoint.config.num_layers
    if not 0 <= layer < layers:
        raise ValueError(f"layer = {layer} is not possible: this model has layers 0 to {layers - 1}.")
    if not 0 <= head < checkpoint.config.num_heads:
        raise ValueError(
            f"head = {head} is not possible: this model has heads 0 to {checkpoint.config.num_heads - 1}."
        )
    if rest not in get_args(Rest):
        raise ValueError(f"rest = {rest!r} is not possible: one of {', '.join(get_args(Rest))} is needed.")
    if input_ids.ndim != 1 or not 1 <= len(input_ids) <= MOST_TOKENS:
        raise ValueError(
            f"input_ids of shape {tuple(input_ids.shape)}: one text of 1 to {MOST_TOKENS} tokens is needed."
        )
    with torch.no_grad():  # never across a yield: grad mode is a state of the caller's thread
        whole = checkpoint.trace(input_ids[None])
        attention = list(whole)[layer]
        weights, seen = attention.weights[0, head], attention.masked_scores[0, head] > -torch.inf
        before = float(_asked(target, whole.output, 1)[0])
    effects, edges = torch.full_like(weights, torch.nan), seen.nonzero()
    kept = whole.output.numel() + sum(each.numel() for layer in whole for each in layer)
    at_once = max(1, min(AT_ONCE, MOST_NUMBERS // kept - 1))  # beside the text with nothing cut
    for start in range(0, len(edges), at_once):
        queries, keys = edges[start : start + at_once].T
        with torch.no_grad():
            rows = cut_rows(weights[queries], seen[queries], keys, rest)

            def put(pattern: Tensor, queries: Tensor = queries, rows: Tensor = rows) -> Tensor:
                changed = pattern.clone()
                changed[torch.arange(len(queries), device=rows.device), head, queries] = rows
                return changed

            text = input_ids.expand(len(queries) + 1, -1)  # the last one whole: what a pass rounds is in both
            output = checkpoint.trace(text, replace={f"layers.{layer}.self_attention.weights": put}).output
            asked = _asked(target, output, len(text))
            effects[queries, keys] = asked[-1] - asked[:-1]
        yield min(1.0, (start + at_once) / len(edges))
    return EdgeEffects(weights, effects, before)


def cut_rows(
    rows: Float[Tensor, "edges keys"], seen: Bool[Tensor, "edges keys"], keys: Int[Tensor, " edges"], rest: Rest
) -> Float[Tensor, "edges keys"]:
    """Rows of weights without one key each.

    Args:
        rows: The weights.
        seen: Which keys each row sees.
        keys: The key that is cut in each.
        rest: What becomes of the others, as in ``edge_effects``.
    """
    at = torch.arange(len(rows), device=rows.device)
    cut, weight = rows.clone(), rows[at, keys]
    cut[at, keys] = 0
    if rest == "renormalised":
        total = cut.sum(-1, keepdim=True)
        return torch.where(total > 0, cut / total, cut)
    if rest == "mean":
        return cut + seen * (weight / seen.sum(-1))[:, None]
    return cut


def _asked(target: Target, output: Tensor, batch: int) -> Float[Tensor, " batch"]:
    found = target(output)
    if not isinstance(found, Tensor) or found.shape != (batch,):
        given = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else type(found).__name__
        raise ValueError(
            f"target gives {given} for outputs of {batch} texts: a tensor of shape ({batch},) is needed."
        )
    return found
