"""Permutation: shuffle the tokens, and see what attention notices."""

from dataclasses import dataclass
from typing import Any

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
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
from attention_core.figures.table import Table
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

SPEC = PageSpec(
    name="permutation",
    title=gettext_lazy("Permutation"),
    icon=":material/shuffle:",
    section=gettext_lazy("What attention sees"),
    claim=gettext_lazy(
        "Attention has no order: shuffle the keys and values and nothing changes, "
        "shuffle the queries and the rows follow."
    ),
)

SHUFFLES = {
    "all": gettext_lazy("all tokens"),
    "keys": gettext_lazy("keys and values"),
    "queries": gettext_lazy("queries"),
}
ABOUT = {"keys": ("perm-kv",), "queries": ("perm-q",)}  # the claims that a picture is about, by what is shuffled
# What a picture is about that shows no shuffle; the other claims are then aside, and these are beside shuffles.
APART = {"terms": ("pe-add",), "along": ("rope-relative",)}
SHOWN = {
    "weights": gettext_lazy("weights"),
    "output": gettext_lazy("output"),
    "terms": gettext_lazy("four terms"),
    "along": gettext_lazy("places moved on"),
}
SAME, FOLLOWS = gettext_lazy("The same"), gettext_lazy("The same rows, in the new order")
DIFFERENT = gettext_lazy("Different")
HEADS = {draw.AVERAGE: gettext_lazy("average")} | {str(i): str(i) for i in range(1, NUM_HEADS + 1)}
RESIDUALS = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shuffled, and what of it is drawn."""

    shuffle: str = setting("all", Choice(SHUFFLES, label=gettext_lazy("Shuffle")))
    show: str = setting("weights", Choice(SHOWN, label=gettext_lazy("Show"), listed=False))
    undone: bool = setting(False, Switch(label=gettext_lazy("Put back in order")))
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
        gettext_lazy("Rotary or sinusoidal?"),
        gettext_lazy("All places move on together: of the two, one notices."),
        {"positions": "rotary", "show": "along"},
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
    if view.show == "terms":
        return draw.terms_view(config, compute(study.run_terms, config), view.head)
    if view.show == "along":
        return draw.along_view(config, compute(study.run_along, config.unshuffled()), view.head)
    turned = config.with_positions(on=config.positions == "none")
    here, other = ((one, compute(study.run_shuffle, one)) for one in (config, turned))
    panels = (0, 1, 2, 3) if view.undone else draw.PAIR
    return draw.shuffle_view(*here, quantity=view.show, head=view.head, panels=panels, other=other)


def draw_picture(config: ShuffleConfig, view: View, at: Picture) -> None:
    if at.live and view.show != "along":  # which shows the text as it is written
        order_boards(at, config)
    if view.show in APART:
        matrix_view(at.shown, key=f"{at.key}_{view.show}", hover_group=at.key, hover_panel=0)
        return
    matrix_view(at.shown, key=at.key, hover_group=at.key, hover_panel=draw.AFTER, follows=draw.follows(config))


def changes(before: Look, after: Look) -> str:
    if {before.view.show, after.view.show} & set(APART):
        return ""
    sides = ((look.config, compute(study.run_shuffle, look.config)) for look in (before, after))
    return draw.shuffle_changed(*sides, output=after.view.show == "output")


def results_of(config: ShuffleConfig, view: View) -> Results:
    still = config.unshuffled()
    laws = compute(study.run_permutation, still)
    order = compute(study.steps_order, still.plain)
    depth = compute(study.run_depth, still)
    terms = compute(study.run_terms, config)
    along = compute(study.run_along, still)
    built = compute(study.steps_blocks, still)
    whole = ("perm-self" if config.model == "attention" else "perm-block", "perm-kv", "perm-q")
    about = APART.get(view.show) or ABOUT.get(view.shuffle, whole)
    beside = [claim for of_a_picture in APART.values() for claim in of_a_picture]
    others = [claim.id for claim in study.STUDY.claims if claim.id not in about] if view.show in APART else beside
    return Results(
        compute(study.run_shuffle, config),
        told=(laws, built, order, depth, terms, along),
        about=about,
        aside=tuple(others),
    )


def details(config: ShuffleConfig, view: View, found: Results, frame: Frame) -> Tabs:
    shuffle = found.main
    laws, built, order, depth, terms, along = found.told
    frame.curves(draw.residual_view(laws), title=_("Every order: the difference after undoing it"), height=RESIDUALS)
    return Tabs(
        why=draw.proof(shuffle, laws, built, order, depth, terms, along),
        table=lambda: table_of(config, view, found),
    )


def table_of(config: ShuffleConfig, view: View, found: Results) -> Table:
    """The numbers of the picture."""
    *_others, terms, along = found.told
    match view.show:
        case "terms":
            return draw.terms_table(config, terms, head=view.head)
        case "along":
            return draw.along_table(config, along, head=view.head)
        case _:
            return draw.shuffle_table(config, found.main, quantity=view.show, head=view.head)


# fmt: off
FAQ = (
    Faq("order", gettext_lazy("Does attention know the order of words?"),
        gettext_lazy("word order, permutation invariance, bag of words, if I shuffle the words does attention give a "
                     "different answer"),
        "perm-self",
        gettext_lazy("No: shuffle the words, and the rows of the output are shuffled with them. Nothing else "
                     "changes.")),
    Faq("equivariant", gettext_lazy("Invariant or equivariant?"),
        gettext_lazy("permutation equivariance, difference between invariance and equivariance, does the order of "
                     "keys matter, is self-attention equivariant"),
        "perm-kv",
        gettext_lazy("Both. Self-attention as a whole is equivariant: shuffle its words, and its rows follow them. "
                     "Taken apart, the output is invariant to shuffled keys with their values, as here, and follows "
                     "shuffled queries."),
        settings={"shuffle": "keys", "show": "output"}),
    Faq("cross", gettext_lazy("Where do q, k and v come from in cross-attention?"),
        gettext_lazy("cross attention queries keys values, encoder-decoder attention, encoder output, decoder "
                     "queries"),
        "perm-kv",
        gettext_lazy("Queries come from the text that is written, keys and values from the other one. So the order "
                     "of the other text is not seen: shuffle it, as here, and no output changes."),
        settings={"shuffle": "keys", "show": "output"}),
    Faq("self-cross", gettext_lazy("Self-attention or cross-attention?"),
        gettext_lazy("difference between self-attention and cross-attention, encoder-decoder attention"),
        "perm-kv",
        gettext_lazy("Self-attention takes queries, keys and values from one text. Cross-attention, as here, takes "
                     "keys and values from another, of any length: a row for each word of the one, a column for each "
                     "of the other, whose order is not seen."),
        settings={"shuffle": "keys", "context": ("a", "dog", "ran", "home")}),
    Faq("positions", gettext_lazy("Why do transformers need positional encoding?"),
        gettext_lazy("position embedding, why are position embeddings needed, why does a transformer need positions "
                     "at all, purpose of positional encodings, sinusoidal, sin cos, does attention need positions"),
        "perm-self",
        gettext_lazy("Because attention alone does not see order: words that are shuffled take their outputs along, "
                     "unchanged. With positions, as here, the same shuffle gives other numbers."),
        "fails", settings={"positions": "sinusoidal"}),
    Faq("causal", gettext_lazy("Does a causal mask replace positions?"),
        gettext_lazy("NoPE, GPT without positional encoding, decoder only"),
        "nope-depth",
        gettext_lazy("With two layers or more it can: there the last word's output depends on the order of "
                     "those before it. With one layer it does not; positions that are added tell the first "
                     "layer, too."),
        settings={"mask": "causal", "model": "two", "order": (2, 0, 3, 1, 4, 5), "show": "output", "undone": True}),
    Faq("norm", gettext_lazy("Does LayerNorm break equivariance?"),
        gettext_lazy("transformer block permutation equivariant, set transformer"),
        "perm-block",
        gettext_lazy("No: it looks at each word alone, so a whole block follows a shuffle as attention does."),
        settings={"model": "pre"}),
    Faq("count", gettext_lazy("Can attention count words?"),
        gettext_lazy("counting repeated tokens, multiplicity"),
        "count-blind",
        gettext_lazy("Not by itself: a text of one word gives the same output, however often the word is "
                     "repeated.")),
    Faq("sets", gettext_lazy("Can attention be used on sets?"),
        gettext_lazy("set transformer, deep sets, point cloud, mean pooling"),
        "perm-pool",
        gettext_lazy("Yes: the mean of the outputs over the tokens is the same in whatever order they come.")),
    Faq("rotary", gettext_lazy("What does RoPE do that sinusoidal positions do not?"),
        gettext_lazy("what is RoPE, RoPE vs sinusoidal, why rotary position embeddings, rotary or learned positions, "
                     "advantage of RoPE, how does rotating q and k work, why RoPE depends on distance alone"),
        "rope-relative",
        gettext_lazy("It turns each query and key by an angle that grows with the place, so scores depend on how "
                     "far apart two words are, not on where they stand: all places moved on together, they stay. "
                     "Sinusoidal positions are added to the words, and scores change."),
        settings={"positions": "rotary", "show": "along"}),
    Faq("relative", gettext_lazy("Absolute or relative positions?"),
        gettext_lazy("difference between absolute and relative position encoding, relative position embeddings, "
                     "learned positions, RoPE or ALiBi"),
        "rope-relative",
        gettext_lazy("Absolute ones, sinusoidal or learned, are added to the words: scores change when all places "
                     "move on together, as here. With relative ones, rotary or ALiBi, they stay."),
        "fails", settings={"positions": "learned", "show": "along"}),
    Faq("add", gettext_lazy("Why are positions added, not concatenated?"),
        gettext_lazy("add or concatenate positional encoding, sum of embeddings"),
        "pe-add",
        gettext_lazy("Adding is concatenating, with one matrix for both: the scores are the same four terms, of "
                     "words and places. A matrix for each would need twice the parameters."),
        settings={"positions": "sinusoidal", "show": "terms"}),
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
    breaks=BreakButton(gettext_lazy("add positions"), {"positions": "sinusoidal"}),
    law="f(P X) = P f(X)",
    in_sight=("shuffle", "show", "head", "undone"),
    drawer=(
        Section(("tokens", "context"), gettext_lazy("Sentences")),
        Switches(("positions", "carried", "mask", "keys_alone", "model", "biases", "without_block")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
    changes=changes,
)
