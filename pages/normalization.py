"""Normalization: what LayerNorm, RMSNorm and BatchNorm look at, and what they leave."""

from dataclasses import replace

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import Cell, matrix_view
from attention_core.experiments.normalization import (
    D_MODELS,
    EPS,
    LIMIT,
    NORMS,
    STDS,
    TOKENS,
    TOPICS,
    LengthResult,
    NormalizationConfig,
    NormalizationResult,
    normalization_snippet,
    read_cell,
    run_normalization,
)
from attention_core.figures import normalization as draw

DEPENDENCE, LENGTH, BIAS, BLOCK = TOPICS
FOLLOWS, DIFFERENT = "The same rows, in the new order", "Different"

PRESETS = (
    Preset("Evaluation mode", "BatchNorm then looks at one number alone.", {"evaluation": True}),
    Preset("On a circle", "Three features: every token lands on one circle.", {"topic": LENGTH, "d_model": 3}),
    Preset("ε takes over", "Small tokens stay short.", {"topic": LENGTH, "d_model": 3, "eps": "0.01", "std": "0.1"}),
    Preset("A bias survives", "BatchNorm removes all of it, LayerNorm its mean.", {"topic": BIAS}),
    Preset("A whole block", "LayerNorm does not break equivariance, wherever it stands.", {"topic": BLOCK}),
)


def grade(_: NormalizationResult) -> str:
    """What permuting does to a block's outputs, whichever question is being looked at."""
    asked = page.run(run_normalization, replace(config, topic=BLOCK))
    return FOLLOWS if all(verdict.holds for verdict in asked.verdicts) else DIFFERENT


PREDICT = Predict(
    "Permute the tokens of a whole block with LayerNorm: its outputs will be …",
    (FOLLOWS, DIFFERENT),
    {"topic": BLOCK},
    grade,
)

page = Page("normalization", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    topic = control.select("topic", "Question", TOPICS, DEPENDENCE)
    num_tokens = control.slider("num_tokens", "Tokens", *TOKENS, 5)
    d_model = control.slider("d_model", "Features, d", *D_MODELS, 6)
    norm = control.select("norm", "Norm in the block", tuple(NORMS), "LayerNorm")
    gamma = control.slider("gamma", "Gain γ", -LIMIT, LIMIT, 1.0, step=0.1)
    beta = control.slider("beta", "Bias β", -LIMIT, LIMIT, 0.0, step=0.1)
    cell, keep_cell = control.component("cell", "Output", (0, 0), read_cell, lambda at: f"{at[0]}.{at[1]}")
with page.breaks as control:
    eps = control.select("eps", "ε", tuple(f"{value:g}" for value in EPS), "0", hint="Under LayerNorm's root.")
    std = control.select("std", "Spread of the tokens", tuple(f"{value:g}" for value in STDS), "1")
    constant = control.switch("constant", "Constant tokens", hint="All features equal: nothing to divide by.")
    evaluation = control.switch("evaluation", "Evaluation mode", hint="BatchNorm uses a past batch's statistics.")
    positions = control.switch("positions", "Positions", hint="Added to the block's tokens, slot by slot.")
    causal = control.switch("causal", "Causal mask", hint="In the block's attention.")
    slot_weights = control.switch("slot_weights", "A gain for each slot", hint="In the block's norms.")


def make() -> NormalizationConfig:
    return NormalizationConfig(
        topic=topic,
        num_tokens=num_tokens,
        d_model=d_model,
        gamma=gamma,
        beta=beta,
        eps=float(eps),
        input_std=float(std),
        norm=norm,
        evaluation=evaluation,
        constant=constant,
        positions=positions,
        causal=causal,
        slot_weights=slot_weights,
        **page.shared,
    )


def choose(at: Cell | None) -> None:
    if at and keep_cell:
        keep_cell(at[1:])


def picture(config: NormalizationConfig, key: str) -> None:
    view = draw.normalization_view(config, page.run(run_normalization, config), cell)
    if config.topic == DEPENDENCE:
        matrix_view(view, key=key, selected=(0, *cell), on_select=choose)
    else:
        matrix_view(view, key=f"{key}_still")


config = page.config(make)
result = page.run(run_normalization, config)
page.picture(picture, config)
page.verdicts(result)
space = draw.space_figure(result, mode=page.mode) if isinstance(result, LengthResult) else None
if space and isinstance(result, LengthResult):
    page.plot(space, alt=draw.space_alt(result))
page.finish(
    config,
    result,
    why=tuple(Why(step.argument, step.measured) for step in draw.proof(result)),
    snippet=normalization_snippet(config),
    table=lambda: draw.normalization_table(config, result, cell),
    figure=lambda: draw.normalization_heatmap(config, result, cell),
)
