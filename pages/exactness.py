"""Same or not?: what computes the same in another way, and what decides whether a word changes."""

from dataclasses import dataclass
from functools import partial

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
    question_open,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Whole, setting
from attention_core.shipped.languages import weights_of
from attention_core.studies import exactness as study
from attention_core.studies.exactness import draw

SPEC = PageSpec(
    name="exactness",
    title=gettext_lazy("Same or not?"),
    icon=":material/compare_arrows:",
    section=gettext_lazy("Is it all true?"),
    claim=gettext_lazy(
        "A sum in another order is the same function; rounding changes a word only where its rival is very near."
    ),
)

PRECISIONS = ("float64", "float32", "bfloat16", "float16")
NEAR = gettext_lazy("Only where two words are almost equally likely")
SURE = gettext_lazy("Also where the model is sure of one")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where the picture's slider stands."""

    step: int = setting(64, Whole(1, 64, label=gettext_lazy("Tiles so far")))
    precision: str = setting(
        "bfloat16", Choice({name: name for name in PRECISIONS}, label=gettext_lazy("Precision shown"))
    )
    word: int = setting(7, Whole(1, 64, label=gettext_lazy("New word")))


PRESETS = (
    Preset(
        gettext_lazy("Tiles"),
        gettext_lazy("Shuffled tiles of three keys: every row ends where softmax of the whole row does."),
        {"tile": 3, "order": "shuffled"},
    ),
    Preset(
        gettext_lazy("Cache, batch"),
        gettext_lazy("A small model reads one text in four ways and four precisions: which words change?"),
        {"form": "batch"},
        spoils=True,
    ),
    Preset(
        gettext_lazy("Rotary pairs"),
        gettext_lazy("Two conventions of rotary pairs, and the order of rows that makes them one."),
        {"form": "pairs"},
    ),
    Preset(
        gettext_lazy("Latent keys"),
        gettext_lazy("Queries meet short latents instead of keys: the same weights, a smaller cache."),
        {"form": "latent"},
    ),
    Preset(
        gettext_lazy("Drafts"),
        gettext_lazy("A part of the model drafts, the whole one reads: fewer calls, the same words."),
        {"form": "speculation"},
    ),
    Preset(
        gettext_lazy("No rescaling"),
        gettext_lazy("Sums counted from different maxima are added as they are: this is no rounding."),
        {"unscaled": True},
    ),
)


def grade(result: study.ExactnessResult) -> str | None:
    """Where a next word changes."""
    if not isinstance(result.part, study.Batch):
        return None
    verdict = result.verdict("flip")
    return None if verdict.expected is None else NEAR if verdict.holds else SURE


PREDICT = Predict(
    gettext_lazy(
        "A small model reads a text alone, with a cache, padded, and in a batch, in bfloat16 and three other "
        "precisions. Where can its next word change?"
    ),
    (NEAR, SURE),
    {"form": "batch"},
    grade,
    headline=gettext_lazy("Two numbers differ. Is it rounding, or is it a fault?"),
    claim="flip",
    spoilers=("flip", "same-batch"),
)


def picture_of(config: study.ExactnessConfig, _view: View) -> MatrixView:
    return draw.exactness_view(config, compute(study.run_exactness, config), awaited=question_open(page))


def slider_of(config: study.ExactnessConfig, view: View) -> tuple[str, tuple[int | str, ...], int]:
    """What the picture's slider sets, its values, and the step that it stands at; no name where there is none."""
    match config.form:
        case "tiles":
            steps = tuple(range(1, config.tiles + 1))
            return "step", steps, steps.index(min(view.step, len(steps)))
        case "batch":
            part = compute(study.run_exactness, config).part
            assert isinstance(part, study.Batch)
            known = part.precisions
            return "precision", known, known.index(view.precision) if view.precision in known else 0
        case "speculation":
            part = compute(study.run_exactness, config).part
            assert isinstance(part, study.Speculation)
            steps = tuple(range(1, len(part.calls) + 1))
            return "word", steps, steps.index(min(view.word, len(steps)))
    return "", (0,), 0


def draw_picture(config: study.ExactnessConfig, view: View, at: Picture) -> None:
    name, values, step = slider_of(config, view)
    if name:
        at.sweep(step, name, values)
    else:
        matrix_view(at.shown, key=f"{at.key}_still")


def results_of(config: study.ExactnessConfig, view: View) -> Results:
    return Results(compute(study.run_exactness, config), step=slider_of(config, view)[2])


def details(config: study.ExactnessConfig, _view: View, found: Results, _frame: Frame) -> Tabs:
    weights = File("model.safetensors", "safetensors", "application/octet-stream", partial(weights_of, config.model))
    return Tabs(
        why=draw.proof(config, found.main),
        table=lambda: draw.exactness_table(config, found.main),
        files=(weights,) if config.form in ("batch", "speculation") else (),
    )


# fmt: off
FAQ = (
    Faq("rounding", gettext_lazy("Two results differ: is it rounding or a bug?"),
        gettext_lazy("allclose fails, atol, rtol, assert_close, numerical difference, 1e-6 mismatch, tolerance, "
                     "logits different in fp16 and fp32, half precision, scaled_dot_product_attention or SDPA "
                     "and my manual implementation differ, float32 1e-7"),
        "tile-exact",
        gettext_lazy("Rounding, if they differ by less than the bound that follows from the number of terms, as "
                     "here; what differs by more is a bug. That bound is one of your precision: float32’s, chosen "
                     "under Settings, is far wider than float64’s."),
        on=("scaling", "trained", "variants")),
    Faq("flash", gettext_lazy("Is FlashAttention exact?"),
        gettext_lazy("flash attention approximate, does flash attention change the result, same output, online "
                     "softmax, memory-efficient attention, tiling"),
        "tile-exact",
        gettext_lazy("Yes: tile by tile it computes softmax of whole rows, in any order of the tiles. Only rounding "
                     "differs.")),
    Faq("memory", gettext_lazy("Why does FlashAttention need less memory?"),
        gettext_lazy("flash attention memory, O(n) memory, n² scores, out of memory"),
        "tile-memory",
        gettext_lazy("Only one tile of scores is alive at a time, so the numbers alive grow with the text and not "
                     "with its square."),
        on=("complexity",)),
    Faq("maximum", gettext_lazy("What if online softmax does not rescale?"),
        gettext_lazy("running maximum, log-sum-exp, flash attention implementation, wrong result"),
        "tile-exact",
        gettext_lazy("Then sums counted from different maxima are added, and the result is wrong by far more than "
                     "rounding."),
        "fails", settings={"unscaled": True}),
    Faq("logits", gettext_lazy("Why are logits different with and without a cache?"),
        gettext_lazy("kv cache gives slightly different output, use_cache logits mismatch, past_key_values differ"),
        "same-batch.cached",
        gettext_lazy("Sums of other shapes are rounded otherwise, and never by more than the bound, as here. What "
                     "differs by more is a bug."),
        settings={"form": "batch"},
        on=("variants",)),
    Faq("padding", gettext_lazy("Does padding change my output?"),
        gettext_lazy("left padding, padding_side, attention_mask, generation differs with padding"),
        "same-batch.padded",
        gettext_lazy("Not if it is masked and takes no position: then only rounding differs."),
        settings={"form": "batch"},
        on=("masks",)),
    Faq("batch", gettext_lazy("Why does batch size change the output?"),
        gettext_lazy("batch invariance, non-deterministic, temperature 0, different answers in a batch"),
        "same-batch.batched",
        gettext_lazy("A batch may add sums in another order, which rounds otherwise, and never by more than the "
                     "bound."),
        settings={"form": "batch"}),
    Faq("flip", gettext_lazy("Why does greedy decoding change with precision?"),
        gettext_lazy("bfloat16 different text, float16 vs float32 generation, argmax flip"),
        "flip",
        gettext_lazy("Because two words were nearly equally likely. Where the best is ahead by more than twice the "
                     "bound, no word changes."),
        settings={"form": "batch"},
        on=("scaling", "trained")),
    Faq("restart", gettext_lazy("Why is left-padded generation wrong?"),
        gettext_lazy("position_ids, cumsum attention_mask, padded positions, wrong generation"),
        "same-batch.padded",
        gettext_lazy("Often because padding takes positions, as here: every word then stands elsewhere."),
        "fails", settings={"form": "batch", "restart": True}),
    Faq("pairs", gettext_lazy("RoPE: halves or neighbours?"),
        gettext_lazy("rotate_half, interleaved, GPT-NeoX style, GPT-J style, permute weights, Llama conversion"),
        "rope-pairs.same",
        gettext_lazy("Either, if the weights fit: with the rows of W_Q and W_K reordered both are one function."),
        settings={"form": "pairs"}),
    Faq("latent", gettext_lazy("What is multi-head latent attention?"),
        gettext_lazy("MLA, DeepSeek, absorb, low-rank keys and values, decoupled RoPE, kv_lora_rank"),
        "mla-absorb",
        gettext_lazy("Keys and values are made of one short latent of each word, which alone is kept. W_UK can be "
                     "folded into the queries, and nothing changes."),
        settings={"form": "latent"},
        on=("variants",)),
    Faq("absorb", gettext_lazy("Why is RoPE decoupled in MLA?"),
        gettext_lazy("decoupled rotary, qk_rope_head_dim, absorb W_UK"),
        "mla-absorb",
        gettext_lazy("A rotation on whole heads would stand between W_UK and the query, and folding would give "
                     "something else, as here."),
        "fails", settings={"form": "latent", "whole": True}),
    Faq("speculative", gettext_lazy("Is speculative decoding lossless?"),
        gettext_lazy("speculative sampling, draft model, assisted generation, same distribution"),
        "spec-dist",
        gettext_lazy("Yes: what is kept and what is drawn again add up to the large model's own distribution, "
                     "whatever the draft is."),
        settings={"form": "speculation"}),
    Faq("greedy", gettext_lazy("May a draft model be greedy?"),
        gettext_lazy("speculative decoding temperature, greedy draft, acceptance rule"),
        "spec-dist",
        gettext_lazy("Not under the rule for drawn words: then the result has another distribution, as here."),
        "fails", settings={"form": "speculation", "greedy": True}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    # One for each form: of these settings a form reads its own alone.
    breaks=BreakButton(
        gettext_lazy("forget a step"),
        {"unscaled": True, "restart": True, "one_side": True, "whole": True, "late": True},
    ),
    law=gettext_lazy("difference ≤ bound < margin / 2"),
    in_sight=("form",),
    drawer=(
        Section(("tokens",), gettext_lazy("Sentence")),
        Section(("tile", "order", "factor", "causal"), gettext_lazy("Tiles")),
        Section(("model", "draft", "block"), gettext_lazy("A model that writes")),
        Section(("positions",), gettext_lazy("Rotary pairs")),
        Section(("rank",), gettext_lazy("Latent keys")),
        Switches(("unscaled", "no_maximum", "kept", "restart", "seen", "one_side", "whole", "late", "greedy")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
