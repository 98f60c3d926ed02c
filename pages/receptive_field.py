"""Receptive field: heads against depth, and who sees whom through the layers."""

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from pages._shared.plotly import draw_plotly
from attention_core.experiments.receptive_field import (
    MASKS,
    MAX_HEADS,
    MAX_LAYERS,
    WEIGHTS,
    ReceptiveFieldConfig,
    ReceptiveFieldResult,
    receptive_field_snippet,
    steps_receptive_field,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures import receptive_field as draw

MAX_SHOWN_TOKENS = 256
GRAPH, MATRIX, CURVE, TABLE = "graph", "matrix", "curve", "heads × layers"
LINEAR, POWER, ALL = "7: two more for each layer", "27: three times as many for each layer", "All of them"

PRESETS = (
    Preset("Two heads, three layers", "27 inputs reach one token: (2 + 1)³.", {}),
    Preset("One head", "Doubling with each layer still grows fast.", {"heads": 1, "layers": 5}),
    Preset("Random heads", "They tread on one another's paths.", {"weights": "random"}),
    Preset("Soft heads", "Every token sees every other, a little.", {"weights": "soft", "show": MATRIX}),
    Preset("No residual", "Without it a token forgets where it stood: 2ⁿ, not 3ⁿ.", {"residual": False}),
)


def grade(result: ReceptiveFieldResult) -> str:
    """How many inputs the last token sees after all layers."""
    reached = int(result.reach_graph[-1, -1])
    if reached >= result.config.tokens:
        return ALL
    return POWER if reached > 1 + 2 * result.config.layers else LINEAR


PREDICT = Predict(
    "Two heads, each looking at one token, and a residual: how many of 32 inputs does a token see three layers up?",
    (LINEAR, POWER, ALL),
    {"heads": 2, "layers": 3, "tokens": 32, "weights": "constructed"},
    grade,
)

page = Page("receptive_field", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    heads = control.slider("heads", "Heads, k", 1, MAX_HEADS, 2)
    layers = control.slider("layers", "Layers", 1, MAX_LAYERS, 3)
    tokens = control.slider("tokens", "Tokens", 1, MAX_SHOWN_TOKENS, 32)
    weights = control.choice("weights", "Heads are", WEIGHTS, WEIGHTS[0])
    show = control.choice("show", "Show", (GRAPH, MATRIX, CURVE, TABLE), GRAPH)
    mask = control.select("mask", "Mask", MASKS, MASKS[0])
with page.breaks as control:
    residual = control.switch("residual", "Residual", True, hint="Without it k heads reach kⁿ.")
    wrap = control.switch("wrap", "Wrap around", hint="The first tokens look back to the last ones.")
    overwrite = control.switch("write_positions", "Write into the positions", hint="Heads then lose their way.")
    temperature = control.slider("temperature", "Temperature of soft heads", 0.05, 2.0, 0.2, step=0.05)
    threshold = control.slider("threshold", "Seen above", 0.0, 0.2, 0.0, step=0.01)
with page.below as control:
    level = control.slider("level", "Chosen node: layer", 0, MAX_LAYERS, 3)
    token = control.slider("token", "Chosen node: token", 1, MAX_SHOWN_TOKENS, 32)


def make() -> ReceptiveFieldConfig:
    return ReceptiveFieldConfig(
        heads=heads,
        layers=layers,
        tokens=tokens,
        weights=weights,
        temperature=temperature,
        threshold=threshold,
        mask=mask,
        wrap=wrap,
        residual=residual,
        write_positions=overwrite,
        **page.shared,
    )


def choose(node: tuple[int, ...]) -> None:
    """A click on a node of the graph: the two sliders that hold the choice follow."""
    control.change({"level": node[0], "token": node[1] + 1})


def picture(config: ReceptiveFieldConfig, key: str) -> None:
    result = page.run(steps_receptive_field, config)
    node = (min(level, config.layers), min(token, config.tokens) - 1)
    match show:
        case "matrix":
            matrix_view(draw.reach_view(result), key=f"{key}_reach", height=280)
        case "heads × layers":
            matrix_view(draw.heads_layers_view(result), key=f"{key}_table")
        case "curve":
            draw_plotly(draw.reach_curve(result, mode=page.mode), alt=draw.reach_summary(result), key=f"{key}_curve")
        case _:
            graph = draw.layered_graph(result, node, mode=page.mode)
            draw_plotly(graph, alt=draw.graph_summary(result, node), key=f"{key}_graph", on_point=choose)


config = page.config(make)
result = page.run(steps_receptive_field, config)
page.picture(picture, config)
page.verdicts(result)
reached, paths = int(result.reach_graph[-1, -1]), int(result.bound[-1])
shares = "; ".join(
    f"{share.tokens:,} tokens, {share.layers} layers: `{format_number(share.mean)}`" for share in result.shares
)
page.finish(
    config,
    result,
    why=(
        Why(
            "A saturated softmax looks at one :orange[key]. With k heads and the residual a token is made of k + 1 "
            "tokens of the layer below, each of those of k + 1 again: at most (k + 1)ⁿ inputs after n layers.",
            f"({config.heads} + 1)^{config.layers}, capped by {config.tokens:,} tokens, is `{paths:,}`; the last "
            f"token sees `{reached:,}`.",
        ),
        Why(
            "The bound is reached if no two paths end at the same input: head j of layer l looks back "
            "(j + 1)(k + 1)ˡ positions, so each path spells a number of its own in base k + 1.",
            "  \n".join(f"`{v.claim}`: {v.quantity} = `{format_number(v.measured)}`" for v in result.verdicts),
        ),
        Why(
            "Who sees whom is counted twice: along the graph of largest weights, and by autograd, which asks the "
            "real stack whether an :violet[output] changes with an input.",
            f"Last token: `{reached:,}` by the graph, `{int(result.reach_autograd[-1, -1]):,}` by autograd; smallest "
            f"of the looked-at weights: `{format_number(result.smallest_weight)}`.",
        ),
        Why(
            "Heads that look anywhere at random meet again on the way, and see less; with many more tokens they "
            "seldom meet.",
            shares or "Choose random heads to measure it.",
        ),
    ),
    snippet=receptive_field_snippet(config),
    table=lambda: draw.receptive_field_table(result),
    figure=lambda: draw.reach_curve(result),
)
