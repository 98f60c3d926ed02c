"""The proof of each claim about projections, step by step, beside what was measured for it."""

from functools import singledispatch

from attention_core.experiments.projections import (
    LAYERS,
    CollapseResult,
    GaugeResult,
    IdentityResult,
    ProjectionsResult,
    RankResult,
    TyingResult,
)
from attention_core.figures.proof import ProofStep, code


@singledispatch
def proof(result: ProjectionsResult) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The result of a question.
    """
    raise TypeError(f"nothing is said about {type(result).__name__}")


@proof.register
def _(result: IdentityResult) -> tuple[ProofStep, ...]:
    sizes = zip(result.sizes, result.own[0], strict=True)
    return (
        ProofStep(
            "Without projections :blue[query] and :orange[key] of a word are the word itself. Among vectors of one "
            "norm none is closer to x than x: x·y = ‖x‖‖y‖ cos ≤ ‖x‖² (Cauchy and Schwarz). A longer y may win.",
            f"The best score of another word, less one's own: {code(result.lead)}; {result.lost_queries} of "
            f"{result.queries} queries look elsewhere.",
        ),
        ProofStep(
            "Most is not more than half: against n − 1 others one's own score, ‖x‖²/√d_head, must lie well above "
            "log n. It grows like √d_head, and a temperature divides it. With W_Q and W_K a word may look anywhere.",
            "Mean weight on oneself: " + ", ".join(f"{code(own)} at d_head = {size}" for size, own in sizes),
        ),
    )


@proof.register
def _(result: TyingResult) -> tuple[ProofStep, ...]:
    full, tied, _ = result.parameters
    by_head = ", ".join(code(value) for value in result.asymmetry)
    return (
        ProofStep(
            "With W_Q = W_K the score of token i with j is that of j with i. Softmax divides each row by its own "
            "sum, so the weights need not agree.",
            f"max |S − Sᵀ| = {code(result.verdicts[-1].measured)}; ‖A − Aᵀ‖ by head: {by_head}",
        ),
        ProofStep(
            "With W_K = W_V one matrix serves :orange[keys] and :green[values]: d_model · h · d_head weights and "
            "h · d_head biases fewer. Whether quality suffers only training can say.",
            f"`{full:,} − {tied:,} = {result.saved:,}` parameters saved; on paper `{result.formula:,}`.",
        ),
    )


@proof.register
def _(result: GaugeResult) -> tuple[ProofStep, ...]:
    return (
        ProofStep(
            "(M q)·(M⁻ᵀ k) = q·k: :blue[queries] and :orange[keys] may change basis together, :green[values] too if "
            "W_O changes it back, and heads may change places. Many parameters, one function.",
            f"The parameters moved by `{result.changed:.0%}`, the :violet[output] by {code(result.moved)}.",
        ),
        ProofStep(
            "So may the factor: (W_Q/√d_head) x · k = q·k/√d_head. It changes how training goes, not what can be "
            "expressed.",
            f"With the factor inside W_Q the :violet[output] moves by {code(result.absorbed)}.",
        ),
    )


@proof.register
def _(result: RankResult) -> tuple[ProofStep, ...]:
    sizes = zip(result.sizes, result.ranks[2], strict=True)
    return (
        ProofStep(
            "A head's scores are a product of n × d_head and d_head × n: rank at most d_head. The logarithm of the "
            "weights is the scores less one number a row: rank at most d_head + 1.",
            "; ".join(f"{verdict.quantity}: {code(verdict.measured)}" for verdict in result.verdicts),
        ),
        ProofStep(
            "Softmax takes the exponential of every score by itself, which lifts the rank: the bottleneck limits "
            "which weights can be reached, not their rank.",
            "Rank of the weights: " + ", ".join(f"`{rank:.0f}` at d_head = {size}" for size, rank in sizes),
        ),
    )


@proof.register
def _(result: CollapseResult) -> tuple[ProofStep, ...]:
    alone, added = result.left[:, -1]
    return (
        ProofStep(
            "Each :violet[output] is a weighted mean of the :green[values], and means lie closer together than what "
            "they are means of. Layer by layer the words become one.",
            f"‖X − mean‖ / ‖X‖ goes from {code(result.apart[0, 0])} to {code(result.apart[0, -1])}.",
        ),
        ProofStep(
            "The residual adds what each word was before, so the differences are not erased. Yet words may look more "
            "and more alike all the same, because what they have in common grows faster. A causal mask only slows "
            "the collapse.",
            f"After {LAYERS} layers {code(alone)} of the differences are left by attention alone, {code(added)} "
            f"with the residual, where ‖X − mean‖ / ‖X‖ falls to {code(result.apart[1, -1])}.",
        ),
    )
