"""The module with its biases at every size that a slider walks through, beside itself without any bias."""

from dataclasses import dataclass

import numpy as np
import torch

from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, weight_tolerance
from attention_core.measuring.verdict import Result
from attention_core.studies.biases.module import BiasedAttention
from attention_core.studies.biases.settings import ROLES, SIZES, BiasesConfig, BiasModuleConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasSizesResult(Result):
    """The module with its biases at every size of ``SIZES``, and at its own, beside itself without any bias.

    A sink is the last key of scores and weights; it has no terms.

    Attributes:
        tokens: The sentence.
        sizes: ‖b‖ of each bias at each step (steps,).
        terms: The four parts of the scores (steps, 4, heads, tokens, tokens): x_i·y_j, x_i·b_K, b_Q·y_j and b_Q·b_K,
            each times the scale.
        constant: For each term, whether it is the same for every key of a row in this module.
        spreads: Largest spread along a row of each term and head (steps, 4, heads).
        scores: With the biases (steps, heads, tokens, keys).
        weights: Their softmax, of the same shape.
        scores_change: Scores with − without the biases (steps, heads, tokens, keys).
        weights_change: The same of the weights.
        output_change: The same of the output (steps, tokens, d_model).
        weight_bounds: What rounding alone explains of a change of weights (steps,).
        output_bounds: The same for the output (steps,).
    """

    tokens: tuple[str, ...]
    sizes: tuple[float, ...]
    terms: np.ndarray
    constant: tuple[bool, ...]
    spreads: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    scores_change: np.ndarray
    weights_change: np.ndarray
    output_change: np.ndarray
    weight_bounds: tuple[float, ...]
    output_bounds: tuple[float, ...]


def run_bias_sizes(setting: BiasModuleConfig) -> BiasSizesResult:
    """Everything that is drawn, at every size of ``SIZES``, and at the setting's own where it has one."""
    own = {setting.size} if isinstance(setting, BiasesConfig) else set()
    sizes = tuple(sorted(own.union(SIZES)))
    attention = BiasedAttention(setting)
    with torch.inference_mode():
        plain = attention.trace(attention.at(1.0, without=ROLES))
        passes = [(module, attention.trace(module)) for module in map(attention.at, sizes)]
        changes = {
            f"{part}_change": torch.stack(
                [on_cpu(getattr(full, part)[0]) - on_cpu(getattr(plain, part)[0]) for _, full in passes]
            )
            for part in ("scores", "weights", "output")
        }
        terms = torch.stack([on_cpu(attention.score_terms(size)) for size in sizes])
        alike = len(set(setting.tokens)) == 1 and not setting.rotary
        same = alike or not (setting.rotary or setting.qk_norm)
        return BiasSizesResult.of(
            setting,
            tokens=setting.tokens,
            sizes=sizes,
            constant=(alike, same, alike, same),
            terms=terms,
            spreads=(terms.amax(-1) - terms.amin(-1)).amax(-1),
            scores=torch.cat([full.scores for _, full in passes]),
            weights=torch.cat([full.weights for _, full in passes]),
            weight_bounds=tuple(weight_tolerance(module, full, plain) for module, full in passes),
            output_bounds=tuple(output_tolerance(module, full, plain) for module, full in passes),
            **changes,
        )
