"""The proof of what attention costs, step by step, beside what was counted and timed."""

from attention_core.figures.proof import ProofStep
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.language import sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.complexity import ComplexityResult, Times
from attention_core.studies.complexity.draw.view import lines_table, rearranged_table, times_said


def proof(result: ComplexityResult, times: Times | None) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: What was counted.
        times: What was timed; None where nothing was.
    """
    unknown = _("Choose what to measure under “Measure the time” to see it on this device.")
    clock = times_said(times) if times else unknown
    return (
        ProofStep(
            _(
                "A product of an a × b with a b × c matrix takes 2·a·b·c FLOPs. :blue[Queries], :orange[keys] and "
                ":green[values] are n × d times d × d, and so is the :violet[output]: 8·n·d². Scores and weighted "
                "sum are n × d_head times d_head × n in each of h heads: 4·n²·d, as long as h·d_head = d."
            ),
            lines_table(result),
            undone(result, "cplx-core", "cplx-mha", "cplx-heads"),
        ),
        ProofStep(
            _(
                "Cutting into heads and joining them takes no FLOPs, and n·d steps only where numbers are copied: a "
                "view gives the same numbers another order for nothing. With heads an axis of their own the cut is "
                "a view, and one copy joins them; with batch and heads as one axis, as the EECS 182 review has it, "
                "the cut copies as soon as there are two texts."
            ),
            rearranged_table(result),
            undone(result, "mha-reshape"),
        ),
        ProofStep(
            _(
                "So the two parts cost the same where 8·n·d² = 4·n²·d: at n = 2·d. Below it the projections "
                "dominate, above it the scores. Without W_O there are three projections, 6·n·d², and the line is n "
                "= 1.5·d."
            ),
            _(
                "With these settings the counter sees them cross at `{count:,}` tokens; scores and weighted sum take "
                "`{share:.1%}` of the FLOPs.",
                count=result.crossing,
                share=result.share,
            ),
            undone(result, "cplx-bottleneck"),
        ),
        ProofStep(
            _(
                "The counter knows matrix products alone: no softmax, which takes an exponential for each query, key "
                "and head, n_t·n_s·h, on top, no scaling. Into a CPU's fused kernel it does not look at all: that it "
                "says 0 there is no finding. What the kernel gives and what it holds can be measured."
            ),
            sentences(
                (
                    _(
                        "Counted in softmax: `{counted}`; exponentials it takes: `{exponentials:,}`. The fused "
                        "kernel's output is off by `{apart}`, where rounding may leave `{rounding}`.",
                        apart=format_number(result.fused_apart),
                        rounding=format_number(result.fused_rounding),
                        counted=result.softmax,
                        exponentials=result.exponentials,
                    ),
                    _weights_held(result),
                )
            ),
        ),
        ProofStep(
            _(
                "FLOPs are not time: softmax and moving scores through memory take time and no FLOPs, small products "
                "leave the device waiting, and a loop over heads calls it h times as often for the same "
                "numbers. Heads at once take fewer calls, not fewer operations: measure over heads what that saves."
            ),
            clock,
        ),
    )


def _weights_held(result: ComplexityResult) -> str:
    """Whether a fused kernel stored the weights, as far as its largest tensor tells."""
    memory, kept = (format_number(count / 2**20) for count in (result.weights_bytes, result.largest_made))
    if not result.config.fused:
        return _("The weights fill `{memory} MiB`.", memory=memory)
    if result.stores_no_weights:
        return _(
            "The weights fill `{memory} MiB`; its largest tensor has `{kept} MiB`, so it never stores them.",
            memory=memory,
            kept=kept,
        )
    return _(
        "The weights fill `{memory} MiB`; its largest tensor has `{kept} MiB`, which does not tell whether it stores "
        "them.",
        memory=memory,
        kept=kept,
    )
