"""Projections: what W_Q, W_K, W_V and W_O are for, and what they can and cannot express."""

from dataclasses import dataclass

from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
    Frame,
    Page,
    Picture,
    Predict,
    Preset,
    Results,
    Section,
    Switches,
    Tabs,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import OneOf, setting
from attention_core.studies import projections as study
from attention_core.studies.projections import draw

SPEC = PageSpec(
    name="projections",
    title=gettext_lazy("Projections"),
    icon=":material/transform:",
    section=gettext_lazy("What it is made of"),
    claim=gettext_lazy(
        "Without projections a word looks most at itself, if norms are equal in each head; with them, anywhere."
    ),
)

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
    Preset(
        gettext_lazy("Query, key, value"),
        gettext_lazy("Swap W_Q and W_K: the output stays."),
        {"topic": "names"},
    ),
    Preset(
        gettext_lazy("A full layer"),
        gettext_lazy("Words move, and its weights do not."),
        {"topic": "fixed"},
    ),
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


# fmt: off
FAQ = (
    Faq("why", gettext_lazy("Why are there three matrices, for Q, K and V?"),
        gettext_lazy("why query key value, what do W_Q W_K W_V do, attention without projections, diagonal attention "
                     "map, attends to itself"),
        "qkv-none",
        gettext_lazy("Without them each word looks hardest at itself, as here. With them it may look anywhere.")),
    Faq("tied", gettext_lazy("Can queries and keys share one matrix?"),
        gettext_lazy("W_Q = W_K, query and key same matrix, symmetric attention, shared QK, Reformer"),
        "qk-tied",
        gettext_lazy("They can, but then scores are symmetric: the fox asks the dog as hard as the dog asks "
                     "the fox."),
        settings={"topic": "tied"}),
    Faq("parameters", gettext_lazy("How many parameters has attention?"),
        gettext_lazy("number of parameters of multi-head attention, parameter count, 4d²"),
        "qkv-tied",
        gettext_lazy("Four matrices of d² numbers with d biases each: 4·d² + 4·d, however many heads share the "
                     "width. One matrix for keys and values saves a quarter of them."),
        settings={"topic": "tied"}),
    Faq("basis", gettext_lazy("Are the matrices of a head unique?"),
        gettext_lazy("identifiability, gauge, change of basis, compare heads"),
        "gauge",
        gettext_lazy("No: another basis within a head changes all of them and no output, so single numbers in "
                     "them say nothing."),
        settings={"topic": "gauge"}),
    Faq("absorb", gettext_lazy("Can √d_k be folded into W_Q?"),
        gettext_lazy("absorb scale into weights, scale parameter"),
        "scale-absorb",
        gettext_lazy("Yes: it changes how a model trains, not what it can express."),
        settings={"topic": "gauge"}),
    Faq("rank", gettext_lazy("Are small heads too weak?"),
        gettext_lazy("low-rank bottleneck, d_head too small, head dimension, how many heads should I choose"),
        "low-rank",
        gettext_lazy("Their scores have no higher rank than d_head: not every pattern of scores can be had."),
        settings={"topic": "rank"}),
    Faq("collapse", gettext_lazy("Why do all tokens become alike in deep attention?"),
        gettext_lazy("rank collapse, oversmoothing, pure attention loses rank doubly exponentially with depth, "
                     "without skip connections or MLP"),
        "rank-collapse.left",
        gettext_lazy("Each layer takes means, and means of means are alike. A residual keeps their "
                     "differences."),
        settings={"topic": "collapse", "layer": 6}),
    Faq("residual", gettext_lazy("What are residual connections for?"),
        gettext_lazy("why residual connections, skip connections, add and norm, residual stream, attention without "
                     "residual collapses"),
        "rank-collapse.left",
        gettext_lazy("They hand each word on beside what attention makes of it. Attention alone makes words alike, "
                     "layer by layer; with a residual, as here, their differences stay."),
        "fails", settings={"topic": "collapse", "layer": 6, "residual": True}),
    Faq("names", gettext_lazy("What makes a query a query and a key a key?"),
        gettext_lazy("query vs key, names of Q K V, who decides which is query, key and value, are Q and K "
                     "interchangeable"),
        "qkv-names",
        gettext_lazy("What they are used for: softmax runs over the keys of each query, and what it sums are the "
                     "values. Their numbers do not say which is which: exchange W_Q and W_K, run softmax over the "
                     "other side, and the output is the same."),
        settings={"topic": "names"}),
    Faq("full", gettext_lazy("Self-attention or a fully connected layer?"),
        gettext_lazy("attention vs MLP, dense layer over positions, MLP-Mixer"),
        "fc-fixed",
        gettext_lazy("A full layer's weights stay where they are when the words move on, and it takes one "
                     "length only. Attention's weights go with the words."),
        settings={"topic": "fixed"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("words of unequal lengths"), {"spread": 0.6}),
    law="q · k = xᵀ W_Qᵀ W_K y",
    in_sight=("topic", "num_heads", "d_head", "temperature"),
    drawer=(
        Section(("tokens",), gettext_lazy("Sentence")),
        Switches(
            ("spread", "whole_norms", "qk_norm", "positions", "causal", "biases", "residual", "one_side", "frozen")
        ),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
