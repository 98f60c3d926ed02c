"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel."""

from dataclasses import dataclass, replace
from typing import Any

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
from attention_core.figures.table import Table
from attention_core.language import gettext_lazy as _
from attention_core.measuring.number_format import format_number
from attention_core.measuring.settings import Choice, OneOf, Switch, setting
from attention_core.studies import biases as measure
from attention_core.studies.biases import KEY_SIZES, NUM_HEADS, BiasesConfig, BiasesResult, BiasSizesResult, draw

SPEC = PageSpec(
    name="biases",
    title=_("Biases"),
    icon=":material/exposure_plus_1:",
    section=_("What attention sees"),
    claim=_(
        "Softmax cancels the :orange[key] bias, the :green[value] bias passes straight through, "
        "and only the :blue[query] bias changes who is looked at."
    ),
)

SHOWN = {
    "terms": _("Four terms of a score"),
    "changes": _("With − without the biases"),
    "growing": _("A growing key bias"),
    "curve": _("The curve"),
}
HEADS = {draw.AVERAGE: _("average")} | {str(i): str(i) for i in range(1, NUM_HEADS + 1)}
NOTHING, SCORES, WEIGHTS, OUTPUT = _("Nothing"), _("Only the scores"), _("Scores and weights"), _("The output too")
# The claims that a picture is about, and those that a curve is.
ABOUT = {"terms": ("bias-terms",), "changes": ("bias-k", "bias-v", "bias-q"), "growing": ("bias-k",)}
OF_CURVE = {
    "gradients": "bias-k-grad",
    "key-size": "bias-k",
    "shift": "softmax-shift",
    "norms": "bias-norm",
    "mean": "bias-mean",
    "training": "bias-k-grad",
    "appendix": "bias-appendix",
}
KEY_ALONE: dict[str, Any] = {"q_bias": False, "v_bias": False, "o_bias": False, "show": "changes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is drawn, the curve below it, and what only a curve depends on."""

    show: str = setting("terms", Choice(SHOWN, label=_("Show")))
    head: str = setting(draw.AVERAGE, Choice(HEADS, label=_("Head")))
    curve: str = setting("gradients", Choice(draw.CURVES, label=_("Curve")))
    key_size: float = setting(1.0, OneOf(KEY_SIZES, label=_("Size of the key bias"), shown=format_number))
    batch_norm_eval: bool = setting(
        False,
        Switch(label=_("BatchNorm in evaluation"), hint=_("Its running statistics know nothing of the bias.")),
    )
    off_centre: bool = setting(
        False, Switch(label=_("Inputs with a mean"), hint=_("E[Wx + b] = b needs inputs around 0."))
    )

    def experiment(self, curve: str, config: BiasesConfig) -> tuple[Any, Any]:
        """What measures a curve, and its config."""
        return draw.source(
            curve, config, batch_norm_eval=self.batch_norm_eval, input_mean=0.5 if self.off_centre else 0.0
        )


PRESETS = (
    Preset(_("Key bias alone"), _("Every score moves; no weight and no output does."), KEY_ALONE, spoils=True),
    Preset(_("Rotary positions"), _("One switch, and the key bias is felt again."), KEY_ALONE | {"rotary": True}),
    Preset(
        _("A million"),
        _("Rounding spoils the cancellation: slightly, badly, or completely (NaN)."),
        {"show": "growing", "key_size": 1e6, "curve": "key-size"},
    ),
    Preset(
        _("Training"),
        _("No signal reaches the key bias, and yet Adam moves it."),
        {"show": "curve", "curve": "training"},
    ),
    Preset(
        _("Published appendix"),
        _("All it reports is rounding: with more bits it shrinks."),
        KEY_ALONE | {"show": "curve", "curve": "appendix"},
    ),
)


def grade(result: BiasesResult) -> str | None:
    """How far the key bias is felt; None where the precision cannot tell."""
    match result.key_bias_felt:
        case (False, _, _):
            return NOTHING
        case (_, _, True):
            return OUTPUT
        case (_, True, False):
            return WEIGHTS
        case (True, False, False):
            return SCORES
        case _:
            return None


PREDICT = Predict(
    _("Give the keys, and only the keys, a large bias. What changes?"),
    (NOTHING, SCORES, WEIGHTS, OUTPUT),
    KEY_ALONE,
    grade,
    headline=_("A bias b is added after a matrix: q = W x + b. Which of the four change what attention computes?"),
    claim="bias-k",
    spoilers=("bias-k", "bias-k-grad", "bias-terms", "softmax-shift"),
)


def sizes_of(config: BiasesConfig) -> BiasSizesResult:
    """The module at every size of its biases."""
    return compute(measure.run_bias_sizes, config.without_size())


def slider_of(config: BiasesConfig, view: View) -> tuple[str, tuple[float, ...], int]:
    """What the picture's slider sets, its values, and the step that it stands at."""
    growing = view.show == "growing"
    values = KEY_SIZES if growing else sizes_of(config).sizes
    return ("key_size" if growing else "size"), values, values.index(view.key_size if growing else config.size)


def curve_of(config: BiasesConfig, view: View) -> MatrixView:
    """The curve that is chosen."""
    result = compute(*view.experiment(view.curve, config))
    if view.curve == "gradients":
        return draw.gradient_view(result)
    marked = view.key_size if view.show == "growing" else None
    return draw.curve_view(result, naive=config.naive_softmax, key_size=marked)


def picture_of(config: BiasesConfig, view: View) -> MatrixView:
    if view.show == "growing":
        return draw.size_view(compute(*view.experiment("key-size", config)), view.head)
    if view.show == "curve":
        return curve_of(config, view)
    if view.show == "terms":
        found = compute(measure.run_biases, config)
        return draw.terms_view(sizes_of(config), found, view.head, awaited=question_open(page))
    return draw.difference_view(sizes_of(config), config.size, view.head)


def changes(before: Look, after: Look) -> str:
    if before.config == after.config:
        return ""
    return draw.biases_changed(*((look.config, sizes_of(look.config)) for look in (before, after)))


def draw_picture(config: BiasesConfig, view: View, at: Picture) -> None:
    if view.show == "curve":
        matrix_view(at.shown, key=f"{at.key}_alone")
        return
    name, values, step = slider_of(config, view)
    at.sweep(step, name, values)


def results_of(config: BiasesConfig, view: View) -> Results:
    result = seen = compute(measure.run_biases, config)
    if view.show == "growing":
        sweep = compute(*view.experiment("key-size", config))
        seen = replace(sweep, verdicts=sweep.at(view.key_size))
    same = view.curve == "gradients" or (view.curve == "key-size" and view.show == "growing")
    below = () if same else (compute(*view.experiment(view.curve, config)),)
    broken = [
        name for name, on in (("norms", view.batch_norm_eval), ("mean", view.off_centre)) if on and name != view.curve
    ]
    others = tuple(compute(*view.experiment(name, config)) for name in broken)
    about = ABOUT.get(view.show, (OF_CURVE[view.curve],))
    return Results(result, told=(*below, seen, *others), step=slider_of(config, view)[2], about=about)


def details(config: BiasesConfig, view: View, found: Results, frame: Frame) -> Tabs:
    below = compute(*view.experiment(view.curve, config))
    result = found.main
    if view.show != "curve":
        frame.curves(curve_of(config, view))
    sizes = sizes_of(config)
    steps = draw.proof(result, sizes, config.size, compute(measure.run_shift, config.without_size()), found.told)
    if view.curve == "training":
        precise = replace(view.experiment("training", config)[1], dtype="auto")
        steps += (draw.training_step(below, compute(measure.steps_training, precise)),)
    steps += draw.history(result, found.told, rotary=config.rotary)

    def table() -> Table:
        if view.curve == "gradients" and view.show == "terms":
            return draw.terms_table(sizes, config.size)
        return draw.curve_table(found.told[0] if view.curve == "gradients" else below)

    return Tabs(
        why=steps,
        table=table,
    )


# fmt: off
FAQ = (
    Faq("key", _("Why does the key bias do nothing?"),
        _("useless key bias, does the key bias matter, bias in the key projection, b_K, k_proj bias=False, Whisper, "
          "qkv_bias, redundant, do I need a bias in q, k and v"),
        "bias-k",
        _("It adds one and the same number to all scores of a query, and softmax cancels that."),
        settings={"q_bias": False, "v_bias": False, "o_bias": False, "show": "changes"}),
    Faq("query", _("What does the query bias do?"),
        _("q_proj bias, b_Q"),
        "bias-q",
        _("It changes who is looked at: each key gets a term of its own, the same for all queries.")),
    Faq("value", _("What does the value bias do?"),
        _("v_proj bias, b_V, output bias"),
        "bias-v",
        _("It adds one and the same vector to every output, for the weights of a row add up to 1.")),
    Faq("gradient", _("Why is the gradient of the key bias zero?"),
        _("k_proj.bias grad is 1e-9, parameter does not train, unused parameter"),
        "bias-k-grad",
        _("No loss depends on it: it cancels in softmax. What is left is rounding."),
        settings={"show": "curve", "curve": "gradients"}),
    Faq("rotary", _("Does the key bias matter with rotary positions?"),
        _("RoPE, Qwen qkv bias"),
        "bias-k",
        _("Yes: rotary positions turn it by another angle at each key, so it no longer adds the same number "
          "everywhere."),
        "fails", settings={"q_bias": False, "v_bias": False, "o_bias": False, "show": "changes", "rotary": True}),
    Faq("maximum", _("Why subtract the maximum before softmax?"),
        _("softmax overflow, numerically stable softmax, logsumexp, inf nan"),
        "softmax-shift",
        _("Because it changes no weight, and without it large scores overflow."),
        settings={"show": "curve", "curve": "shift"}),
    Faq("norm", _("Is a bias before a norm useless?"),
        _("bias=False before BatchNorm, bias before LayerNorm"),
        "bias-norm",
        _("Before BatchNorm in training it is. Before LayerNorm only its mean is, and before RMSNorm nothing "
          "of it."),
        settings={"show": "curve", "curve": "norms"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=measure.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(_("rotary positions"), {"rotary": True}),
    law="softmax(s + q · b_K) = softmax(s)",
    in_sight=("show", "q_bias", "k_bias", "v_bias", "o_bias"),
    drawer=(
        Section(("direction", "tokens"), _("Direction and sentence")),
        Section(("head", "curve"), _("What is drawn")),
        Switches(
            (
                "rotary",
                "qk_norm",
                "tied_query_key",
                "zero_sink",
                "masked_row",
                "dropout",
                "naive_softmax",
                "batch_norm_eval",
                "off_centre",
            )
        ),
    ),
    in_picture=("size",),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
