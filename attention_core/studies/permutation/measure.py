"""Permutation: what happens to attention when its tokens change places.

Claims: ``perm-kv`` Attn(X, σY, σY) = Attn(X, Y, Y); ``perm-q`` Attn(σX, Y, Y) = σ Attn(X, Y, Y); ``perm-self``
f(σX) = σ f(X). They are measured over all orders of up to seven tokens and over a sample above.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, judge_all, largest, run_tests
from attention_core.measuring.verdict import Result
from attention_core.studies.permutation.module import AT_ONCE, Attention, Blocks, orders_of
from attention_core.studies.permutation.settings import BLOCKS, PermutationConfig, ShuffleConfig
from attention_core.studies.permutation.theory import theory_here, theory_of

# What is measured for each claim that nothing but rounding is left, in words and as a formula.
_MEASURED: Final = {
    "perm-kv": (_("the outputs move by at most"), "max |Attn(X, σY, σY) − Attn(X, Y, Y)|"),
    "perm-q": (_("the outputs, undone, differ by at most"), "max |Attn(σX, Y, Y) − σ Attn(X, Y, Y)|"),
    "perm-self": (_("the outputs, undone, differ by at most"), "max |f(σX) − σ f(X)|"),
    "perm-pool": (_("the mean over the tokens moves by at most"), _("max |mean f(σX) − mean f(X)|")),
    "perm-bias": (_("with biases the outputs, undone, differ by at most"), "max |f(σX) − σ f(X)|"),
    "perm-block": (_("the blocks' outputs, undone, differ by at most"), _("max |block(σX) − σ block(X)|")),
}
TESTS: Final = tuple(
    ClaimTest(claim, "≤", *words, theory=partial(theory_of, claim=claim)) for claim, words in _MEASURED.items()
)
SHUFFLE_TESTS: Final = tuple(replace(test, theory=partial(theory_here, claim=test.key)) for test in TESTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationResult(Result):
    """Residuals of the claims, order by order.

    Attributes:
        claims: Names of the measured claims.
        residuals: Largest absolute difference for each claim and order, float64 (claims, orders).
        eps: Machine epsilon of the precision.
        bound: What rounding alone explains.
    """

    claims: tuple[str, ...]
    residuals: tuple[np.ndarray, ...]
    eps: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleResult(Result):
    """Weights and outputs before and after one shuffle, and with the shuffle undone.

    Attributes:
        weights_before: (heads, q_len, kv_len); those of the last attention, where there are blocks.
        weights_after: The same, rows and columns in the new order.
        weights_undone: ``weights_after`` with rows and columns put back.
        output_before: (q_len, d_model).
        output_after: The same, rows in the new order.
        output_undone: ``output_after`` with rows put back.
        moved: Largest absolute difference of ``output_undone`` and ``output_before``.
        moved_in_place: The same of ``output_after`` and ``output_before``, row by row as they stand.
        bound: What rounding alone explains.
        same: Whether the undone output is the same but for rounding; None where the precision cannot tell.
        same_in_place: The same of the outputs row by row as they stand.
    """

    weights_before: np.ndarray
    weights_after: np.ndarray
    weights_undone: np.ndarray
    output_before: np.ndarray
    output_after: np.ndarray
    output_undone: np.ndarray
    moved: float
    moved_in_place: float
    bound: float
    same: bool | None
    same_in_place: bool | None


def run_permutation(config: PermutationConfig) -> PermutationResult:
    """Measure the claims over all orders of up to seven tokens, over a sample of 256 above."""
    return run_tests(PermutationResult, config, TESTS, _measure)


@torch.inference_mode()
def _measure(config: PermutationConfig) -> Measurements:
    attention, residuals, found = Attention(config), {}, {}
    bound, size = attention.bound(), attention.size()
    for claim in claims_of(config):
        residuals[claim], cases = residuals_of(attention, claim)
        found[claim] = Measurement(float(residuals[claim].max()), bound, cases, size)
    return found, {
        "claims": tuple(residuals),
        "residuals": tuple(residuals.values()),
        "eps": torch.finfo(config.torch_dtype).eps,
        "bound": bound,
    }


def residuals_of(attention: Attention, claim: str) -> tuple[np.ndarray, str]:
    """Largest absolute difference for each order (orders,), and which orders they are.

    Args:
        attention: The module with its tokens.
        claim: ``perm-kv``, ``perm-q`` or ``perm-self``.
    """
    config = attention.config
    here_q, here_k = (torch.arange(len(tokens))[None] for tokens in (config.tokens, config.keys))
    orders, cases = orders_of(len(config.tokens if claim != "perm-kv" else config.keys), config.seed)
    query_orders = orders if claim != "perm-kv" else here_q.expand(len(orders), -1)
    key_orders = orders if claim != "perm-q" else here_k.expand(len(orders), -1)
    before = attention.outputs(here_q, here_k)[0]
    parts = zip(query_orders.split(AT_ONCE), key_orders.split(AT_ONCE), strict=True)
    return torch.cat([(attention.outputs(q, k) - before[q]).abs().amax(dim=(1, 2)) for q, k in parts]).numpy(), cases


def run_shuffle(config: ShuffleConfig) -> ShuffleResult:
    """Apply one shuffle, and undo it."""
    with torch.inference_mode():
        model = Blocks(config, *BLOCKS[config.model]) if config.model in BLOCKS else Attention(config)
        here_q, here_k = torch.arange(len(config.tokens)), torch.arange(len(config.keys))
        order_q = torch.tensor(config.query_order or here_q.tolist())
        order_k = torch.tensor(config.key_order or here_k.tolist())
        weights, outputs = zip(model.trace(here_q, here_k), model.trace(order_q, order_k), strict=True)
        bound = model.bound()
    back_q, back_k = order_q.argsort(), order_k.argsort()
    moved = float((outputs[1][back_q] - outputs[0]).abs().max())
    in_place = float((outputs[1] - outputs[0]).abs().max())
    claim = _shuffle_claim(config)
    found = {claim: Measurement(moved, bound, _("this order"), largest(outputs[0]))}

    def again(other: ShuffleConfig) -> dict[str, Measurement]:
        exact = run_shuffle(other)
        return {claim: Measurement(exact.moved, exact.bound, _("this order"))}

    verdicts = judge_all(config, SHUFFLE_TESTS, found, again)
    alike = [_alike(config, size, bound, name) for size, name in ((moved, "same"), (in_place, "same_in_place"))]
    return ShuffleResult.of(
        config,
        verdicts,
        weights_before=weights[0],
        weights_after=weights[1],
        weights_undone=weights[1][:, back_q][:, :, back_k],
        output_before=outputs[0],
        output_after=outputs[1],
        output_undone=outputs[1][back_q],
        moved=moved,
        moved_in_place=in_place,
        bound=bound,
        same=alike[0],
        same_in_place=alike[1],
    )


def claims_of(config: PermutationConfig) -> tuple[str, ...]:
    """The claims that can be tried: self-attention needs one sentence."""
    return ("perm-kv", "perm-q") if config.context else ("perm-kv", "perm-q", "perm-self")


def _alike(config: ShuffleConfig, size: float, bound: float, name: str) -> bool | None:
    """Whether nothing but rounding is left; where a coarse precision finds nothing, float64 says if it could."""
    if size > bound or config.dtype == "float64":
        return size <= bound
    precise = run_shuffle(replace(config, dtype="float64", device="cpu"))
    return True if getattr(precise, name) else None


def _shuffle_claim(config: ShuffleConfig) -> str:
    if not config.query_order and not config.key_order:
        return ""
    if config.model in BLOCKS:
        return "perm-block"
    if not config.key_order:
        return "perm-q"
    if not config.query_order:
        return "perm-kv"
    return "perm-self" if not config.context and config.query_order == config.key_order else ""
