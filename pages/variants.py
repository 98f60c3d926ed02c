"""Variants: heads that share keys, a cache that fills, and attention without softmax."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages._shared.components.matrix_view import matrix_view
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
from attention_core.figures.panels import AVERAGE
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Whole, setting
from attention_core.studies import variants as study
from attention_core.studies.variants import draw

SPEC = PageSpec(
    name="variants",
    title=gettext_lazy("Variants"),
    icon=":material/alt_route:",
    section=gettext_lazy("What it costs"),
    claim=gettext_lazy(
        "Heads can share :orange[keys] and :green[values], and a cache can keep them; without softmax the cost "
        "grows like the text."
    ),
)

SAME, DIFFERENT = gettext_lazy("The same, but for rounding"), gettext_lazy("Different, from some word on")
ABOUT = {
    "wiring": ("kv-repeat",),
    "weights": ("kv-repeat",),
    "cache": ("cache-exact",),
    "queries": ("no-q-cache",),
    "bytes": ("kv-bytes",),
    "operations": ("linear-cost",),
    "additive": ("additive-rank", "additive-cost", "additive-order"),
}
# Claims of other pages, and what becomes of them here; and those that a causal mask makes or breaks.
ASIDE = ("perm-self", "bias-k", "no-q-cache", "additive-order")
MEASURE = {"none": gettext_lazy("not now"), "n": gettext_lazy("over the length")}
HEAD = {AVERAGE: gettext_lazy("average")} | {str(i + 1): str(i + 1) for i in range(study.HEADS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at: one of seven pictures, a head of its weights, and where the cache's slider stands."""

    show: str = setting("wiring", Choice(draw.SHOWN, label=gettext_lazy("Show"), listed=False))
    head: str = setting(AVERAGE, Choice(HEAD, label=gettext_lazy("Head")))
    measure: str = setting(
        "none", Choice(MEASURE, label=gettext_lazy("Measure the time"), hint=gettext_lazy("On this device, now."))
    )
    seconds: int = setting(4, study.SECONDS)
    word: int = setting(64, Whole(1, 64, label=gettext_lazy("Words so far")))


PRESETS = (
    Preset(
        gettext_lazy("MQA: one for all"),
        gettext_lazy("Multi-query attention, beside grouped-query (GQA): an eighth of the cache, and other outputs."),
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
        {"show": "operations", "length": 1024},
    ),
    Preset(
        gettext_lazy("Luong or Bahdanau?"),
        gettext_lazy("A product of query and key, or w · tanh(q + k): what each can say, and what it takes."),
        {"show": "additive"},
    ),
    Preset(
        gettext_lazy("Why no cache of queries?"),
        gettext_lazy("A new word asks once: keys and values of earlier words are used again, their queries never."),
        {"show": "queries", "causal": True},
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
    """What the picture's slider sets, its values, and the step that it stands at; no name where there is none."""
    match view.show:
        case "wiring" | "weights":
            return "num_kv_heads", study.KV_HEADS, study.KV_HEADS.index(config.num_kv_heads)
        case "cache" | "queries":
            shown = config.tokens[: study.FIRST] if view.show == "queries" else config.tokens
            words = range(1, len(shown) + 1)
            return "word", words, words.index(min(view.word, len(words)))
        case "additive":
            return "", (0,), 0
    return "length", study.LENGTHS, study.LENGTHS.index(config.length)


def draw_picture(config: study.VariantsConfig, view: View, at: Picture) -> None:
    name, values, step = slider_of(config, view)
    if name:
        at.sweep(step, name, values)
    else:
        matrix_view(at.shown, key=f"{at.key}_still")


def results_of(config: study.VariantsConfig, view: View) -> Results:
    result = compute(study.run_variants, config)
    about = ABOUT[view.show]
    aside = tuple(claim for claim in ASIDE if claim not in about)
    return Results(result, step=slider_of(config, view)[2], about=about, aside=aside)


def details(config: study.VariantsConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result, times = found.main, clocked(config, view)
    below = [draw.saving_view(config, result)] if view.show == "cache" else []
    below += [draw.crossing_view(times)] if times else []
    if below:
        frame.curves(draw.together(below))
    return Tabs(
        why=draw.proof(config, result, times),  table=lambda: draw.variants_table(config, result),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("grouped", gettext_lazy("What is grouped-query attention?"),
        gettext_lazy("GQA, what is GQA good for, GQA saves memory, GQA vs MQA, MQA, multi-query attention, "
                     "num_key_value_heads, repeat_kv, GQA cache size, GQA memory"),
        "kv-repeat",
        gettext_lazy("Several heads of queries share one head of keys and values, so that the cache shrinks; in "
                     "multi-query attention all share one. The result is that of copies of the shared head, not that "
                     "of heads of their own.")),
    Faq("what-cache", gettext_lazy("What is a KV cache?"),
        gettext_lazy("key value cache, caching in decoding, how does a KV cache speed up inference"),
        "cache-exact",
        gettext_lazy("Keys and values of the words so far are kept, so that a new word computes its own alone. What "
                     "comes out stays the same."),
        settings={"show": "cache"}),
    Faq("bytes", gettext_lazy("How large is a KV cache?"),
        gettext_lazy("KV cache memory, bytes per token, long context memory, how does multi-query attention reduce "
                     "memory"),
        "kv-bytes",
        gettext_lazy("Two vectors for each token, layer and head of keys: sharing heads makes it smaller."),
        settings={"show": "bytes", "length": 131072}),
    Faq("cache", gettext_lazy("Does a KV cache change the output?"),
        gettext_lazy("use_cache, past_key_values, different logits with cache, is my KV cache right, test my cache"),
        "cache-exact",
        gettext_lazy("No: word by word it gives what the whole pass gives, but for rounding. So is yours tested: "
                     "what differs by more than the bound below is a fault."),
        settings={"show": "cache"}),
    Faq("restart", gettext_lazy("Why is the output wrong with a cache and rotary positions?"),
        gettext_lazy("position_ids, past_key_values, RoPE offset, cache_position"),
        "cache-exact",
        gettext_lazy("Mostly because positions begin at 0 again with each block, as here: then distances to "
                     "the words in the cache are wrong."),
        "fails", settings={"show": "cache", "positions": "rotary", "restart": True}),
    Faq("repeat", gettext_lazy("repeat or repeat_interleave for shared heads?"),
        gettext_lazy("repeat_kv, expand, tile, GQA implementation"),
        "kv-repeat",
        gettext_lazy("repeat_interleave: copies of a head stand side by side. Repeated in turn, as here, "
                     "queries meet another group's keys."),
        "fails", settings={"tiled": True}),
    Faq("linear", gettext_lazy("Can attention be linear?"),
        gettext_lazy("linear attention, Performer, without softmax, O(n), kernel trick, feature map, "
                     "linear or softmax attention"),
        "linear-cost",
        gettext_lazy("Without softmax it is: keys and values are summed up once, and twice the text costs "
                     "twice as much."),
        settings={"show": "operations", "length": 1024}),
    Faq("softmax", gettext_lazy("Why can softmax attention not be reordered?"),
        gettext_lazy("associativity, (QKᵀ)V = Q(KᵀV)"),
        "linear-order",
        gettext_lazy("Softmax stands between the two products. Without it they may be taken in either order."),
        "fails", settings={"softmax": True}),
    Faq("queries", gettext_lazy("Why is there no cache of queries?"),
        gettext_lazy("KV cache why not Q, why only K and V are cached, cache keys and values but never queries"),
        "no-q-cache",
        gettext_lazy("With a causal mask no later output depends on an earlier query: it has been asked and "
                     "answered."),
        settings={"show": "queries", "causal": True}),
    Faq("additive", gettext_lazy("Luong or Bahdanau attention?"),
        gettext_lazy("additive attention, dot-product attention, multiplicative attention, tanh, general score"),
        "additive-cost",
        gettext_lazy("Luong multiplies query and key, as they are or with a matrix between them; Bahdanau adds them "
                     "and bends the sum by tanh, once for each pair and feature, which costs more. In the decoders "
                     "of their papers Bahdanau asks with the state before the word, Luong with the state after it."),
        settings={"show": "additive"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("shared heads in turn"), {"tiled": True}),
    law="(φ(q) φ(k)ᵀ) v = φ(q) (φ(k)ᵀ v)",
    in_sight=("show", "tokens"),
    drawer=(
        Section(("num_kv_heads", "head", "positions", "causal"), gettext_lazy("Attention")),
        Section(("measure", "seconds"), gettext_lazy("Clock")),
        Switches(("tiled", "repeated", "restart", "quadratic", "softmax", "no_tanh")),
    ),
    in_picture=("length",),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
