"""Worth: what a look of a head is worth, beside its weight: every edge is cut, and the next word asked for again."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.core.text import plain_markdown
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
    own_model,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, Switch, setting
from attention_core.shipped.languages import weights_of
from attention_core.studies import worth as study
from attention_core.studies.worth import draw

SPEC = PageSpec(
    name="worth",
    title=gettext_lazy("Worth"),
    icon=":material/content_cut:",
    section=gettext_lazy("How it trains"),
    claim=gettext_lazy(
        "A weight says where a head looks; what the look is worth is what changes when it is cut, and the two may "
        "differ."
    ),
)

SHOWN = {
    "edges": gettext_lazy("Edge by edge"),
    "texts": gettext_lazy("Many texts"),
    "sink": gettext_lazy("The first word"),
    "gate": gettext_lazy("Sink or gate"),
}
STAYS = gettext_lazy("The right kind of word still leads")
FALLS = gettext_lazy("The wrong one leads")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which picture it is, which edge is cut, and what the first word is in what is trained."""

    show: str = setting("edges", Choice(SHOWN, label=gettext_lazy("What is shown")))
    edge: str = setting("none", Choice(draw.EDGES, label=gettext_lazy("Cut the edge of")))
    cell: tuple[int, ...] = setting((), Coded(draw.read_cell, draw.write_cell, label=gettext_lazy("Cell")))
    same_first: bool = setting(
        False,
        Switch(label=gettext_lazy("First word like any other"), hint=gettext_lazy("In what is trained.")),
    )


# Found by search among texts that training never showed; the page's tests hold what their names say.
UNUSED = ("today", "the", "boxes", "that", "the", "horse", "likes")
USED = ("Lucy", "says", "“", "the", "old", "books", "that", "David", "hears")
PRESETS = (
    Preset(
        gettext_lazy("Looks at it, does not use it"),
        gettext_lazy("Nine tenths of a row’s weight lie on one edge; cut, it changes next to nothing."),
        {"model": "grammar", "text": UNUSED, "head": (0, 2), "edge": "cell", "cell": (4, 3)}, spoils=True,
    ),
    Preset(
        gettext_lazy("Uses it, hardly looks"),
        gettext_lazy("A seventh of a row’s weight, and no other cut of this head costs as much."),
        {"model": "grammar", "text": USED, "head": (0, 3), "edge": "cell", "cell": (9, 9)},
    ),
    Preset(
        gettext_lazy("Nothing to say"),
        gettext_lazy("Where much of the weight goes to the first word, and how long its value is."),
        {"show": "sink", "head": (1, 3)},
    ),
    Preset(
        gettext_lazy("A gate instead"),
        gettext_lazy("Trained here and now, with nothing to look at half of the time."),
        {"show": "gate"},
    ),
    Preset(
        gettext_lazy("Many texts"),
        gettext_lazy("The same head, cut on texts that training never showed."),
        {"show": "texts", "head": (0, 2)},
    ),
    Preset(
        gettext_lazy("Other weights"),
        gettext_lazy("A row of many words gives the same output with other weights."),
        {"model": "grammar", "text": study.LONG, "edge": "weight"},
    ),
)  # fmt: skip


def grade(result: study.WorthResult) -> str:
    """Whether what led still leads without the edge that has the largest weight."""
    return FALLS if result.falls_behind(result.largest(result.weights)) else STAYS


PREDICT = Predict(
    gettext_lazy(
        "Layer 1, head 3 gives nearly all the weight of one row to a single word. Cut that edge, the largest of the "
        "head: does the next word change its kind?"
    ),
    (STAYS, FALLS),
    {"head": (0, 2), "edge": "weight"},
    grade,
)


def make(values: dict[str, Any], _view: View, run: dict[str, Any]) -> study.WorthConfig:
    """The text and the model, which this session may have brought.

    Raises:
        ConfigError: If the model is not open, or cannot be asked.
    """
    own = own_model.opened() if values.get("model") == study.OWN else None
    if own and run.get("dtype") == "auto":
        run = run | {"dtype": "float32"}  # float64 would take twice the memory
    return study.WorthConfig(**values, **run, brought=own.digest if own else "")


def measured(config: study.WorthConfig) -> study.WorthResult:
    return compute(study.run_worth if config.is_quick else study.steps_worth, config)


def cut_of(config: study.WorthConfig, view: View) -> study.CutResult:
    result = measured(config)
    edge = draw.chosen_edge(result, view.edge, view.cell)
    return compute(study.run_cut, study.CutConfig.like(config, head=result.head, cell=edge or ()))


def texts_of(config: study.WorthConfig) -> study.TextsResult:
    return compute(study.steps_texts, study.TextsConfig.like(config, head=measured(config).head))


def gate_of(config: study.WorthConfig, view: View) -> study.GateResult:
    dtype = config.dtype if config.dtype in ("float32", "float64") else "float32"  # which updates are not lost to
    return compute(study.steps_gate, study.GateConfig.like(config, dtype=dtype, same_first=view.same_first))


def picture_of(config: study.WorthConfig, view: View) -> MatrixView:
    match view.show:
        case "texts":
            return draw.texts_view(measured(config), texts_of(config))
        case "sink":
            return draw.sink_view(measured(config))
        case "gate":
            return draw.gate_view(gate_of(config, view))
    return draw.edges_view(measured(config), cut_of(config, view))


def draw_picture(config: study.WorthConfig, view: View, at: Picture) -> None:
    result = measured(config)
    if view.show != "edges":
        matrix_view(at.shown, key=f"{at.key}_{view.show}")
        return
    edge = draw.chosen_edge(result, view.edge, view.cell)
    keep = at.setters("head", "edge", "cell")

    def choose(new: tuple[int, int, int] | None) -> None:
        if keep and new and (moved := draw.choice(result, new)):
            keep(**moved)

    matrix_view(at.shown, key=at.key, selected=draw.selected(result, edge), on_select=choose)
    with at.caption:
        shown = edge or result.largest(result.weights)
        st.markdown(_(":small[{line}]", line=plain_markdown(draw.arithmetic(result, shown), 1000)))


def results_of(config: study.WorthConfig, view: View) -> Results:
    return Results(measured(config), told=(gate_of(config, view),) if view.show == "gate" else ())


def details(config: study.WorthConfig, view: View, found: Results, _frame: Frame) -> Tabs:
    texts = texts_of(config) if view.show == "texts" else None
    gate = gate_of(config, view) if view.show == "gate" else None
    weights = File("model.safetensors", "safetensors", "application/octet-stream", partial(weights_of, config.model))
    return Tabs(
        why=draw.proof(found.main, texts, gate),
        table=lambda: draw.worth_table(found.main, texts, gate),
        files=() if config.brought else (weights,),
    )


def draw_models(name: str) -> None:
    """Which model is looked at, and the way to open one's own."""
    own_model.draw_chooser(page, begin_with, name)


def follow_model() -> None:
    """Look at the session's own model as it is by now, where that is what is looked at."""
    own_model.follow(page, begin_with)


def begin_with(model: str) -> None:
    own = own_model.opened()
    examples = study.EXAMPLES | {"grammar": study.SHORT}
    text = own.example if model == study.OWN and own else examples.get(model, page.settings.defaults["text"])
    page.settings.set(model=model, text=text, head=(), cell=(), edge="none")
    page.write_link()
    st.rerun()  # of the whole page: the box for files and the text change with it


# fmt: off
FAQ = (
    Faq("explain", gettext_lazy("Does a weight explain the output?"),
        gettext_lazy("do attention weights explain the prediction, attention is not explanation, can I trust "
                     "attention, interpretability, attention heatmap, importance, attribution"),
        "weight-effect",
        gettext_lazy("It is one of two factors of what an edge adds; the other is W_O v. What the model makes of "
                     "that is measured by a cut, here beside the weight.")),
    Faq("other", gettext_lazy("Can other weights give the same output?"),
        gettext_lazy("identifiability, attention not unique, effective attention, null space"),
        "weight-free",
        gettext_lazy("Yes, in a row of more keys than a value has numbers: some directions no value sees."),
        settings={"model": "grammar", "text": study.LONG}),
    Faq("first", gettext_lazy("What is an attention sink?"),
        gettext_lazy("why does the first word get most of the attention, BOS token, all heads look at the "
                     "first token, attention to the first token, softmax off by one, StreamingLLM, massive "
                     "activations"),
        "sink-forced.one",
        gettext_lazy("A word that is looked at for want of another: a row of softmax must sum to one, even where a "
                     "head has nothing to say. Mostly it is the first: below a causal mask no other is seen by every "
                     "word. How short or long its value is, is measured here."),
        settings={"show": "sink", "head": (1, 3)}),
    Faq("plus-one", gettext_lazy("What does softmax plus one do?"),
        gettext_lazy("softmax1, quiet softmax, attention is off by one, sink token, zero sink"),
        "sink-forced.one",
        gettext_lazy("Rows need not sum to one any more: what is left goes to a key that fetches nothing."),
        "fails", settings={"plus_one": True}),
    Faq("gate", gettext_lazy("Does a gate remove the attention sink?"),
        gettext_lazy("gated attention, Qwen3-Next, learned sink, gpt-oss sinks, attention sink removal"),
        "sink-gate",
        gettext_lazy("Softmax alone learns a sink, or answers some wrongly. With a sink of its own or a gate it is "
                     "not needed; whether it comes all the same is seen run by run."),
        settings={"show": "gate"}),
    Faq("large", gettext_lazy("Does cutting a large weight change the answer?"),
        gettext_lazy("ablation, knock out attention, mask one token, causal mediation, attention knockout"),
        "edge-sum",
        gettext_lazy("It takes its part out of attention’s output, exactly; whether the next word changes is "
                     "another matter, and is measured edge by edge.")),
    Faq("renormalise", gettext_lazy("Should a row be renormalised after a cut?"),
        gettext_lazy("masking before or after softmax, renormalize attention, zero ablation, mean ablation"),
        "edge-sum",
        gettext_lazy("That is another question: the other weights grow, and what is measured is not the edge alone."),
        "fails", settings={"rest": "renormalised"}),
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
    breaks=BreakButton(gettext_lazy("renormalise the row"), {"rest": "renormalised"}),
    law=gettext_lazy("output = b_O + Σ_k a_k W_O v_k"),
    in_sight=("show", "text", "edge", "rest"),
    in_picture=("head",),
    prepare=follow_model,
    drawer=(
        Section(("model",), draw=draw_models),
        Section(("target",)),
        Switches(("plus_one", "any_direction", "same_first")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
