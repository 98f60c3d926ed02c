"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel."""

from dataclasses import replace
from functools import partial
from typing import Any

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from attention_core.experiments import biases as measure
from attention_core.experiments.biases import KEY_SIZES, NUM_HEADS, SIZES, BiasesConfig, BiasesResult
from attention_core.figures import biases as draw
from attention_core.figures.matrix import MatrixView
from attention_core.figures.table import Table

TERMS, CHANGES, GROWING = SHOWN = ("Four terms of a score", "With − without the biases", "A growing key bias")
HEADS = (draw.AVERAGE, *map(str, range(1, NUM_HEADS + 1)))
NOTHING, SCORES, WEIGHTS, OUTPUT = "Nothing", "Only the scores", "Scores and weights", "The output too"
KEY_ALONE: dict[str, Any] = {"q_bias": False, "v_bias": False, "o_bias": False, "show": CHANGES}
AT_A_MILLION = {"show": GROWING, "key_size": 1e6, "curve": draw.RESIDUAL}

PRESETS = (
    Preset("Key bias alone", "Every score moves; no weight and no output does.", KEY_ALONE),
    Preset("Rotary positions", "One switch, and the key bias is felt again.", KEY_ALONE | {"rotary": True}),
    Preset("A million", "Cancellation ends: off by a little, by a lot, or NaN.", AT_A_MILLION),
    Preset("Training", "No signal reaches the key bias, and yet Adam moves it.", {"curve": draw.TRAINING}),
    Preset(
        "Published appendix",
        "All it reports is rounding: more bits, less of it.",
        KEY_ALONE | {"curve": draw.APPENDIX},
    ),
)


def grade(result: BiasesResult) -> str:
    """How far the key bias is felt."""
    effect = result.effect("k")
    if effect is None or effect.scores <= result.weight_bound:
        return NOTHING
    if effect.output > result.output_bound:
        return OUTPUT
    return WEIGHTS if effect.weights > result.weight_bound else SCORES


PREDICT = Predict(
    "Give the keys, and only the keys, a large bias. What changes?",
    (NOTHING, SCORES, WEIGHTS, OUTPUT),
    KEY_ALONE | {"k_bias": True, "size": 5.0},
    grade,
)


page = Page("biases", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    show = control.select("show", "Show", SHOWN, TERMS)
    with control.row():
        names = {f"{role[0].lower()}_bias": f"{role} b_{role[0]}" for role in ("Query", "Key", "Value", "Output")}
        biases = {name: control.switch(name, label, True) for name, label in names.items()}
    direction = control.select("direction", "Direction of the biases", measure.DIRECTIONS, "random")
    head = control.select("head", "Head", HEADS, draw.AVERAGE)
    tokens = control.sentence("tokens", "Sentence", "the cat sat on a mat")
    curve = control.select("curve", "Curve below", draw.TITLES, draw.GRADIENTS)
    size, keep_size = control.swept("size", "Size of each bias", SIZES, 5.0)
    key_size, keep_key_size = control.swept("key_size", "Size of the key bias", KEY_SIZES, 1.0)
with page.breaks as control:
    hints = {
        "rotary": ("Rotary positions", "They turn b_K by another angle at every key, so it is no longer constant."),
        "qk_norm": ("QK-norm", "It divides each key by its own length, b_K included."),
        "tied_query_key": ("Tied Q = K", "b_K is then the query bias as well, and that one is felt."),
        "zero_sink": ("Sink key", "One more key, a zero without bias: nothing is common to all keys any more."),
        "masked_row": ("Masked row", "The last query sees nothing: no weights, so nothing carries b_V there."),
        "dropout": ("Dropout", "Rows of weights no longer sum to 1, so b_V passes through only on average."),
        "naive_softmax": ("Naive softmax", "exp overflows where the largest score is not subtracted first."),
        "batch_norm_eval": ("BatchNorm in evaluation", "Its running statistics know nothing of the bias."),
        "off_centre": ("Inputs with a mean", "E[Wx + b] = b needs inputs around 0."),
    }
    switches = {name: control.switch(name, label, hint=hint) for name, (label, hint) in hints.items()}
    batch_norm_eval, off_centre = switches.pop("batch_norm_eval"), switches.pop("off_centre")


def make() -> BiasesConfig:
    made = BiasesConfig(tokens=tokens, direction=direction, size=size, **biases, **switches, **page.shared)
    experiment(curve, made)
    return made


def experiment(name: str, config: BiasesConfig) -> tuple[Any, Any]:
    return draw.source(name, config, batch_norm_eval=batch_norm_eval, input_mean=0.5 if off_centre else 0.0)


def view_of(config: BiasesConfig) -> tuple[MatrixView, int]:
    """What is shown of a config, and the step of its slider."""
    if show == GROWING:
        return draw.size_view(page.run(*experiment(draw.RESIDUAL, config)), head), KEY_SIZES.index(key_size)
    view = draw.terms_view if show == TERMS else draw.difference_view
    return view(page.run(measure.run_bias_sizes, config.setting()), head), SIZES.index(config.size)


def picture(given: BiasesConfig, key: str) -> None:
    view, step = view_of(given)
    values, keep = (KEY_SIZES, keep_key_size) if show == GROWING else (SIZES, keep_size)
    if keep is None or given is not config:
        matrix_view(view.at(step), key=key)
    else:
        matrix_view(view, key=key, step=step, on_step=lambda to: keep(values[to]))


config = page.config(make)
result = seen = page.run(measure.run_biases, config)
below = page.run(*experiment(curve, config))
page.picture(picture, config)
if show == GROWING:
    sweep = page.run(*experiment(draw.RESIDUAL, config))
    seen = replace(sweep, verdicts=tuple(sweep.verdict(dtype, key_size) for dtype in sweep.dtypes))
same = curve == draw.GRADIENTS or (curve == draw.RESIDUAL and show == GROWING)
broken = [name for name, on in ((draw.NORMS, batch_norm_eval), (draw.MEAN, off_centre)) if on and name != curve]
page.verdicts(*(() if same else (below,)), seen, *(page.run(*experiment(name, config)) for name in broken))
marked = key_size if show == GROWING else None
plot = partial(draw.biases_figure, below, naive=config.naive_softmax, key_size=marked, mode=page.mode)
if curve == draw.GRADIENTS:
    page.curves(draw.gradient_view(below))
else:
    page.plot(plot(), alt=draw.curve_summary(below))
sizes = page.run(measure.run_bias_sizes, config.setting())
steps = draw.proof(result, sizes, config.size, page.run(measure.run_shift, config.setting()))
if curve == draw.TRAINING:
    precise = replace(experiment(curve, config)[1], dtype=config.key_sweep().dtype)
    steps += (draw.training_step(below, page.run(measure.steps_training, precise)),)


def table() -> Table:
    if curve == draw.GRADIENTS and show == TERMS:
        return draw.terms_table(sizes, config.size)
    return draw.curve_table(seen if curve == draw.GRADIENTS else below)


page.finish(
    config,
    result,
    why=tuple(Why(step.argument, step.measured) for step in steps),
    snippet=measure.biases_snippet(config),
    table=table,
    figure=lambda: draw.view_figure(*view_of(config)) if curve == draw.GRADIENTS else plot(),
)
