"""The proof of each claim about projections, step by step, beside what was measured for it."""

from functools import singledispatch

import numpy as np

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import COMMA, SEMICOLON, joined, sentences
from attention_core.language import gettext as _
from attention_core.studies.projections import (
    LAYERS,
    CollapseResult,
    FixedResult,
    GaugeResult,
    IdentityResult,
    NamesResult,
    ProjectionsResult,
    RankResult,
    TyingResult,
)


@singledispatch
def proof(result: ProjectionsResult) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The result of a question.
    """
    raise TypeError(f"nothing is said about {type(result).__name__}")


@proof.register
def _identity(result: IdentityResult) -> tuple[ProofStep, ...]:
    own = (
        _("{value} at d_head = {size}", value=code(weight), size=size)
        for size, weight in zip(result.sizes, result.own[0], strict=True)
    )
    return (
        ProofStep(
            _(
                "Without projections :blue[query] and :orange[key] of a word are the word itself. Among vectors of "
                "one norm none is closer to x than x: x·y = ‖x‖‖y‖ cos ≤ ‖x‖² (Cauchy and Schwarz). A longer y may "
                "win."
            ),
            _(
                "The best score of another word, less one's own: {lead}; {lost} of {queries} queries look elsewhere.",
                lead=code(result.lead), lost=result.lost_queries, queries=result.queries,
            ),
            undone(result, "qkv-none"),
        ),
        ProofStep(
            _(
                "Most is not more than half: against n − 1 others one's own score, ‖x‖²/√d_head, must lie well above "
                "log n. It grows like √d_head, and a temperature divides it. With W_Q and W_K a word may look "
                "anywhere."
            ),
            _("Mean weight on oneself: {weights}", weights=joined(COMMA, own)),
        ),
    )  # fmt: skip


@proof.register
def _tying(result: TyingResult) -> tuple[ProofStep, ...]:
    full, tied = result.parameters[:2]
    return (
        ProofStep(
            _(
                "With W_Q = W_K the score of token i with j is that of j with i. Softmax divides each row by its own "
                "sum, so the weights need not agree."
            ),
            _(
                "max |S − Sᵀ| = {scores}; ‖A − Aᵀ‖ by head: {weights}",
                scores=code(result.verdicts[-1].measured), weights=joined(COMMA, map(code, result.asymmetry)),
            ),
            undone(result, "qk-tied"),
        ),
        ProofStep(
            _(
                "With W_K = W_V one matrix serves :orange[keys] and :green[values]: d_model · h · d_head weights and "
                "h · d_head biases fewer. Whether quality suffers only training can say."
            ),
            _(
                "`{full:,} − {tied:,} = {saved:,}` parameters saved; on paper `{formula:,}`.",
                full=full, tied=tied, saved=result.saved, formula=result.formula,
            ),
            undone(result, "qkv-tied"),
        ),
    )  # fmt: skip


@proof.register
def _gauge(result: GaugeResult) -> tuple[ProofStep, ...]:
    return (
        ProofStep(
            _(
                "(M q)·(M⁻ᵀ k) = q·k: :blue[queries] and :orange[keys] may change basis together, :green[values] too "
                "if W_O changes it back, and heads may change places. Many parameters, one function."
            ),
            _(
                "The parameters moved by `{share:.0%}`, the :violet[output] by {moved}.",
                share=result.changed, moved=code(result.moved),
            ),
            undone(result, "gauge"),
        ),
        ProofStep(
            _(
                "So may the factor: (W_Q/√d_head) x · k = q·k/√d_head. It changes how training goes, not what can be "
                "expressed."
            ),
            _("With the factor inside W_Q the :violet[output] moves by {moved}.", moved=code(result.absorbed)),
            undone(result, "scale-absorb"),
        ),
    )  # fmt: skip


@proof.register
def _rank(result: RankResult) -> tuple[ProofStep, ...]:
    found = (_("{name}: {value}", name=verdict.quantity, value=code(verdict.measured)) for verdict in result.verdicts)
    ranks = (
        _("{value} at d_head = {size}", value=f"`{rank:.0f}`", size=size)
        for size, rank in zip(result.sizes, result.ranks[2], strict=True)
    )
    return (
        ProofStep(
            _(
                "A head's scores are a product of n × d_head and d_head × n: rank at most d_head. The logarithm of "
                "the weights is the scores less one number a row: rank at most d_head + 1."
            ),
            str(joined(SEMICOLON, found)),
            undone(result, "low-rank"),
        ),
        ProofStep(
            _(
                "Softmax takes the exponential of every score by itself, which lifts the rank: the bottleneck limits "
                "which weights can be reached, not their rank."
            ),
            _("Rank of the weights: {ranks}", ranks=joined(COMMA, ranks)),
        ),
    )


@proof.register
def _collapse(result: CollapseResult) -> tuple[ProofStep, ...]:
    alone, added = result.left[:, -1]
    kept = _(
        "After {layers} layers {alone} of the differences are left by attention alone, {added} with the "
        "residual, where ‖X − mean‖ / ‖X‖ falls to {apart}.",
        layers=LAYERS, alone=code(alone), added=code(added), apart=code(result.apart[1, -1]),
    )  # fmt: skip
    if result.exact is not None:
        precise = _(
            "In float64, where rounding decides no digit of it, ‖X − mean‖ / ‖X‖ goes to {alone}, and with the "
            "residual to {added}.",
            alone=code(result.exact[0, 0]), added=code(result.exact[0, 1]),
        )  # fmt: skip
        kept = str(sentences((kept, precise)))
    return (
        ProofStep(
            _(
                "Each :violet[output] is a weighted mean of the :green[values], and means lie closer together than "
                "what they are means of. Layer by layer the words become one."
            ),
            _(
                "‖X − mean‖ / ‖X‖ goes from {first} to {last}.",
                first=code(result.apart[0, 0]), last=code(result.apart[0, -1]),
            ),
            undone(result, "rank-collapse"),
        ),
        ProofStep(
            _(
                "The residual adds what each word was before, so the differences are not erased. Yet words may look "
                "more and more alike all the same, because what they have in common grows faster. A causal mask only "
                "slows the collapse."
            ),
            kept,
        ),
    )  # fmt: skip


@proof.register
def _names(result: NamesResult) -> tuple[ProofStep, ...]:
    skew = np.abs(result.scores - result.scores.swapaxes(1, 2)).max()
    return (
        ProofStep(
            _(
                "Let W_K make the :blue[queries] and W_Q the :orange[keys]: S′ = K Qᵀ = (Q Kᵀ)ᵀ = Sᵀ. Transposed, or "
                "with softmax over the other axis, the scores are the same, and so is all that follows. No matrix is "
                "the query's by what it holds."
            ),
            measured(result, "qkv-names"),
            undone(result, "qkv-names"),
        ),
        ProofStep(
            _(
                "What tells the two apart is where they stand: softmax runs over the :orange[keys] of one "
                ":blue[query], and the :green[value] that a weight takes is the key's. W_V stands alone, with W_O "
                "behind it: there another basis is all that is free. Query, key and value are names of uses."
            ),
            _("Here a score and its mirror image differ by up to {skew}.", skew=code(skew)),
        ),
    )


@proof.register
def _fixed(result: FixedResult) -> tuple[ProofStep, ...]:
    full, attention = result.taken
    return (
        ProofStep(
            _(
                "A fully connected layer over places, y = W x, has a weight for each pair of places: ∂yᵢ/∂xⱼ is Wᵢⱼ, "
                "whatever the words are. A weight of attention is made of the two words that meet, a "
                ":blue[query] and a :orange[key], so it goes where they go."
            ),
            measured(result, "fc-fixed"),
            undone(result, "fc-fixed"),
        ),
        ProofStep(
            _(
                "W has a column for each place, so one more word does not fit. W_Q, W_K and W_V look at one word at "
                "a time, and softmax takes as many scores as there are. With its weights kept, attention is a full "
                "layer."
            ),
            _(
                "Of {count} lengths the full layer takes `{full}`, attention `{attention}`.",
                count=len(result.lengths), full=full, attention=attention,
            ),
        ),
    )  # fmt: skip
