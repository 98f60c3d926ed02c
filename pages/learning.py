"""Learning: a model is trained while one looks, and its attention can be watched turning to what it needs."""

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.page import (
    BreakButton,
    File,
    Frame,
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
from pages._shared.session.widget_keys import key_to_show, widget_key
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, OneOf, Whole, Words, setting
from attention_core.studies import learning as study
from attention_core.studies.learning import draw
from attention_core.studies.trained.draw import read_heads, write_heads

LEARNS = gettext_lazy("Yes")
PARTLY = gettext_lazy("In part: more than by guessing, but not all")
GUESSES = gettext_lazy("No: no more than by guessing")
CERTAIN = 5  # standard errors
BELOW = {
    "gradients": gettext_lazy("gradients"),
    "heads": gettext_lazy("heads off"),
    "seeds": gettext_lazy("several seeds"),
    "map": gettext_lazy("the map"),
}
ASIDE = ("learn-order", "learn-key-bias")
RATES = ("learn-depth", "learn-scale", "learn-tied")
CURVES = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The moment that is shown, an input of one's own, and what stands below."""

    step: int = setting(study.MAX_MOMENTS - 1, OneOf(range(study.MAX_MOMENTS), label=gettext_lazy("Moment")))
    text: tuple[str, ...] = setting(
        (),
        Words(
            least=0,
            label=gettext_lazy("Ask the trained model"),
            hint=gettext_lazy("Letters, from a on, best as many as it was trained on; empty for its own example."),
        ),
    )
    off: tuple[study.Head, ...] = setting((), Coded(read_heads, write_heads, label=gettext_lazy("Heads off")))
    below: str = setting(
        "gradients",
        Choice(BELOW, label=gettext_lazy("Also show"), hint=gettext_lazy("Seeds and map train many models.")),
    )
    runs: int = setting(6, Whole(2, 16, label=gettext_lazy("Several seeds: runs")))


DEPTH = {"task": "induction", "tokens": 16, "kinds": 8, "d_model": 24, "layers": 1, "steps": 300}
DESCENT = {"optimizer": "sgd", "learning_rate": 0.3, "steps": 200, "batch": 16}
PRESETS = (
    Preset(
        gettext_lazy("No positions"),
        gettext_lazy("It learns what, and never where."),
        {"positions": "none"},
        spoils=True,
    ),
    Preset(
        gettext_lazy("Induction, one layer"),
        gettext_lazy("One is blind here; give it two."),
        DEPTH | {"feed_forward": False, "below": "seeds"},
    ),
    Preset(
        gettext_lazy("No scale, large heads"),
        gettext_lazy("No seed learns, unless queries and keys start at 0.25."),
        DESCENT | {"feed_forward": False, "scale": "none", "d_head": 256, "below": "seeds"},
    ),
    Preset(
        gettext_lazy("One matrix for k and v"),
        gettext_lazy("Copying is learned all the same."),
        {"task": "copy", "projections": "tied-kv", "batch": 16, "feed_forward": False, "below": "seeds"},
    ),
    Preset(
        gettext_lazy("The key bias"),
        gettext_lazy("SGD moves it by rounding alone."),
        DESCENT | {"feed_forward": False},
    ),
)


def grade(result: study.LearningResult) -> str:
    """How far the model got on sequences it has not seen."""
    score = result.score
    if score.accuracy >= study.SUCCESS:
        return LEARNS
    return PARTLY if score.accuracy > result.history.chance + CERTAIN * score.error else GUESSES


PREDICT = Predict(
    gettext_lazy("Take the positions away and train again: will it learn to reverse?"),
    (LEARNS, PARTLY, GUESSES),
    {"positions": "none"},
    grade,
    claim="learn-order",
    spoilers=("learn-order",),
)


def make(values: dict[str, Any], view: View, run: dict[str, Any]) -> study.LearningConfig:
    """The run; what it is asked and what stands below must be possible too.

    Raises:
        ConfigError: If the model, what it is asked, or what stands below is not possible.
    """
    config = study.LearningConfig(**values, **run)
    if view.text:
        study.check_input("text", asked(view), config)
    if view.below == "seeds":
        several(config, view)
    if view.below == "map":
        map_of(config)
    if view.below == "heads":
        study.check_heads(config)
    return config


def asked(view: View) -> tuple[str, ...]:
    """The letters that were typed, with spaces between them or without."""
    return tuple("".join(view.text))


def heads_off(config: study.LearningConfig, view: View) -> tuple[study.Head, ...]:
    """The heads that are switched off, of those that there are, while their switches are on the page."""
    if view.below != "heads":
        return ()
    return tuple((layer, head) for layer, head in view.off if layer < config.layers and head < config.heads)


def several(config: study.LearningConfig, view: View) -> study.SeedsConfig:
    """The same run from several seeds."""
    return study.SeedsConfig(**asdict(config), runs=view.runs)


def map_of(config: study.LearningConfig) -> study.MapConfig:
    """The map for this optimizer and start."""
    return study.MapConfig(
        optimizer=config.optimizer, start=config.start, dtype=config.dtype, device=config.device, seed=config.seed
    )


def picture_of(config: study.LearningConfig, view: View) -> MatrixView:
    result = compute(study.steps_learning, config)
    found = answered(config, view, result)
    if found:
        return draw.answer_view(found, causal=config.causal)
    return draw.learning_view(result, awaited=question_open(page))


def draw_picture(config: study.LearningConfig, view: View, at: Picture) -> None:
    def draw_run(run: study.LearningStep | study.LearningResult) -> None:
        if isinstance(run, study.LearningStep):
            matrix_view(draw.moving_view(run.history, awaited=question_open(page)), key=at.key)
        elif asks(config, view):
            matrix_view(at.shown, key=f"{at.key}_answer")
        else:
            last = at.shown.steps - 1
            at.sweep(min(view.step, last), "step", replay=view.step >= last)

    at.frame.in_sight(study.steps_learning, config, draw_run)
    if at.live:
        say_answer(config, view, at)


def results_of(config: study.LearningConfig, view: View) -> Results:
    result = compute(study.steps_learning, config)
    if view.below != "seeds":
        return Results(result, step=view.step, aside=ASIDE)
    seeds = compute(study.steps_seeds, several(config, view))
    return Results(result, told=(seeds.about(*RATES), result), step=view.step, aside=ASIDE)


def details(config: study.LearningConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = compute(study.steps_learning, config)
    draw_below(config, view, result, frame)
    return Tabs(
        why=draw.proof(result, found.told),
        table=lambda: draw.learning_table(result.history),
        files=(
            File(_("Keep this model"), "safetensors", "application/octet-stream", lambda: study.keep(result.trained)),
        ),
    )


def say_answer(config: study.LearningConfig, view: View, at: Picture) -> None:
    """What the model answers, and what is left of it without the heads that are off; with their switches."""
    result = compute(study.steps_learning, config)
    with at.caption:
        if result.stopped:
            st.warning(result.stopped)
        if view.below == "heads":
            draw_switches(config, heads_off(config, view), at)
            st.markdown(draw.ablation_words(without_heads(config, view, result), result.score.accuracy))
    if view.below == "seeds":
        draw_seeds(config, view, at.frame)


def asks(config: study.LearningConfig, view: View) -> bool:
    """Whether the model is asked for an answer: to a text, or with heads off to its own example."""
    return bool(view.text or heads_off(config, view))


def answered(config: study.LearningConfig, view: View, result: study.LearningResult) -> study.Answer | None:
    """What the model answers; None where it is not asked."""
    if not asks(config, view):
        return None
    off = heads_off(config, view)
    return study.answer(result.trained, asked(view) or study.letters(result.history.probe), off)


def without_heads(config: study.LearningConfig, view: View, result: study.LearningResult) -> study.AblationResult:
    return compute(study.steps_ablation, study.Ablation(trained=result.trained, off=heads_off(config, view)))


def draw_seeds(config: study.LearningConfig, view: View, frame: Frame) -> None:
    runs = several(config, view)

    def seeds_view(found: study.SeedsStep | study.SeedsResult) -> MatrixView:
        return draw.seeds_moving_view(runs, found) if isinstance(found, study.SeedsStep) else draw.seeds_view(found)

    frame.curves_in_sight(study.steps_seeds, runs, seeds_view, height=CURVES)


def draw_below(config: study.LearningConfig, view: View, result: study.LearningResult, frame: Frame) -> None:
    match view.below:
        case "heads":
            frame.curves(
                draw.ablation_view(without_heads(config, view, result), result.score.accuracy), height=CURVES
            )
        case "map":
            cells = map_of(config)
            frame.curves_in_sight(
                study.steps_map, cells, lambda found: draw.map_view(cells, found.accuracy), height=CURVES
            )
        case "gradients":
            frame.curves(draw.gradients_view(result.history), height=CURVES)


def draw_switches(config: study.LearningConfig, off: tuple[study.Head, ...], at: Picture) -> None:
    """A switch for each head; what a lesson fixes is drawn and does not move."""
    heads = list(product(range(config.layers), range(config.heads)))
    keep, name = at.setter("off"), page.session_key("on")
    key = key_to_show(name, [head for head in heads if head not in off])

    def switched() -> None:
        if keep and key == widget_key(name):
            keep(tuple(head for head in heads if head not in (st.session_state.get(key) or ())))

    st.pills(
        _("Heads that are on"), heads, format_func=lambda head: draw.head_name((config.layers, config.heads), head),
        selection_mode="multi", key=key, on_change=switched, disabled=keep is None,
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    make=make,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("no positions"), {"positions": "none"}),
    law="θ ← θ − η ∇_θ L",
    in_sight=("task", "layers", "heads", "steps"),
    drawer=(
        Section(("text",), gettext_lazy("Task")),
        Section(("below",), gettext_lazy("Further pictures")),
        Switches(
            ("positions", "causal", "scale", "d_head", "start", "projections", "biases", "feed_forward", "placement")
        ),
        Section(
            ("optimizer", "learning_rate", "batch", "tokens", "kinds", "back", "d_model", "runs"),
            gettext_lazy("Training"),
        ),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
