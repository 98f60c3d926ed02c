"""Scaling: slide d_head, and watch softmax saturate and the typical gradient vanish."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
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

SPEC = PageSpec(
    name="scaling",
    title=_("Scaling"),
    icon=":material/tune:",
    section=_("How it trains"),
    claim=_("Unscaled scores grow with the size of a head, softmax saturates, and the typical gradient vanishes."),
)

SHRINKS, STAYS, GROWS = _("It shrinks for every query"), _("It stays about as it is"), _("It grows")
BOTH = _("It vanishes for most, and grows for a few")
OF_CURVE = {
    "variance": "scale-var",
    "max_weight": "scale-sat",
    "jacobian": "scale-jac",
    "gradient": "scale-grad",
}
UNSCALED = ("scale-sat", "scale-grad")  # claims about scores that nothing divides
SHOWN = {
    "query": _("one query, at each size"),
    "sizes": _("the curve over the size"),
    "lengths": _("long texts: more keys"),
}


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
        _("Divided by the root of the size of a head, d_k, scores spread as far at every size."),
        {"scale": "root", "d_head": 1024},
    ),
    Preset(_("÷ size"), _("Too much: the weights turn uniform."), {"scale": "head", "d_head": 1024}),
    Preset(
        _("Long texts"),
        _("Do they dilute attention? The best of more keys gets less, unless scores grow with log n."),
        {"show": "lengths", "scale": "root"},
    ),
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


def over_lengths(config: study.ScalingConfig) -> study.LengthsResult:
    return compute(study.run_lengths, config.for_lengths)


def picture_of(config: study.ScalingConfig, view: View) -> MatrixView:
    if view.show == "lengths":
        return draw.lengths_view(over_lengths(config))
    if view.show == "sizes":
        return curves_of(measured(config), view)
    gradients = None if question_open(page) else measured(config)
    return draw.scaling_view(compute(study.run_picture, config.for_picture), view.d_head, gradients)


def curves_of(result: study.ScalingResult, view: View) -> MatrixView:
    """The chosen curve; what answers the question waits until that is answered."""
    awaited = question_open(page) and view.curve == "gradient"
    return draw.curves_view(result, view.curve, view.d_head, awaited=awaited)


def draw_picture(_config: study.ScalingConfig, view: View, at: Picture) -> None:
    if view.show == "query":
        at.sweep(study.D_HEADS.index(view.d_head), "d_head", study.D_HEADS)
    else:
        matrix_view(at.shown, key=f"{at.key}_sizes")


def changes(before: Look, after: Look) -> str:
    then, now = (
        (compute(study.run_picture, look.config.for_picture), study.D_HEADS.index(look.view.d_head))
        for look in (before, after)
    )
    return draw.scaling_changed(then, now, (f"{before.view.d_head:,}", f"{after.view.d_head:,}"), draw.label)


def results_of(config: study.ScalingConfig, view: View) -> Results:
    about = (OF_CURVE[view.curve],) if view.curve in OF_CURVE else ()
    by_length = view.show == "lengths"
    sweep = measured(config)
    return Results(
        sweep,
        (sweep, over_lengths(config)) if by_length else (),
        step=study.D_HEADS.index(view.d_head),
        about=("dilute",) if by_length else (*about, "scale-var"),
        aside=UNSCALED if config.scale != "none" else (),
    )


def details(config: study.ScalingConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result, *lengths = found.told or (found.main,)
    if view.show == "query":
        frame.curves(curves_of(result, view))
    return Tabs(
        why=draw.proof(result) + sum(map(draw.lengths_proof, lengths), ()),
        snippet=lambda: study.scaling_snippet(config, view.d_head),
        table=lambda: draw.lengths_table(*lengths) if lengths else draw.scaling_table(result),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("root", _("Why divide by √d_k?"),
        _("why divide by sqrt(d_k), square root of d_k, scaled dot-product attention, scaling factor, "
          "1/sqrt(d_head), √d_head"),
        "scale-sat",
        _("Without it scores grow as √d_k with the size of a head, and softmax gives one key nearly all of the "
          "weight, as here."),
        settings={"d_head": 1024, "curve": "max_weight"}),
    Faq("saturate", _("Why does softmax saturate?"),
        _("softmax saturates, softmax saturation, one-hot attention, one key takes all the weight, peaked softmax, "
          "softmax with a large dimension, high dimension, large d_k"),
        "scale-sat",
        _("Because scores grow with √d_k: softmax goes by their differences, and large ones leave nearly all of the "
          "weight to one key, as here."),
        settings={"d_head": 1024, "curve": "max_weight"}),
    Faq("variance", _("Why √d_k and not d_k?"),
        _("why sqrt, variance of dot product, unit variance"),
        "scale-var",
        _("The product of two random vectors has variance d_k; divided by √d_k it has 1. Divided by d_k, as "
          "here, all weights become alike."),
        settings={"scale": "head", "d_head": 1024, "curve": "variance"}),
    Faq("gradient", _("Does softmax make gradients vanish?"),
        _("vanishing gradient, saturated softmax, what happens to the gradients of softmax if scores get large"),
        "scale-grad",
        _("The typical one, yes: where one weight is nearly 1, a score that moves changes next to nothing. The "
          "average does not vanish: large gradients become rare, and huge."),
        settings={"d_head": 1024}),
    Faq("qk-norm", _("Does QK-norm replace √d_k?"),
        _("QK normalization, query key norm, logit soft-capping, attention entropy collapse"),
        "scale-sat",
        _("No: it brings queries and keys to the length √d_k, and their products still grow as √d_k. With the "
          "factor as well they do not."),
        settings={"qk_norm": True, "d_head": 1024}),
    Faq("temperature", _("What does temperature do?"),
        _("softmax temperature, sharpen, flatten, entropy of attention weights"),
        "scale-sat",
        _("It divides the scores: the higher it is, the more alike the weights. Here it keeps softmax from "
          "saturating."),
        "fails", settings={"temperature": 8.0, "curve": "max_weight", "d_head": 256}),
    Faq("initialised", _("Do scores have variance 1 in a new model?"),
        _("initialisation, nn.Linear init, xavier"),
        "scale-var",
        _("No: as nn.Linear begins, W_Q and W_K make them far smaller."),
        "fails", settings={"through_module": True, "scale": "root", "curve": "variance"}),
    Faq("long", _("Do long texts dilute attention?"),
        _("attention dilution, log n scaling, long context softmax"),
        "dilute",
        _("Yes, where scores lie within fixed bounds: the largest weight falls as there are more keys. Scores "
          "that grow as the logarithm of their number keep it up."),
        settings={"show": "lengths", "scale": "root"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
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
