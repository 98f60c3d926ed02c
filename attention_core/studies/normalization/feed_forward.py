"""What the feed-forward network does that attention does not (``ffn-alone``, ``ffn-span``)."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.inputs import draw_parameters
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.block import TransformerBlock
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.normalization.block_under_test import BIAS_STD, NEXT_SEED, block_tokens
from attention_core.studies.normalization.parts import jacobian
from attention_core.studies.normalization.settings import ACTIVATIONS, NormalizationConfig

Module = TypeVar("Module", bound=nn.Module)
STEEPEST: Final = 1.13  # slope of GELU, at √2; that of ReLU is 1
DRAWS: Final = 3  # of all weights; the first is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardResult(Result):
    """One head of attention, and behind it what changes the contexts that it gives.

    Attributes:
        depends: The largest derivative of what comes out at one word by any number of another, for attention, for
            what stands in the feed-forward network's place, and for a fully connected layer over places (3, n, n).
        outside: How much of a word's context, and of what the feed-forward network makes of it, lies outside of what
            the values span: a share of its length (n, 2).
        parameters: Numbers of a block's attention, feed-forward network and norms, as they are trained.
        places: Those of the fully connected layer.
    """

    depends: np.ndarray
    outside: np.ndarray
    parameters: tuple[int, int, int]
    places: int


def run_feed_forward(config: NormalizationConfig) -> FeedForwardResult:
    """Differentiate a feed-forward network by each word, and look whether it leaves what the values span."""
    return run_tests(FeedForwardResult, config, TESTS, _measure)


def _measure(config: NormalizationConfig) -> Measurements:
    n, d = config.num_tokens, config.d_model
    x, apart = block_tokens(config), ~torch.eye(n, dtype=torch.bool)
    drawn = [_layers(config, number) for number in range(DRAWS)]
    derivatives = [jacobian(other, _contexts(block)(x)) for block, other, _places in drawn]  # (n, d, n, d) each
    others = torch.cat([one.transpose(1, 2)[apart] for one in derivatives])

    block, _other, places = drawn[0]
    assert block.feed_forward is not None
    values, contexts = on_cpu(block.self_attention.trace(x).v[0, 0]), _contexts(block)(x)
    over_places = jacobian(lambda z: places(z.mT).mT, contexts)
    mixes = (jacobian(_contexts(block), x), derivatives[0], over_places)

    basis = torch.linalg.qr(values.T).Q  # (d, min(n, d))
    made, exact = block.feed_forward(contexts), _precise(block.feed_forward)(on_cpu(contexts))
    (left, whole), (out, length), (least, _length) = (
        _outside(on_cpu(each)[0], basis) for each in (contexts, made, exact)
    )
    words, spread = _("{count} words", count=n), float(values.norm())

    def leaves(parts: Tensor, dtype: torch.dtype, exact: Measurement | None = None) -> Measurement:
        bound = _made_tolerance(config, block, contexts, dtype)
        return Measurement(float(parts.min()), bound, words, float(length.min()), exact=exact)

    draws = _("{count} draws of all weights", count=DRAWS)
    within = sum_tolerance(config.torch_dtype, scale=spread, terms=n * d, rounded=spread)
    found = {
        "ffn-alone": Measurement(
            int((others != 0).sum()), 0, draws, unit=_("of {count:,} cases", count=others.numel())
        ),
        # A context is rounded as a mean of n values; its part outside of them, as their basis of n · d numbers.
        "ffn-span.context": Measurement(largest(left), within, words, largest(whole)),
        "ffn-span.leaves": leaves(out, config.torch_dtype, leaves(least, torch.float64)),
    }
    return found, {
        "depends": torch.stack([one.abs().amax((1, 3)) for one in mixes]),
        "outside": torch.stack((left / whole, out / length), 1),
        "parameters": _counts(block),
        "places": sum(each.numel() for each in places.parameters()),
    }


def _layers(config: NormalizationConfig, number: int) -> tuple[TransformerBlock, nn.Module, nn.Linear]:
    """A block with one head, what stands in its feed-forward network's place, and a layer over places."""
    d, seed = config.d_model, config.seed + number * NEXT_SEED

    def drawn(module: Module) -> Module:
        return draw_parameters(module, seed, bias_std=BIAS_STD).to(config.torch_device, config.torch_dtype)

    block = drawn(TransformerBlock(d, 1, activation=ACTIVATIONS[config.activation], dtype=torch.float64))
    assert block.feed_forward is not None
    instead = MultiHeadAttention(d, 1, dtype=torch.float64)
    other = drawn(instead) if config.attention_instead else block.feed_forward
    return block, other, drawn(nn.Linear(config.num_tokens, config.num_tokens, dtype=torch.float64))


def _contexts(block: TransformerBlock) -> Callable[[Tensor], Tensor]:
    """From words to the contexts of the block's one head (1, n, d_model)."""
    return lambda x: block.self_attention.trace(x).context[:, 0]


def _precise(module: Module) -> Module:
    return copy.deepcopy(module).to("cpu", torch.float64)


def _outside(vectors: Tensor, basis: Tensor) -> tuple[Tensor, Tensor]:
    """How long the part outside of a basis's span is, and the whole."""
    return (vectors - vectors @ basis @ basis.T).norm(dim=-1), vectors.norm(dim=-1)


def _made_tolerance(
    config: NormalizationConfig, block: TransformerBlock, contexts: Tensor, dtype: torch.dtype
) -> float:
    """How far rounding moves what the network makes of a context, and the part of it outside of n values.

    In half precision what is bent, what comes of that and the sum are rounded, by half an eps each.
    """
    assert block.feed_forward is not None
    network = _precise(block.feed_forward)
    wide = network.widen(on_cpu(contexts))[0]
    added = STEEPEST * wide.abs() + network.activation(wide).abs()
    size = float((added @ network.narrow.weight.abs().T + network.narrow.bias.abs()).norm(dim=-1).max())
    terms = config.d_model * (1 + config.num_tokens) + network.widen.out_features
    return sum_tolerance(dtype, scale=size, terms=terms, rounded=size)


def _counts(block: TransformerBlock) -> tuple[int, int, int]:
    parts = block.self_attention, block.feed_forward
    attention, feed = (sum(each.numel() for each in part.parameters()) for part in parts if part is not None)
    return attention, feed, sum(each.numel() for each in block.parameters()) - attention - feed


_FULL: Final = _("there are as many words as features, so the values span all there is")


def _alone(config: NormalizationConfig) -> Theory:
    return Fails(_("attention looks at other words")) if config.attention_instead else Holds()


def _within(config: NormalizationConfig) -> Theory:
    nothing = _("the values span all there is, so nothing could lie outside")
    return Open(nothing) if config.num_tokens >= config.d_model else Holds()


def _leaves(config: NormalizationConfig) -> Theory:
    return Fails(_FULL) if config.num_tokens >= config.d_model else Holds()


TESTS: Final = (
    ClaimTest("ffn-alone", "=", _("what comes out at a word depends on another word in"),
              _("how many ∂y_ij/∂x_kl ≠ 0, k ≠ i"), theory=_alone),
    ClaimTest("ffn-span.context", "≤", _("of a context there lies outside of what the values span at most"),
              _("max ‖c − P c‖"), theory=_within),
    ClaimTest("ffn-span.leaves", "≥", _("of what the network makes of a context there lies outside at least"),
              _("min ‖y − P y‖"), theory=_leaves),
)  # fmt: skip
