"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel.

Claims: ``bias-k`` softmax cancels the key bias; ``bias-k-grad`` so no loss of the output sends it a gradient;
``bias-v`` the value bias adds one vector to every output; ``bias-q`` the query bias changes the output;
``bias-terms`` the four terms of a score, two of them constant along a row; ``softmax-shift`` softmax(x + δ1) =
softmax(x). Each is measured on the module, and so is what breaks it.
"""

from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.biases.bounds import output_bound, weight_bound
from attention_core.experiments.biases.claims import (
    Measured,
    changes,
    gradients,
    key_claims,
    query_claims,
    shift_claim,
    term_claims,
    value_claim,
)
from attention_core.experiments.biases.config import ROLES, SHIFT, SIZES, BiasesConfig, BiasesSetting, breaks
from attention_core.experiments.biases.module import BiasedAttention
from attention_core.experiments.biases.result import (
    BiasEffect,
    BiasesResult,
    BiasSizesResult,
    double,
    frozen_array,
)
from attention_core.experiments.judge import judge
from attention_core.experiments.verdict import Provenance, Verdict

QUANTITIES: Final = {
    "weights": ("bias-k", "max |weights − weights without b_K|"),
    "output": ("bias-k", "max |output − output without b_K|"),
    "spread": ("bias-k", "largest spread along a row of what b_K adds to the scores"),
    "grad": ("bias-k-grad", "‖∂L/∂b_K‖"),
    "value": ("bias-v", "max |output − output without b_V − W_O b_V|"),
    "query": ("bias-q", "max |output − output without b_Q|"),
    "column": ("bias-q", "max |what b_Q adds to the scores − scale·b_Q·k_j|"),
    "formula": ("bias-terms", "max |scores − sum of the four terms|"),
    "cancel": ("bias-terms", "max |weights − softmax(terms 1 + 3)|"),
    "shift": ("softmax-shift", f"max |softmax(x + {SHIFT:,.0f}) − softmax(x)|"),
}


def run_biases(config: BiasesConfig) -> BiasesResult:
    """Take each bias out in turn, compare, and hold what is left to what rounding explains.

    Args:
        config: The module, its tokens and the size of its biases.
    """
    attention = BiasedAttention(config)
    gradient, gradient_bound = gradients(attention, config)
    measured: Measured = {"grad": (gradient["k"], gradient_bound)} if config.k_bias else {}
    effects: list[BiasEffect] = []
    with torch.inference_mode():
        module = attention.at(config.size)
        full, plain = attention.trace(module), attention.trace(attention.at(config.size, without=ROLES))
        terms = attention.formula_terms(config.size)
        for role in config.biases:
            without = attention.at(config.size, without=(role,))
            other = attention.trace(without)
            moved = changes(attention, full, other)
            effects.append(BiasEffect(role=role, **moved, gradient=gradient[role]))
            if role == "k":
                measured |= key_claims(module, full, other, moved)
            elif role == "q":
                measured |= query_claims(terms, module, full, other, moved)
            elif role == "v":
                measured |= value_claim(attention, config, module, without)
        measured |= term_claims(attention, terms, module, full) | shift_claim(config, plain.scores)
        bounds = weight_bound(module, full, plain), output_bound(module, full, plain)
    return BiasesResult(
        effects=tuple(effects),
        weight_bound=bounds[0],
        output_bound=bounds[1],
        gradient_bound=gradient_bound,
        largest_weight=float(plain.weights.max()),
        verdicts=tuple(_verdict(config, key, *measured[key]) for key in QUANTITIES if key in measured),
        provenance=Provenance.of(config),
    )


def run_bias_sizes(setting: BiasesSetting) -> BiasSizesResult:
    """Everything that is drawn, at every size of ``SIZES``: what a slider walks through.

    Args:
        setting: The module and its tokens.
    """
    attention = BiasedAttention(setting)
    columns: dict[str, list[Tensor]] = {}
    bounds: dict[str, list[float]] = {"weights": [], "output": []}
    with torch.inference_mode():
        plain = attention.trace(attention.at(1.0, without=ROLES))
        for size in SIZES:
            module = attention.at(size)
            full = attention.trace(module)
            step = {
                "terms": attention.score_terms(size),
                "weights": full.weights[0],
                "scores_change": double(full.scores[0]) - double(plain.scores[0]),
                "weights_change": double(full.weights[0]) - double(plain.weights[0]),
                "output_change": double(full.output[0]) - double(plain.output[0]),
            }
            for name, values in step.items():
                columns.setdefault(name, []).append(double(values))
            bounds["weights"].append(weight_bound(module, full, plain))
            bounds["output"].append(output_bound(module, full, plain))
    terms = torch.stack(columns["terms"])
    moved = setting.rotary or setting.qk_norm
    drawn = {name: frozen_array(torch.stack(steps)) for name, steps in columns.items()}
    return BiasSizesResult(
        tokens=setting.tokens,
        sizes=SIZES,
        terms=drawn["terms"],
        constant=(False, not moved, False, not moved),
        spreads=frozen_array((terms.amax(-1) - terms.amin(-1)).amax(-1), np.float64),
        weights=drawn["weights"],
        scores_change=drawn["scores_change"],
        weights_change=drawn["weights_change"],
        output_change=drawn["output_change"],
        weight_bounds=tuple(bounds["weights"]),
        output_bounds=tuple(bounds["output"]),
        provenance=Provenance.of(setting),
    )


def _verdict(config: BiasesConfig, key: str, measured: float, bound: float) -> Verdict:
    claim, quantity = QUANTITIES[key]
    return judge(
        config,
        claim,
        quantity,
        measured,
        "≥" if key == "query" else "≤",
        bound,
        cases=f"{len(config.tokens):,} tokens" if len(config.tokens) > 1 else "1 token",
        because=breaks(config, key),
        exact=lambda other: next(each.measured for each in run_biases(other).verdicts if each.quantity == quantity),
    )
