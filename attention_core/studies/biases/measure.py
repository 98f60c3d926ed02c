"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel.

Claims: ``bias-k`` softmax cancels the key bias; ``bias-k-grad`` so no loss of the output sends it a gradient;
``bias-v`` the value bias adds one vector to every output; ``bias-q`` the query bias changes the output;
``bias-terms`` the four terms of a score, two of them constant along a row; ``softmax-shift`` softmax(x + δ1) =
softmax(x). Each is measured on the module, and so is what breaks it.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import (
    is_half,
    key_gradient_tolerance,
    output_tolerance,
    score_tolerance,
    shift_tolerance,
    weight_tolerance,
)
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output, no_other_weights
from attention_core.measuring.verdict import Result, Verdict
from attention_core.modules.dot_product import softmax_over_keys
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention
from attention_core.studies.biases.module import BiasedAttention, bias_parameters
from attention_core.studies.biases.settings import (
    D_MODEL,
    ROLES,
    SHIFT,
    BiasesConfig,
    BiasModuleConfig,
    BiasRole,
)

_ROTATED: Final = _("rotary positions turn b_K by another angle at every key")
_TURNED: Final = _("rotary positions turn the key by another angle at every key")
_NORMED: Final = _("QK-norm divides each key by its own length, b_K included")
_SHARED: Final = _("tied Q = K makes b_K the query bias as well")
_FIXED: Final = _("tied Q = K and QK-norm make every score √d_head, whatever the bias")
_BLIND: Final = _("no query sees a key")


def _rotates(config: BiasModuleConfig) -> bool:
    """Whether rotary positions turn one key by another angle than another."""
    return config.rotary and len(config.tokens) > 1


def _is_blind(config: BiasModuleConfig) -> bool:
    return config.masked_row and len(config.tokens) == 1


def _is_fixed(config: BiasModuleConfig) -> bool:
    """Whether all queries and keys are one vector of length √d_head."""
    return config.shared and config.qk_norm and len(set(config.tokens)) == 1 and not _rotates(config)


def _key_bias(config: BiasModuleConfig, *, through_values: bool = False) -> Theory:
    """Softmax cancels b_K.

    It is felt only by a query that sees something, and only if what it sees differs: the scores need keys that differ
    in content or place (or a sink beside them), the output needs values that differ.

    Args:
        config: The settings.
        through_values: Whether it is the output that must not move, or what it sends back.
    """
    alike = len(set(config.tokens)) == 1
    if _is_blind(config):
        return Open(_BLIND)
    if alike and through_values and not config.zero_sink:
        return Open(no_other_output(config.tokens))
    if _is_fixed(config):
        return Open(_FIXED if config.zero_sink else no_other_weights(config.tokens))
    if config.shared and not (alike or config.zero_sink or _rotates(config)):
        return Fails(_SHARED)
    return _constant(config)


def _constant(config: BiasModuleConfig) -> Theory:
    """What b_K alone adds to the scores of a row is one number."""
    alike = len(set(config.tokens)) == 1
    if _is_blind(config):
        return Open(_BLIND)
    if config.zero_sink:
        return Fails(_("the sink key gets no bias, so the constant is not common to all keys"))
    if _rotates(config):
        return Fails(_ROTATED)
    if config.qk_norm and not alike:
        return Fails(_NORMED)
    return Open(no_other_weights(config.tokens)) if alike else Holds()


def _two_terms(config: BiasesConfig) -> Theory:
    """The weights need two of the four terms of a score."""
    theory = _constant(config)
    needless = isinstance(theory, Holds) and not config.k_bias
    return Open(_("without b_K there is nothing that has to cancel")) if needless else theory


def _four_terms(config: BiasesConfig) -> Theory:
    """The four terms add up to a score."""
    if reason := (_TURNED if _rotates(config) else _NORMED if config.qk_norm else ""):
        return Fails(reason)
    several = config.q_bias or config.k_bias
    return Holds() if several else Open(_("without b_Q and b_K a score has one term"))


def _value_bias(config: BiasesConfig) -> Theory:
    """b_V adds one vector to every output."""
    if config.dropout:
        return Fails(_("dropout leaves rows of weights that do not sum to 1"))
    if config.masked_row:
        return Fails(_("the fully masked row has no weights to carry b_V"))
    return Fails(_("the sink's share of the weights carries no b_V")) if config.zero_sink else Holds()


def _query_bias(config: BiasesConfig) -> Theory:
    """b_Q moves the output."""
    if _is_fixed(config):
        return Fails(_FIXED)
    if _is_blind(config):
        return Fails(_BLIND)
    if config.zero_sink or len(set(config.tokens)) > 1:
        return Holds()
    one = len(config.tokens) == 1
    return Fails(_("one key has weight 1 whatever its score") if one else _("all values are equal"))


def _query_column(config: BiasesConfig) -> Theory:
    """b_Q adds one number for each key to the scores."""
    reason = _TURNED if _rotates(config) else _NORMED if config.qk_norm else _SHARED if config.shared else ""
    return Fails(reason) if reason else Holds()


def _shift(config: BiasesConfig) -> Theory:
    """softmax(x + δ1) = softmax(x)."""
    if config.naive_softmax:
        return Fails(_("exp overflows where the largest score is not subtracted first"))
    fixed = len(set(config.tokens)) == 1 and not config.zero_sink and not _rotates(config)
    return Open(no_other_weights(config.tokens)) if fixed else Holds()


# What each test measures, in words and as a formula, and what theory says of it.
_MEASURED: Final = {
    "bias-k.weights": (_("taking it out moves the weights by at most"), _("max |weights − weights without b_K|"),
                       _key_bias),
    "bias-k.output": (_("taking it out moves the output by at most"), _("max |output − output without b_K|"),
                      partial(_key_bias, through_values=True)),
    "bias-k.spread": (_("what it adds to the scores of a row varies by at most"),
                      _("largest spread along a row of what b_K adds to the scores"), _key_bias),
    "bias-k-grad": (_("the length of its gradient is"), "‖∂L/∂b_K‖", partial(_key_bias, through_values=True)),
    "bias-v": (_("what it adds differs from one vector by at most"),
               _("max |output − output without b_V − W_O b_V|"), _value_bias),
    "bias-q.output": (_("taking it out moves the output by up to"), _("max |output − output without b_Q|"),
                      _query_bias),
    "bias-q.column": (_("what it adds to the scores differs from one number for each key by at most"),
                      _("max |what b_Q adds to the scores − scale·b_Q·k_j|"), _query_column),
    "bias-terms.sum": (_("the scores and the sum of the four terms differ by at most"),
                       _("max |scores − sum of the four terms|"), _four_terms),
    "bias-terms.cancel": (_("the weights from all four terms and from two of them differ by at most"),
                          _("max |weights − softmax(terms 1 + 3)|"), _two_terms),
    "softmax-shift": (_("a weight moves by at most"), f"max |softmax(x + {SHIFT:,.0f}) − softmax(x)|", _shift),
}  # fmt: skip
TESTS: Final = {
    key: ClaimTest(key, "≥" if key == "bias-q.output" else "≤", says, quantity, theory=theory)
    for key, (says, quantity, theory) in _MEASURED.items()
}
_Measured = dict[str, tuple[float, float, float]]  # by the key of the test: a number, its bound, and its size


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasEffect:
    """What taking one bias out of the module changes.

    Attributes:
        role: ``q``, ``k``, ``v`` or ``o``.
        scores: Largest absolute change of a score.
        spread: Largest spread (maximum − minimum) along a row of what it adds to the scores.
        weights: Largest absolute change of a weight.
        output: Largest absolute change of an output.
        gradient: ‖∂L/∂b‖ for the loss L = Σ G·output with G ~ N(0, 1), by autograd.
    """

    role: BiasRole
    scores: float
    spread: float
    weights: float
    output: float
    gradient: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasesResult(Result):
    """The claims about the biases at one size.

    Attributes:
        effects: One for each bias that is on, in the order q, k, v, o.
        score_bound: What rounding alone explains of a change of scores when the biases are taken out.
        gradient_bound: The same for ‖∂L/∂b_K‖.
        largest_weight: Largest weight without any bias.
    """

    effects: tuple[BiasEffect, ...]
    score_bound: float
    gradient_bound: float
    largest_weight: float

    @property
    def key_bias_felt(self) -> tuple[bool | None, bool | None, bool | None]:
        """Whether the key bias changes scores, weights and output; None where the precision cannot tell."""
        effect = self.effect("k")
        if effect is None:
            return False, False, False
        scores = True if effect.scores > self.score_bound else False if self.provenance.dtype == "float64" else None
        weights, output = (self._felt(self.verdict(f"bias-k.{part}")) for part in ("weights", "output"))
        return scores, weights, output

    def _felt(self, verdict: Verdict) -> bool | None:
        if verdict.outcome == "undecided" and verdict.holds and self.provenance.dtype == "float64":
            return False  # where nothing could move it, it does not
        return {"fails": True, "holds": False}.get(verdict.outcome)

    def effect(self, role: str) -> BiasEffect | None:
        """What the bias of ``role`` changes; None where it is off."""
        return next((effect for effect in self.effects if effect.role == role), None)


def run_biases(config: BiasesConfig) -> BiasesResult:
    """Take each bias out in turn, compare, and hold what is left to what rounding explains."""
    return run_tests(BiasesResult, config, TESTS.values(), _measure)


def _measure(config: BiasesConfig) -> Measurements:
    attention = BiasedAttention(config)
    gradient, *held = _gradients(attention, config)
    measured: _Measured = {"bias-k-grad": (gradient["k"], held[0], held[1])} if config.k_bias else {}
    effects: list[BiasEffect] = []
    with torch.inference_mode():
        module = attention.at(config.size)
        full, plain = attention.trace(module), attention.trace(attention.at(config.size, without=ROLES))
        terms, size = attention.formula_terms(config.size), largest(plain.output)
        for role in config.biases:
            without = attention.at(config.size, without=(role,))
            other = attention.trace(without)
            effect = _effect(attention, role, full, other, gradient[role])
            effects.append(effect)
            if role == "k":
                measured |= _key_claims(module, full, other, effect, size)
            elif role == "q":
                measured |= _query_claims(terms, module, full, other, effect, size)
            elif role == "v":
                measured |= _value_claim(attention, config, module, without)
        measured |= _term_claims(attention, terms, module, full) | _shift_claim(config, plain.scores)
        cases = ngettext_lazy("{count:,} token", "{count:,} tokens", len(config.tokens))
        return {key: Measurement(value, bound, cases, size) for key, (value, bound, size) in measured.items()}, {
            "effects": tuple(effects),
            "score_bound": score_tolerance(module, full, plain),
            "gradient_bound": held[0],
            "largest_weight": float(plain.weights.max()),
        }


def naive_softmax(scores: Tensor) -> Tensor:
    """``exp(x) / Σ exp(x)`` as it is written, which over- and underflows; in float32 for half precision."""
    powers = scores.to(torch.float32 if is_half(scores.dtype) else scores.dtype).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(scores.dtype)


def _effect(
    attention: BiasedAttention, role: BiasRole, full: AttentionTrace, other: AttentionTrace, gradient: float
) -> BiasEffect:
    scores = on_cpu(full.scores) - on_cpu(other.scores)
    added = _visible(attention, scores[0])
    return BiasEffect(
        role=role,
        scores=largest(scores),
        spread=float((added.amax(-1) - added.amin(-1)).max()) if added.numel() else 0.0,
        weights=largest(on_cpu(full.weights) - on_cpu(other.weights)),
        output=largest(on_cpu(full.output) - on_cpu(other.output)),
        gradient=gradient,
    )


def _visible(attention: BiasedAttention, rows: Tensor) -> Tensor:
    """The rows of queries that see a token."""
    return rows[..., : rows.shape[-2] - attention.setting.masked_row, :]


def _key_claims(
    module: MultiHeadAttention, full: AttentionTrace, other: AttentionTrace, effect: BiasEffect, size: float
) -> _Measured:
    return {
        "bias-k.weights": (effect.weights, weight_tolerance(module, full, other), 1.0),
        "bias-k.output": (effect.output, output_tolerance(module, full, other), size),
        "bias-k.spread": (effect.spread, 2 * score_tolerance(module, full, other), effect.scores),
    }


def _query_claims(
    terms: Tensor, module: MultiHeadAttention, full: AttentionTrace, other: AttentionTrace, effect: BiasEffect,
    size: float,
) -> _Measured:  # fmt: skip
    """The output moves, by what adding ``scale·b_Q·k_j`` to column j of the scores does to it."""
    n = terms.shape[-1]
    added = on_cpu(full.scores[0, :, :, :n]) - on_cpu(other.scores[0, :, :, :n])
    missed = largest(added - on_cpu(terms[2]) - on_cpu(terms[3]))
    least = torch.finfo(full.output.dtype).tiny  # where no query sees a key nothing is rounded, and nothing moves
    return {
        "bias-q.output": (effect.output, largest(output_tolerance(module, full, other), least), size),
        "bias-q.column": (missed, 2 * score_tolerance(module, full, other), effect.scores),
    }


def _value_claim(
    attention: BiasedAttention, config: BiasesConfig, module: MultiHeadAttention, other: MultiHeadAttention
) -> _Measured:
    """What b_V adds to the output, less W_O b_V; in training where dropout is on."""
    full, without = (attention.trace(each, dropout=config.dropout) for each in (module, other))
    assert module.o_weight is not None
    constant = on_cpu(module.o_weight) @ on_cpu(bias_parameters(module)["v"])
    left = on_cpu(full.output) - on_cpu(without.output) - constant
    bound = output_tolerance(module, full, without, scores_move=False)
    return {"bias-v": (largest(left), bound, largest(constant))}


def _term_claims(
    attention: BiasedAttention, terms: Tensor, module: MultiHeadAttention, full: AttentionTrace
) -> _Measured:
    """The formula's four terms add up to the scores, and two of them are all the weights need."""
    n = terms.shape[-1]
    seen = _visible(attention, on_cpu(full.weights[0, :, :, :n]) - on_cpu(softmax_over_keys(terms[0] + terms[2])))
    missed = largest(on_cpu(full.scores[0, :, :, :n]) - on_cpu(terms).sum(0))
    return {
        "bias-terms.sum": (missed, 2 * score_tolerance(module, full), largest(full.scores)),
        "bias-terms.cancel": (largest(seen) if seen.numel() else 0.0, weight_tolerance(module, full), 1.0),
    }


def _shift_claim(config: BiasesConfig, scores: Tensor) -> _Measured:
    """Softmax of scores that are all larger by 1,000."""
    softmax = naive_softmax if config.naive_softmax else softmax_over_keys
    moved = largest(on_cpu(softmax(scores + SHIFT)) - on_cpu(softmax(scores)))
    return {"softmax-shift": (moved, shift_tolerance(scores, SHIFT), 1.0)}


def _gradients(attention: BiasedAttention, config: BiasesConfig) -> tuple[dict[str, float], float, float]:
    """‖∂L/∂b‖ of each bias that is on, for L = Σ G·output with G ~ N(0, 1).

    And what rounding explains of b_K's, and how long that of the values is: what is felt has one of such a size.
    """
    upstream = draw((1, len(config.tokens), D_MODEL), config.seed, "biases", "upstream")
    upstream = upstream.to(attention.device, attention.dtype)
    with torch.inference_mode(False), torch.enable_grad():
        module = attention.at(config.size)
        trace = attention.trace(module)
        biases = bias_parameters(module)
        *found, values, context = pull_back(trace.output, [*biases.values(), trace.v, trace.context], upstream)
    norms = {role: float(on_cpu(one).norm()) for role, one in zip(biases, found, strict=True)}
    return norms, key_gradient_tolerance(trace, context, module.scale), float(on_cpu(values).norm())
