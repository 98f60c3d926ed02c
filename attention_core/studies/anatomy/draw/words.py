"""The proof of what the page of a forward pass shows, step by step, beside what was measured for it."""

from attention_core.figures.proof import ProofStep, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.anatomy import AnatomyResult, HeadTimes
from attention_core.studies.anatomy.draw.steps import STEP_LABELS, STEPS


def proof(result: AnatomyResult, times: HeadTimes) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The pass.
        times: How long it takes, at once and in a loop over the heads.
    """
    return (
        ProofStep(
            _(
                "Each :blue[query] meets each :orange[key] in a product, and softmax turns a row of products into "
                "shares that add up to 1: **one weight is the share a :blue[query] takes of one :green[value]**."
            ),
            _(
                "The largest share of a query is `{share}`, averaged over the queries of all heads.",
                share=format_number(result.mean_max_weight),
            )
            + "  \n"
            + measured(result, "drop-rows"),
            undone(result, "drop-rows"),
        ),
        ProofStep(
            _(
                "So the :violet[context] of a head is a mixture of its :green[values], never outside of what they "
                "span. Dropout throws weights away and enlarges the rest: only the average of many passes stays "
                "inside."
            ),
            measured(result, "convex-hull"),
            undone(result, "convex-hull"),
        ),
        ProofStep(
            _(
                "A hard lookup returns the :green[value] of the best :orange[key] alone. The soft one differs from "
                "it by Σⱼ aⱼ (vⱼ − v*), so by no more than the weight of the other keys times how far their values "
                "lie from v*: the surer a query is, the harder its lookup."
            ),
            measured(result, "soft-lookup"),
            undone(result, "soft-lookup"),
        ),
        ProofStep(
            _(
                "Several heads are one product: each row is cut into heads, nothing is computed twice, and a loop "
                "over the heads gives the same numbers. So d_model is a multiple of the heads, or d_head is given."
            ),
            _(
                "On this machine, now: `{batched} µs` together, `{loop} µs` in a loop.",
                batched=times.batched_us,
                loop=times.loop_us,
            )
            + "  \n"
            + measured(result, "mha-reshape", "mha-divisible"),
            undone(result, "mha-reshape", "mha-divisible"),
        ),
        ProofStep(
            _(
                "Why several? A head moves numbers between words by one matrix of weights: of values X it makes "
                "A X Mᵀ. Two heads add up to two such products, and where they look at different places no single "
                "product is their sum, however wide its M. How far the nearest one is away, singular values tell."
            ),
            measured(result, "heads-several"),
            undone(result, "heads-several"),
        ),
        ProofStep(
            _(
                "A head is no slice of a word. Its rows of W_Q are as long as a word, so each number of its "
                ":blue[query] is made of all numbers of the word; cut are the rows of W_Q, and so the "
                ":blue[queries]. Which numbers a head takes is learned."
            ),
            measured(result, "head-sees-all"),
            undone(result, "head-sees-all"),
        ),
        ProofStep(
            _(
                "QKᵀ multiplies n² pairs of d numbers, and AV as many: 2 n² d multiplications and additions in each. "
                "Twice as many words, four times the work."
            ),
            measured(result, "cplx-core"),
            undone(result, "cplx-core"),
        ),
        ProofStep(
            _(
                "The whole pass is eleven lines of torch, and each is a step of the strip above. Implementations "
                "that are published, in the EECS 182 review and for BERT, read alike: project, cut, score, scale, "
                "mask, softmax, mix, join, project."
            ),
            reading(),
        ),
    )


def reading() -> str:
    """Markdown table of the pass: each line of torch beside the step it is."""
    rows = [f"| {STEP_LABELS[step.name]} | `{step.code}` |" for step in STEPS if step.name != "lookup"]
    return "\n".join((_("| step | line |"), "|:--|:--|", *rows))
