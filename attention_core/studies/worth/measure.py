"""The worth of weights: every edge of a head cut, and what theory says of attention's own output."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.judge import Steps, run_tests_in_steps
from attention_core.measuring.models import Head, attentions, into_stack, stack_of
from attention_core.measuring.step import Step
from attention_core.modules.traced import TracedCall, traced
from attention_core.studies.worth.edges import (
    Target,
    by_gradient,
    edges_in_passes,
    head_sizes,
    largest_head,
    lead_of_kinds,
    lead_of_next,
    spearman,
    written,
)
from attention_core.studies.worth.output import measure_output
from attention_core.studies.worth.result import WorthResult
from attention_core.studies.worth.settings import WorthConfig
from attention_core.studies.worth.theory import TESTS


def run_worth(config: WorthConfig) -> WorthResult:
    """All of ``steps_worth`` at once, for a model that answers as fast as any other picture."""
    *_, result = steps_worth(config)
    assert isinstance(result, WorthResult)
    return result


def steps_worth(config: WorthConfig) -> Iterator[Step | WorthResult]:
    """Cut every edge of a head: a ``Step`` before each batch of them, and last the result."""
    yield from run_tests_in_steps(WorthResult, config, TESTS, _steps)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a model on a text.

    Attributes:
        target: From logits to the lead.
        leads: The id of the word that leads.
        behind: The id of the one that it leads.
    """

    target: Target
    leads: int
    behind: int


def asked_of(config: WorthConfig, module: Checkpoint, ids: Tensor) -> Asked:
    """Which word or kind leads with nothing cut, and what says by how much."""
    with torch.no_grad():
        last = on_cpu(module(ids[None])[0, -1])
    if config.kinds:
        first, second = (max(kind, key=lambda at: float(last[at])) for kind in config.kinds)
        order = 1 if last[first] >= last[second] else -1
        (leads, right), (behind, wrong) = tuple(zip((first, second), config.kinds, strict=True))[::order]
        return Asked(lead_of_kinds(right, wrong), leads, behind)
    leads, behind = (int(at) for at in last.topk(2).indices)
    return Asked(lead_of_next(leads), leads, behind)


def prepared_with(config: WorthConfig, head: Head | None) -> Checkpoint:
    """The model, where asked for with softmax plus one in the layer of the head; before that is known in all."""
    module = config.prepared()
    if config.plus_one:
        for layer, attention in enumerate(attentions(module)):
            attention.zero_sink = head is None or layer == head[0]
    return module


def found_head(config: WorthConfig) -> tuple[Head, Checkpoint, Tensor, Asked, list[Tensor]]:
    """The head that is looked at, the model, the text, what is asked, and gradient by weight of each layer."""
    ids = torch.tensor(config.spelled()[0], device=config.torch_device)
    module = prepared_with(config, config.chosen)
    asked = asked_of(config, module, ids)
    gradients = by_gradient(module, ids, asked.target)
    if config.chosen is not None:
        return config.chosen, module, ids, asked, gradients
    head = largest_head(gradients)
    if not config.plus_one:
        return head, module, ids, asked, gradients
    module = prepared_with(config, head)
    asked = asked_of(config, module, ids)
    return head, module, ids, asked, by_gradient(module, ids, asked.target)


def calls_of(module: Any, ids: Tensor) -> list[TracedCall]:
    """What each attention computes of a text."""
    tokens, options = into_stack(module, ids[None])
    with torch.no_grad(), traced(stack_of(module)) as calls:
        stack_of(module)(*tokens, **options)
    return calls


def _steps(config: WorthConfig) -> Steps:
    yield Step(0, 100, _("one pass, and one back"))
    head, module, ids, asked, gradients = found_head(config)
    passes, done = edges_in_passes(module, ids, asked.target, head, config.rest, gradients), 0
    while True:
        yield Step(1 + int(97 * done), 100, _("cutting edges"))
        try:
            done = next(passes)
        except StopIteration as end:
            edges = end.value
            break
    layer, number = head
    with torch.no_grad():
        calls = calls_of(module, ids)
        found, free = measure_output(config, calls[layer], number)
        whole = module.trace(
            ids[None], replace={f"layers.{layer}.self_attention.context": lambda each: _without(each, number)}
        )
        together = edges.lead - float(asked.target(whole.output)[0])
        first, lengths = _first_tokens(calls)
    n = len(ids)
    is_last = layer == len(calls) - 1 and config.source.causal
    felt = edges.seen & (np.arange(n)[:, None] == n - 1) if is_last else edges.seen
    effects, weighted = edges.effects, edges.weights * edges.lengths
    rows = felt & (edges.seen.sum(-1, keepdims=True) > 1)
    compared = (edges.weights, weighted, np.abs(edges.gradients))
    values: dict[str, Any] = {
        "config": config,
        "tokens": config.spelled()[1],
        "head": head,
        "leads": config.source.name_of(asked.leads),
        "behind": config.source.name_of(asked.behind),
        "is_kind": bool(config.kinds),
        "lead": edges.lead,
        "seen": edges.seen,
        "felt": felt,
        "weights": edges.weights,
        "written": weighted,
        "gradients": edges.gradients,
        "effects": effects,
        "lengths": edges.lengths,
        "together": together,
        "correlations": np.array([spearman(each[rows], np.abs(effects[rows])) for each in compared]),
        "heads": head_sizes(gradients),
        "first": first,
        "first_length": lengths,
        "random": _drawn(rows if rows.any() else felt, config.seed),
        "free": free,
        "free_moved": float(np.abs(free - edges.weights[-1]).sum() / 2),
    }
    return found, values


def _without(context: Tensor, head: int) -> Tensor:
    changed = context.clone()
    changed[:, head] = 0
    return changed


def _drawn(there: np.ndarray, seed: int) -> tuple[int, int]:
    """One of some edges, each as likely."""
    cells = np.argwhere(there)
    query, key = cells[int(Random(seed).random() * len(cells))]
    return int(query), int(key)


def _first_tokens(calls: list[TracedCall]) -> tuple[np.ndarray, np.ndarray]:
    """Mean weight on the first token of each head, and the length of what it writes by the mean of the others."""
    weights, lengths = [], []
    for call in calls:
        n = call.trace.output.shape[1]
        pattern = on_cpu(call.trace.weights)[0]
        weights.append(pattern[:, min(1, n - 1) :, 0].mean(-1).numpy())
        each = [
            written(call.attention, call.trace.v[0], head)[:n].norm(dim=-1)
            for head in range(call.attention.num_heads)
        ]
        lengths.append([float(one[0] / one[min(1, n - 1) :].mean().clamp(min=1e-30)) for one in each])
    return np.array(weights), np.array(lengths)
