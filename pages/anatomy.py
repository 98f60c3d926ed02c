"""Anatomy: one sentence, one forward pass, every number traceable to what it was made of."""

import streamlit as st

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from pages._shared.words import coloured, verdict_lines
from attention_core.experiments.anatomy import (
    MAX_D_HEAD,
    MAX_DROPOUT,
    MAX_HEADS,
    POSITIONS,
    PROJECTIONS,
    AnatomyConfig,
    AnatomyResult,
    anatomy_snippet,
    run_anatomy,
    time_heads,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures import anatomy as draw

BACK, ALIKE, ELSEWHERE = "The word before it", "All words alike", "Some other word"
BUILT, RANDOM = "built by hand", "random"
PRESETS = (
    Preset("One word back", "Head 1 was built to look at the word before: a stripe beside the diagonal.", {}),
    Preset("The same word", "Head 2 finds the other “the”, wherever it stands.", {"head": "2"}),
    Preset("The average", "It looks like neither head: averages hide what heads do.", {"head": draw.AVERAGE}),
    Preset("Dropout", "In training, rows add up to 1 only on average: shares are thrown away.", {"dropout": 0.5}),
    Preset("Random weights", "An untrained head: every word takes a little from everywhere.", {"weights": RANDOM}),
)


def grade(result: AnatomyResult) -> str:
    """Where the words after the first look most in head 1, as it came out."""
    return {"back": BACK, "alike": ALIKE}.get(result.looks(head=0), ELSEWHERE)


PREDICT = Predict(
    "Head 1 looks at the word before. Without positions, each word will look at …",
    (BACK, ALIKE, ELSEWHERE),
    {"positions": "none", "head": "1", "step": "softmax"},
    grade,
)


page = Page("anatomy", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    tokens = control.sentence("tokens", "Sentence", "the cat sat on the mat")
    weights = control.choice("weights", "Weight matrices", (BUILT, RANDOM), BUILT)
    heads = control.slider("heads", "Heads", 1, MAX_HEADS, 2)
    numbers = tuple(str(i + 1) for i in range(MAX_HEADS))
    head = control.select("head", "Show head", (*numbers, draw.ALL, draw.AVERAGE), "1")
    positions = control.select("positions", "Positions", tuple(POSITIONS), "sinusoidal")
    causal = control.switch("causal", "Look back only (causal mask)")
with page.breaks as control:
    dropout = control.slider("dropout", "Dropout, as in training", 0.0, MAX_DROPOUT, 0.0, step=0.1)
    d_head = control.slider("d_head", "Numbers of a head", 0, MAX_D_HEAD, 0, help="0 stands for d_model ÷ heads.")
    miscut = control.switch("miscut", "Cut by view alone", hint="The classic mistake: heads without a transposition.")
    fused = control.switch("fused", "Count on the fused kernel", hint="torch's counter does not see into it.")
    projections = control.select("projections", "Projections", tuple(PROJECTIONS), "three of their own")
    biases = control.switch("biases", "Biases", True, hint="They break none of the claims.")
with page.above as control:
    step = control.choice("step", "Step", draw.STEP_NAMES, "softmax")
    cell, keep_cell = control.component("cell", "Cell", (), draw.read_cell, draw.write_cell)
    before, after = draw.neighbours(step)
    here = draw.step_of(step)


def make() -> AnatomyConfig:
    return AnatomyConfig(
        tokens=tokens,
        weights="built" if weights == BUILT else "random",
        heads=heads,
        d_head=d_head,
        positions=positions,
        causal=causal,
        biases=biases,
        projections=projections,
        dropout=dropout,
        miscut=miscut,
        fused=fused,
        **page.shared,
    )


def picture(config: AnatomyConfig, key: str) -> None:
    result = page.run(run_anatomy, config)
    chosen = draw.focus(config, result, step=step, head=head, cell=cell)

    def choose(new: draw.Cell | None) -> None:
        if keep_cell and new:
            keep_cell((draw.STEP_NAMES.index(step), *new))

    view = draw.anatomy_view(config, result, step=step, head=head)
    matrix_view(view, key=key, selected=chosen, on_select=choose, height=264)
    with st.container(horizontal=True, vertical_alignment="center"):
        shape = draw.shape_line(config, result, step)
        st.markdown(f"**{here.formula}** :gray[· {shape}]", width="stretch")
        for label, to, shortcut in (("Previous", before, "P"), ("Next", after, "N")) if key == "anatomy" else ():
            st.button(label, key=f"_{shortcut}", on_click=control.change, args=({"step": to},), shortcut=shortcut)
    what = draw.shown(config, step, head)[chosen[0]]
    line = draw.explain(config, result, what, *chosen[1:])
    st.markdown(f"{here.says}  \n{coloured(line.parts)}")


config = page.config(make)
result = page.run(run_anatomy, config)
page.picture(picture, config)
page.verdicts(result.said(*here.claims))
times = page.run(time_heads, config)
page.finish(
    config,
    result,
    why=(
        Why(
            "Each :blue[query] meets each :orange[key] in a product, and softmax turns a row of products into shares "
            "that add up to 1: **one weight is the share a :blue[query] takes of one :green[value]**.",
            f"The largest share of a query is `{format_number(result.mean_max_weight)}` on average here.  \n"
            + verdict_lines(result.said("drop-rows").verdicts),
        ),
        Why(
            "So the :violet[context] of a head is a mixture of its :green[values], never outside of what they span. "
            "Dropout throws weights away and enlarges the rest: only the average of many passes stays inside.",
            verdict_lines(result.said("convex-hull").verdicts),
        ),
        Why(
            "Several heads are one product: each row is cut into heads, nothing is computed twice, and a loop over "
            "the heads gives the same numbers, later. So d_model is a multiple of the heads, or d_head is given.",
            f"On this machine, now: {times.batched_us} µs together, {times.loop_us} µs in a loop.  \n"
            + verdict_lines(result.said("mha-reshape", "mha-divisible").verdicts),
        ),
        Why(
            "QKᵀ multiplies n² pairs of d numbers, and AV as many: 2 n² d multiplications and additions in each. "
            "Twice as many words, four times the work.",
            verdict_lines(result.said("cplx-core").verdicts),
        ),
    ),
    snippet=anatomy_snippet(config),
    table=lambda: draw.anatomy_table(config, result, step=step, head=head),
    figure=lambda: draw.anatomy_heatmap(config, result, step=step, head=head),
)
