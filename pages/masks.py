"""Masks: who may look at whom, and what happens if a mask is missing."""

import streamlit as st

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from pages._shared.words import verdict_lines
from attention_core.experiments.masking import (
    MAX_WINDOW,
    PADDINGS,
    POSITIONS,
    SIDES,
    STACKS,
    MaskingConfig,
    MaskingResult,
    masking_snippet,
    run_masking,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures import masking as draw

STILL, MOVE = "Stay exactly", "Move"
DECODER = {"stack": "decoder", "show": draw.REPLACED, "unmasked": True}
LEFT = DECODER | {"side": "left"}
BOTH = {"stack": "encoder-decoder"}
LARGE = {"show": draw.ADDITIVE, "score_size": "100000"}
PRESETS = (
    Preset("Encoder", "One mask is enough: the key padding mask, in every layer.", {}),
    Preset("Decoder, padded right", "No padding mask at all, and still no real output moves.", DECODER),
    Preset("Decoder, padded left", "Now the padding comes first, and everyone looks back at it.", LEFT),
    Preset("Encoder–decoder", "Padding in the encoder and in cross-attention; causal in between.", BOTH),
    Preset("−10000", "Scores as large as that look straight through it.", LARGE),
)


def grade(result: MaskingResult) -> str:
    """Whether real outputs moved when the padding was replaced."""
    return STILL if result.pad_moved == 0 else MOVE


PREDICT = Predict(
    "A decoder, padded right, no padding mask. Replace the padding: real outputs …",
    (STILL, MOVE),
    DECODER | {"side": "right"},
    grade,
)


def split(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Sentences from words, cut at each ``|``."""
    sentences: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            sentences.append([])
        else:
            sentences[-1].append(word)
    return tuple(tuple(sentence) for sentence in sentences if sentence)


page = Page("masks", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    text = "the cat sat on the mat | a dog slept | birds sing"
    sentences = control.sentence("sentences", "Sentences, with | between them", text)
    stack = control.select("stack", "Stack", STACKS, STACKS[0])
    targets = control.sentence("targets", "Targets of an encoder–decoder", "il gatto dorme | un cane abbaia forte")
    side = control.choice("side", "Padding", SIDES, SIDES[0])
    positions = control.select("positions", "Positions", POSITIONS, POSITIONS[1])
    window = control.slider(
        "window", "Sliding window", 0, MAX_WINDOW, 0, help="Words to either side; 0 is no window."
    )
with page.breaks as control:
    unmasked = control.switch("unmasked", "Leave out the padding mask")
    padding = control.select("padding", "Replace the padding by", PADDINGS, PADDINGS[0])
    batch_norm = control.switch("batch_norm", "BatchNorm, in training", hint="Its statistics mix all tokens.")
    size = control.select("score_size", "Size of the scores", ("1", "100", "1000", "10000", "100000"), "1")
    naive = control.switch("naive", "Softmax alone", hint="A row without keys is then 0 ÷ 0.")
with page.above as control:
    show = control.choice("show", "Show", draw.VIEWS, draw.GRID)


def make() -> MaskingConfig:
    return MaskingConfig(
        sentences=split(sentences),
        targets=split(targets),
        stack=stack,
        side=side,
        window=window,
        positions=positions,
        unmasked=unmasked,
        padding=padding,
        batch_norm=batch_norm,
        score_std=float(size),
        naive=naive,
        **page.shared,
    )


def picture(config: MaskingConfig, key: str) -> None:
    result = page.run(run_masking, config)
    view = draw.masking_view(result, show)
    matrix_view(view, key=key, height=draw.panel_height(view, show))
    st.markdown(draw.SAYS[show])
    if show == draw.CONVENTIONS:
        st.table(draw.conventions_table().as_columns())


config = page.config(make)
result = page.run(run_masking, config)
page.picture(picture, config)
page.verdicts(result.said(*draw.claims_of(config, show)))
page.finish(
    config,
    result,
    why=(
        Why(
            "A masked score is −∞, and e^(−∞) = 0: a hidden :orange[key] gets exactly no weight, so whatever its "
            ":green[value] is, it does not enter the :violet[output].",
            f"Words would give `{format_number(result.leak)}` of their weight to padding; as it is set, "
            f"`{format_number(result.leak_masked)}`.  \n" + verdict_lines(result.said(config.claim).verdicts),
        ),
        Why(
            "A causal mask hides what comes later. Padding on the right comes later than every word, so it is hidden "
            "already; padding on the left comes first. BatchNorm looks at all tokens, whatever the masks say.",
            f"Replacing the padding moves real outputs by `{format_number(result.pad_moved)}`.",
        ),
        Why(
            "−10000 is large only beside small scores. In a row where every key gets it, it cancels: softmax ignores "
            "a constant, and the row looks as if unmasked. Half precision rounds the scores away under it.",
            verdict_lines(result.said("mask-additive").verdicts),
        ),
        Why(
            "A row that sees no key is 0 ÷ 0. Here it is set aside before softmax and gets weight 0: its "
            ":violet[output] is b_O, its gradient finite. Zeroing NaN after softmax leaves NaN in the gradient.",
            f"Not finite in the gradient: `{result.empty.gradients[0]}` here, `{result.empty.gradients[1]}` if "
            f"zeroed late; context and output − b_O `{format_number(result.empty.context)}`.  \n"
            + verdict_lines(result.said("mask-full").verdicts),
        ),
    ),
    snippet=masking_snippet(config),
    table=lambda: draw.masking_table(result, show),
    figure=lambda: draw.masking_figure(result, show),
)
