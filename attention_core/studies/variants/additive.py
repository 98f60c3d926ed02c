"""Additive attention beside products: its laws of order, the rank of its scores, what a pair costs."""

from collections import Counter
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, tolerance
from attention_core.measuring.inputs import draw, draw_parameters
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_order
from attention_core.measuring.watch import Watch
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, NoPosition
from attention_core.studies.variants.parts import BIAS_STD
from attention_core.studies.variants.settings import D_HEAD, D_MODEL, HEADS, POSITIONS, VariantsConfig

DRAWN: Final = 24  # words of the text whose scores' rank is taken: three times as many as a head has numbers


class SumOfTwo(MultiHeadAttention):
    """Additive attention whose tanh was forgotten: ``w · (q + k)`` is a number of the query and one of the key."""

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        """``w · q + w · k``, times the scale."""
        assert self.score_weight is not None
        exact = torch.promote_types(q.dtype, torch.float32)
        weight = self.score_weight[:, :, None].to(exact)
        return (q.to(exact) @ weight + (k.to(exact) @ weight).mT) * self.scale


def additive(config: VariantsConfig) -> MultiHeadAttention:
    """Additive attention with full attention's weights; rotary positions mean nothing to it."""
    kind = SumOfTwo if config.no_tanh else MultiHeadAttention
    position = Alibi() if config.positions == "alibi" else NoPosition()
    module = kind(D_MODEL, HEADS, score="additive", position=position, dtype=torch.float64)
    module = draw_parameters(module, config.seed, bias_std=BIAS_STD)
    return module.to(config.torch_device, config.torch_dtype).requires_grad_(False)


class _Formed(Watch):
    """Counts the numbers that each operation forms, and the most that one does."""

    def __init__(self) -> None:
        super().__init__()
        self.by_name: Counter[str] = Counter()
        self.most = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do one operation, and count what comes of it."""
        out = func(*args, **(kwargs or {}))
        if isinstance(out, Tensor):
            self.by_name[func.overloadpacket.__name__] += out.numel()
            self.most = max(self.most, out.numel())
        return out


def _formed(module: MultiHeadAttention, trace: AttentionTrace) -> tuple[int, int]:
    """How many tanh are taken for the scores, and how many numbers the largest tensor on their way holds."""
    with torch.inference_mode(False), torch.no_grad():
        q, k = trace.q.clone(), trace.k.clone()
        with _Formed() as counter:
            module.scores(q, k)
    return counter.by_name["tanh"], counter.most


def found_of_additive(
    config: VariantsConfig, products: MultiHeadAttention, x: Tensor
) -> tuple[dict[str, Measurement], AttentionTrace, Tensor]:
    """``additive-order``, ``additive-rank`` and ``additive-cost``.

    Args:
        config: The settings.
        products: Full attention.
        x: The sentence (1, tokens, d_model).

    Returns:
        The measurements, a trace of the sentence, and singular values of one head's products and additive scores of
        drawn words, the largest as 1 (2, words).
    """
    module, text = additive(config), draw((1, DRAWN, D_MODEL), config.seed, "rank").to(x)
    sums, dots = ((each, each.trace(text)) for each in (module, products))
    tanh, most = _formed(*sums)
    pairs = HEADS * DRAWN**2
    (sum_values, sum_error), (dot_values, dot_error) = _spectrum(*sums), _spectrum(*dots)
    cases = _("{count} drawn tokens, {heads} heads of {size}", count=DRAWN, heads=HEADS, size=D_HEAD)
    found = {
        **_orders(config, module, x),
        "additive-rank.product": Measurement(dot_values[D_HEAD], dot_error, cases, dot_values[D_HEAD - 1]),
        "additive-rank.sum": Measurement(sum_values[D_HEAD], sum_error, cases),
        "additive-cost.tanh": Measurement(tanh / pairs, D_HEAD, cases),
        "additive-cost.alive": Measurement(most / _formed(*dots)[1], D_HEAD, cases, unit=_("×")),
    }
    spectra = torch.tensor([dot_values, sum_values], dtype=torch.float64)
    return found, module.trace(x, is_causal=config.causal), spectra


def _orders(config: VariantsConfig, module: MultiHeadAttention, x: Tensor) -> dict[str, Measurement]:
    """Outputs of words in another order, and of the same words with keys and values in another order."""
    causal, moved = config.causal, x.roll(1, dims=1)
    direct, shuffled, of_keys = (module(*each, is_causal=causal) for each in ((x,), (moved,), (x, moved)))
    bound = output_tolerance(module, *(module.trace(each, is_causal=causal) for each in (x, moved)))
    cases, size = _("the last word moved to the front"), largest(direct)
    of_words = largest(on_cpu(shuffled) - on_cpu(direct).roll(1, dims=1))
    return {
        "additive-order.self": Measurement(of_words, bound, cases, size),
        "additive-order.keys": Measurement(largest(on_cpu(of_keys) - on_cpu(direct)), bound, cases, size),
    }


def _spectrum(module: MultiHeadAttention, trace: AttentionTrace) -> tuple[list[float], float]:
    """Singular values of one head's scores, the largest as 1, and by how much rounding may move them.

    It is the head in which the first that a product of its size cannot have is largest. By Weyl's theorem none moves
    by more than the norm of all errors: each score is a sum of d_head terms.
    """
    values = torch.linalg.svdvals(on_cpu(module.scores(trace.q, trace.k))[0])  # (heads, words)
    q, k = on_cpu(trace.q)[0].abs(), on_cpu(trace.k)[0].abs()
    if module.score_weight is None:
        sizes = q @ k.mT * module.scale
    else:  # a tanh is no larger than 1, and moves by no more than q + k do
        weight = on_cpu(module.score_weight).abs()[..., None]
        sizes = q @ weight + (k @ weight).mT + 2 * weight.sum(1, keepdim=True)
    exact = torch.promote_types(trace.q.dtype, torch.float32)  # of half precision they are taken in float32
    errors = torch.linalg.matrix_norm(tolerance(exact, scale=1.0, terms=D_HEAD + 4) * sizes)
    relative, left = values / values[:, :1], errors / values[:, 0]
    # Of what rounding left none is the largest: another machine leaves another.
    beyond = torch.where(relative[:, D_HEAD] > left, relative[:, D_HEAD], 0.0).tolist()
    worst = beyond.index(max(beyond))
    return relative[worst].tolist(), float(left[worst])


def _moved(config: VariantsConfig, *, together: bool) -> Theory:
    """Of two words that change places the distance stays; but where keys alone do, each meets another key there."""
    if not config.differs:
        return Open(no_other_order(config.tokens))
    if config.causal:
        return Fails(_("the causal mask tells the order"))
    if config.positions == "alibi" and len(config.tokens) > 1 + together:
        return Fails(_("{name} positions tell the order", name=POSITIONS[config.positions]))
    return Holds()


def _no_tanh(config: VariantsConfig) -> Theory:
    return (
        Fails(_("without tanh a score is a number of the query plus one of the key")) if config.no_tanh else Holds()
    )


TESTS: Final = (
    ClaimTest("additive-order.self", "≤",
              _("additive: the outputs with a word moved to the front, put back in order, differ by at most"),
              "max |f(σX) − σf(X)|", theory=partial(_moved, together=True)),
    ClaimTest("additive-order.keys", "≤",
              _("additive: with keys and values moved together the outputs differ by at most"),
              "max |f(X, σX) − f(X, X)|", theory=partial(_moved, together=False)),
    ClaimTest("additive-rank.product", "≤",
              _("singular value {number} of the products, divided by the largest, is", number=D_HEAD + 1),
              _("σ_{number}/σ_1 of q·k", number=D_HEAD + 1)),
    ClaimTest("additive-rank.sum", "≥",
              _("singular value {number} of additive scores, divided by the largest, is", number=D_HEAD + 1),
              _("σ_{number}/σ_1 of w·tanh(q + k)", number=D_HEAD + 1), theory=_no_tanh),
    ClaimTest("additive-cost.tanh", "=", _("for a pair of query and key each head takes this many tanh:"),
              _("tanh for each pair in each head"), theory=_no_tanh),
    ClaimTest("additive-cost.alive", "=", _("the largest tensor on the way to additive scores holds"),
              _("its numbers / those of the scores"), theory=_no_tanh),
)  # fmt: skip
