"""Projections: what W_Q, W_K, W_V and W_O are for, and what they can and cannot express."""

from dataclasses import dataclass

from pages._shared.compute.progress import compute
from pages._shared.page import BreakButton, Frame, Page, Picture, Predict, Preset, Results, Section, Switches, Tabs
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import OneOf, setting
from attention_core.studies import projections as study
from attention_core.studies.projections import draw

ABOUT = {"tied": ("qk-tied",)}  # the claims that a picture is about, where there are others
ALL, NOT_ALL = gettext_lazy("Yes, every one of them"), gettext_lazy("No, some are outshone")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the picture's slider stands at."""

    head: int = setting(0, OneOf(range(max(study.NUM_HEADS)), label=gettext_lazy("Head")))
    layer: int = setting(0, OneOf(range(study.LAYERS + 1), label=gettext_lazy("Layer")))


PRESETS = (
    Preset(
        gettext_lazy("Unequal norms"),
        gettext_lazy("A word with a large vector outshines the others, even in their own row."),
        {"spread": 0.6},
        spoils=True,
    ),
    Preset(
        gettext_lazy("One matrix for Q and K"),
        gettext_lazy("Scores become symmetric; the weights do not."),
        {"topic": "tied"},
    ),
    Preset(
        gettext_lazy("Another basis"),
        gettext_lazy("Every matrix changes, and the output does not move."),
        {"topic": "gauge"},
    ),
    Preset(gettext_lazy("Bottleneck"), gettext_lazy("Scores of low rank, weights of full rank."), {"topic": "rank"}),
    Preset(
        gettext_lazy("Collapse"),
        gettext_lazy("Without the residual, all words become alike."),
        {"topic": "collapse", "layer": 6},
    ),
)


def grade(result: study.ProjectionsResult) -> str | None:
    """Whether any word looks harder at another one, by more than rounding; other questions say nothing of it."""
    if not isinstance(result, study.IdentityResult) or result.verdict("qkv-none").expected is None:
        return None
    return NOT_ALL if result.lost_queries else ALL


PREDICT = Predict(
    gettext_lazy("Let the words' norms differ: does every word still look most at itself?"),
    (ALL, NOT_ALL),
    {"spread": 0.6},
    grade,
    headline=gettext_lazy("What W_Q, W_K, W_V and W_O are for, and what attention does without them."),
    claim="qkv-none",
)


def picture_of(config: study.ProjectionsConfig, _view: View) -> MatrixView:
    return draw.projections_view(config, compute(study.run_projections, config))


def step_of(config: study.ProjectionsConfig, view: View) -> tuple[str, int]:
    """What the picture's slider walks through, and its step."""
    name, last = ("layer", study.LAYERS) if config.topic == "collapse" else ("head", config.num_heads - 1)
    return name, min(getattr(view, name), last)


def draw_picture(config: study.ProjectionsConfig, view: View, at: Picture) -> None:
    drawn, (name, step) = at.shown, step_of(config, view)
    at.sweep(min(step, drawn.steps - 1), name)


def results_of(config: study.ProjectionsConfig, view: View) -> Results:
    result, about = compute(study.run_projections, config), ABOUT.get(config.topic)
    return Results(result, step=step_of(config, view)[1], about=about)


def details(config: study.ProjectionsConfig, _view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    curves = draw.curves_view(result)
    if curves:
        frame.curves(curves)
    return Tabs(
        why=draw.proof(result),
        table=lambda: draw.projections_table(config, result),
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("words of unequal lengths"), {"spread": 0.6}),
    law="q · k = xᵀ W_Qᵀ W_K y",
    in_sight=("topic", "num_heads", "d_head", "temperature"),
    drawer=(
        Section(("tokens",), gettext_lazy("Sentence")),
        Switches(("spread", "whole_norms", "qk_norm", "positions", "causal", "biases", "residual")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
