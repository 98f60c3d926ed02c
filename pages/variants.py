"""Variants: heads that share keys, a cache that fills, and attention without softmax."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages._shared.compute.progress import compute
from pages._shared.page import BreakButton, Frame, Page, Picture, Predict, Preset, Results, Section, Switches, Tabs
from attention_core.figures.matrix import MatrixView
from attention_core.figures.panels import AVERAGE
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Whole, setting
from attention_core.studies import variants as study
from attention_core.studies.variants import draw

SAME, DIFFERENT = gettext_lazy("The same, but for rounding"), gettext_lazy("Different, from some word on")
LEADS = {
    "wiring": "kv-repeat",
    "weights": "kv-repeat",
    "cache": "cache-exact",
    "bytes": "kv-bytes",
    "operations": "linear-cost",
}
BEFORE = ("perm-self", "bias-k")  # claims of other pages, and what becomes of them here
MEASURE = {"none": gettext_lazy("not now"), "n": gettext_lazy("over the length")}
HEAD = {AVERAGE: gettext_lazy("average")} | {str(i + 1): str(i + 1) for i in range(study.HEADS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at: one of five pictures, a head of its weights, and where the cache's slider stands."""

    show: str = setting("wiring", Choice(draw.SHOWN, label=gettext_lazy("Show"), listed=False))
    head: str = setting(AVERAGE, Choice(HEAD, label=gettext_lazy("Head")))
    measure: str = setting(
        "none", Choice(MEASURE, label=gettext_lazy("Measure the time"), hint=gettext_lazy("On this device, now."))
    )
    seconds: int = setting(4, study.SECONDS)
    word: int = setting(64, Whole(1, 64, label=gettext_lazy("Words so far")))


PRESETS = (
    Preset(
        gettext_lazy("One for all"),
        gettext_lazy("Multi-query attention: an eighth of the cache, and other outputs."),
        {"num_kv_heads": 1},
    ),
    Preset(
        gettext_lazy("Very long texts"),
        gettext_lazy("The cache outgrows everything; linear attention's sums stay as they are."),
        {"show": "bytes", "length": study.LENGTHS[-1], "num_kv_heads": study.HEADS},
    ),
    Preset(
        gettext_lazy("Twice the text"),
        gettext_lazy("With softmax four times the work, without it twice."),
        {"show": "operations", "length": study.LENGTHS[0]},
    ),
    Preset(
        gettext_lazy("Groups mixed up"),
        gettext_lazy("Repeated in turn instead of side by side: nothing warns, all outputs are wrong."),
        {"tiled": True},
    ),
    Preset(
        gettext_lazy("A lost place"),
        gettext_lazy("A cache of rotary keys, and positions that begin anew: each word looks elsewhere."),
        {"show": "cache", "positions": "rotary", "restart": True},
        spoils=True,
    ),
)


def grade(result: study.VariantsResult) -> str | None:
    """Whether the outputs of words that are read one by one are those of the whole sentence."""
    verdict = result.verdict("cache-exact.token")
    return None if verdict.expected is None else SAME if verdict.holds else DIFFERENT


PREDICT = Predict(
    gettext_lazy(
        "Read the sentence word by word, with rotary positions and a cache of keys and values. Beside those of the "
        "whole sentence the outputs are …"
    ),
    (SAME, DIFFERENT),
    {"positions": "rotary", "show": "cache"},
    grade,
    headline=gettext_lazy(
        "Heads that share their keys, a cache that grows with the text, and attention without softmax."
    ),
    claim="cache-exact",
    spoilers=("cache-exact",),
)


def clocked(config: study.VariantsConfig, view: View) -> study.CrossingResult | None:
    """What the clock says of softmax and of linear attention, where that is asked for."""
    if view.measure == "none":
        return None
    layer = {name: getattr(config, name) for name in ("causal", "dtype", "device", "seed")}
    return compute(study.steps_crossing, study.CrossingConfig(seconds=view.seconds, **layer))


def picture_of(config: study.VariantsConfig, view: View) -> MatrixView:
    return draw.variants_view(config, compute(study.run_variants, config), view.show, view.head)


def slider_of(config: study.VariantsConfig, view: View) -> tuple[str, Sequence[int], int]:
    """What the picture's slider sets, its values, and the step that it stands at."""
    match view.show:
        case "wiring" | "weights":
            return "num_kv_heads", study.KV_HEADS, study.KV_HEADS.index(config.num_kv_heads)
        case "cache":
            words = range(1, len(config.tokens) + 1)
            return "word", words, words.index(min(view.word, len(words)))
    return "length", study.LENGTHS, study.LENGTHS.index(config.length)


def draw_picture(config: study.VariantsConfig, view: View, at: Picture) -> None:
    name, values, step = slider_of(config, view)
    at.sweep(step, name, values)


def results_of(config: study.VariantsConfig, view: View) -> Results:
    result = compute(study.run_variants, config)
    return Results(result, step=slider_of(config, view)[2], about=(LEADS[view.show],), aside=BEFORE)


def details(config: study.VariantsConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result, times = found.main, clocked(config, view)
    below = [draw.saving_view(config, result)] if view.show == "cache" else []
    below += [draw.crossing_view(times)] if times else []
    if below:
        frame.curves(draw.together(below))
    return Tabs(
        why=draw.proof(config, result, times),  table=lambda: draw.variants_table(config, result),
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("shared heads in turn"), {"tiled": True}),
    law="(φ(q) φ(k)ᵀ) v = φ(q) (φ(k)ᵀ v)",
    in_sight=("show", "tokens"),
    drawer=(
        Section(("num_kv_heads", "head", "positions", "causal"), gettext_lazy("Attention")),
        Section(("measure", "seconds"), gettext_lazy("Clock")),
        Switches(("tiled", "repeated", "restart", "quadratic", "softmax")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
