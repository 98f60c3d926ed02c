"""The proof of what is said of a trained model, step by step, beside what was measured."""

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.studies.trained import FACTORS, KINDS, AccuracyResult, Head, HeadsResult, TrainedResult
from attention_core.studies.trained.draw.words import head_name


def proof(result: TrainedResult, found: HeadsResult, accuracy: AccuracyResult | None) -> tuple[ProofStep, ...]:
    """The steps, each beside what was measured.

    Args:
        result: The pass.
        found: The heads' scores.
        accuracy: Accuracy on each construction, where it was asked for.
    """
    best = {kind: found.best(kind) for kind in KINDS}
    named = "  \n".join(
        _(
            "{kind}: {head}, weight {weight}, chance {chance}",
            kind=KINDS[kind],
            head=head_name(head),
            weight=code(found.scores[at][head]),
            chance=code(found.chance[at]),
        )
        for at, (kind, head) in enumerate(best.items())
        if head is not None
    )
    own = FACTORS.index(1.0)
    return (
        ProofStep(
            _(
                "A head is named by what it does on average, not by one picture. On tokens that are said twice: the "
                "weight on the place before, on the same token's first place, and on what followed it there. On "
                "texts that training never showed: the weight on the word that decides what comes next."
            ),
            named,
        ),
        ProofStep(
            _(
                "That a head looks at a word does not prove that its look is needed. So its columns of W_O are set "
                "to zero, and the model is asked again: what gets worse is what the head was for."
            ),
            _worth(accuracy, best["agreement"]),
        ),
        ProofStep(
            _(
                "Softmax ignores what all scores of a row share, and q · b_K is just that: whatever training made of "
                "the key bias, taking it out moves nothing, unless positions are turned into the keys. The value "
                "bias adds W_O b_V to every output."
            ),
            measured(result, "bias-k", "bias-v"),
            undone(result, "bias-k", "bias-v"),
        ),
        ProofStep(
            _(
                "Attention sums over keys, and sums have no order: without positions and without a mask a shuffle "
                "only moves the states along. A causal mask tells order too, as each token sees how many stand "
                "before it."
            ),
            measured(result, "perm-self")
            or _("What it answers in the last place moves by {moved}.", moved=code(result.shuffled[0])),
            undone(result, "perm-self"),
        ),
        ProofStep(
            _(
                "Where one weight of a row is nearly 1, softmax passes almost no gradient back: its Jacobian "
                "diag(a) − a aᵀ goes to 0. A trained head may have gone there, as it no longer needs to learn."
            ),
            _(
                "The largest weight is {largest} on average at the model's own scale, ‖Jacobian‖ {gradient}; with "
                "the scores times eight {largest_then} and {gradient_then}.",
                largest=code(result.largest[own].mean()), gradient=code(result.gradient[own].mean()),
                largest_then=code(result.largest[-1].mean()), gradient_then=code(result.gradient[-1].mean()),
            ),
        ),
        ProofStep(
            _(
                "Each layer mixes what the one below has mixed, so the last token depends on ever more inputs, and "
                "tokens may grow alike. A head compares tokens in at most d_head directions, and uses as many as "
                "training left."
            ),
            _(
                "At the top the last token depends on {inputs} inputs; two tokens have cosine {below} below and "
                "{above} above; of {most} directions a head uses {used} on average.",
                inputs=code(result.reach[-1]), below=code(result.cosine[0]), above=code(result.cosine[-1]),
                most=result.d_head, used=code(result.rank.mean()),
            ),
        ),
    )  # fmt: skip


def _worth(accuracy: AccuracyResult | None, head: Head | None) -> str:
    if accuracy is None:
        return _("The question “What is each head for?” shows what each is worth.")
    lines = []
    for at, label in enumerate(accuracy.labels):
        low, high = accuracy.interval[at]
        told = {"asked": label, "right": code(accuracy.left[at]), "chance": code(accuracy.chance[at])}
        line = _(
            "{asked}: right {right} (95 %: {low:.2f} to {high:.2f}), chance {chance}", low=low, high=high, **told
        )
        if head:
            left = code(accuracy.each[head][at])
            line = _("{line}; without {head} {left}", line=line, head=head_name(head), left=left)
        lines.append(line)
    return "  \n".join(lines)
