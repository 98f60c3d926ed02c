"""A fully connected layer over places beside attention: whose weights move when words do (``fc-fixed``)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.language import listed
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import weight_tolerance
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw_parameters
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.studies.projections.parts import NO_TWO_WORDS, attention, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedResult(Result):
    """Weights over places, of a full layer and of attention, of words as written and moved on by one place.

    Attributes:
        moved_words: The words, each one place further on, the last one first.
        full: ∂yᵢ/∂xⱼ of the full layer, as written and moved (2, tokens, tokens).
        weights: Weights of attention, as written and moved (2, heads, tokens, tokens).
        change: Largest absolute difference of attention's.
        lengths: How many words were tried.
        taken: Of these how many the full layer takes, and how many attention.
    """

    moved_words: tuple[str, ...]
    full: np.ndarray
    weights: np.ndarray
    change: float
    lengths: tuple[int, ...]
    taken: tuple[int, int]


def run_fixed(config: ProjectionsConfig) -> FixedResult:
    """Move the words on by one place in front of a full layer and of attention; then give both other lengths."""
    return run_tests(FixedResult, config, TESTS, _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    n, written = len(config.tokens), words(config)
    moved = replace(config, tokens=config.tokens[-1:] + config.tokens[:-1])
    layer, module = _full_layer(config), attention(config)
    full = torch.stack([_over_places(layer, x) for x in (written, words(moved))])
    traces = [module.trace(words(one), attn_mask=mask(one)) for one in (config, moved)]
    frozen = traces[0].weights if config.frozen else None
    weights = torch.stack([on_cpu(trace.weights if frozen is None else frozen)[0] for trace in traces])
    lengths = tuple(dict.fromkeys((1, n, n + 1, 2 * n)))

    def attend(x: Tensor) -> Tensor:
        trace = module.trace(x)
        return trace.output if frozen is None else module.out_of_heads(frozen @ trace.v)

    several = [written.repeat(1, 2, 1)[:, :length] for length in lengths]
    taken = tuple(sum(_takes(part, x) for x in several) for part in (lambda x: layer(x.mT).mT, attend))
    change, tried = largest(weights[1] - weights[0]), _("of {lengths} words", lengths=listed(map(str, lengths)))
    places = _("words moved on by one place")
    found = {
        "fc-fixed.full": Measurement(largest(full[1] - full[0]), 0.0, places, largest(full)),
        "fc-fixed.attention": Measurement(change, weight_tolerance(module, *traces), places, largest(weights)),
        "fc-fixed.one-length": Measurement(taken[0], 1, tried),
        "fc-fixed.any-length": Measurement(taken[1], len(lengths), tried),
    }
    return found, {
        "moved_words": moved.tokens,
        "full": full,
        "weights": weights,
        "change": change,
        "lengths": lengths,
        "taken": taken,
    }


@torch.inference_mode(False)
def _full_layer(config: ProjectionsConfig) -> nn.Linear:
    """Makes each place a weighted sum of all places, as a fully connected layer does: y = W x."""
    n = len(config.tokens)
    layer = draw_parameters(nn.Linear(n, n, bias=False, dtype=torch.float64), config.seed)
    return layer.to(config.torch_device, config.torch_dtype)


def _over_places(layer: nn.Linear, x: Tensor) -> Tensor:
    """∂yᵢ/∂xⱼ of one feature, by autograd (tokens, tokens): the layer treats all features alike."""
    with torch.inference_mode(False), torch.enable_grad():
        feature = x[0, :, 0].clone().requires_grad_()
        rows = [pull_back(y, feature, torch.ones_like(y), keep=True)[0] for y in layer(feature[None])[0]]
    return on_cpu(torch.stack(rows))


def _takes(part: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """Whether so many words are taken."""
    try:
        part(x)
    except RuntimeError:  # what torch raises of shapes that do not fit
        return False
    return True


def _still(config: ProjectionsConfig) -> Theory:
    """The weights of a full layer are its parameters."""
    return Holds() if config.differ else Open(NO_TWO_WORDS)


def _moves(config: ProjectionsConfig) -> Theory:
    """The weights of attention are made from the words."""
    if config.frozen:
        return Fails(_FROZEN)
    return Holds() if config.differ else Open(NO_TWO_WORDS)


def _any_length(config: ProjectionsConfig) -> Theory:
    return Fails(_FROZEN) if config.frozen else Holds()


_FROZEN: Final = _("its weights are kept from the words as written")
TESTS: Final = (
    ClaimTest("fc-fixed.full", "≤", _("where words move, a full layer's weights over places move by at most"),
              "max |∂yᵢ/∂xⱼ(σX) − ∂yᵢ/∂xⱼ(X)|", theory=_still),
    ClaimTest("fc-fixed.attention", "≥", _("and those of attention by up to"), "max |A(σX) − A(X)|", theory=_moves),
    ClaimTest("fc-fixed.one-length", "=", _("of several lengths a full layer takes"), _("lengths, y = W x")),
    ClaimTest("fc-fixed.any-length", "=", _("of several lengths attention takes"), _("lengths, attention"),
              theory=_any_length),
)  # fmt: skip
