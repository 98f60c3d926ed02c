"""What can be said of an attention whose weights are not known: how its outputs move with its inputs."""

import torch
from torch import Tensor

from attention_core.identify.draws import tokens
from attention_core.identify.found import Row
from attention_core.identify.subject import Subject

SMALL = 1e-5  # of the output: without weights a module may compute in float32


def behaviour(subject: Subject) -> tuple[Row, ...]:
    """Rows of the table: batch, order, future and lengths."""
    x = tokens(2, 6, subject.d_model, 0)
    out = subject(x)
    changed = x.clone()
    changed[1] += 1
    alone = _near(subject(changed)[0], out[0])
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    equivariant = _near(subject(x[:, order]), out[:, order])
    later = x.clone()
    later[:, 4:] += 1
    causal = _near(subject(later)[:, :4], out[:, :4])
    earlier = x.clone()
    earlier[:, :2] += 1
    past_hidden = _near(subject(earlier)[:, 2:], out[:, 2:])
    shorter = _near(subject(x[:, :4]), out[:, :4])
    seen = "no token sees a later one" if causal else "later tokens are seen"
    seen = "no token sees an earlier one" if past_hidden and not causal else seen
    return (
        Row(
            "Batch",
            "entries do not see each other" if alone else "entries see each other",
            "they do not",
            "one was changed",
        ),
        Row(
            "Order",
            "a shuffle shuffles the output" if equivariant else "order matters",
            "either",
            "tokens were shuffled",
        ),
        Row("Mask", seen, "either", "tokens were changed"),
        Row(
            "Length",
            "further tokens change nothing" if shorter else "further tokens change the rest",
            "either",
            "cut off",
        ),
        Row("Scale, heads, softmax, biases", "not known", "", "they show only beside the weights"),
    )


def _near(one: Tensor, other: Tensor) -> bool:
    return bool((one - other).abs().max() <= SMALL * other.abs().max())
