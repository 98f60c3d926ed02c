"""What attention does to its tokens layer by layer, with and without the residual (``rank-collapse``)."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import is_half
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.studies.projections.parts import NO_TWO_WORDS, attention, mask, words
from attention_core.studies.projections.settings import LAYERS, ProjectionsConfig

COLLAPSED: Final = 0.1  # a tenth of the tokens' differences may be left of a collapse
ALIVE: Final = 1e-3  # of its input's length a layer's output has at least; all weights have variance 1/fan-in
# What random weights do is a matter of chance: with 8 numbers a token or more, and norms that spread by no more than
# 0.5, none of a thousand draws at each of many settings went another way. With 2 numbers, or a spread of 1, some did.
WIDE: Final = 8
MILD: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapseResult(Result):
    """Tokens after each layer of attention alone (0), and of attention added to its input (1).

    Attributes:
        distances: ‖x_i − x_j‖ of every two tokens after each layer, the input first, the largest of the input as 1
            (2, layers + 1, tokens, tokens).
        apart: ‖X − mean‖ / ‖X‖, the mean over tokens, after each layer (2, layers + 1).
        left: ‖X − mean‖ after each layer, the input's as 1 (2, layers + 1).
        exact: In half precision, what ``apart`` and ``left`` come to in float64 (2, 2): through so many layers
            rounding grows, until it decides the digits. None in other precisions.
    """

    distances: np.ndarray
    apart: np.ndarray
    left: np.ndarray
    exact: np.ndarray | None


def run_collapse(config: ProjectionsConfig) -> CollapseResult:
    """Send the tokens through twelve layers, each with parameters of its own, without and with the residual.

    Dong et al. (2021), "Attention Is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth".
    """
    return run_tests(CollapseResult, config, TESTS, _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    layers = [attention(config, layer=layer) for layer in range(LAYERS)]
    causal, start = mask(config), words(config)
    distances, apart, left, answers = [], [], [], []
    for residual in (False, True):
        x, states = start, [start]
        for layer in layers:
            out = layer(x, attn_mask=causal)
            answers.append(float(on_cpu(out).norm() / on_cpu(x).norm()))
            x = x + out if residual else out
            states.append(x)
        stack = on_cpu(torch.cat(states))  # (layers + 1, tokens, d_model)
        between = (stack[:, :, None] - stack[:, None]).norm(dim=-1)
        distances.append(between / between[0].max() if config.differ else between)
        distance = (stack - stack.mean(1, keepdim=True)).flatten(1).norm(dim=1)
        apart.append(distance / stack.flatten(1).norm(dim=1))
        left.append(distance / distance[0] if config.differ else distance)
    stack_of = _("with the residual") if config.residual else _("attention alone")
    found = {
        "rank-collapse.left": Measurement(float(left[config.residual][-1]), COLLAPSED, stack_of),
        "rank-collapse.alike": Measurement(float(apart[config.residual][-1]), COLLAPSED, stack_of),
        "rank-collapse.alive": Measurement(
            float(torch.tensor(answers).min()), ALIVE, _("2 · {layers} layers", layers=LAYERS)
        ),
    }
    drawn = {"distances": distances, "apart": apart, "left": left}
    values = {name: torch.stack(parts) for name, parts in drawn.items()}
    if not is_half(config.torch_dtype):
        return found, values | {"exact": None}
    precise = _measure(replace(config, dtype="float64", device="cpu"))[1]
    return found, values | {"exact": torch.stack([precise["apart"][:, -1], precise["left"][:, -1]])}


def _alive(config: ProjectionsConfig) -> Theory:
    """How long the output of random weights is must not be a matter of chance."""
    said = _("with {size} numbers for a token a draw of random weights may do anything", size=config.d_model)
    return Open(said) if config.d_model < WIDE else Holds()


def _mixed(config: ProjectionsConfig) -> Theory:
    """Random weights mix all tokens in every layer, so that twelve are enough."""
    theory = _alive(config)
    if isinstance(theory, Open):
        return theory
    if not config.differ:
        return Open(NO_TWO_WORDS)
    if config.spread > MILD and not config.qk_norm:
        return Open(_("words much longer than others may keep the weight of whole layers to themselves"))
    if config.causal:
        return Open(_("a causal mask slows the collapse, and {layers} layers may not be enough", layers=LAYERS))
    if config.qk_norm and config.biases == "none":
        return Open(
            _("QK-norm without biases makes attention odd and free of scale: words may end as opposites, not as one")
        )
    if config.positions == "rotary":
        return Open(_("rotary positions let heads look at few tokens, which may keep them apart"))
    return Holds()


def _left(config: ProjectionsConfig) -> Theory:
    """Little is left of the tokens' differences."""
    if config.residual and config.differ and isinstance(_alive(config), Holds):
        return Fails(_("the residual carries every token past the attention"))
    return _mixed(config)


def _alike(config: ProjectionsConfig) -> Theory:
    """Little is left beside what the tokens have in common."""
    if config.residual and config.differ:
        return Open(_("with the residual the common part may outgrow the differences or not"))
    return _mixed(config)


TESTS: Final = (
    ClaimTest("rank-collapse.left", "≤",
              _("after {layers} layers, the part of the tokens' differences that is left is", layers=LAYERS),
              _("‖X − mean‖ after {layers} layers, of the input's", layers=LAYERS), theory=_left, rounds=False),
    ClaimTest("rank-collapse.alike", "≤", _("beside what they have in common, the tokens' differences are"),
              _("‖X − mean‖/‖X‖ after {layers} layers", layers=LAYERS), theory=_alike, rounds=False),
    ClaimTest("rank-collapse.alive", "≥", _("a layer's output has, of its input's length, at least"),
              _("min ‖f(X)‖/‖X‖ over the layers of both stacks"), theory=_alive),
)  # fmt: skip
