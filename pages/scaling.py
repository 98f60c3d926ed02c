"""Scaling: slide d_head, and watch softmax saturate and the typical gradient vanish."""

from pages._shared.components.matrix_view import matrix_view
from pages._shared.page import Break, Controls, Page, Picture, Predict, Preset, Results
from pages._shared.session.settings import settings_group
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


@settings_group("scaling")
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

page = Page(
    "scaling",
    config=study.ScalingConfig,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=Break(_("wider components"), {"std": 2.0}),
    law="Var(q · k) = d_head",
)


@page.controls
def controls(controls: Controls) -> None:
    controls.in_sight("scale", "num_keys", "show")
    controls.section(_("Scale"), "alpha", "temperature")
    controls.section(_("Queries and keys"), "inputs")
    controls.show("curve")
    controls.break_it("std", "mean", "correlation", "qk_norm", "through_module", "naive_epsilon")


def measured(config: study.ScalingConfig) -> study.ScalingResult:
    return page.compute(
        study.result_of, study.Measured(config, tuple(page.compute(study.steps_part, part) for part in config.parts))
    )


@page.view
def view_of(config: study.ScalingConfig, view: View) -> MatrixView:
    if view.show == "sizes":
        return curves_of(measured(config), view)
    gradients = None if page.question_open else measured(config)
    return draw.scaling_view(page.compute(study.run_picture, config.for_picture), view.d_head, gradients)


def curves_of(result: study.ScalingResult, view: View) -> MatrixView:
    """The chosen curve; what answers the question waits until that is answered."""
    awaited = page.question_open and view.curve == "gradient"
    return draw.curves_view(result, view.curve, view.d_head, awaited=awaited)


@page.picture
def picture(config: study.ScalingConfig, view: View, at: Picture) -> None:
    drawn = page.view_for(config, view)
    if view.show == "sizes":
        matrix_view(drawn, key=f"{at.key}_sizes")
    else:
        at.sweep(drawn, study.D_HEADS.index(view.d_head), "d_head", study.D_HEADS)


@page.changes
def changed(before: tuple[study.ScalingConfig, View], after: tuple[study.ScalingConfig, View]) -> str:
    then, now = (
        (page.compute(study.run_picture, config.for_picture), study.D_HEADS.index(view.d_head))
        for config, view in (before, after)
    )
    return draw.scaling_changed(then, now, (f"{before[1].d_head:,}", f"{after[1].d_head:,}"), draw.label)


@page.results
def results(config: study.ScalingConfig, view: View) -> Results:
    about = (OF_CURVE[view.curve],) if view.curve in OF_CURVE else ()
    return Results(
        measured(config),
        step=study.D_HEADS.index(view.d_head),
        about=(*about, "scale-var"),
        aside=UNSCALED if config.scale != "none" else (),
    )


@page.answers
def answers(config: study.ScalingConfig, view: View, found: Results) -> None:
    result = found.main
    if view.show != "sizes":
        page.curves(curves_of(result, view))
    page.draw_tabs(
        found, why=draw.proof(result), shortest=study.SHORTEST,
        snippet=lambda: study.scaling_snippet(config, view.d_head),
        table=lambda: draw.scaling_table(result),
    )  # fmt: skip


if __name__ == "__main__":
    page.draw()
