"""Whether training moves the key bias (``learn-key-bias``): how far rounding alone may, and what it is good for."""

import copy
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import key_gradient_tolerance, score_tolerance, tolerance, weight_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all, largest
from attention_core.measuring.number_format import format_number
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.traced import TracedCall, traced
from attention_core.studies.learning.settings import OPTIMIZERS, LearningConfig
from attention_core.studies.learning.trainer import Trainer, cross_entropy, sequences

EVERY: Final = 8  # moments between two looks at what rounding may do: a look costs more than a step
ROTATED: Final = _("rotary positions turn b_K by another angle at every key")
_SHARED: Final = {
    "tied-kv": _("b_K and b_V are one vector, and b_V moves"),
    "tied-qk": _("b_K and b_Q are one vector, and b_Q moves"),
}
_MOVED: Final = _("AdamW divides what rounding leaves by its own size, and lets weights decay")


def _idle(config: LearningConfig) -> Theory:
    """Softmax cancels b_K."""
    through = _SHARED.get(config.projections) or (ROTATED if config.positions == "rotary" else "")
    return Fails(through) if through else Holds()


def _still(config: LearningConfig) -> Theory:
    """So no gradient moves it.

    Rounding is looked at now and then, which tells nothing of a run that is another one after each step.
    """
    descends = config.optimizer == "sgd"
    if descends and config.learning_rate > 1:
        return Open(_("with so large a learning rate each step makes another model, whose rounding is not known"))
    theory = _idle(config)
    return Fails(_MOVED) if isinstance(theory, Holds) and not descends else theory


TESTS: Final = (
    ClaimTest("learn-key-bias.moved", "≤", _("training moves the key bias by"), _("‖b_K after − b_K before‖"),
              theory=_still),
    ClaimTest("learn-key-bias.idle", "≤", _("without the key bias the trained weights differ by at most"),
              _("max |weights − weights without b_K|"), theory=_idle),
)  # fmt: skip


class KeyBiasWatch:
    """Adds up how far rounding may move the key biases of a run.

    ``∂L/∂b_K`` is 0 but for rounding, and gradient descent moves b_K by the learning rate times it. The bound of a
    step is taken at every eighth moment and counted for all steps up to the next. Where a setting lets the gradient
    through, what it is without rounding is added up in the same way, in float64.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer, self._descends = trainer, trainer.config.optimizer == "sgd"
        self._starts = {role: self._biases(role) for role in ("q", "k")} if trainer.config.biases else {}
        self._lets_through = isinstance(_idle(trainer.config), Fails)
        self._moments, self._steps_counted, self._bound_per_step, self._bound = 0, 0, 0.0, 0.0
        self._gradient_per_step, self._gradient_sum = torch.zeros(()), torch.zeros(())
        self._exact_bound_per_step, self._exact_bound = 0.0, 0.0

    def take(self) -> None:
        """Look at the rounding of this moment's step."""
        if self._starts and self._descends and self._moments % EVERY == 0:
            self._add_up()
            rate = self._trainer.config.learning_rate
            self._bound_per_step = rate * _gradient_bound(self._trainer)
            if self._lets_through:
                gradient, bound = _exact_gradient(self._trainer)
                self._gradient_per_step, self._exact_bound_per_step = rate * gradient, rate * bound
        self._moments += 1

    def verdicts(self) -> tuple[Verdict, ...]:
        """How far b_K has moved, and what the trained weights lose without it; nothing where theory does not say."""
        config = self._trainer.config
        if not self._starts or (not self._descends and config.learning_rate * config.steps < 0.01):
            return ()  # so small a learning rate moves b_K by no more than its own rounding
        self._add_up()
        size = float(torch.cat(self._starts["k"]).norm())
        own = tolerance(config.torch_dtype, scale=size, terms=config.steps)  # each step rounds b_K itself, too
        shows, exact = self._lets_through and _is_felt(self._trainer), None
        if self._descends:
            exact = Measurement(float(self._gradient_sum.norm()), self._exact_bound, "", shows=shows)
        moved, others = self._moved("k"), self._moved("q")
        cases = _(
            "{steps:,} steps of {optimizer}, which move b_Q by {size}",
            steps=config.steps, optimizer=OPTIMIZERS[config.optimizer], size=format_number(others),
        )  # fmt: skip
        found = {"learn-key-bias.moved": Measurement(moved, self._bound + own, cases, others, exact=exact)}
        if config.projections == "full":
            lost, rounding, exact = _taken_out(self._trainer)
            cases = _("{tokens} tokens, all heads", tokens=config.tokens)
            found["learn-key-bias.idle"] = Measurement(lost, rounding, cases, 1.0, exact=exact._replace(shows=shows))
        return judge_all(config, TESTS, found)

    def _add_up(self) -> None:
        steps, self._steps_counted = self._trainer.done - self._steps_counted, self._trainer.done
        self._bound = math.hypot(self._bound, self._bound_per_step * math.sqrt(steps))
        self._gradient_sum = self._gradient_sum + self._gradient_per_step * steps
        self._exact_bound = math.hypot(self._exact_bound, self._exact_bound_per_step * math.sqrt(steps))

    def _biases(self, role: str) -> list[Tensor]:
        found = [getattr(each, f"{role}_bias") for each in self._trainer.model.attentions]
        return [bias.detach().to("cpu", torch.float64, copy=True) for bias in found]

    def _moved(self, role: str) -> float:
        return float((torch.cat(self._biases(role)) - torch.cat(self._starts[role])).norm())


@torch.inference_mode(False)
@torch.enable_grad()
def _gradient_bound(trainer: Trainer) -> float:
    """Largest norm of all layers' ``∂L/∂b_K`` that rounding explains, for the last batch."""
    with traced(trainer.model) as passes:
        loss = cross_entropy(trainer.model(trainer.inputs), trainer.wanted)
    upstream = torch.autograd.grad(loss, [each.trace.context for each in passes])
    return _bound_of(passes, upstream)


def _bound_of(passes: Iterable[TracedCall], upstream: Iterable[Tensor]) -> float:
    layers = zip(passes, upstream, strict=True)
    return math.hypot(*(key_gradient_tolerance(each.trace, g, each.attention.scale) for each, g in layers))


@torch.inference_mode(False)
@torch.enable_grad()
def _exact_gradient(trainer: Trainer) -> tuple[Tensor, float]:
    """``∂L/∂b_K`` of all layers for the last batch in float64, and how long rounding alone may make it there."""
    model = copy.deepcopy(trainer.model).to("cpu", torch.float64)  # not every accelerator has float64
    with traced(model) as passes:
        loss = cross_entropy(model(trainer.inputs.cpu()), trainer.wanted.cpu())
    biases = [attention.k_bias for attention in model.attentions if attention.k_bias is not None]
    found = torch.autograd.grad(loss, [*biases, *(each.trace.context for each in passes)])
    return torch.cat(found[: len(biases)]), _bound_of(passes, found[len(biases) :])


@torch.inference_mode(False)
@torch.no_grad()
def _taken_out(trainer: Trainer) -> tuple[float, float, Measurement]:
    """How much a layer's weights change where its b_K is 0: here, by rounding, and in float64."""
    tokens, _ = sequences(trainer.config, 1, "probe", trainer.rule)
    with traced(trainer.model) as passes:
        trainer.model(tokens.to(trainer.device))
    lost = exact = bound = exact_bound = 0.0
    for _, attention, given, options, trace in passes:
        lost = largest(lost, _change(attention, given, options))
        bound = largest(bound, weight_tolerance(attention, trace))
        masks = {name: one.cpu() if isinstance(one, Tensor) else one for name, one in options.items()}
        there, inputs = copy.deepcopy(attention).to("cpu", torch.float64), tuple(map(on_cpu, given))
        exact = largest(exact, _change(there, inputs, masks))
        exact_bound = largest(exact_bound, weight_tolerance(there, there.trace(*inputs, **masks)))
    return lost, bound, Measurement(exact, exact_bound, "", 1.0)


def _change(attention: MultiHeadAttention, given: tuple[Tensor, ...], options: Mapping[str, Any]) -> float:
    without = copy.deepcopy(attention)
    assert without.k_bias is not None
    without.k_bias.zero_()
    return largest(without.trace(*given, **options).weights - attention.trace(*given, **options).weights)


@torch.inference_mode(False)
@torch.no_grad()
def _is_felt(trainer: Trainer) -> bool:
    """Whether a b_K of ones moves the scores of a row apart in every layer, in float64.

    Softmax may leave nothing of it: where one key takes all the weight, no weight and no gradient moves.
    """
    tokens, _ = sequences(trainer.config, 1, "probe", trainer.rule)
    model = copy.deepcopy(trainer.model).to("cpu", torch.float64)
    with traced(model) as passes:
        model(tokens.cpu())
    for each in passes:
        traces = []
        for value in (0.0, 1.0):
            assert each.attention.k_bias is not None
            each.attention.k_bias.fill_(value)
            traces.append(each.attention.trace(*each.tokens, **each.options))
        moved, hidden = traces[1].scores - traces[0].scores, traces[0].masked_scores.isinf()
        apart = moved.masked_fill(hidden, -math.inf).amax(-1) - moved.masked_fill(hidden, math.inf).amin(-1)
        if not float(apart.max()) > 2 * score_tolerance(each.attention, *traces):
            return False
    return True
