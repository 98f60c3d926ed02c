"""Projections: what W_Q, W_K, W_V and W_O are for, and what they can and cannot express."""

from dataclasses import replace

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from attention_core.experiments.projections import (
    BIASES,
    D_HEADS,
    LAYERS,
    NUM_HEADS,
    POSITIONS,
    TOPICS,
    ProjectionsConfig,
    ProjectionsResult,
    projections_snippet,
    run_projections,
)
from attention_core.figures import projections as draw

IDENTITY, TIED, GAUGE, RANK, COLLAPSE = TOPICS
ALL, NOT_ALL = "Yes, every one of them", "No, some are outshone"

PRESETS = (
    Preset("Unequal norms", "A long word outshines the short ones, even in their own row.", {"spread": 0.6}),
    Preset("One matrix for Q and K", "Scores become symmetric; the weights do not.", {"topic": TIED}),
    Preset("Another basis", "Every matrix changes, and the output does not move.", {"topic": GAUGE}),
    Preset("Bottleneck", "Scores of low rank, weights of full rank.", {"topic": RANK}),
    Preset("Collapse", "Without the residual, all words become one.", {"topic": COLLAPSE, "layer": 6}),
)


def grade(_: ProjectionsResult) -> str:
    """Whether any word looks harder at another one, whichever question is being looked at."""
    asked = page.run(run_projections, replace(config, topic=IDENTITY))
    return NOT_ALL if asked.astray else ALL


PREDICT = Predict(
    "Let the words' norms differ: does every word still look most at itself?",
    (ALL, NOT_ALL),
    {"topic": IDENTITY, "spread": 0.6},
    grade,
)

page = Page("projections", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    topic = control.select("topic", "Question", TOPICS, IDENTITY)
    words = " ".join(ProjectionsConfig().tokens)
    tokens = control.sentence("tokens", "Sentence", words)
    num_heads = int(control.select("num_heads", "Heads", tuple(map(str, NUM_HEADS)), "4"))
    d_head = int(control.select("d_head", "Size of a head, d_head", tuple(map(str, D_HEADS)), "8"))
    temperature = control.slider(
        "temperature", "Temperature", 0.25, 4.0, 1.0, step=0.25, help="Divides the scores of the first question."
    )
    head, keep_head = control.swept("head", "Head", range(max(NUM_HEADS)), 0)
    layer, keep_layer = control.swept("layer", "Layer", range(LAYERS + 1), 0)
with page.breaks as control:
    spread = control.slider(
        "spread", "Spread of the norms", 0.0, 1.0, 0.0, step=0.1, help="Standard deviation of the log of ‖x‖."
    )
    whole = control.switch("whole_norms", "Equal norms, but not in each head", hint="Equal before the heads are cut.")
    qk_norm = control.switch("qk_norm", "QK-norm", hint="Mends the first claim; breaks another basis and scale.")
    positions = control.select("positions", "Positions", tuple(POSITIONS), "none")
    causal = control.switch("causal", "Causal mask", hint="Breaks symmetry and rank; only slows the collapse.")
    biases = control.select("biases", "Biases of tied matrices", BIASES, BIASES[0])
    residual = control.switch("residual", "Residual", hint="Keeps the words apart.")


def make() -> ProjectionsConfig:
    return ProjectionsConfig(
        topic=topic,
        tokens=tokens,
        num_heads=num_heads,
        d_head=d_head,
        temperature=temperature,
        spread=spread,
        whole_norms=whole,
        residual=residual,
        positions=positions,
        causal=causal,
        qk_norm=qk_norm,
        biases=biases,
        **page.shared,
    )


def picture(config: ProjectionsConfig, key: str) -> None:
    view = draw.projections_view(config, page.run(run_projections, config))
    at, keep = (layer, keep_layer) if config.topic == COLLAPSE else (head, keep_head)
    at = min(at, view.steps - 1)
    if keep is None:
        matrix_view(view.at(at), key=key)
    else:
        matrix_view(view, key=key, step=at, on_step=keep, height=240)


config = page.config(make)
result = page.run(run_projections, config)
page.picture(picture, config)
page.verdicts(result)
curves = draw.curves_view(result)
if curves:
    page.curves(curves)
page.finish(
    config,
    result,
    why=tuple(Why(step.argument, step.measured) for step in draw.proof(result)),
    snippet=projections_snippet(config),
    table=lambda: draw.projections_table(config, result),
    figure=lambda: draw.projections_heatmap(config, result, min(head, config.num_heads - 1)),
)
