"""Why models came to leave biases out: a short history, each point beside what this page measures of it."""

from collections.abc import Iterable

from attention_core.figures.proof import ProofStep, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.measuring.verdict import Result
from attention_core.studies.biases import AfterNormResult, BiasesResult, MeanResult
from attention_core.studies.biases.draw.curves import CURVES


def history(result: BiasesResult, told: Iterable[Result], *, rotary: bool) -> tuple[ProofStep, ...]:
    """Four points of the history, the newest last.

    Args:
        result: The claims under the settings of the page.
        told: All that is told beside them; where norms or means are measured, what they found.
        rotary: Whether positions are rotary.
    """
    mean, norms = (_("Choose the curve “{curve}” to measure it.", curve=CURVES[name]) for name in ("mean", "norms"))
    of_mean = of_norms = ""
    for one in told:
        if isinstance(one, MeanResult):
            mean, of_mean = measured(one), undone(one, "bias-mean")
        if isinstance(one, AfterNormResult):
            norms, of_norms = measured(one), undone(one, "bias-norm")
    key = result.effect("k")
    felt = (
        _(
            "Under these settings the key bias moves the weights by `{weights}`, and its gradient is `{gradient}`.",
            weights=format_number(key.weights),
            gradient=format_number(key.gradient),
        )
        if key
        else _("The key bias is off.")
    )
    return (
        ProofStep(
            _(
                "A short history. The transformer of 2017 has biases in its feed-forward network; most "
                "implementations give them to q, k and v too. A bias is what a layer answers to an average input, "
                "E[Wx + b] = b: knowledge from before the input is seen."
            ),
            mean,
            of_mean,
        ),
        ProofStep(
            _(
                "LayerNorm (Ba et al. 2016) brings a bias of its own, its shift β, and takes from the bias before it "
                "only what all features share. RMSNorm (Zhang & Sennrich 2019) centres nothing and shifts nothing: "
                "simpler, and what came with a bias stays."
            ),
            norms,
            of_norms,
        ),
        ProofStep(
            _(
                "PaLM (Chowdhery et al. 2022) leaves the biases out of all its dense layers and norms, and reports "
                "that large models then train more stably. Why is not settled; the *Notes on attention bias* (2025) "
                "suspect the prior knowledge, which misleads where the data shift. That the key bias of plain "
                "attention does nothing is certain."
            ),
            felt if not rotary else _("With rotary positions it is not: see the next point."),
            undone(result, "bias-k"),
        ),
        ProofStep(
            _(
                "Rotary positions (Su et al. 2021) turn what is added to a key by an angle of its own at every slot, "
                "so the key bias counts again. Qwen (2023) leaves biases out as PaLM does, but for q, k and v."
            ),
            felt if rotary else _("Switch rotary positions on, below “What breaks it”, to measure it."),
        ),
    )
