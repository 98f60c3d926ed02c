"""Attention on pictures: patches as tokens, their order, how far a layer sees, and what covering a patch costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing, sum_tolerance, variance
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw
from attention_core.measuring.judge import Measurement, Measurements, largest, run_tests
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.modules.vision import VisionTransformer
from attention_core.shipped.vision import PATCHES, SIDE
from attention_core.studies.images.convolution import FARTHEST, convolutions, pixels_seen
from attention_core.studies.images.model import collect_of, mask_of, model_of, train_here
from attention_core.studies.images.pictures import all_covered, cut, picture_of, shown_picture, shuffled
from attention_core.studies.images.ranks import rank_correlation
from attention_core.studies.images.settings import ImagesConfig
from attention_core.studies.images.theory import TESTS

PAIRS: Final = PATCHES**2


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesResult(Result):
    """A picture, what the model makes of it, and what changes that.

    Attributes:
        picture: As it is shown (16, 16), from 0 for paper to 1.
        weights: Of its tokens, the one that collects before the patches (layers, heads, tokens, tokens).
        probabilities: Of each class (classes,).
        before: The same of the picture as drawn: neither shuffled nor covered (classes,).
        answer: The class that is likeliest while no patch is covered.
        lead: How far the answer's score is ahead of the next one's, while no patch is covered.
        costs: How much of this lead is lost when each patch is covered (patches,).
        ranks: Rank correlation of the weights of the token that collects with ``costs`` (layers, heads); NaN where
            all of one are equal.
        moved: Largest difference of a class's score after the shuffle, of the transformer and of the convolutions.
        seen: Whether a patch (row) depends on another (column) after one layer, by autograd (patches, patches).
        pixels_seen: How many pixels a corner depends on after 1, 2, … convolutions of 3 × 3 (layers,).
    """

    picture: np.ndarray
    weights: np.ndarray
    probabilities: np.ndarray
    before: np.ndarray
    answer: int
    lead: float
    costs: np.ndarray
    ranks: np.ndarray
    moved: tuple[float, float]
    seen: np.ndarray
    pixels_seen: np.ndarray


def run_images(config: ImagesConfig) -> ImagesResult:
    """Read the picture, shuffle it, cover each of its patches, and ask autograd what a layer sees."""
    return run_tests(ImagesResult, config, TESTS, _measure)


def steps_images(config: ImagesConfig) -> Iterator[Step | ImagesResult]:
    """As ``run_images``, with the steps of training before it where the model is trained here."""
    if config.is_light:
        yield Step(0, 1)
    else:
        yield from train_here(config)
    yield run_images(config)


def _measure(config: ImagesConfig) -> Measurements:
    model, plain = model_of(config), _on(config, picture_of(config))
    placed, shown = (_on(config, each) for each in shown_picture(config))
    with torch.inference_mode():
        found = _embedded(config, model, plain) | _order(config, model, plain) | _unseen(config, model, plain)
        looked = _looked_at(config, model, placed, shown)
        before = _probabilities(_scores(config, model, plain[None]))[0]
    seen, layers = _seen(config, model, plain), pixels_seen(config.torch_device, config.torch_dtype)
    found["vit-reach.attention"] = Measurement(
        int(seen.sum()), PAIRS, _("the first layer, all patches, autograd"), unit=_("of {count} pairs", count=PAIRS)
    )
    found["vit-reach.convolution"] = Measurement(
        1 + int((layers < layers.max()).sum()), FARTHEST, _("from a corner, autograd"), unit=_("layers")
    )
    return found, looked | {
        "picture": shown,
        "before": before,
        "moved": (found["vit-order.same"].measured, found["vit-order.convolution"].measured),
        "seen": seen,
        "pixels_seen": layers,
    }


def _on(config: ImagesConfig, picture: Tensor) -> Tensor:
    return picture.to(config.torch_device, config.torch_dtype)


def _scores(config: ImagesConfig, model: VisionTransformer, pictures: Tensor, mask: Tensor | None = None) -> Tensor:
    seen = mask_of(config) if mask is None else mask
    return model(pictures, attn_mask=seen, collect=collect_of(config))


def _probabilities(scores: Tensor) -> Tensor:
    return on_cpu(scores).softmax(-1)


def _embedded(config: ImagesConfig, model: VisionTransformer, picture: Tensor) -> dict[str, Measurement]:
    """The embedding of patches beside a convolution that goes from patch to patch."""
    part = model.embedding
    kernel = part.kernel.mT if config.columns_first else part.kernel
    convolved = F.conv2d(picture[None, None], kernel, part.bias, stride=SIDE).flatten(2).mT
    embedded = part(picture[None])
    scale = cut(on_cpu(picture)).flatten(1) @ on_cpu(part.weight).abs().mT + on_cpu(part.bias).abs()
    bound = sum_tolerance(config.torch_dtype, scale=float(scale.max()), terms=SIDE**2 + 1, rounded=2.0)
    off = largest(on_cpu(embedded) - on_cpu(convolved))
    return {"patch-linear": Measurement(off, bound, _("all patches"), largest(on_cpu(embedded)))}


def _order(config: ImagesConfig, model: VisionTransformer, picture: Tensor) -> dict[str, Measurement]:
    """The scores of the shuffled picture beside those of the picture, of the transformer and of convolutions."""
    both = torch.stack((picture, _on(config, shuffled(config, picture_of(config)))))
    one, other = on_cpu(_scores(config, model, both))
    bound, order = scores_tolerance(config, model, picture), _("one order that leaves no patch in place")
    network = convolutions(config)
    first, second = on_cpu(network(both))
    return {
        "vit-order.same": Measurement(largest(other - one), bound, order, largest(one)),
        "vit-order.convolution": Measurement(largest(second - first), network.tolerance(both), order),
    }


def _unseen(config: ImagesConfig, model: VisionTransformer, picture: Tensor) -> dict[str, Measurement]:
    """Each patch covered or not where no token sees it."""
    hides = torch.eye(PATCHES + 1, dtype=torch.bool)[1:, None, :].to(config.torch_device)
    seen, near = ~hides.expand(-1, PATCHES + 1, -1), mask_of(config)
    seen = seen if near is None else seen & near
    plain = _scores(config, model, picture.expand(PATCHES, -1, -1), seen)
    other = _scores(config, model, _on(config, all_covered(picture_of(config))), seen)
    off = on_cpu(other - plain).abs().amax(1)
    bound = max(scores_tolerance(config, model, picture, each) for each in seen)
    cases = _("each of {count} patches, seen by none", count=PATCHES)
    return {"vit-cover": Measurement(float(off.max()), bound, cases, largest(on_cpu(plain)))}


def scores_tolerance(
    config: ImagesConfig, model: VisionTransformer, picture: Tensor, mask: Tensor | None = None
) -> float:
    """Largest difference of two scores that rounding explains, of two passes over one picture.

    That of the last states, carried through the matrix of the classes, and the rounding of its own sums; the mean
    over the patches is one more sum. In half precision the scores are rounded once more, to either side.
    """
    seen = mask_of(config) if mask is None else mask
    at = None if seen is None else seen.cpu()

    def compute(exact: VisionTransformer, pictures: Tensor) -> Tensor:
        return exact(pictures, attn_mask=at, collect=collect_of(config))

    bound = stack_tolerance(model, compute, picture[None])
    states = on_cpu(model.stack(model.tokens(picture[None]), attn_mask=seen))[0]
    states = states[1:].mean(0) if config.averaged else states[0]
    matrix, shift = on_cpu(model.head.weight), on_cpu(model.head.bias)
    scores, squares = matrix @ states + shift, matrix.square() @ states.square() + shift.square()
    if is_half(config.torch_dtype):
        mean = float(spacing(states, config.torch_dtype).max() * matrix.abs().sum(1).max()) * config.averaged
        return bound + mean + 2 * float(spacing(scores, config.torch_dtype).max())
    terms = len(states) + 1 + PATCHES * config.averaged
    return (
        bound + LAMBDA * (2 * float(variance(scores, config.torch_dtype, terms=terms, squares=squares).max())) ** 0.5
    )


def _looked_at(config: ImagesConfig, model: VisionTransformer, placed: Tensor, shown: Tensor) -> dict[str, Any]:
    """Weights, probabilities and what covering costs."""
    trace = model.trace(torch.stack((placed, shown)), attn_mask=mask_of(config)).self_attention
    weights = on_cpu(torch.stack([layer.weights for layer in trace], 1))  # (2, layers, heads, tokens, tokens)
    scores = on_cpu(_scores(config, model, torch.stack((placed, shown))))
    answer = int(scores[0].argmax())
    lead = float(_leads(scores[:1], answer))
    without = on_cpu(_scores(config, model, _on(config, all_covered(on_cpu(placed)))))
    costs = (lead - _leads(without, answer)).numpy()
    looks = weights[0, :, :, 0, 1:].numpy()
    ranks = np.array([[rank_correlation(head, costs) for head in layer] for layer in looks])
    return {
        "weights": weights[1], "probabilities": scores[1].softmax(-1), "answer": answer, "lead": lead, "costs": costs,
        "ranks": ranks,
    }  # fmt: skip


def _leads(scores: Tensor, answer: int) -> Tensor:
    """How far a class is ahead of the best other one (batch,)."""
    others = scores.clone()
    others[:, answer] = -torch.inf
    return scores[:, answer] - others.amax(1)


def _seen(config: ImagesConfig, model: VisionTransformer, picture: Tensor) -> np.ndarray:
    """Which patches the first layer's output at each patch depends on, by autograd."""
    tokens = model.tokens(picture[None]).detach().requires_grad_()
    output = model.stack.layers[0](tokens, attn_mask=mask_of(config))
    weighed = draw((PATCHES + 1, output.shape[-1]), config.seed, "what comes back").to(output)
    rows = [
        pull_back(output[0, at], tokens, weighed[at], keep=True)[0][0, 1:].abs().sum(-1) > 0
        for at in range(1, PATCHES + 1)
    ]
    return torch.stack(rows).cpu().numpy()
