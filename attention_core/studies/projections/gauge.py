"""Different parameters, one function: a change of basis in every head (``gauge``), and a factor moved into W_Q."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.inputs import draw, generator
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.measuring.verdict import Result
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.projections.parts import attention, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig

STRETCH: Final = 2.0  # singular values of M and N are e^(−2) … e^2


def _gauge(config: ProjectionsConfig) -> Theory:
    """Another basis is another set of parameters of the same function."""
    if not config.differ:
        return Holds()
    if config.one_side:
        return Fails(_("only the queries change their basis"))
    if config.qk_norm:
        return Fails(_("QK-norm depends on the basis of a head"))
    if config.positions == "rotary":
        return Fails(_("rotary positions turn fixed pairs of coordinates"))
    apart = config.positions == "alibi" and config.num_heads > 1
    return Fails(_("ALiBi tells the heads apart")) if apart else Holds()


def _absorbed(config: ProjectionsConfig) -> Theory:
    """The scale of the scores is a factor of W_Q."""
    if not config.differ:
        return Open(no_other_output(config.tokens))
    return Fails(_("QK-norm takes any factor out of W_Q again")) if config.qk_norm else Holds()


_SAYS: Final = _("the outputs differ by at most")
TESTS: Final = (
    ClaimTest("gauge", "≤", _SAYS, "max |f(X; θ′) − f(X; θ)|", theory=_gauge),
    ClaimTest("scale-absorb", "≤", _SAYS, _("max |f with W_Q/√d_head − f|"), theory=_absorbed),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeResult(Result):
    """A module before and after its matrices changed basis.

    Attributes:
        q_weight_before: W_Q (heads, d_head, d_model).
        q_weight_after: W_Q with every head in another basis, heads in reverse order, the same shape.
        output_before: (tokens, d_model).
        output_after: The same with all matrices in the other basis.
        changed: ‖θ′ − θ‖ / ‖θ‖ over all matrices and biases θ.
        moved: Largest absolute difference of the outputs.
        absorbed: The same with 1/√d_head moved into W_Q and b_Q.
    """

    q_weight_before: np.ndarray
    q_weight_after: np.ndarray
    output_before: np.ndarray
    output_after: np.ndarray
    changed: float
    moved: float
    absorbed: float


def run_gauge(config: ProjectionsConfig) -> GaugeResult:
    """Change the basis of queries and keys, and of values, in every head; then move the factor into W_Q.

    ``W_Q → M W_Q``, ``W_K → M⁻ᵀ W_K`` leaves every q·k; ``W_V → N W_V``, ``W_O → W_O N⁻¹`` leaves every output;
    biases go with their matrices; heads are summed up, so their order is free.
    """
    return run_tests(GaugeResult, config, TESTS, _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    modules = _modules(config)
    traces = [module.trace(words(config), attn_mask=mask(config)) for module in modules]
    bounds = [
        output_tolerance(module, trace, new_matrices=True) for module, trace in zip(modules, traces, strict=True)
    ]
    first, *others = (on_cpu(trace.output) for trace in traces)
    before, after = (_parameters(module) for module in modules[:2])
    changed = float((after - before).norm() / before.norm())
    cases = (
        _("parameters changed by {share:.0%}", share=changed),
        _("scale 1 instead of 1/√{size}", size=config.d_head),
    )
    found = {
        test.key: Measurement(largest(other - first), largest(bounds[0], bound), case, size=largest(first))
        for test, other, bound, case in zip(TESTS, others, bounds[1:], cases, strict=True)
    }
    return found, {
        "q_weight_before": _by_head(modules[0]),
        "q_weight_after": _by_head(modules[1]),
        "output_before": first[0],
        "output_after": others[0][0],
        "changed": changed,
        "moved": found["gauge"].measured,
        "absorbed": found["scale-absorb"].measured,
    }


def _modules(config: ProjectionsConfig) -> tuple[MultiHeadAttention, MultiHeadAttention, MultiHeadAttention]:
    """The module, the one in another basis, and the one with 1/√d_head in W_Q; each rounded to its precision once."""
    here, there, folded = attention(config), attention(config), attention(config, scale=1.0)
    exact = attention(replace(config, dtype="float64", device="cpu"))
    there.load_state_dict(_other_basis(exact, config))
    folded.load_state_dict(_folded(exact))
    return here, there, folded


def _parameters(module: MultiHeadAttention) -> Tensor:
    named = module.named_parameters()
    return torch.cat([on_cpu(value).flatten() for name, value in named if not name.endswith("norm.weight")])


def _by_head(module: MultiHeadAttention) -> Tensor:
    assert module.q_weight is not None
    return on_cpu(module.q_weight.detach()).unflatten(0, (module.num_heads, -1))


def _bases(d_head: int, num_heads: int, seed: int, name: str) -> Tensor:
    """One well-conditioned square matrix for each head, U diag(e^z) Vᵀ with z from −STRETCH to STRETCH."""
    left, right = torch.linalg.qr(draw((2, num_heads, d_head, d_head), seed, "basis", name))[0]
    stretch = torch.rand(num_heads, d_head, generator=generator(seed, "stretch", name), dtype=torch.float64)
    return left * torch.exp(STRETCH * (2 * stretch - 1))[:, None, :] @ right.mT


def _other_basis(module: MultiHeadAttention, config: ProjectionsConfig) -> dict[str, Tensor]:
    """The parameters in another basis of every head, heads in reverse; of one side only, keys stay in theirs."""
    heads, d_head = module.num_heads, module.d_head
    m, n = (_bases(d_head, heads, config.seed, name) for name in ("query and key", "value"))
    turns = {"q": m, "k": torch.eye(d_head).expand_as(m).to(m) if config.one_side else torch.linalg.inv(m).mT, "v": n}
    state = {name: value.clone() for name, value in module.state_dict().items()}
    blocks = state["in_weight"].view(3, heads, d_head, -1)
    state["in_weight"] = torch.stack([turn @ block for turn, block in zip(turns.values(), blocks, strict=True)])
    state["in_weight"] = state["in_weight"].flip(1).reshape(3 * heads * d_head, -1)
    columns = state["o_weight"].unflatten(1, (heads, d_head)).transpose(0, 1)  # (heads, d_model, d_head)
    state["o_weight"] = (columns @ torch.linalg.inv(n)).flip(0).transpose(0, 1).flatten(1)
    for name, turn in turns.items():
        if f"{name}_bias" in state:
            bias = state[f"{name}_bias"].view(heads, d_head, 1)
            state[f"{name}_bias"] = (turn @ bias).flip(0).flatten()
    return state


def _folded(module: MultiHeadAttention) -> dict[str, Tensor]:
    """The parameters with 1/√d_head in W_Q and b_Q."""
    state = {name: value.clone() for name, value in module.state_dict().items()}
    factor = 1 / math.sqrt(module.d_head)
    state["in_weight"][: module.num_heads * module.d_head] *= factor
    if "q_bias" in state:
        state["q_bias"] *= factor
    return state
