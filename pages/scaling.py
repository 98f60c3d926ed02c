"""Scaling: slide d_head, and watch softmax saturate and the typical gradient vanish."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.page import (
    BreakButton,
    Frame,
    Look,
    Page,
    Picture,
    Predict,
    Preset,
    Results,
    Section,
    Switches,
    Tabs,
    question_open,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy as _
from attention_core.measuring.settings import Choice, OneOf, setting
from attention_core.studies import scaling as study
from attention_core.studies.scaling import draw

SHRINKS, STAYS, GROWS = _("It shrinks for every query"), _("It stays about as it is"), _("It grows")
BOTH = _("It vanishes for most, and grows for a few")
OF_CURVE = {
    "variance": "scale-var",
    "max_weight": "scale-sat",
    "jacobian": "scale-jac",
    "gradient": "scale-grad",
}
UNSCALED = ("scale-sat", "scale-grad")  # claims about scores that nothing divides
SHOWN = {"query": _("one query, at each size"), "sizes": _("the curve over the size")}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at: the step of the picture's slider, and the curve below it."""

    d_head: int = setting(64, OneOf(study.D_HEADS, label=_("Size of a head")))
    curve: str = setting("gradient", Choice(draw.TITLES, label=_("Curve over the size")))
    show: str = setting("query", Choice(SHOWN, label=_("Show")))


PRESETS = (
    Preset(_("Unscaled"), _("At d_head = 4,096 one key takes nearly everything."), {"d_head": 4096}),
    Preset(
        _("÷ √size"),
        _("Divided by the root, the scores spread as far at every size."),
        {"scale": "root", "d_head": 1024},
    ),
    Preset(_("÷ size"), _("Too much: the weights turn uniform."), {"scale": "head", "d_head": 1024}),
    Preset("QK-norm", _("Normalised queries and keys still need a scale."), {"qk_norm": True, "d_head": 1024}),
    Preset(
        _("As initialised"),
        _("torch's default W_Q and W_K make the variance a ninth of what the rule assumes."),
        {"through_module": True, "scale": "root", "curve": "variance"},
    ),
)


def grade(result: study.ScalingResult) -> str:
    """What the gradient does from d_head = 64 to 4,096: for the typical query, and for the 1 % with the largest."""
    typical, rare = (
        (result.at(quantity, 64), result.at(quantity, 4096)) for quantity in ("gradient_median", "gradient_high")
    )
    if typical[1] < typical[0] / 2:
        return BOTH if rare[1] > rare[0] else SHRINKS
    return GROWS if typical[1] > 2 * typical[0] or rare[1] > 2 * rare[0] else STAYS


PREDICT = Predict(
    _("Without scaling, what happens to the gradient that reaches a query as a head grows from 64 to 4,096?"),
    (SHRINKS, STAYS, GROWS, BOTH),
    {"scale": "none", "curve": "gradient", "d_head": 4096, "show": "sizes"},
    grade,
    headline=_("What the size of a head does to scores, to softmax and to its gradient."),
    claim="scale-grad",
    spoilers=("scale-grad",),
)


def measured(config: study.ScalingConfig) -> study.ScalingResult:
    return compute(
        study.result_of, study.Measured(config, tuple(compute(study.steps_part, part) for part in config.parts))
    )


def picture_of(config: study.ScalingConfig, view: View) -> MatrixView:
    if view.show == "sizes":
        return curves_of(measured(config), view)
    gradients = None if question_open(page) else measured(config)
    return draw.scaling_view(compute(study.run_picture, config.for_picture), view.d_head, gradients)


def curves_of(result: study.ScalingResult, view: View) -> MatrixView:
    """The chosen curve; what answers the question waits until that is answered."""
    awaited = question_open(page) and view.curve == "gradient"
    return draw.curves_view(result, view.curve, view.d_head, awaited=awaited)


def draw_picture(_config: study.ScalingConfig, view: View, at: Picture) -> None:
    if view.show == "sizes":
        matrix_view(at.shown, key=f"{at.key}_sizes")
    else:
        at.sweep(study.D_HEADS.index(view.d_head), "d_head", study.D_HEADS)


def changes(before: Look, after: Look) -> str:
    then, now = (
        (compute(study.run_picture, look.config.for_picture), study.D_HEADS.index(look.view.d_head))
        for look in (before, after)
    )
    return draw.scaling_changed(then, now, (f"{before.view.d_head:,}", f"{after.view.d_head:,}"), draw.label)


def results_of(config: study.ScalingConfig, view: View) -> Results:
    about = (OF_CURVE[view.curve],) if view.curve in OF_CURVE else ()
    return Results(
        measured(config),
        step=study.D_HEADS.index(view.d_head),
        about=(*about, "scale-var"),
        aside=UNSCALED if config.scale != "none" else (),
    )


def details(config: study.ScalingConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    if view.show != "sizes":
        frame.curves(curves_of(result, view))
    return Tabs(
        why=draw.proof(result),
        snippet=lambda: study.scaling_snippet(config, view.d_head),
        table=lambda: draw.scaling_table(result),
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(_("wider components"), {"std": 2.0}),
    law="Var(q · k) = d_head",
    in_sight=("scale", "num_keys", "show"),
    drawer=(
        Section(("alpha", "temperature"), _("Scale")),
        Section(("inputs",), _("Queries and keys")),
        Section(("curve",)),
        Switches(("std", "mean", "correlation", "qk_norm", "through_module", "naive_epsilon")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
