"""Anatomy: one sentence, one forward pass, every number traceable to what it was made of."""

from dataclasses import dataclass

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.text import role_markdown
from pages._shared.page import BreakButton, Frame, Page, Picture, Predict, Preset, Results, Section, Switches, Tabs
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, setting
from attention_core.studies import anatomy as study
from attention_core.studies.anatomy import draw

BACK, ALIKE = gettext_lazy("The word before it"), gettext_lazy("All words alike")
ITSELF, ELSEWHERE = gettext_lazy("Itself"), gettext_lazy("Some other word")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which step of the pass is looked at, in which head, and the cell that is taken apart."""

    head: str = setting("1", Choice(draw.HEADS, label=gettext_lazy("Show head")))
    step: str = setting("pass", Choice(draw.STEP_LABELS, label=gettext_lazy("Step"), listed=False))
    cell: tuple[int, ...] = setting((), Coded(draw.read_cell, draw.write_cell, label=gettext_lazy("Cell")))


PRESETS = (
    Preset(
        gettext_lazy("One word back"),
        gettext_lazy("Head 1 was built to look at the word before: a stripe beside the diagonal."),
        {},
    ),
    Preset(
        gettext_lazy("The same word"),
        gettext_lazy("Head 2 finds the other “the”, wherever it stands."),
        {"head": "2"},
        zh={"tokens": ("大", "猫", "坐", "在", "大", "垫子", "上")},
    ),
    Preset(
        gettext_lazy("The average"),
        gettext_lazy("It looks like neither head: averages hide what heads do."),
        {"head": draw.AVERAGE, "step": "softmax"},
    ),
    Preset(
        gettext_lazy("Dropout"),
        gettext_lazy("In training, rows add up to 1 only on average: shares are thrown away."),
        {"dropout": 0.5, "step": "softmax"},
    ),
    Preset(
        gettext_lazy("Random weights"),
        gettext_lazy("An untrained head: every word takes a little from everywhere."),
        {"weights": "random"},
    ),
)


def grade(result: study.AnatomyResult) -> str | None:
    """Where the words after the first look most in head 1, as it came out; None where rounding leaves it open."""
    return {"back": BACK, "alike": ALIKE, "itself": ITSELF, "elsewhere": ELSEWHERE}.get(result.looks(head=0) or "")


PREDICT = Predict(
    gettext_lazy("Head 1 looks at the word before. Without positions, each word will look at …"),
    (BACK, ALIKE, ITSELF, ELSEWHERE),
    {"positions": "none"},
    grade,
)


def picture_of(config: study.AnatomyConfig, view: View) -> MatrixView:
    result = compute(study.run_anatomy, config)
    return draw.anatomy_view(config, result, step=view.step, head=view.head, cell=view.cell)


def draw_picture(config: study.AnatomyConfig, view: View, at: Picture) -> None:
    result, drawn = compute(study.run_anatomy, config), at.shown
    step, head = view.step, view.head
    chosen = draw.focus(config, result, step=step, head=head, cell=view.cell)
    keep = at.setter("cell")

    def choose(new: draw.Cell | None) -> None:
        if keep and new:
            keep((draw.STEP_NAMES.index(step), *new))

    if at.live:
        at.controls.show("step")
    matrix_view(drawn, key=at.key, selected=chosen, on_select=choose)
    go = at.setter("step")
    formula, shape = draw.formula_line(config, step, head), draw.shape_line(config, result, step)
    whole = _(":gray[Output: {shape}]", shape=shape)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            set_markdown(whole if step == "pass" else f"**{formula}** :gray[· {shape}]"),
            width="stretch",
        )
        with st.container(horizontal=True, width="content", gap="small"):  # which stay side by side on a phone
            for label, to, shortcut in zip((_("Previous"), _("Next")), draw.neighbours(step), "PN", strict=True):
                if go:
                    st.button(label, key=f"_{shortcut}", on_click=go, args=(to,), shortcut=shortcut)
    what = draw.shown(config, step, head)[chosen[0]]
    with at.caption:
        line = _("{line}.", line=role_markdown(draw.explain(config, result, what, *chosen[1:]).parts))
        in_torch = _("In torch:")  # outside of the f-string, where nothing finds texts
        st.markdown(f":small[{line}]  \n:small[{in_torch}] `{draw.code_line(config, step)}`")


def results_of(config: study.AnatomyConfig, view: View) -> Results:
    result, claims = compute(study.run_anatomy, config), draw.step_of(view.step).claims
    shown = tuple(claim for claim in claims if claim != "cplx-core")  # no picture here shows what it costs
    return Results(result, told=(result.about(*claims),), about=shown)


def details(config: study.AnatomyConfig, view: View, found: Results, _frame: Frame) -> Tabs:
    result = found.main
    return Tabs(
        why=draw.proof(result, compute(study.time_heads, config)),
        table=lambda: draw.anatomy_table(config, result, step=view.step, head=view.head),
    )


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("dropout on the weights"), {"dropout": 0.1}),
    law=gettext_lazy("output = W_O softmax(q kᵀ / √d_head) v"),
    in_sight=("tokens", "positions", "head"),
    drawer=(
        Section(("causal",), gettext_lazy("Sentence")),
        Section(("weights", "heads"), gettext_lazy("Heads")),
        Switches(("dropout", "d_head", "no_transpose", "fused", "projections", "biases")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
