"""Masks: who may look at whom, and what happens if a mask is missing."""

from dataclasses import dataclass

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.page import (
    BreakButton,
    Frame,
    Look,
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
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, setting
from attention_core.studies import masks as study
from attention_core.studies.masks import MaskingConfig, MaskingResult, draw, run_masking

STILL, MOVE = gettext_lazy("Stay exactly"), gettext_lazy("Move")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown of the stack."""

    show: str = setting(draw.GRID, Choice(draw.VIEWS, label=gettext_lazy("Show"), listed=False))


DECODER = {"stack": "decoder", "show": draw.REPLACED, "unmasked": True}
PRESETS = (
    Preset(
        gettext_lazy("Encoder"), gettext_lazy("One mask is enough: the key padding mask, in every layer."), {},
    ),
    Preset(
        gettext_lazy("Decoder, padded right"),
        gettext_lazy("No padding mask at all, and still no real output moves."), DECODER, spoils=True,
    ),
    Preset(
        gettext_lazy("Decoder, padded left"),
        gettext_lazy("Now the padding comes first, and everyone looks back at it."),
        DECODER | {"side": "left"},
    ),
    Preset(
        gettext_lazy("Encoder–decoder"),
        gettext_lazy("Padding in the encoder and in cross-attention; causal in between."),
        {"stack": "encoder-decoder"},
    ),
    Preset(
        "−10000", gettext_lazy("Scores as large as that look straight through it."),
        {"show": draw.ADDITIVE, "score_std": 100_000},
    ),
)  # fmt: skip


def grade(result: MaskingResult) -> str:
    """Whether real outputs moved when the padding was replaced."""
    return STILL if result.pad_moved == 0 else MOVE


PREDICT = Predict(
    gettext_lazy("A decoder, padded right, no padding mask. Replace the padding: real outputs …"),
    (STILL, MOVE),
    DECODER,
    grade,
    claim="mask-decoder",
)


def picture_of(config: MaskingConfig, view: View) -> MatrixView:
    return draw.masking_view(compute(run_masking, config), view.show)


def changes(before: Look, after: Look) -> str:
    if before.config == after.config:
        return ""
    return draw.masks_changed(*(compute(run_masking, look.config) for look in (before, after)))


def draw_picture(_config: MaskingConfig, view: View, at: Picture) -> None:
    if at.live:
        at.controls.show("show")
    matrix_view(at.shown, key=at.key)
    if view.show == draw.CONVENTIONS:
        with at.caption:
            st.table(draw.conventions_table().as_columns())


def results_of(config: MaskingConfig, view: View) -> Results:
    result = compute(run_masking, config)
    return Results(result, told=(result.about(*draw.claims_of(config, view.show)),))


def details(config: MaskingConfig, view: View, found: Results, _frame: Frame) -> Tabs:
    result = found.main
    return Tabs(
        why=draw.proof(config, result),
        table=lambda: draw.masking_table(result, view.show),
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("no padding mask"), {"unmasked": True}),
    law="e^{−∞} = 0",
    in_sight=("stack", "sentences", "side"),
    drawer=(
        Section(("positions", "window"), gettext_lazy("Stack")),
        Section(("targets",), gettext_lazy("Sentences")),
        Switches(("unmasked", "padding", "batch_norm", "score_std", "naive")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
