"""The proof of each claim about pictures, step by step, beside what was measured for it."""

import numpy as np

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import COMMA, joined, sentences
from attention_core.language import gettext as _
from attention_core.studies.images import PAIRS, ImagesResult


def proof(result: ImagesResult) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The result.
    """
    return (
        ProofStep(
            _(
                "A token knows what is in its patch and not where it is. A mean over :orange[keys] is the same in "
                "any order, so patches in other places give the token that collects the same mixture. A convolution "
                "reads pixels of two patches at their border, and there other pixels meet."
            ),
            measured(result, "vit-order"),
            undone(result, "vit-order"),
        ),
        ProofStep(
            _(
                "W · patch + b sums 16 products of a weight with a pixel. A convolution does the same wherever its "
                "kernel stands, and with a stride of 4 a kernel of 4 × 4 stands on each patch once."
            ),
            measured(result, "patch-linear"),
            undone(result, "patch-linear"),
        ),
        ProofStep(
            _(
                "Softmax is above 0 for every :orange[key] that is not hidden, so each patch depends on each other "
                "after one layer. A kernel of 3 × 3 reaches one pixel further to each side with every layer: "
                "1 + 2 L pixels are seen across, from a corner 1 + L."
            ),
            str(
                sentences(
                    (
                        _(
                            "By autograd `{seen}` of {pairs} pairs of patches depend on each other.",
                            seen=int(result.seen.sum()), pairs=PAIRS,
                        ),
                        _(
                            "From a corner, layer by layer, so many pixels: {counts}.",
                            counts=joined(COMMA, (f"`{count}`" for count in result.pixels_seen)),
                        ),
                    )
                )
            ),
            undone(result, "vit-reach"),
        ),
        ProofStep(
            _(
                "What no token looks at reaches the answer by no path: its weight is 0 in every mixture, and what it "
                "holds itself is not read. The other way is open: a patch with much weight may hold what others say "
                "as well, and then it costs little."
            ),
            str(sentences((measured(result, "vit-cover"), _ranked(result)))),
            undone(result, "vit-cover"),
        ),
    )  # fmt: skip


def _ranked(result: ImagesResult) -> str:
    """The rank correlation of each head's weights with what covering costs."""
    known = result.ranks[~np.isnan(result.ranks)]
    if not known.size:
        return ""
    return str(
        _(
            "Weights of the token that collects beside what covering costs, rank correlation of each head: {ranks}.",
            ranks=joined(COMMA, (code(float(rank)) for rank in known)),
        )
    )
