"""Scaling: slide d_head, and watch softmax saturate and the typical gradient vanish."""

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from attention_core.experiments.scaling import (
    D_HEADS,
    INPUTS,
    SCALES,
    ScalingConfig,
    ScalingResult,
    check_d_head,
    scaling_snippet,
    steps_scaling,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures import scaling as draw

HEIGHT = 170
VANISHES, GROWS, BOTH = "It vanishes for every query", "It grows", "It vanishes for most, and grows for a few"

PRESETS = (
    Preset("Unscaled", "At d_head = 4,096 one key takes nearly everything.", {"d_head": 1024}),
    Preset(
        "÷ √d_head", "The same pictures at every size: nothing moves.", {"scale": "1/sqrt(d_head)", "d_head": 1024}
    ),
    Preset("÷ d_head", "Too much: the weights turn uniform.", {"scale": "1/d_head", "d_head": 1024}),
    Preset("QK-norm", "Normalised queries and keys still need a scale.", {"qk_norm": True, "d_head": 1024}),
    Preset(
        "As initialised",
        "torch's default W_Q and W_K make the variance a ninth of what the rule assumes.",
        {"through_module": True, "scale": "1/sqrt(d_head)", "curve": "variance"},
    ),
)


def grade(result: ScalingResult) -> str:
    """What the gradient of the chosen scale does from d_head = 64 to 4,096."""
    few = result.at("gradient_median", 4096) < 0.1 * result.at("gradient_median", 64)
    kept = result.at("gradient_mean", 4096) > 0.5 * result.at("gradient_mean", 64)
    return (BOTH if kept else VANISHES) if few else GROWS if kept else VANISHES


PREDICT = Predict(
    "Without scaling, what happens to the gradient that reaches a query as d_head goes from 64 to 4,096?",
    (VANISHES, GROWS, BOTH),
    {"scale": "none", "curve": "gradient", "d_head": 4096},
    grade,
)


page = Page("scaling", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    scale = control.select("scale", "Scores are q·k times", SCALES, "none")
    alpha = control.slider("alpha", "α, for d_head^−α", 0.0, 2.0, 0.25, step=0.05)
    temperature = control.slider("temperature", "Temperature", 0.1, 10.0, 1.0, step=0.1)
    inputs = control.choice("inputs", "Components of q and k", INPUTS, "normal")
    num_keys = control.slider("num_keys", "Keys", 1, 128, 64)
    curve = control.select("curve", "Curve below", tuple(draw.TITLES), "gradient")
    d_head, keep = control.swept("d_head", "Size of a head, d_head", D_HEADS, 64)
with page.breaks as control:
    std = control.slider("std", "Standard deviation", 0.1, 4.0, 1.0, step=0.1)
    mean = control.slider("mean", "Mean", -2.0, 2.0, 0.0, step=0.1)
    correlation = control.slider("correlation", "Correlation of q and k", 0.0, 1.0, 0.0, step=0.1)
    qk_norm = control.switch("qk_norm", "QK-norm", hint="Divide each query and key by its root mean square.")
    through_module = control.switch("through_module", "Through W_Q and W_K", hint="As torch initialises them.")
    naive = control.switch("naive", "ε as 1 − a_max", hint="It cancels, and seems to break the bound on ‖J‖.")


def make() -> ScalingConfig:
    check_d_head(d_head)
    return ScalingConfig(
        num_keys=num_keys,
        scale=scale,
        alpha=alpha,
        temperature=temperature,
        inputs=inputs,
        std=std,
        mean=mean,
        correlation=correlation,
        qk_norm=qk_norm,
        through_module=through_module,
        naive_epsilon=naive,
        **page.shared,
    )


def picture(config: ScalingConfig, key: str) -> None:
    view = draw.scaling_view(page.run(steps_scaling, config))
    step = check_d_head(d_head)
    if keep is None:
        matrix_view(view.at(step), key=key, height=HEIGHT)
    else:
        matrix_view(view, key=key, step=step, on_step=lambda chosen: keep(D_HEADS[chosen]), height=HEIGHT)


def at(quantity: str, size: int, of: str = "unscaled") -> str:
    return f"`{format_number(result.at(quantity, size, of=of))}`"


config = page.config(make)
result = page.run(steps_scaling, config)
page.picture(picture, config)
page.verdicts(result)
page.curves(draw.curves_view(result, curve, d_head))
peak_at, peak = result.jacobian_peak
page.finish(
    config,
    result,
    why=(
        Why(
            "A score q·k is a sum of d_head products with mean 0 and variance 1, so its variance is d_head. Dividing "
            "by √d_head brings it back to 1.",
            f"Var(s) at d_head = 64: {at('score_variance', 64)}; ÷ √d_head: {at('score_variance', 64, 'scaled')}.",
        ),
        Why(
            "The larger the scores, the sharper softmax: one key takes nearly all of a :blue[query]'s weight.",
            f"Mean largest weight: {at('max_weight', 4)} at 4, {at('max_weight', 4096)} at 4,096; scaled "
            f"{at('max_weight', 4096, 'scaled')}. Yet only {at('saturated', 4096)} of the queries have one ≥ 0.9.",
        ),
        Why(
            "Softmax's Jacobian is J = diag(a) − aaᵀ. With ε the weight left to the others, ‖J‖ ≤ nε, and in fact "
            "≤ 2ε whatever n is: a saturated softmax passes little on.",
            f"Rows above nε and 2ε: `{result.violations[0]}` and `{result.violations[1]}` of `{result.rows:,}`. "
            f"‖J‖ first rises, to `{format_number(peak)}` at d_head = {peak_at}, and then falls.",
        ),
        Why(
            "So the gradient vanishes? For the typical query, yes. But a query whose two best keys nearly tie still "
            "passes all of it on, times keys that have grown: the mean does not vanish, it becomes rare and huge.",
            f"At 4,096 the median is {at('gradient_median', 4096)}, {at('gradient_vanished', 4096)} of the queries "
            f"are below 1e-6, the mean is {at('gradient_mean', 4096)} (at 64 {at('gradient_mean', 64)}), and 1 % of "
            f"them carry {at('gradient_top_share', 4096)} of it. Scaled, the median is "
            f"{at('gradient_median', 4096, 'scaled')}.",
        ),
    ),
    snippet=scaling_snippet(config, d_head),
    table=lambda: draw.scaling_table(result),
    figure=lambda: draw.scaling_heatmap(result, d_head),
)
