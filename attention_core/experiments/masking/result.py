"""What the masking experiment measured."""

from dataclasses import dataclass

import numpy as np

from attention_core.experiments.verdict import Provenance, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMasks:
    """The masks one attention module of the first layer was given, and the weights under them.

    Attributes:
        name: Its name in the stack: ``encoder.layers.0.self_attention``.
        kinds: What it was given: ``key padding``, ``causal``, ``attention mask``.
        queries: The tokens that ask, of each sentence.
        keys: The tokens that are looked at, of each sentence.
        mask: True = may attend (batch, q_len, kv_len).
        weights: Mean over the heads (batch, q_len, kv_len), float32.
        unmasked: The weights of the same queries and keys without any mask.
    """

    name: str
    kinds: tuple[str, ...]
    queries: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, ...], ...]
    mask: np.ndarray
    weights: np.ndarray
    unmasked: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Additive:
    """−10000 against −∞ over score size, in each precision.

    Attributes:
        stds: Standard deviations of the scores (steps,).
        dtypes: Names of the precisions.
        difference: Largest difference of two weights (dtypes, steps); NaN where the scores overflow.
        row: That a fully masked row under −10000 differs from the *unmasked* weights, largest number (dtypes,).
        uniform: That it differs from equal weights (dtypes,).
    """

    stds: np.ndarray
    dtypes: tuple[str, ...]
    difference: np.ndarray
    row: np.ndarray
    uniform: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyRow:
    """A query that sees no key, through two layers of attention.

    Attributes:
        tokens: The sentence; its last word sees nothing.
        naive: Weights by softmax alone, of both layers (2, n, n).
        ours: The module's weights, of both layers (2, n, n).
        context: Largest number of the row's context and of its output minus b_O, in the module.
        gradients: Numbers of ∂L/∂x that are not finite: through the module, and with −∞ added and NaN zeroed late.
    """

    tokens: tuple[str, ...]
    naive: np.ndarray
    ours: np.ndarray
    context: float
    gradients: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingResult:
    """One stack, its masks, and what padding does to it.

    Attributes:
        modules: The attention modules of the first layer.
        labels: Tokens of the sentences whose outputs are compared, padding as ``·``.
        real: Where there is a word (batch, tokens).
        moved: How far each output moves when the padding is replaced (batch, tokens), float64; NaN is NaN.
        pad_moved: The largest of ``moved`` over words.
        alone: The largest difference to each sentence on its own, without padding.
        leak: Mean weight that words of the first self-attention give to padding without a padding mask.
        leak_masked: The same with the masks as they are set.
        additive: −10000 against −∞.
        empty: A row without keys.
        verdicts: For the stack's claim two or three, for ``mask-additive`` and ``mask-full`` one each.
        provenance: Where the numbers come from.
    """

    modules: tuple[ModuleMasks, ...]
    labels: tuple[tuple[str, ...], ...]
    real: np.ndarray
    moved: np.ndarray
    pad_moved: float
    alone: float
    leak: float
    leak_masked: float
    additive: Additive
    empty: EmptyRow
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    def said(self, *claims: str) -> "Said":
        """The verdicts of some of the claims, as a result of their own."""
        return Said(tuple(verdict for verdict in self.verdicts if verdict.claim in claims), self.provenance)


@dataclass(frozen=True, slots=True)
class Said:
    """Some of a result's verdicts.

    Attributes:
        verdicts: Them.
        provenance: Where the numbers come from.
    """

    verdicts: tuple[Verdict, ...]
    provenance: Provenance
