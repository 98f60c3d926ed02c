"""Trained models: what comes next, which head looks where, and what this app says of attention on learned weights."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.core.text import escape_markdown, role_markdown
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
    question_open,
)
from pages._shared.session.widget_keys import is_move, key_to_show
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Coded, setting
from attention_core.shipped.languages import weights_of
from attention_core.studies import trained as study
from attention_core.studies.trained import draw

SPEC = PageSpec(
    name="trained",
    title=gettext_lazy("Trained models"),
    icon=":material/psychology:",
    section=gettext_lazy("How it trains"),
    claim=gettext_lazy(
        "What training left in the heads: which of them looks where, and what the model is worth without it."
    ),
)

MANY, ONE, NEITHER = (
    gettext_lazy("Plural verbs, as after “keys”; in Chinese nouns that the measure word asks for"),
    gettext_lazy("Singular verbs, as after “cabinet”; in Chinese all other nouns"),
    gettext_lazy("Neither more than the other"),
)
SHOWN = {
    "next": gettext_lazy("What comes next?"),
    "heads": gettext_lazy("Where do all heads look?"),
    "roles": gettext_lazy("What is each head for?"),
    "biases": gettext_lazy("What do its biases do?"),
    "order": gettext_lazy("Does it know order?"),
    "scores": gettext_lazy("Who is saturated?"),
    "depth": gettext_lazy("What does depth do?"),
}
ABOUT = {"biases": ("bias-k", "bias-v"), "order": ("perm-self",)}
CLAIMS = ("bias-k", "bias-v", "perm-self")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at: one of seven pictures, a head, a cell of it; and the heads that are switched off."""

    show: str = setting("next", Choice(SHOWN, label=gettext_lazy("Question")))
    head: tuple[study.Head, ...] = setting((), Coded(draw.read_heads, draw.write_heads, label=gettext_lazy("Head")))
    cell: tuple[int, ...] = setting((), Coded(draw.read_cell, draw.write_cell, label=gettext_lazy("Cell")))
    off: tuple[study.Head, ...] = setting(
        (), Coded(draw.read_heads, draw.write_heads, label=gettext_lazy("Heads off"))
    )
    order: str = setting(
        "place", Choice(draw.ORDERS, label=gettext_lazy("Heads by"), hint=gettext_lazy(
            "In a table with a row for each head. Of more heads than it has room for, those that come first.")),
    )  # fmt: skip


PRESETS = (
    Preset(
        gettext_lazy("Which head agrees?"),
        gettext_lazy("One head finds the subject; without it the verb is a guess."), {"show": "roles"}, spoils=True,
    ),
    Preset(
        gettext_lazy("What does the key bias do?"),
        gettext_lazy("Rounding alone has moved it; nothing depends on it."), {"show": "biases"},
    ),
    Preset(
        gettext_lazy("Does it know order?"),
        gettext_lazy("Positions tell it, and so may its mask; without both nothing moves."), {"show": "order"},
    ),
    Preset(
        gettext_lazy("Who is saturated?"),
        gettext_lazy("How much one word takes in each head, and what softmax passes back."), {"show": "scores"},
    ),
    Preset(
        gettext_lazy("A letter that comes again"),
        gettext_lazy("A head looks at what followed the same letter last time."),
        {"model": "induction", "text": study.EXAMPLES["induction"]},
    ),
)  # fmt: skip


def grade(result: study.TrainedResult) -> str | None:
    """With what the words agree that come next; None where the text does not decide between two kinds of them."""
    if not result.kinds:
        return None
    decided = draw.decided_for(result)
    return dict(zip(result.kinds, (MANY, ONE), strict=True)).get(decided, NEITHER)


PREDICT = Predict(
    gettext_lazy(
        "Switch off the head that looks at the word that decides, such as “keys” in “the keys near the cabinet …”. "
        "Which words are then likelier to come next?"
    ),
    (MANY, ONE, NEITHER),
    {"without": "agreement"},
    grade,
)


def make(values: dict[str, Any], view: View, run: dict[str, Any]) -> study.TrainedConfig:
    """The text and the model, which this session may have brought, with the heads that are off.

    Raises:
        ConfigError: If the model is not open, or cannot read the text.
    """
    own = own_model.opened() if values.get("model") == study.OWN else None
    if own and run.get("dtype") == "auto":
        run = run | {"dtype": "float32"}  # float64 would take twice the memory
    config = study.TrainedConfig(**values, **run, brought=own.digest if own else "")
    layers, heads = config.shape
    off = tuple((layer, head) for layer, head in view.off if layer < layers and head < heads)
    return study.TrainedConfig(**values, **run, brought=config.brought, off=off) if off else config


def measured(config: study.TrainedConfig) -> study.TrainedResult:
    return compute(study.run_trained if config.is_light else study.steps_trained, config)


def heads_of(config: study.TrainedConfig) -> study.HeadsResult:
    return compute(study.run_heads if config.is_light else study.steps_heads, study.HeadsConfig.like(config))


def accuracy_of(config: study.TrainedConfig) -> study.AccuracyResult | None:
    if not config.constructions:
        return None
    return compute(study.steps_accuracy, study.AccuracyConfig.like(config))


def picture_of(config: study.TrainedConfig, view: View) -> MatrixView:
    result, found = measured(config), heads_of(config)
    head, rows = draw.chosen_head(result, found, view.head), draw.listed_heads(result, found, view.order)
    match view.show:
        case "heads":
            return draw.grid_view(result, head)
        case "roles":
            return draw.roles_view(found, accuracy_of(config), result.off, rows)
        case "biases":
            return draw.bias_view(result)
        case "order":
            return draw.order_view(result)
        case "scores":
            return draw.scores_view(result, head)
        case "depth":
            return draw.depth_view(result)
    return draw.next_view(result, head, rows)


def draw_picture(config: study.TrainedConfig, view: View, at: Picture) -> None:
    drawn = at.shown
    result, found = measured(config), heads_of(config)
    head, rows = draw.chosen_head(result, found, view.head), draw.listed_heads(result, found, view.order)
    cell = draw.chosen_cell(result, head, view.cell)
    selected = draw.selected(view.show, result, head, cell, rows)
    keep = at.setters("head", "cell")

    def choose(new: tuple[int, int, int] | None) -> None:
        if new and (pressed := draw.switched(drawn, new, rows)):
            switch(pressed, result, found, at)
        elif keep and new:
            keep(**draw.choice(view.show, result, new, rows))

    matrix_view(drawn, key=at.key, selected=selected, on_select=choose)
    if view.show in ("next", "heads"):
        with at.caption:
            st.markdown(_(":small[{line}.]", line=role_markdown(draw.arithmetic(result, head, cell))))
    if at.live and st.session_state.pop(page.session_key("asked_first"), False) and question_open(page):
        st.toast(_("**Predict first**: the question above is about this head."), icon=":material/quiz:")
    if at.live and config.text != (typed := page.settings["text"]) and typed in study.BEGINNINGS:
        with at.caption:
            read = escape_markdown(" ".join(config.text))
            st.markdown(
                _(
                    ":small[This model reads its own example, “{read}”: the text of the box is another model’s.]",
                    read=read,
                )
            )
    if at.live and (view.show == "heads" or (view.show in ("next", "roles") and not draw.by_place(result.shape))):
        with at.caption:
            draw_off(result, at)


def keep_off(at: Picture) -> Callable[[tuple[study.Head, ...]], None] | None:
    """Sets which heads are off; None where pinned, or a lesson fixes it."""
    without = {"without": "none"} if at.setter("without") else {}  # the head that it names is one of them
    keep = at.setters("off", *without)
    return keep and (lambda off: keep(off=off, **without))


def switch(head: study.Head, result: study.TrainedResult, found: study.HeadsResult, at: Picture) -> None:
    """Called when a head's switch is pressed; the one that answers the page's question asks it first."""
    keep, goes_off = keep_off(at), head not in result.off
    if keep and goes_off and question_open(page) and result.kinds and head == found.best("agreement"):
        st.session_state[page.session_key("asked_first")] = True
    elif keep:
        keep((*result.off, head) if goes_off else tuple(one for one in result.off if one != head))


def draw_off(result: study.TrainedResult, at: Picture) -> None:
    """A list of the heads that are off, where they have no rows with switches; what a lesson fixes does not move."""
    layers, heads = result.shape
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    name, keep = page.session_key("off"), keep_off(at)
    key = key_to_show(name, [head for head in every if head in result.off])

    def listed_off() -> None:
        if keep and is_move(name, key):
            chosen = st.session_state.get(key) or ()
            keep(tuple(head for head in every if head in chosen))

    st.multiselect(
        _("Heads that are off"), every, placeholder=_("layer.head"), key=key, on_change=listed_off,
        format_func=lambda head: f"{head[0] + 1}.{head[1] + 1}", disabled=keep is None,
    )  # fmt: skip


def results_of(config: study.TrainedConfig, view: View) -> Results:
    about = ABOUT.get(view.show, ())
    return Results(measured(config), about=about, aside=tuple(claim for claim in CLAIMS if claim not in about))


def details(config: study.TrainedConfig, view: View, found: Results, frame: Frame) -> Tabs:
    heads = heads_of(config)
    accuracy = accuracy_of(config) if view.show == "roles" else None
    if view.show == "next":
        frame.curves(draw.large_view(found.main, draw.chosen_head(found.main, heads, view.head)))
    return Tabs(
        why=draw.proof(found.main, heads, accuracy),
        table=lambda: draw.trained_table(found.main, heads, accuracy),
        files=() if config.brought else (weights_file(config.model),),
    )


def weights_file(model: str) -> File:
    """What the code reads."""
    return File("model.safetensors", "safetensors", "application/octet-stream", partial(weights_of, model))


def draw_models(name: str) -> None:
    """Which model is looked at, and the way to open one's own."""
    own_model.draw_chooser(page, begin_with, name)


def follow_model() -> None:
    """Look at the session's own model as it is by now, where that is what is looked at."""
    own_model.follow(page, begin_with)


def begin_with(model: str) -> None:
    own = own_model.opened()
    text = own.example if model == study.OWN and own else study.EXAMPLES.get(model, page.settings.defaults["text"])
    page.settings.set(model=model, text=text, head=(), cell=(), off=())
    page.write_link()
    st.rerun()  # of the whole page: the box for files and the text change with it


# fmt: off
FAQ = (
    Faq("bias", gettext_lazy("Does the key bias of a trained model do anything?"),
        gettext_lazy("BERT key bias, GPT-2 c_attn bias"),
        "bias-k",
        gettext_lazy("No: with its key biases set to zero the trained model gives the same, but for rounding."),
        settings={"show": "biases"}),
    Faq("order", gettext_lazy("Does a trained model know the order of words?"),
        gettext_lazy("BERT shuffled words"),
        "perm-self.whole",
        gettext_lazy("Yes, this one does: with its words shuffled it gives other numbers. Without its "
                     "positions and its mask it would not."),
        "fails", settings={"show": "order"}),
    Faq("value-bias", gettext_lazy("What does the value bias of a trained model do?"),
        gettext_lazy("v bias, constant vector"),
        "bias-v",
        gettext_lazy("In its first layer it adds one and the same vector to every token."),
        settings={"show": "biases"}),
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
    breaks=BreakButton(gettext_lazy("untrained weights"), {"untrained": True}),
    law=gettext_lazy("output = b_O + Σ_h W_O^{(h)} A^{(h)} v^{(h)}"),
    in_sight=("show", "text"),
    prepare=follow_model,
    drawer=(
        Section(("model",), draw=draw_models),
        Section(("order",)),
        Switches(("without", "untrained", "factor")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
