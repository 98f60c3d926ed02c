"""Trained models: what comes next, which head looks where, and what this app says of attention on learned weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.core.language import worded_key
from pages._shared.core.text import escape_markdown, role_markdown
from pages._shared.page import Break, Controls, File, Page, Picture, Predict, Preset, Results
from pages._shared.session import moves
from pages._shared.session.settings import error_message, settings_group
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import Choice, Coded, setting
from attention_core.studies import learning as kept
from attention_core.studies import trained as study
from attention_core.studies.trained import draw

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


@settings_group("trained")
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
    own = opened() if values.get("model") == study.OWN else None
    if own and run.get("dtype") == "auto":
        run = run | {"dtype": "float32"}  # as it lies in memory
    config = study.TrainedConfig(**values, **run, brought=own.digest if own else "")
    layers, heads = config.shape
    off = tuple((layer, head) for layer, head in view.off if layer < layers and head < heads)
    return study.TrainedConfig(**values, **run, brought=config.brought, off=off) if off else config


page = Page(
    "trained", config=study.TrainedConfig, view=View, make=make, presets=PRESETS, predict=PREDICT,
    breaks=Break(_("untrained weights"), {"untrained": True}),
    law=_("output = b_O + Σ_h W_O^{(h)} A^{(h)} v^{(h)}"),
)  # fmt: skip


def opened() -> study.Brought | None:
    """The model that this session has brought; it lasts as long as the session keeps it."""
    return st.session_state.get(page.session_key("brought"))


@page.controls
def controls(controls: Controls) -> None:
    controls.in_sight("show", "text")
    if not page.settings.is_fixed("model"):
        controls.show_with(draw_models, "model")
    controls.show("order")
    controls.break_it("without", "untrained", "factor")


def measured(config: study.TrainedConfig) -> study.TrainedResult:
    return page.compute(study.run_trained if config.is_light else study.steps_trained, config)


def heads_of(config: study.TrainedConfig) -> study.HeadsResult:
    return page.compute(study.run_heads, study.HeadsConfig.like(config))


def accuracy_of(config: study.TrainedConfig) -> study.AccuracyResult | None:
    if not config.constructions:
        return None
    return page.compute(study.steps_accuracy, study.AccuracyConfig.like(config))


@page.view
def view_of(config: study.TrainedConfig, view: View) -> MatrixView:
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


@page.picture
def picture(config: study.TrainedConfig, view: View, at: Picture) -> None:
    drawn = page.view_for(config, view)
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
        with page.caption if at.live else st.container(key="pinned_words"):
            st.markdown(_(":small[{line}.]", line=role_markdown(draw.arithmetic(result, head, cell))))
    if at.live and st.session_state.pop(page.session_key("asked_first"), False) and page.question_open:
        with page.caption:
            st.markdown(_(":material/quiz: **Predict first**: the question above is about this head."))
    if at.live and config.text != (typed := page.settings["text"]) and typed in study.BEGINNINGS:
        with page.caption:
            read = escape_markdown(" ".join(config.text))
            st.markdown(
                _(
                    ":small[This model reads its own example, “{read}”: the text of the box is another model’s.]",
                    read=read,
                )
            )
    if at.live and (view.show == "heads" or (view.show in ("next", "roles") and not draw.by_place(result.shape))):
        with page.caption:
            draw_off(result, at)


def keep_off(at: Picture) -> Callable[[tuple[study.Head, ...]], None] | None:
    """Sets which heads are off; None where pinned, or a lesson fixes it."""
    without = {"without": "none"} if at.setter("without") else {}  # the head that it names is one of them
    keep = at.setters("off", *without)
    return keep and (lambda off: keep(off=off, **without))


def switch(head: study.Head, result: study.TrainedResult, found: study.HeadsResult, at: Picture) -> None:
    """Called when a head's switch is pressed; the one that answers the page's question asks it first."""
    keep, goes_off = keep_off(at), head not in result.off
    if keep and goes_off and page.question_open and result.kinds and head == found.best("agreement"):
        st.session_state[page.session_key("asked_first")] = True
    elif keep:
        keep((*result.off, head) if goes_off else tuple(one for one in result.off if one != head))


def draw_off(result: study.TrainedResult, at: Picture) -> None:
    """A list of the heads that are off, where they have no rows with switches; what a lesson fixes does not move."""
    layers, heads = result.shape
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    key, keep = page.session_key("off"), keep_off(at)

    def listed_off() -> None:
        if keep and moves.is_move(key):
            chosen = st.session_state.get(key) or ()
            keep(tuple(head for head in every if head in chosen))

    moves.show(key, [head for head in every if head in result.off])
    st.multiselect(
        _("Heads that are off"), every, placeholder=_("layer.head"), key=key, on_change=listed_off,
        format_func=lambda head: f"{head[0] + 1}.{head[1] + 1}", disabled=keep is None,
    )  # fmt: skip


@page.results
def results(config: study.TrainedConfig, view: View) -> Results:
    about = ABOUT.get(view.show, ())
    return Results(measured(config), about=about, aside=tuple(claim for claim in CLAIMS if claim not in about))


@page.answers
def answers(config: study.TrainedConfig, view: View, found: Results) -> None:
    heads = heads_of(config)
    accuracy = accuracy_of(config) if view.show == "roles" else None
    if view.show == "next":
        page.curves(draw.large_view(found.main, draw.chosen_head(found.main, heads, view.head)))
    page.draw_tabs(
        found,
        why=draw.proof(found.main, heads, accuracy),
        shortest=study.SHORTEST,
        snippet=lambda: study.trained_snippet(config),
        table=lambda: draw.trained_table(found.main, heads, accuracy),
        files=() if config.brought else (weights_file(config.model),),
    )


def weights_file(model: str) -> File:
    """What the code reads."""
    weights = partial(study.weights_of_shipped, model)
    return File("model.safetensors", "safetensors", "application/octet-stream", weights)


def draw_models(name: str) -> None:
    """Which model is looked at, and the way to open one's own."""
    key, declared = worded_key(page.settings.key(name)), page.settings.declared[name]
    moves.show(key, page.settings[name])
    st.selectbox(str(declared.label), list(study.MODELS), format_func=declared.say, key=key, on_change=switch_model)
    with st.expander(_("Open a model of your own"), expanded=page.settings[name] == study.OWN, type="compact"):
        draw_open()


def switch_model() -> None:
    """Called when another model is chosen: it begins with its own text."""
    key = worded_key(page.settings.key("model"))
    if moves.is_move(key) and (chosen := st.session_state.get(key)) in study.MODELS:
        begin_with(chosen)


def begin_with(model: str) -> None:
    own = opened()
    text = own.example if model == study.OWN and own else study.EXAMPLES.get(model, page.settings.defaults["text"])
    page.settings.set(model=model, text=text, head=(), cell=(), off=())
    page.write_link()
    st.rerun()  # of the whole page: the box for files and the text change with it


def draw_open() -> None:
    """Files that a visitor brings, and where the server's owner offers some, those; and what is open."""
    most = min(study.MAX_BYTES, st.get_option("server.maxUploadSize") * 2**20)
    said = {"most": megabytes(most), "free": megabytes(min(most, study.free_bytes()))}
    st.markdown(_(":small[Up to {most} for all models that are open here; {free} are free.]", **said))
    brought = st.file_uploader(
        _("config.json, model.safetensors and, where there is one, tokenizer.json"),
        type=["json", "safetensors"],
        accept_multiple_files=True,
        key=files_key(),
        max_upload_size=most // 2**20,
        help=_(
            "Of bert, distilbert, roberta, gpt2, gpt_neo, llama, mistral or qwen2; or one file that was kept on "
            "Learning. They stay in this session, are in no link, and leave with it."
        ),
    )
    files = {one.name: one for one in brought}
    if files and sum(one.size for one in brought) <= most:
        draw_opener({name: one.getvalue() for name, one in files.items()})
    elif files:
        st.error(_("These files have more than {most}, which all models here may take together.", **said))
    if offered := study.offered():
        name = st.selectbox(_("On this server"), list(offered), index=None, key=page.session_key("offered"))
        if name:
            draw_opener(name)
    if own := opened():
        name, size = escape_markdown(str(own.name)), megabytes(own.nbytes)
        st.markdown(_(":small[Open: **{name}**, {size}.]", name=name, size=size))
        st.button(_("Close it"), key=page.session_key("close"), on_click=close)
    if sentence := st.session_state.pop(page.session_key("refused"), ""):
        st.error(sentence)


def was_kept(source: str | dict[str, bytes]) -> bool:
    """Whether it is a model that was kept on Learning, which is one file."""
    return isinstance(source, dict) and len(source) == 1 and kept.is_kept(*source.values())


def draw_opener(source: str | dict[str, bytes]) -> None:
    """What a model needs, before it is loaded, and the button that loads it; or which file is still to come."""
    try:
        alone = isinstance(source, str) or was_kept(source)
        if awaited := () if alone else study.awaited(source):
            names = listed(f"**{escape_markdown(name)}**" for name in awaited)
            st.markdown(_(":material/hourglass_empty: Still to come: {names}.", names=names))
            return
        needed = len(*source.values()) if was_kept(source) else study.needed_bytes(source)
    except ValueError as error:
        st.error(refusal(error))
        return
    st.markdown(_(":small[It needs {needed} of memory.]", needed=megabytes(needed)))
    where = "offered" if isinstance(source, str) else "brought"
    st.button(_("Open it"), key=page.session_key(f"open_{where}"), on_click=open_model, args=(source,))


def open_model(source: str | dict[str, bytes]) -> None:
    """Open a model of the server's, a folder's files, or one that was kept on Learning; or say why it cannot be."""
    try:
        if isinstance(source, str):
            own = study.read_offered(source)
        elif was_kept(source):
            ((name, content),) = source.items()
            trained = kept.load_kept(content)
            words = kept.letters(range(trained.config.kinds))
            own = study.hold(
                kept.rebuild(trained), words, content, name=name, longest=trained.config.tokens,
                continues=trained.config.predicts_next,
            )  # fmt: skip
        else:
            own = study.read_files(source, gettext_lazy("your model"))
    except ValueError as error:
        st.session_state[page.session_key("refused")] = refusal(error)
        return
    st.session_state[page.session_key("brought")] = own
    let_go_of_files()
    begin_with(study.OWN)


def refusal(error: ValueError) -> str:
    """Why files are no model, as Markdown."""
    if isinstance(error, ConfigError):
        return error_message(error, page.settings)
    return escape_markdown(str(error), 400)


def close() -> None:
    """Let go of the model that this session brought."""
    st.session_state.pop(page.session_key("brought"), None)
    begin_with(page.settings.defaults["model"])


def files_key() -> str:
    """The key of the box for files: with another one Streamlit lets go of what was in it."""
    return page.session_key(f"files_{st.session_state.get(page.session_key('turn'), 0)}")


def let_go_of_files() -> None:
    st.session_state[page.session_key("turn")] = st.session_state.get(page.session_key("turn"), 0) + 1


def megabytes(size: int) -> str:
    return f"{size / 2**20:,.{0 if size >= 100 * 2**20 else 1}f} MB"


if __name__ == "__main__":
    page.draw()
