"""Receptive field: heads against depth, and who sees whom through the layers."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import Cell, matrix_view
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
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Whole, setting
from attention_core.studies import receptive_field as study
from attention_core.studies.receptive_field import draw

SPEC = PageSpec(
    name="receptive_field",
    title=gettext_lazy("Receptive field"),
    icon=":material/account_tree:",
    section=gettext_lazy("How it trains"),
    claim=gettext_lazy("With one :orange[key] per head a token sees exponentially far with depth."),
)

SAME = gettext_lazy("As many as one layer up")
LINEAR = gettext_lazy("A few more with each layer")
POWER = gettext_lazy("At least twice as many with each layer")
ALL = gettext_lazy("All of them")
SHOWN = {
    "graph": gettext_lazy("graph"),
    "matrix": gettext_lazy("matrix"),
    "curve": gettext_lazy("curve"),
    "table": gettext_lazy("heads × layers"),
    "kernel": gettext_lazy("kernel"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown, and of which node of the graph how much is lit; where the stack ends before it, the last one."""

    show: str = setting("graph", Choice(SHOWN, label=gettext_lazy("Show"), listed=False))
    level: int = setting(
        study.MAX_LAYERS,
        Whole(0, study.MAX_LAYERS, label=gettext_lazy("Layer of the chosen token, at most the top")),
    )
    token: int = setting(
        study.MAX_TOKENS,
        Whole(1, study.MAX_TOKENS, label=gettext_lazy("Chosen token, at most the last")),
    )
    down: int = setting(
        study.MAX_LAYERS,
        Whole(0, study.MAX_LAYERS, label=gettext_lazy("Layers followed down, at most all")),
    )


PRESETS = (
    Preset(gettext_lazy("Two heads, three layers"), gettext_lazy("27 inputs reach one token: (2 + 1)³."), {}),
    Preset(
        gettext_lazy("One head"),
        gettext_lazy("Doubling with each layer still grows fast."),
        {"heads": 1, "layers": 5},
    ),
    Preset(gettext_lazy("Random heads"), gettext_lazy("Their paths overlap."), {"weights": "random"}),
    Preset(
        gettext_lazy("Soft heads"),
        gettext_lazy("Every token sees every other, a little."),
        {"weights": "soft", "show": "matrix"},
    ),
    Preset(
        gettext_lazy("No residual"),
        gettext_lazy("Without it a token forgets where it stood: 2ⁿ, not 3ⁿ."),
        {"residual": False},
        spoils=True,
    ),
)


def grade(result: study.ReceptiveFieldResult) -> str | None:
    """How what the last token sees grows with the layers, by autograd; None where it shrinks."""
    first, last = int(result.reach_autograd[0, -1]), int(result.reach_autograd[-1, -1])
    if last == result.config.tokens:
        return ALL
    if last <= first:
        return SAME if last == first else None
    return POWER if last >= first * 2 ** (result.config.layers - 1) else LINEAR


PREDICT = Predict(
    gettext_lazy("Take the residual away: how many inputs does a token still see through three layers of two heads?"),
    (SAME, LINEAR, POWER, ALL),
    {"residual": False},
    grade,
    headline=gettext_lazy("Each head looks at one token: how far does a stack of them see?"),
    claim="rf-tight",
)


def node_of(looks: study.AttendedKeys, view: View) -> tuple[int, int]:
    """Level and token, from 0, of the chosen node."""
    return min(view.level, looks.config.layers), min(view.token, looks.config.tokens) - 1


def picture_of(config: study.ReceptiveFieldConfig, view: View) -> MatrixView:
    looks = compute(study.run_attended_keys, config)
    match view.show:
        case "graph":
            growth = compute(study.run_table, config.for_growth)
            return draw.graph_view(looks, node_of(looks, view), growth)
        case "table":
            return draw.table_view(compute(study.run_table, config.for_table))
        case "matrix":
            return draw.reach_view(compute(study.steps_reach, looks))
        case "kernel":
            return draw.kernel_view(compute(study.steps_reach, looks))
    return draw.curve_view(compute(study.steps_reach, looks))


def draw_picture(config: study.ReceptiveFieldConfig, view: View, at: Picture) -> None:
    drawn = at.shown
    last_step = drawn.steps - 1
    if view.show != "graph":
        matrix_view(drawn, key=f"{at.key}_{view.show}", step=last_step)  # all layers up
        return
    node = node_of(compute(study.run_attended_keys, config), view)
    keep = at.setters("level", "token", "down")

    def choose(cell: Cell | None) -> None:
        if cell and keep:  # a node at the edge stays there when layers or tokens are added
            top, last = cell[1] == config.layers, cell[2] + 1 == config.tokens
            level, token = study.MAX_LAYERS if top else cell[1], study.MAX_TOKENS if last else cell[2] + 1
            keep(level=level, token=token, down=study.MAX_LAYERS)

    downs = (*range(last_step), study.MAX_LAYERS)
    at.sweep(min(view.down, last_step), "down", downs, selected=(0, *node), on_select=choose)


def changes(before: Look, after: Look) -> str:
    if before.config == after.config:
        return ""
    return draw.reach_changed(*(compute(study.run_attended_keys, look.config) for look in (before, after)))


def results_of(config: study.ReceptiveFieldConfig, view: View) -> Results:
    result = compute(study.steps_reach, compute(study.run_attended_keys, config))
    kernel = view.show == "kernel"
    return Results(
        result,
        step=view.down if view.show == "graph" else config.layers,
        about=("head-tap",) if kernel else ("rf-random", "rf-tight", "rf-bound"),
        aside=() if kernel else ("head-tap",),
    )


def details(_config: study.ReceptiveFieldConfig, _view: View, found: Results, _frame: Frame) -> Tabs:
    result = found.main
    return Tabs(
        why=draw.proof(result),
        table=lambda: draw.receptive_field_table(result),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("far", gettext_lazy("How far can a token see through several layers?"),
        gettext_lazy("receptive field of a transformer, how many layers until it sees the whole text, hops, depth"),
        "rf-bound",
        gettext_lazy("Ordinary heads see all tokens in one layer, most of them faintly. Where each of k heads "
                     "looks at one key only, n layers reach at most (k + 1)ⁿ.")),
    Faq("heads", gettext_lazy("More heads or more layers?"),
        gettext_lazy("num_heads vs num_layers, depth vs width"),
        "rf-tight",
        gettext_lazy("For what can be seen layers count for more: they stand in the exponent of (k + 1)ⁿ, "
                     "heads in its base."),
        settings={"show": "curve"}),
    Faq("convolution", gettext_lazy("Is attention a convolution?"),
        gettext_lazy("CNN vs transformer, can attention express convolution"),
        "head-tap",
        gettext_lazy("It can be one: a head that looks a fixed distance back is one tap of it."),
        settings={"show": "kernel"}),
    Faq("window", gettext_lazy("How far does sliding-window attention see?"),
        gettext_lazy("local attention, sliding window how many layers until the whole text, how far back through "
                     "several layers, Longformer, Mistral, window size"),
        "rf-bound",
        gettext_lazy("A window further with each layer: where it reaches w tokens back, n layers reach n·w at most, "
                     "and that where heads look at its edge."),
        settings={"mask": "window"}),
    Faq("everything", gettext_lazy("Does one layer not see everything already?"),
        gettext_lazy("global attention, soft attention, full receptive field"),
        "rf-bound",
        gettext_lazy("Soft heads do: each gives every key some weight. The bound (k + 1)ⁿ is that of heads "
                     "that look at one key each."),
        "fails", settings={"weights": "soft", "show": "matrix"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("no residual"), {"residual": False}),
    law=gettext_lazy("reach ≤ (heads + 1)^layers"),
    in_sight=("heads", "layers", "tokens", "weights", "show"),
    drawer=(
        Section(("mask",), gettext_lazy("Weights")),
        Switches(("residual", "wrap", "write_positions", "temperature", "threshold")),
        Section(("level", "token", "down")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
