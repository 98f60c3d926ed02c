"""What several heads do together that a single one cannot (``heads-several``).

A head moves numbers between words by one matrix of weights, A, and within a word by another, M = W_O W_V: of values X
it makes A X Mᵀ. Heads add up to the map Σ_h A_h ⊗ M_h, and no single head, however wide, gives more than one such
product. How far the nearest one is away, Van Loan & Pitsianis (1993), "Approximation with Kronecker Products", give:
arranged as one row for each pair of words and one column for each pair of numbers, the map is Σ_h vec(A_h) vec(M_h)ᵀ,
and what all but its largest singular value hold is lost to any matrix of rank 1.
"""

import math
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, output_variance, spacing
from attention_core.measuring.judge import ClaimTest, Measurement
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import EQUAL_KEYS
from attention_core.studies.anatomy.module import attention_module, module_input
from attention_core.studies.anatomy.settings import D_MODEL, AnatomyConfig

MOST_KEYS: Final = 4  # whose values are moved, which are enough to tell heads apart
_AT_ONCE: Final = 2**16  # weights in one pass


def several(config: AnatomyConfig) -> dict[str, Measurement]:
    """heads-several: the share of what the heads do to values that the nearest single head leaves undone."""
    done, error = _map_of_values(config)
    words, keys = done.shape[1], done.shape[0] // D_MODEL
    pairs = done.unflatten(0, (keys, D_MODEL)).permute(2, 0, 3, 1).reshape(words * keys, D_MODEL**2)
    sizes = torch.linalg.svdvals(pairs)
    whole = float(sizes.norm())
    error += len(sizes) * torch.finfo(sizes.dtype).eps * whole  # of the singular values themselves
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.heads)
    return {"heads-several": Measurement(float(sizes[1:].norm()) / whole, error / whole, heads, size=1.0)}


@torch.inference_mode()
def _map_of_values(config: AnatomyConfig) -> tuple[Tensor, float]:
    """What each number of a value adds to the outputs, the scores being those of the sentence.

    Half the difference of two passes whose values differ in that number by ±1, for what biases and positions add is
    in both.

    Returns:
        The sums (keys · d_model, n, d_model), and how long an array of errors rounding may make of them: no longer
        than the root of the sum of their variances, plus 8 times the largest standard deviation.
    """
    module, x = attention_module(config), module_input(config)
    n = x.shape[1]
    keys = min(n, MOST_KEYS)
    moved = torch.eye(keys * D_MODEL, n * D_MODEL, dtype=x.dtype, device=x.device).unflatten(1, (n, D_MODEL))
    sums, errors = [], []
    for some in moved.split(max(1, _AT_ONCE // (config.heads * n * n))):
        outputs = []
        for values in (some, -some):
            same: Any = x.expand(len(some), -1, -1)
            trace = module.trace(same, same.clone(), values, is_causal=config.causal)
            variance = output_variance(module, trace, x.dtype, scores_move=False)
            if is_half(x.dtype):
                variance = variance + spacing(on_cpu(trace.output), x.dtype).square() / 12
            outputs.append(on_cpu(trace.output))
            errors.append(variance)
        sums.append((outputs[0] - outputs[1]) / 2)
    every = torch.cat(errors)  # of both passes, of which half the difference errs by no more than one of them
    return torch.cat(sums), math.sqrt(float(every.sum()) / 2) + LAMBDA * math.sqrt(float(every.max()))


def _apart(config: AnatomyConfig) -> Theory:
    """Heads that look at different places, and hand on different things of what is there, are no product."""
    if config.heads == 1:
        return Fails(_("there is one head"))
    if len(config.tokens) == 1:
        return Fails(_("there is one word, and every head reads it alone"))
    if len(set(config.tokens)) == 1 and config.positions == "none":
        return Fails(EQUAL_KEYS)
    if config.weights == "random":
        return Holds()
    if config.cut:
        return Open(_("built by hand and then cut, a head may have nothing left to hand on"))
    same = _("built by hand, heads as large as the model all hand on the same numbers")
    return Fails(same) if config.head_size == D_MODEL and config.projections != "tied-kv" else Holds()


TESTS: Final = (
    ClaimTest("heads-several", "≥",
              _("of what the heads do together, the nearest single head leaves undone the share"),
              _("‖Σₕ Aₕ ⊗ Mₕ − A ⊗ M‖ ÷ ‖Σₕ Aₕ ⊗ Mₕ‖, least over A and M"), theory=_apart),
)  # fmt: skip
