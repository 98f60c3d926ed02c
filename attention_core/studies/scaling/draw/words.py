"""Why softmax saturates without the factor, step by step."""

from attention_core.figures.proof import ProofStep, measured
from attention_core.figures.said import undone
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.scaling import LengthsResult, ScalingResult


def proof(result: ScalingResult) -> tuple[ProofStep, ...]:
    """Why softmax saturates without the factor, and what becomes of the gradient, beside the numbers measured."""

    def at(quantity: str, size: int, of: str = "unscaled") -> str:
        return f"`{format_number(result.at(quantity, size, of=of))}`"

    peak_at, peak = result.jacobian_peak
    keys, two = (result.verdict(f"scale-jac.{part}") for part in ("keys", "two"))
    return (
        ProofStep(
            _(
                "A score q·k is a sum of d_head products with mean 0 and variance 1, so its variance is d_head. "
                "Dividing by √d_head brings it back to 1."
            ),
            _(
                "Var(s) at d_head = 64: {unscaled}; ÷ √d_head: {scaled}.",
                unscaled=at("score_variance", 64),
                scaled=at("score_variance", 64, "scaled"),
            ),
            undone(result, "scale-var"),
        ),
        ProofStep(
            _(
                "The larger the scores, the sharper softmax: for ever more :blue[queries] one key takes nearly all "
                "of the weight. That is a statement in probability: it never becomes true of all of them."
            ),
            _(
                "Mean largest weight: {small} at 4, {large} at 4,096; scaled {scaled}. Of the queries {saturated} "
                "have one ≥ 0.9 at 4,096.",
                small=at("max_weight", 4),
                large=at("max_weight", 4096),
                scaled=at("max_weight", 4096, "scaled"),
                saturated=at("saturated", 4096),
            ),
            undone(result, "scale-sat"),
        ),
        ProofStep(
            _(
                "Softmax's Jacobian is J = diag(a) − aaᵀ. With ε the weight left to the others, ‖J‖ ≤ nε, and in "
                "fact ≤ 2ε whatever n is: a saturated softmax passes little on."
            ),
            _(
                "Above nε are `{keys} {rows}`, above 2ε `{two}`. ‖J‖ is largest at d_head = {size}: `{peak}`.",
                keys=format_number(keys.measured),
                rows=keys.unit,
                two=format_number(two.measured),
                peak=format_number(peak),
                size=peak_at,
            ),
            undone(result, "scale-jac"),
        ),
        ProofStep(
            _(
                "So the gradient vanishes? For the typical query, yes. But a query whose two best keys nearly tie "
                "still passes all of it on, times keys that have grown: the mean does not vanish, it becomes rare "
                "and huge."
            ),
            _(
                "At 4,096 the median is {median}, {vanished} of the queries are below 10⁻⁶, the mean is {mean} (at "
                "64 {small}), and 1 % of them carry {share} of it. Scaled, the median is {scaled}.",
                median=at("gradient_median", 4096),
                vanished=at("gradient_vanished", 4096),
                mean=at("gradient_mean", 4096),
                small=at("gradient_mean", 64),
                share=at("gradient_top_share", 4096),
                scaled=at("gradient_median", 4096, "scaled"),
            ),
            undone(result, "scale-grad"),
        ),
    )


def lengths_proof(lengths: LengthsResult) -> tuple[ProofStep, ...]:
    """Why long texts dilute attention, beside the numbers measured."""
    return (
        ProofStep(
            _(
                "Do long texts dilute attention? Of n scores with the mean m the exponentials add up to n eᵐ or "
                "more, so the best one, D above m, gets eᴰ/n of the weight at most. D hardly grows with n, unless "
                "the scores are multiplied by ln n: eᴰ is then a power of n."
            ),
            measured(lengths, "dilute"),
            undone(lengths, "dilute"),
        ),
    )
