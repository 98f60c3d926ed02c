"""Anatomy: one sentence, one forward pass, every number traceable to what it was made of."""

from dataclasses import dataclass

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.core.text import role_markdown
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
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, setting
from attention_core.studies import anatomy as study
from attention_core.studies.anatomy import draw

SPEC = PageSpec(
    name="anatomy",
    title=gettext_lazy("Anatomy"),
    icon=":material/grid_on:",
    section=gettext_lazy("What attention is"),
    claim=gettext_lazy(
        "One forward pass, number by number: a weight is the share a :blue[query] takes of a :green[value]."
    ),
)

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
        gettext_lazy("Does a head get a slice?"),
        gettext_lazy("No: the query of each head is made of all numbers of a word."),
        {"weights": "random", "step": "heads"},
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
    # No picture here shows what it costs, and weights that were built by hand do not show what a head could read.
    unseen = ("cplx-core", "head-sees-all") if config.weights == "built" else ("cplx-core",)
    shown = tuple(claim for claim in claims if claim not in unseen)
    return Results(result, told=(result.about(*claims),), about=shown)


def details(config: study.AnatomyConfig, view: View, found: Results, _frame: Frame) -> Tabs:
    result = found.main
    return Tabs(
        why=draw.proof(result, compute(study.time_heads, config)),
        table=lambda: draw.anatomy_table(config, result, step=view.step, head=view.head),
    )


# fmt: off
FAQ = (
    Faq("formula", gettext_lazy("What does attention compute?"),
        gettext_lazy("attention formula, softmax(QKᵀ/√d)V, how attention works, implement multi-head attention from "
                     "scratch"),
        "convex-hull",
        gettext_lazy("For each word a weighted mean of the values of all words; the weights say how much of "
                     "each. The tab Code computes it in plain torch."),
        settings={"step": "context"}),
    Faq("softmax", gettext_lazy("Why softmax?"),
        gettext_lazy("why softmax and not just divide by the sum, why softmax in attention, alternatives to softmax, "
                     "normalize the scores, is softmax needed, negative weights"),
        "convex-hull",
        gettext_lazy("Scores may be negative, and shares of a mixture may not. Softmax gives each key a share above "
                     "0, and all of them add up to 1: what a word reads lies among the values, as here."),
        settings={"step": "context"}),
    Faq("per-head", gettext_lazy("How do I see the weights of each head?"),
        gettext_lazy("get attention weights per head in PyTorch, average_attn_weights=False, need_weights, "
                     "output_attentions, averaged attention weights"),
        "heads-several",
        gettext_lazy("Here under “Show head”. An average, as torch's layer returns unless "
                     "average_attn_weights=False, hides what they do: heads that look at different places are no "
                     "single head."),
        settings={"step": "softmax", "head": "all"}),
    Faq("prune", gettext_lazy("Can heads be pruned?"),
        gettext_lazy("remove attention heads, are all heads needed, which heads matter, are some heads redundant, "
                     "switch a head off, head ablation, head pruning without losing accuracy"),
        "heads-several",
        gettext_lazy("These could not be merged into one: together they do what no single head does. Which heads a "
                     "trained model can do without is tried by switching them off: Trained models, under “What is "
                     "each head for?”."),
        settings={"step": "softmax", "head": "all"}),
    Faq("rows", gettext_lazy("Why do the weights of a row add up to 1?"),
        gettext_lazy("attention weights sum to one, probabilities, softmax dim=-1"),
        "drop-rows",
        gettext_lazy("Softmax divides each row by its own sum: a query shares out exactly 1 among the keys."),
        settings={"step": "softmax"}),
    Faq("dropout", gettext_lazy("Why do my attention weights not add up to 1?"),
        gettext_lazy("attention dropout, rows no longer sum to 1, model.train(), model.eval()"),
        "drop-rows",
        gettext_lazy("Dropout: in training it throws some weights away and enlarges the rest, so that rows add "
                     "up to 1 only on average. After eval() each does. A mask that comes after softmax breaks rows, "
                     "too: see Bug hunt."),
        "fails", settings={"dropout": 0.5, "step": "softmax"}),
    Faq("transpose", gettext_lazy("Can I cut heads with view alone, without transpose?"),
        gettext_lazy("reshape, permute, split heads, (batch, heads, tokens, d_head)"),
        "mha-reshape",
        gettext_lazy("No. Without the transpose each head mixes the numbers of several words; no error is "
                     "raised, and the result is wrong."),
        "fails", settings={"no_transpose": True, "step": "heads"}),
    Faq("divisible", gettext_lazy("Must d_model be divisible by the number of heads?"),
        gettext_lazy("embed_dim must be divisible by num_heads"),
        "mha-divisible",
        gettext_lazy("Yes, where the heads share the width out among them. With a head size of its own there "
                     "may be any number of heads."),
        settings={"step": "heads"}),
    Faq("meaning", gettext_lazy("What do Q, K and V mean?"),
        gettext_lazy("what are query, key and value, query key value analogy"),
        "soft-lookup",
        gettext_lazy("A word's query is what it asks, a key is what a word is found by, a value what it gives. The "
                     "better query and key fit, the more of the value is read. Which is which their place in the "
                     "formula decides; training fills their matrices."),
        settings={"step": "lookup"}),
    Faq("from", gettext_lazy("Where do q, k and v come from?"),
        gettext_lazy("how are query, key and value computed, linear layer for Q K V, q_proj, k_proj, v_proj"),
        "head-sees-all",
        gettext_lazy("From the word, by three learned matrices: q = x W_Qᵀ + b_Q, k and v alike. Each head's query "
                     "is made of all numbers of a word, as here, by rows of W_Q of its own."),
        settings={"weights": "random", "step": "heads"}),
    Faq("lookup", gettext_lazy("Is attention a dictionary lookup?"),
        gettext_lazy("soft lookup, database, hash table"),
        "soft-lookup",
        gettext_lazy("A soft one: the nearer the best key's weight is to 1, the nearer what is read lies to "
                     "that key's value."),
        settings={"step": "lookup"}),
    Faq("several", gettext_lazy("Why several heads and not one?"),
        gettext_lazy("why multi-head attention, why multiple heads, several small heads or one big head, "
                     "advantage of multi-head over single head, number of heads, num_heads"),
        "heads-several",
        gettext_lazy("One head gives each word one mixture of values. Heads that look at different places, as here, "
                     "do together what no single head can, however wide: how much the nearest one leaves undone is "
                     "measured below. Learning trains both, under “several heads or one”."),
        settings={"step": "softmax", "head": "all"}),
    Faq("output", gettext_lazy("What does W_O do?"),
        gettext_lazy("output projection, purpose of the output projection, out_proj, concatenate heads, mix heads"),
        "mha-reshape",
        gettext_lazy("It mixes the heads. Until then each has fetched a mean of its own values, and these stand side "
                     "by side; W_O makes one vector of the model's size of them."),
        settings={"weights": "random", "step": "output"}),
    Faq("slice", gettext_lazy("Does each head get a slice of the embedding?"),
        gettext_lazy("split the embedding across heads, multi-head attention splits d_model"),
        "head-sees-all",
        gettext_lazy("No: each head reads every number of a word. What is cut up is what W_Q makes of them: each "
                     "head has rows of W_Q of its own."),
        settings={"weights": "random", "step": "heads"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("dropout on the weights"), {"dropout": 0.1}),
    law=gettext_lazy("output = W_O softmax(q kᵀ / √d_head) v"),
    in_sight=("tokens", "positions", "head"),
    drawer=(
        Section(("causal",), gettext_lazy("Sentence")),
        Section(("weights", "heads"), gettext_lazy("Heads")),
        Switches(("dropout", "d_head", "cut", "no_transpose", "fused", "projections", "biases")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
