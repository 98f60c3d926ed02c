"""Why the forms compute the same, step by step, beside what was measured."""

from collections.abc import Callable
from typing import Final

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.studies.exactness import (
    Batch,
    ExactnessConfig,
    ExactnessResult,
    Speculation,
    Tiles,
)


def proof(config: ExactnessConfig, result: ExactnessResult) -> tuple[ProofStep, ...]:
    """The steps of the proof of the form that was measured, and last what a bound says.

    Args:
        config: The settings.
        result: Their result.
    """
    return (*_PROOFS[config.form](result), _bound(result))


def _bound(result: ExactnessResult) -> ProofStep:
    """A bound, read as a sentence."""
    part = result.part
    text = _(
        "A bound read as a sentence: each sum of n numbers is rounded n times, in either direction, so it may be off "
        "by about √n half units of its last place. What differs by less can be rounding; what differs by more is a "
        "fault. A word changes only where its rival is nearer than twice that."
    )
    bound = float(part.bounds.max()) if isinstance(part, Batch) else part.bound
    return ProofStep(text, _("What rounding may leave here: {bound}.", bound=code(bound)))


def _tiles(result: ExactnessResult) -> tuple[ProofStep, ...]:
    part = result.part
    assert isinstance(part, Tiles)
    return (
        ProofStep(
            _(
                "Softmax over two groups of keys: take each group’s maximum m, its sum l of e^(s − m), and its "
                "mixture o of values with these shares. Counted from the larger maximum both sums grow by e^(m − "
                "m_new), and so do both mixtures; then they are added. That is all: o / l is softmax over both "
                "groups."
            ),
            _("maximum, sum of the first row after the last tile: {maximum}, {total}",
              maximum=code(part.maxima[-1, 0, 0]), total=code(part.totals[-1, 0, 0])),
        ),
        ProofStep(
            _(
                "Sums do not depend on their order, so neither does this: tiles may come from either end or "
                "shuffled, and on several machines. Rounding depends on it, by a little with each merge."
            ),
            measured(result, "tile-exact"),
            undone(result, "tile-exact"),
        ),
        ProofStep(
            _(
                "At any time one tile of scores, one maximum, one sum and one mixture of each row are needed. None "
                "of them has a number for each pair of words, so what is alive grows with the text alone."
            ),
            measured(result, "tile-memory"),
            undone(result, "tile-memory"),
        ),
    )  # fmt: skip


def _batch(result: ExactnessResult) -> tuple[ProofStep, ...]:
    part = result.part
    assert isinstance(part, Batch)
    return (
        ProofStep(
            _(
                "Under a causal mask a word’s keys and values do not change when words are added, padding that is "
                "masked has weight 0, and texts of a batch never meet. So all four ways are one function; but sums "
                "of other shapes are added up in another order, and that rounds otherwise."
            ),
            measured(result, "same-batch"),
            undone(result, "same-batch"),
        ),
        ProofStep(
            _(
                "The next word is the one with the largest logit. If no logit moves by more than B, the best one can "
                "lose to another only if it was ahead by at most 2·B. A fault moves words whose margin is wide."
            ),
            measured(result, "flip"),
            undone(result, "flip"),
        ),
    )


def _pairs(result: ExactnessResult) -> tuple[ProofStep, ...]:
    return (
        ProofStep(
            _(
                "A rotation turns two numbers of a head together; which two is a convention. A score sums over all "
                "pairs, so when the rows of W_Q and of W_K are put into the order that the other convention wants, "
                "the same pairs meet and every score stays."
            ),
            measured(result, "rope-pairs"),
            undone(result, "rope-pairs"),
        ),
        ProofStep(
            _(
                "Where a word meets itself both are turned by one angle, which cancels whatever the pairs are. So a "
                "wrong convention can be seen only between two places."
            ),
            measured(result, "rope-pairs"),
        ),
    )


def _latent(result: ExactnessResult) -> tuple[ProofStep, ...]:
    return (
        ProofStep(
            _(
                "Keys are k = W_UK c, made of a latent c. A score is q · W_UK c, and that is (W_UKᵀ q) · c: the "
                "matrix may be applied to the query instead. So the keys need never be made; values likewise, since "
                "the mixture of W_UV c is W_UV times the mixture of c."
            ),
            measured(result, "mla-absorb"),
            undone(result, "mla-absorb"),
        ),
        ProofStep(
            _(
                "A rotary position puts a rotation R between the two: q · R W_UK c. It depends on the distance, so "
                "no matrix that is folded into W_Q once can hold it. That is why a part of each head is kept apart: "
                "it is turned, and its scores are added."
            ),
            measured(result, "mla-absorb"),
        ),
    )


def _speculation(result: ExactnessResult) -> tuple[ProofStep, ...]:
    part = result.part
    assert isinstance(part, Speculation)
    return (
        ProofStep(
            _(
                "The large model reads all drafts in one pass, and says of each place what it would have written. "
                "Greedily a draft is kept where the two agree; the first that differs is replaced, and what follows "
                "it dropped. So each word is the large model’s own."
            ),
            measured(result, "spec-greedy"),
            undone(result, "spec-greedy"),
        ),
        ProofStep(
            _(
                "By chance: a word drawn from q is kept with probability min(1, p/q), so it comes out with min(p, "
                "q). What is missing to p is (p − q)₊, and from that a dropped draft is drawn again. Both together "
                "are p, whatever the draft is; it only decides how often one is kept."
            ),
            measured(result, "spec-dist"),
            undone(result, "spec-dist"),
        ),
        ProofStep(
            _("A better draft is kept more often, and each draft that is kept saves the large model one call."),
            _("mean of Σ min(p, q): {share}", share=code(part.shares.mean())),
        ),
    )


_PROOFS: Final[dict[str, Callable[[ExactnessResult], tuple[ProofStep, ...]]]] = {
    "tiles": _tiles,
    "batch": _batch,
    "pairs": _pairs,
    "latent": _latent,
    "speculation": _speculation,
}
