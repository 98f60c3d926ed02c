"""What cutting does to attention's own output, where theory decides it: each edge, their sum, and weights unseen."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_core.checkpoints.edge_effects import cut_rows
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, softmax_tolerance, tolerance
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import Measurement, largest
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.traced import TracedCall
from attention_core.studies.worth.edges import written
from attention_core.studies.worth.settings import WorthConfig

PATIENT = 8  # eps of a decomposition in float64 that its null vectors may be off by, for each number of a value


def measure_output(config: WorthConfig, call: TracedCall, head: int) -> tuple[dict[str, Measurement], np.ndarray]:
    """The measurements at the output of one attention in the last place, and other weights of that row."""
    trace, n = call.trace, call.trace.output.shape[1]
    seen = trace.masked_scores[0, head, -1] > -torch.inf
    row = trace.weights[0, head, -1]
    values = written(call.attention, trace.v[0], head)  # (keys, d_output)
    pieces = on_cpu(row)[:, None] * values
    bounded = call.attention if trace.v.shape[1] == call.attention.num_heads else _with_own_keys(call.attention)
    bound = output_tolerance(bounded, trace, scores_move=False)
    found = _cuts(config, call, head, pieces, seen, bound)
    found |= _sums(config, call, head)
    free, measurement = _unseen(config, call, head, values, seen, bounded)
    if measurement is not None:
        found["weight-free"] = measurement
    return found, free[:n].numpy()


def _with_own_keys(module: MultiHeadAttention) -> MultiHeadAttention:
    """The same function with as many heads of keys as of queries, which bounds are derived for."""
    return module.with_kv_heads(module.num_heads)


def _again(call: TracedCall, head: int, rows: Tensor) -> AttentionTrace:
    """The attention once more for each of some rows of weights (rows, keys), which take the place of the last one."""

    def put(pattern: Tensor) -> Tensor:
        changed = pattern.clone()
        changed[:, head, -1] = rows
        return changed

    tokens = tuple(each.expand(len(rows), *each.shape[1:]) for each in call.tokens)
    return call.attention.trace(*tokens, **call.options, replace={"weights": put})


def _cuts(
    config: WorthConfig, call: TracedCall, head: int, pieces: Tensor, seen: Tensor, bound: float
) -> dict[str, Measurement]:
    """``weight-effect`` and ``edge-sum``: each edge of the last row cut, and all of them."""
    row = call.trace.weights[0, head, -1]
    keys = seen.nonzero()[:, 0]
    count = len(keys)
    rows = cut_rows(row.expand(count, -1), seen.expand(count, -1), keys, config.rest)  # pyright: ignore[reportArgumentType]
    every = torch.cat((rows, torch.zeros_like(rows[:1]), row[None]))
    outputs = on_cpu(_again(call, head, every).output[:, -1])
    lost = outputs[-1] - outputs[:-1]  # the last one with nothing cut
    cases = ngettext_lazy("{count} edge", "{count} edges", count)
    pieces = pieces[keys.cpu()]
    size = largest(pieces)
    return {
        "weight-effect": Measurement(largest(lost[:-1] - pieces), bound, cases, size),
        "edge-sum": Measurement(largest(lost[:-1].sum(0) - lost[-1]), (count + 1) * bound, cases, largest(lost[-1])),
    }


def _sums(config: WorthConfig, call: TracedCall, head: int) -> dict[str, Measurement]:
    """``sink-forced``: what the rows of a head sum to, as it is and with softmax plus one."""
    n = call.trace.output.shape[1]
    rows = ngettext_lazy("{count} row", "{count} rows", n)
    now = on_cpu(call.trace.weights)[0, head, :, :n].sum(-1)
    bound = softmax_tolerance(call.trace.weights)
    found = {"sink-forced.one": Measurement(largest(now - 1), bound, rows, 1.0)}
    if config.has_sink:
        return found
    attention, kept = call.attention, call.attention.zero_sink
    attention.zero_sink = True
    try:
        trace = attention.trace(*call.tokens, **call.options)
    finally:
        attention.zero_sink = kept
    scores, sums = on_cpu(trace.masked_scores)[0, head, :, :n], on_cpu(trace.weights)[0, head, :, :n].sum(-1)
    total = torch.cat((scores, torch.zeros_like(scores[:, :1])), dim=-1).logsumexp(-1)
    rest = (-total).exp()  # 1/(1 + Σ e^s)
    # A stored score is rounded: by half an eps of itself, which moves a weight by at most a quarter of that.
    moved = float(scores[scores.isfinite()].abs().max()) * torch.finfo(trace.scores.dtype).eps
    exact = Measurement(largest(sums - (1 - rest)), softmax_tolerance(trace.weights) + moved, rows, 1.0)
    return found | {"sink-forced.plus-one": exact}


def _unseen(
    config: WorthConfig, call: TracedCall, head: int, values: Tensor, seen: Tensor, bounded: Any
) -> tuple[Tensor, Measurement | None]:
    """``weight-free``: the last row moved along a direction that no value sees, as far as weights stay weights."""
    row = on_cpu(call.trace.weights)[0, head, -1]
    keys = seen.nonzero()[:, 0].cpu()
    own = on_cpu(call.trace.v)[0, head // (call.attention.num_heads // call.trace.v.shape[1])][keys]
    kept = torch.cat((own, torch.ones_like(own[:, :1])), dim=1).T  # (d_head + 1, keys): values, and that it sums to 1
    blind = torch.linalg.svd(kept).Vh[kept.shape[0] :]
    if not len(blind):
        return row, None
    directions = _along(blind, row[keys])
    anywhere = torch.randn(len(keys), generator=generator(config.seed, "worth", "direction"), dtype=torch.float64)
    anywhere -= anywhere.mean()
    step = _farthest(directions, row[keys])
    other = anywhere * (step.abs().sum() / anywhere.abs().sum())
    moved = other if config.any_direction else step
    rows = row.expand(2, -1).clone()
    rows[0, keys] += moved
    trace = _again(call, head, rows.to(call.trace.weights))
    outputs = on_cpu(trace.output[:, -1])
    left = PATIENT * kept.shape[0] * torch.finfo(torch.float64).eps * float(kept.norm() * step.norm())
    reach = float(
        values[keys].norm() / own.norm().clamp(min=1e-300)
    )  # at most so much longer W_O makes it, by values
    size = largest(other @ values[keys])
    # The new weights are stored, rounded, in the precision.
    stored = tolerance(call.trace.weights.dtype, scale=1.0, terms=1) * float(
        (rows[0, keys].abs() @ values[keys].abs()).max()
    )
    bound = output_tolerance(bounded, call.trace, trace, scores_move=False) + left * reach + stored
    cases = ngettext_lazy("{count} direction", "{count} directions", len(blind))
    measured = Measurement(largest(outputs[0] - outputs[1]), bound, cases, size)
    free = row.clone()
    free[keys] += moved
    return free, measured


def _along(blind: Tensor, row: Tensor) -> Tensor:
    """Directions that no value sees: the basis, and what is nearest to each key alone and to the row itself."""
    shadows = torch.cat((blind.T @ blind, (blind.T @ (blind @ row))[None]))
    return torch.cat((blind, shadows))


def _farthest(directions: Tensor, row: Tensor) -> Tensor:
    """The longest step along one of them, forwards or back, that leaves no weight below 0."""
    best = torch.zeros_like(row)
    for direction in (*directions, *-directions):
        falls = direction < 0
        if falls.any():
            step = direction * float((row[falls] / -direction[falls]).min())
            best = max(best, step, key=lambda each: float(each.abs().sum()))
    return best
