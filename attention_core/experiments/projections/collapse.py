"""What attention does to its tokens layer by layer, with and without the residual (``rank-collapse``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.projections.config import LAYERS, ProjectionsConfig, breaks
from attention_core.experiments.projections.parts import attention, mask, words
from attention_core.experiments.verdict import Provenance, Verdict

COLLAPSED: Final = 0.1  # of ‖X − mean‖ may be left of a collapse; random residual stacks of any size keep more


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapseResult:
    """Tokens after each layer of attention alone (0), and of attention added to its input (1).

    Attributes:
        distances: ‖x_i − x_j‖ of every two tokens after each layer, the input first, the largest of the input as 1
            (2, layers + 1, tokens, tokens).
        apart: ‖X − mean‖ / ‖X‖, the mean over tokens, after each layer (2, layers + 1).
        left: ‖X − mean‖ after each layer, the input's as 1 (2, layers + 1).
        verdicts: ``rank-collapse``.
        provenance: Where the numbers come from.
    """

    distances: np.ndarray
    apart: np.ndarray
    left: np.ndarray
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_collapse(config: ProjectionsConfig) -> CollapseResult:
    """Send the tokens through twelve layers, each with parameters of its own, without and with the residual.

    Dong et al. (2021), "Attention Is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth".

    Args:
        config: The settings; ``residual`` says which of the two stacks the claim is about.
    """
    layers = [attention(config, layer=layer) for layer in range(LAYERS)]
    causal, start = mask(config), words(config)
    distances, apart, left = [], [], []
    for residual in (False, True):
        x, states = start, [start]
        for layer in layers:
            out = layer(x, attn_mask=causal)
            x = x + out if residual else out
            states.append(x)
        stack = on_cpu(torch.cat(states))  # (layers + 1, tokens, d_model)
        between = (stack[:, :, None] - stack[:, None]).norm(dim=-1)
        distances.append(between / between[0].max() if config.differ else between)
        distance = (stack - stack.mean(1, keepdim=True)).flatten(1).norm(dim=1)
        apart.append(distance / stack.flatten(1).norm(dim=1))
        left.append(distance / distance[0] if config.differ else distance)
    held = judge(
        config,
        "rank-collapse",
        f"‖X − mean‖ after {LAYERS} layers, of the input's",
        float(left[config.residual][-1]),
        "≤",
        COLLAPSED,
        cases="with the residual" if config.residual else "attention alone",
        because=breaks(config, "rank-collapse"),
    )
    return CollapseResult(
        distances=array(torch.stack(distances)),
        apart=array(torch.stack(apart)),
        left=array(torch.stack(left)),
        verdicts=(held,),
        provenance=Provenance.of(config),
    )
