"""What every attention inside a larger model computed, one call after the other."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.attention_trace import NOTHING, AttentionTrace, Replacements
from attention_core.modules.multi_head import MultiHeadAttention

NONE: Final[Mapping[str, Replacements]] = {}


class TracedCall(NamedTuple):
    """One call of one attention.

    Attributes:
        name: The module's name in the model, as in ``named_modules()``: ``layers.0.self_attention``.
        attention: The module.
        tokens: What it was given.
        options: With which masks and positions.
        trace: All that it computed.
    """

    name: str
    attention: MultiHeadAttention
    tokens: tuple[Tensor, ...]
    options: dict[str, Any]
    trace: AttentionTrace


@dataclass(frozen=True, slots=True)
class StackTrace:
    """What the attentions of a stack computed in one pass.

    Attributes:
        self_attention: Every intermediate of each layer's self-attention, the bottom layer first.
        cross_attention: Likewise of its cross-attention; empty where there is none.
        output: What ``forward`` returns ``(batch, tokens, d_model)``.
    """

    self_attention: tuple[AttentionTrace, ...]
    cross_attention: tuple[AttentionTrace, ...]
    output: Float[Tensor, "batch tokens d_model"]


@contextmanager
def traced(model: nn.Module, replace: Mapping[str, Replacements] = NONE) -> Iterator[list[TracedCall]]:
    """While open, every attention inside ``model`` computes by its ``trace`` and leaves what it did.

    Args:
        model: The model.
        replace: By the attention's name in the model, what takes the place of its intermediates, as in
            :meth:`MultiHeadAttention.trace`.

    Example::

        with traced(model) as calls:
            model(x)
        [(call.name, call.trace.weights) for call in calls]   # in the order of the calls
    """
    calls: list[TracedCall] = []

    def forward(name: str, attention: MultiHeadAttention, *tokens: Tensor, **options: Any) -> Tensor:
        trace = attention.trace(*tokens, **options, replace=replace.get(name, NOTHING))
        calls.append(TracedCall(name, attention, tokens, options, trace))
        return calls[-1].trace.output

    attentions = [(name, each) for name, each in model.named_modules() if isinstance(each, MultiHeadAttention)]
    for name, each in attentions:
        vars(each)["forward"] = partial(forward, name, each)
    try:
        yield calls
    finally:
        for _, each in attentions:
            del vars(each)["forward"]
