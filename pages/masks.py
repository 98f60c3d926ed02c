"""Masks: who may look at whom, and what happens if a mask is missing."""

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.page import Break, Controls, Page, Picture, Predict, Preset, Results
from pages._shared.session.settings import settings_group
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, setting
from attention_core.studies.masks import SHORTEST, MaskingConfig, MaskingResult, draw, masking_snippet, run_masking

STILL, MOVE = gettext_lazy("Stay exactly"), gettext_lazy("Move")


@settings_group("masks")
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

page = Page(
    "masks",
    config=MaskingConfig,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=Break(_("no padding mask"), {"unmasked": True}),
    law="e^{−∞} = 0",
)


@page.controls
def controls(controls: Controls) -> None:
    controls.in_sight("stack", "sentences", "side")
    controls.section(_("Stack"), "positions", "window")
    controls.section(_("Sentences"), "targets")
    controls.break_it("unmasked", "padding", "batch_norm", "score_std", "naive")


@page.view
def view_of(config: MaskingConfig, view: View) -> MatrixView:
    return draw.masking_view(page.compute(run_masking, config), view.show)


@page.changes
def changed(before: tuple[MaskingConfig, View], after: tuple[MaskingConfig, View]) -> str:
    if before[0] == after[0]:
        return ""
    return draw.masks_changed(*(page.compute(run_masking, config) for config, _ in (before, after)))


@page.picture
def picture(config: MaskingConfig, view: View, at: Picture) -> None:
    if at.live:
        page.result_controls.show("show")
    matrix_view(page.view_for(config, view), key=at.key)
    if view.show == draw.CONVENTIONS:
        with page.caption if at.live else st.container():
            st.table(draw.conventions_table().as_columns())


@page.results
def results(config: MaskingConfig, view: View) -> Results:
    result = page.compute(run_masking, config)
    return Results(result, told=(result.about(*draw.claims_of(config, view.show)),))


@page.answers
def answers(config: MaskingConfig, view: View, found: Results) -> None:
    result = found.main
    page.draw_tabs(
        found, why=draw.proof(config, result), shortest=SHORTEST, snippet=lambda: masking_snippet(config),
        table=lambda: draw.masking_table(result, view.show),
    )  # fmt: skip


if __name__ == "__main__":
    page.draw()
