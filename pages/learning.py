"""Learning: a model is trained while one looks, and its attention can be watched turning to what it needs."""

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
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
    own_text,
    question_open,
)
from pages._shared.session.widget_keys import is_move, key_to_show
from attention_core.figures.matrix import MatrixView
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, OneOf, Whole, Words, declared, setting
from attention_core.studies import learning as study
from attention_core.studies.learning import draw
from attention_core.studies.trained.draw import read_heads, write_heads

SPEC = PageSpec(
    name="learning",
    title=gettext_lazy("Learning"),
    icon=":material/school:",
    section=gettext_lazy("How it trains"),
    claim=gettext_lazy(
        "A model learns while you watch: what its attention turns to, and which switches keep it from learning."
    ),
)

LEARNS = gettext_lazy("Yes")
PARTLY = gettext_lazy("In part: more than by guessing, but not all")
GUESSES = gettext_lazy("No: no more than by guessing")
CERTAIN = 5  # standard errors
BELOW = {
    "gradients": gettext_lazy("gradients"),
    "heads": gettext_lazy("heads off"),
    "seeds": gettext_lazy("several seeds"),
    "map": gettext_lazy("the map"),
    "compare": gettext_lazy("several heads or one"),
    "lengths": gettext_lazy("other lengths"),
}
VARIES = {"compare": "heads", "lengths": "positions"}
ASIDE = ("learn-order", "learn-key-bias")
TEXTS = ("text-pairs", "text-copy")
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
        Choice(BELOW, label=gettext_lazy("Also show"), hint=gettext_lazy("All but the first two train many models.")),
    )
    runs: int = setting(6, Whole(2, 16, label=gettext_lazy("Several seeds: runs")))
    shuffled: bool = setting(False, declared(study.TextConfig)["shuffled"])
    temperature: float = setting(
        1.0,
        OneOf(
            study.TEMPERATURES,
            shown="{:g}".format,
            label=gettext_lazy("Temperature"),
            hint=gettext_lazy("What the scores are divided by before a token is drawn."),
        ),
    )


# fmt: off
DEPTH = {"task": "induction", "tokens": 16, "kinds": 8, "d_model": 24, "layers": 1, "steps": 300,
         "feed_forward": False}
DESCENT = {"optimizer": "sgd", "learning_rate": 0.3, "steps": 200, "batch": 16, "feed_forward": False}
PRESETS = (
    Preset(gettext_lazy("No positions"), gettext_lazy("It learns what, and never where."),
           {"positions": "none"}, spoils=True),
    Preset(gettext_lazy("Induction, one layer"), gettext_lazy("One is blind here; give it two."),
           DEPTH | {"feed_forward": False, "below": "seeds"}),
    Preset(gettext_lazy("Induction, two layers"),
           gettext_lazy("A head of the first hands on the word before, one of the second looks for it."),
           DEPTH | {"layers": 2, "below": "seeds"}),
    Preset(gettext_lazy("Several heads or one"),
           gettext_lazy("One large head makes one mixture; small ones of the same width make several."),
           DEPTH | {"below": "compare"}),
    Preset(gettext_lazy("No scale"), gettext_lazy("No seed learns, unless queries and keys start at 0.25."),
           DESCENT | {"scale": "none", "d_head": 256, "below": "seeds"}),
    Preset(gettext_lazy("The key bias"), gettext_lazy("SGD moves it by rounding alone."), DESCENT),
)
# fmt: on


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
    if values["task"] == study.TEXT:
        return own_text.config(page, values, view, run)
    config = study.LearningConfig(**values, **run)
    if view.text:
        study.check_input("text", asked(view), config)
    if view.below == "seeds":
        several(config, view)
    if view.below == "map":
        map_of(config)
    if view.below in VARIES:
        compared(config, view)
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


def compared(config: study.LearningConfig, view: View) -> study.CompareConfig:
    """The same run by models that differ in one thing."""
    return study.CompareConfig.like(config, varies=VARIES[view.below])


def picture_of(config: study.LearningConfig, view: View) -> MatrixView:
    if view.below in VARIES:
        models = compared(config, view)
        return draw.compare_view(models, compute(study.steps_compare, models))
    result = trained(config)
    if isinstance(result, study.TextResult):
        return draw.text_view(result)
    found = answered(config, view, result)
    if found:
        return draw.answer_view(found, causal=config.causal)
    return draw.learning_view(result, awaited=question_open(page))


def draw_picture(config: study.LearningConfig, view: View, at: Picture) -> None:
    def draw_run(run: study.LearningStep | study.LearningResult | study.TextStep | study.TextResult) -> None:
        if isinstance(run, study.TextStep):
            matrix_view(draw.text_moving_view(run.run), key=at.key)
        elif isinstance(run, study.LearningStep):
            matrix_view(draw.moving_view(run.history, awaited=question_open(page)), key=at.key)
        elif asks(config, view):
            matrix_view(at.shown, key=f"{at.key}_answer")
        else:
            last = at.shown.steps - 1
            at.sweep(min(view.step, last), "step", replay=view.step >= last)

    if view.below in VARIES:
        models = compared(config, view)
        at.frame.in_sight(
            study.steps_compare, models,
            lambda found: matrix_view(draw.compare_view(models, found), key=f"{at.key}_models"),
        )  # fmt: skip
        return
    at.frame.in_sight(own_text.trains(config), config, draw_run)
    if at.live:
        say_answer(config, view, at)


def results_of(config: study.LearningConfig, view: View) -> Results:
    result = trained(config)
    if isinstance(result, study.TextResult):
        return Results(result, step=view.step, about=TEXTS, aside=ASIDE)
    if view.below != "seeds":
        return Results(result, step=view.step, aside=ASIDE)
    seeds = compute(study.steps_seeds, several(config, view))
    return Results(result, told=(seeds.about(*RATES), result), step=view.step, aside=ASIDE)


def details(config: study.LearningConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = trained(config)
    draw_below(config, view, result, frame)
    kept = File(_("Keep this model"), "safetensors", "application/octet-stream", lambda: study.keep(result.trained))
    if isinstance(result, study.TextResult):
        text = File(_("Its text"), "tokens.json", "application/json", lambda: study.tokens_file(result.config.text))
        return Tabs(
            why=draw.text_proof(result),
            table=lambda: draw.text_table(result.run),
            files=(kept, text),
            snippet=lambda: study.text_snippet(result.config),
        )
    return Tabs(why=draw.proof(result, found.told), table=lambda: table_of(config, view, result), files=(kept,))


def table_of(config: study.LearningConfig, view: View, result: study.LearningResult) -> Table:
    """The numbers of the picture."""
    if view.below in VARIES:
        return draw.compare_table(compute(study.steps_compare, compared(config, view)))
    return draw.learning_table(result.history)


def say_answer(config: study.LearningConfig, view: View, at: Picture) -> None:
    """What the model answers, and what is left of it without the heads that are off; with their switches."""
    result = trained(config)
    with at.caption:
        if result.stopped:
            st.warning(result.stopped)
        if isinstance(result, study.TextResult):
            own_text.draw(page, result, view, at)
        elif view.below == "heads":
            draw_switches(config, heads_off(config, view), at)
            st.markdown(draw.ablation_words(without_heads(config, view, result), result.score.accuracy))
    if view.below == "seeds":
        draw_seeds(config, view, at.frame)


def trained(config: study.LearningConfig) -> study.LearningResult | study.TextResult:
    """What became of the training."""
    return compute(own_text.trains(config), config)


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


def draw_below(
    config: study.LearningConfig, view: View, result: study.LearningResult | study.TextResult, frame: Frame
) -> None:
    match view.below:
        case "heads":
            assert isinstance(result, study.LearningResult)  # of a text there is none
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
        if keep and is_move(name, key):
            keep(tuple(head for head in heads if head not in (st.session_state.get(key) or ())))

    st.pills(
        _("Heads that are on"), heads, format_func=lambda head: draw.head_name((config.layers, config.heads), head),
        selection_mode="multi", key=key, on_change=switched, disabled=keep is None,
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("positions", gettext_lazy("Can a model learn order without positions?"),
        gettext_lazy("train without positional encoding"),
        "learn-order",
        gettext_lazy("No: it learns which words there are, and nothing of their order."),
        settings=PRESETS[0].settings),
    Faq("induction", gettext_lazy("What is an induction head?"),
        gettext_lazy("in-context learning, copying heads, two layers, A B … A → B"),
        "learn-depth",
        gettext_lazy("A head that finds where the last token stood before and gives what followed. Two layers "
                     "learn it here."),
        settings=PRESETS[2].settings),
    Faq("factor", gettext_lazy("What happens in training without √d_k?"),
        gettext_lazy("unscaled attention, training diverges, does not learn"),
        "learn-scale",
        gettext_lazy("If scores begin about √d_k apart, as here, large heads do not learn."),
        settings=PRESETS[4].settings),
    Faq("shared", gettext_lazy("Can keys and values share one matrix?"),
        gettext_lazy("tied K and V, W_K = W_V, shared KV"),
        "learn-tied",
        gettext_lazy("For copying, yes: it is learned as well with one matrix as with two."),
        settings={"task": "copy", "projections": "tied-kv", "batch": 16, "feed_forward": False, "below": "seeds"}),
    Faq("own", gettext_lazy("Can I train it on my own text?"),
        gettext_lazy("paste a text, upload a file, my own data, custom dataset, lyrics, nanoGPT"),
        "text-pairs",
        gettext_lazy("Yes: under “Train on a text of your own” below the picture. Of our rhyme, which it begins "
                     "with, it learns more than which words follow one another."),
        settings={"task": "text", "tokens": 32, "layers": 2, "batch": 16, "steps": 300}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    make=make,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("no positions"), {"positions": "none"}),
    law="θ ← θ − η ∇_θ L",
    in_sight=("task", "layers", "heads", "steps"),
    drawer=(
        Section(("text", "shuffled"), gettext_lazy("Task")),
        Section(("below",), gettext_lazy("Further pictures")),
        Switches(
            ("positions", "causal", "scale", "d_head", "start", "projections", "biases", "feed_forward", "placement")
        ),
        Section(
            ("optimizer", "learning_rate", "batch", "tokens", "kinds", "back", "d_model", "runs"),
            gettext_lazy("Training"),
        ),
    ),
    in_picture=("temperature",),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
