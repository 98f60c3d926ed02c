"""Permutation: shuffle the tokens, and see what attention notices."""

from dataclasses import dataclass
from typing import Any

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
from pages._shared.page.order_boards import order_boards
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, Order, Switch, setting
from attention_core.studies import permutation as study
from attention_core.studies.permutation import (
    NUM_HEADS,
    SENTENCE,
    ShuffleConfig,
    ShuffleResult,
    draw,
    order_for,
    order_of,
)

SHUFFLES = {
    "all": gettext_lazy("all tokens"),
    "keys": gettext_lazy("keys and values"),
    "queries": gettext_lazy("queries"),
}
ABOUT = {"keys": ("perm-kv",), "queries": ("perm-q",)}  # the claims that a picture is about, by what is shuffled
SHOWN = {"weights": gettext_lazy("weights"), "output": gettext_lazy("output")}
SAME, FOLLOWS = gettext_lazy("The same"), gettext_lazy("The same rows, in the new order")
DIFFERENT = gettext_lazy("Different")
HEADS = {draw.AVERAGE: gettext_lazy("average")} | {str(i): str(i) for i in range(1, NUM_HEADS + 1)}
RESIDUALS = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shuffled, and what of it is drawn."""

    shuffle: str = setting("all", Choice(SHUFFLES, label=gettext_lazy("Shuffle")))
    show: str = setting("weights", Choice(SHOWN, label=gettext_lazy("Show"), listed=False))
    undone: bool = setting(False, Switch(label=gettext_lazy("Show it put back in order")))
    head: str = setting(
        draw.AVERAGE,
        Choice(HEADS, label=gettext_lazy("Head")),
    )
    order: tuple[int, ...] = setting((), Order(label=gettext_lazy("Order")))
    key_order: tuple[int, ...] = setting((), Order(label=gettext_lazy("Order of the keys")))


PRESETS = (
    Preset(gettext_lazy("Shuffle all"), gettext_lazy("The rows move with their tokens."), {}),
    Preset(
        gettext_lazy("Keys and values only"),
        gettext_lazy("The output does not move at all."),
        {"shuffle": "keys", "show": "output"},
        spoils=True,
    ),
    Preset(
        gettext_lazy("With positions"),
        gettext_lazy("One switch, and order matters."),
        {"positions": "sinusoidal"},
        zh={"tokens": ("我", "爱", "你"), "order": (2, 1, 0)},
    ),
    Preset(
        gettext_lazy("Two causal blocks"),
        gettext_lazy("The last word stays, yet its output changes: the difference after undoing shows how far."),
        {"mask": "causal", "model": "two", "order": (2, 0, 3, 1, 4, 5), "show": "output", "undone": True},
    ),
    Preset(
        gettext_lazy("Travelling positions"),
        gettext_lazy("The law is as it was without positions."),
        {"positions": "rotary", "carried": True},
    ),
)


def grade(result: ShuffleResult) -> str | None:
    """The answer that is true for the output as it came out; None where the precision cannot tell."""
    if result.same_in_place:
        return SAME
    if None in (result.same, result.same_in_place):
        return None
    return FOLLOWS if result.same else DIFFERENT


PREDICT = Predict(
    gettext_lazy("Reverse the keys and values and leave the queries where they are: the output will be …"),
    (SAME, FOLLOWS, DIFFERENT),
    {"shuffle": "keys", "order": order_of("reversed", len(SENTENCE), 0), "show": "output"},
    grade,
    headline=gettext_lazy("Give the tokens another order, and see what attention notices."),
    claim="perm-kv",
    spoilers=("perm-kv",),
)


def make(values: dict[str, Any], view: View, run: dict[str, Any]) -> ShuffleConfig:
    """The shuffle."""
    order = order_for(view.order, len(values["tokens"]), 0)
    key_order = order_for(view.key_order, len(values["context"]), 1) if values["context"] else order
    return ShuffleConfig(
        **values,
        query_order=order if view.shuffle != "keys" else (),
        key_order=key_order if view.shuffle != "queries" else (),
        **run,
    )


def picture_of(config: ShuffleConfig, view: View) -> MatrixView:
    turned = config.with_positions(on=config.positions == "none")
    here, other = ((one, compute(study.run_shuffle, one)) for one in (config, turned))
    panels = (0, 1, 2, 3) if view.undone else draw.PAIR
    return draw.shuffle_view(*here, quantity=view.show, head=view.head, panels=panels, other=other)


def draw_picture(config: ShuffleConfig, _view: View, at: Picture) -> None:
    if at.live:
        order_boards(at, config)
    matrix_view(at.shown, key=at.key, hover_group=at.key, hover_panel=draw.AFTER, follows=draw.follows(config))


def changes(before: Look, after: Look) -> str:
    sides = ((look.config, compute(study.run_shuffle, look.config)) for look in (before, after))
    return draw.shuffle_changed(*sides, output=after.view.show == "output")


def results_of(config: ShuffleConfig, view: View) -> Results:
    still = config.unshuffled()
    laws = compute(study.run_permutation, still)
    order = compute(study.steps_order, still.plain)
    depth = compute(study.run_depth, still)
    built = compute(study.steps_blocks, still)
    whole = ("perm-self" if config.model == "attention" else "perm-block", "perm-kv", "perm-q")
    return Results(
        compute(study.run_shuffle, config),
        told=(laws, built, order, depth),
        about=ABOUT.get(view.shuffle, whole),
    )


def details(config: ShuffleConfig, view: View, found: Results, frame: Frame) -> Tabs:
    shuffle = found.main
    laws, built, order, depth = found.told
    frame.curves(draw.residual_view(laws), title=_("Every order: the difference after undoing it"), height=RESIDUALS)
    return Tabs(
        why=draw.proof(shuffle, laws, built, order, depth),
        table=lambda: draw.shuffle_table(config, shuffle, quantity=view.show, head=view.head),
    )


page = Page(
    study=study.STUDY,
    view=View,
    make=make,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("add positions"), {"positions": "sinusoidal"}),
    law="f(P X) = P f(X)",
    in_sight=("shuffle", "show", "head", "undone"),
    drawer=(
        Section(("tokens", "context"), gettext_lazy("Sentences")),
        Switches(("positions", "carried", "mask", "keys_alone", "model", "biases")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
