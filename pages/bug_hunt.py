"""Bug hunt: eight attentions with the same weights, six of them faulty: probe them, and say what is wrong."""

from dataclasses import dataclass, fields

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
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
    Switches,
    Tabs,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, setting
from attention_core.studies import bug_hunt as study
from attention_core.studies.bug_hunt import draw

SPEC = PageSpec(
    name="bug_hunt",
    title=gettext_lazy("Bug hunt"),
    icon=":material/bug_report:",
    section=gettext_lazy("What attention is"),
    claim=gettext_lazy(
        "Eight attentions, the same weights: one is right, one a design of its own, six are faulty. What is wrong?"
    ),
)

SHUFFLE, LATER, SIZE, SUMS = (
    gettext_lazy("Shuffled words"), gettext_lazy("Another last word"), gettext_lazy("Larger heads"),
    gettext_lazy("Sums of rows"),
)  # fmt: skip
ANSWERS = {"shuffle": SHUFFLE, "later": LATER, "size": SIZE, "sums": SUMS}
OPEN = "open"
SAID = {
    OPEN: gettext_lazy("What is wrong with it?"),
    "right": gettext_lazy("it is right"),
    "own": gettext_lazy("a design of its own"),
    "scale": gettext_lazy("the scale"),
    "softmax": gettext_lazy("softmax"),
    "mask": gettext_lazy("the mask"),
    "cut": gettext_lazy("how heads are cut"),
    "merge": gettext_lazy("how heads are merged"),
    "scores": gettext_lazy("queries and keys"),
    "values": gettext_lazy("the values"),
    "q_bias": gettext_lazy("the query's bias"),
    "k_bias": gettext_lazy("the key's bias"),
    "v_bias": gettext_lazy("the value's bias"),
    "rotary": gettext_lazy("rotary positions"),
    "distance": gettext_lazy("ALiBi"),
    "direction": gettext_lazy("weights transposed"),
    "output": gettext_lazy("the output projection"),
}


def said(letter: str) -> Choice:
    """What the visitor says of one of the eight."""
    return Choice(SAID, label=gettext_lazy("What is wrong with {letter}", letter=letter))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which of the eight is looked at, by which probe, and what is said of each."""

    suspect: str = setting(
        "A", Choice({one: one for one in study.LETTERS}, label=gettext_lazy("Attention"), listed=False)
    )
    probe: str = setting(study.BESIDE, Choice(draw.NAMES, label=gettext_lazy("Probe")))
    say_a: str = setting(OPEN, said("A"))
    say_b: str = setting(OPEN, said("B"))
    say_c: str = setting(OPEN, said("C"))
    say_d: str = setting(OPEN, said("D"))
    say_e: str = setting(OPEN, said("E"))
    say_f: str = setting(OPEN, said("F"))
    say_g: str = setting(OPEN, said("G"))
    say_h: str = setting(OPEN, said("H"))

    @property
    def accused(self) -> dict[str, str]:
        """What is said, by letter."""
        every = {one.name[-1].upper(): getattr(self, one.name) for one in fields(self) if one.name.startswith("say_")}
        return {letter: what for letter, what in every.items() if what != OPEN}


PRESETS = (
    Preset(
        gettext_lazy("Softmax the wrong way"),
        gettext_lazy("Over queries columns sum to 1, and rows do not."),
        {"planted": "softmax", "probe": "sums"},
    ),
    Preset(
        gettext_lazy("Heads mixed"),
        gettext_lazy("A view where a transpose belongs: the order of earlier words counts."),
        {"planted": "cut", "probe": "shuffle"},
    ),
    Preset(
        gettext_lazy("The mask came late"),
        gettext_lazy("The weights of later words are 0, and yet earlier outputs feel them."),
        {"planted": "late", "probe": "later"},
    ),
    Preset(
        gettext_lazy("Wrong pairs"),
        gettext_lazy("Two conventions of rotary positions in one: no probe tells it from the right one."),
        {"planted": study.PAIRS, "say_a": "rotary"},
    ),
    Preset(
        gettext_lazy("All right"),
        gettext_lazy("Seven designs of their own: probes are alarmed, identify is not."),
        {"planted": "right", "suspect": "C", "probe": "sums", "say_c": "own"},
    ),
    Preset(
        gettext_lazy("The wrong size"),
        gettext_lazy("1/√d_model looks like the right scale, until heads grow."),
        {"planted": "scale", "probe": "size"},
        spoils=True,
    ),
)


def grade(result: study.BugHuntResult) -> str | None:
    """The one of the probes in question that shows A; None if none does, or several."""
    shown = [ANSWERS[name] for name in result.shows(1) if name in ANSWERS]
    return shown[0] if len(shown) == 1 else None


PREDICT = Predict(
    gettext_lazy("Scores are divided by the root of the model's size, not the head's. Which probe shows it?"),
    tuple(ANSWERS.values()),
    {"planted": "scale", "probe": "size"},
    grade,
    claim="id-probes",
)


def picture_of(config: study.BugHuntConfig, view: View) -> MatrixView:
    return draw.hunt_view(compute(study.run_bug_hunt, config), view.suspect, view.probe)


def identified(config: study.BugHuntConfig, view: View) -> tuple[study.IdentifiedResult, ...]:
    """What identify says of those that are accused, each asked once."""
    return tuple(
        compute(study.steps_identified, study.IdentifiedConfig.like(config, letters=letter))
        for letter in view.accused
    )


def draw_picture(config: study.BugHuntConfig, view: View, at: Picture) -> None:
    if at.live:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="accuse"):
            at.controls.show("suspect", f"say_{view.suspect.lower()}")
    matrix_view(at.shown, key=at.key)
    if view.accused:
        with at.caption:
            st.markdown(sentence_of(config, view))


def sentence_of(config: study.BugHuntConfig, view: View) -> str:
    """What was said of each, and what identify finds."""
    usual, lines, right = study.reference(config), [], 0
    for (letter, what), result in zip(view.accused.items(), identified(config, view), strict=True):
        (design,) = result.found
        truth = study.kind_of(design, usual) if design else ""
        agrees = truth == what
        right += agrees
        mark = ":green[:material/check:]" if agrees else ":gray[:material/close:]"
        found = (study.in_words(design, usual) or str(SAID["right"])) if design else _("not known")
        lines.append(
            _(
                "{mark} **{letter}** You said: {said}. identify: **{found}**",
                mark=mark,
                letter=letter,
                said=SAID[what],
                found=found,
            )
        )
    lines.append(_(":small[{right} of {all} are named right.]", right=right, all=len(lines)))
    return "  \n".join(lines)


def results_of(config: study.BugHuntConfig, view: View) -> Results:
    result = compute(study.run_bug_hunt, config)
    return Results(result, told=(result, *identified(config, view)))


def details(config: study.BugHuntConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    frame.curves(draw.grid_view(result))
    return Tabs(
        why=draw.proof(result, identified(config, view)),
        table=lambda: draw.hunt_table(result),
        files=(File(_("identify, at home"), "py", "text/x-python", lambda: study.AT_HOME),),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("mine", gettext_lazy("Is my attention right?"),
        gettext_lazy("check my own attention code, check my own attention implementation, "
                     "is my implementation correct, verify multi-head "
                     "attention, test self-attention, bug"),
        "id-probes",
        gettext_lazy("Six probes tell: the right one here passes them all, and a wrong one rarely does. What yours "
                     "computes, `identify` says, a function of this app’s own package: a file to run it at home is "
                     "in the tab Data.")),
    Faq("loss", gettext_lazy("My loss goes down: is it correct?"),
        gettext_lazy("training works but wrong, silent bug, loss decreases, overfits, still learns"),
        "id-names",
        gettext_lazy("That says nothing: with softmax over the wrong axis a model trains as well. What it computes "
                     "is seen in its numbers, and this fault is named."),
        settings={"planted": "softmax", "say_a": "softmax"}),
    Faq("torch", gettext_lazy("Why does my attention differ from nn.MultiheadAttention?"),
        gettext_lazy("outputs not equal to PyTorch, allclose fails, compare with torch, different results"),
        "id-names",
        gettext_lazy("With the same weights and in evaluation it must not, but for rounding. Often it is the "
                     "scale, a view for a transpose, or the axis of softmax: identify says which."),
        settings={"planted": "scale", "say_a": "scale"}),
    Faq("axis", gettext_lazy("Over which axis does softmax go?"),
        gettext_lazy("softmax dim=-1, dim=1, dim=0, rows or columns sum to one, why is softmax over keys and not "
                     "queries"),
        "id-probes.sums",
        gettext_lazy("Over keys, the last axis: each query's weights sum to 1. Over queries columns do, as in A."),
        settings={"planted": "softmax", "probe": "sums"}),
    Faq("view", gettext_lazy("view or transpose to split heads?"),
        gettext_lazy("reshape heads, view(B, H, T, D), transpose(1, 2), contiguous, split heads"),
        "id-probes.shuffle",
        gettext_lazy("First view(B, T, H, D), then transpose(1, 2). A view(B, H, T, D) fits, too, and mixes words: "
                     "in A their order counts."),
        settings={"planted": "cut", "probe": "shuffle"}),
    Faq("late", gettext_lazy("Does a mask belong before or after softmax?"),
        gettext_lazy("mask after softmax, multiply the weights by 0 after softmax, mask applied "
                     "too late, rows do not sum to 1 after masking, renormalise after masking"),
        "id-probes.later",
        gettext_lazy("Before. In A it comes after: the weights of later words are 0, yet softmax has divided by a "
                     "sum that holds them, so that rows fall short of 1 and earlier outputs feel later words."),
        settings={"planted": "late", "probe": "later"}),
    Faq("own", gettext_lazy("Is an unusual attention a wrong one?"),
        gettext_lazy("different from the paper, ALiBi, softmax plus one, sliding window, false alarm"),
        "id-right",
        gettext_lazy("No: designs of their own are published, and meant. They alarm probes, and are not called "
                     "faulty."),
        settings={"planted": "right", "suspect": "C", "say_c": "own"}),
    Faq("rotary", gettext_lazy("Neighbours or halves: which rotary pairs are right?"),
        gettext_lazy("RoPE interleaved, rotate_half, Llama weights conversion, GPT-J"),
        "id-names",
        gettext_lazy("Either, if the weights were trained with it. The angles of one with the pairs of the other are "
                     "a fault that trains, and is named here."),
        settings={"planted": "pairs", "say_a": "rotary"}),
    Faq("meant", gettext_lazy("Can a fault be meant?"),
        gettext_lazy("no scaling on purpose, T5, GPT-Neo, false positive"),
        "id-right",
        gettext_lazy("Yes: GPT-Neo has no scale on purpose. Numbers do not say what was meant, so it is called "
                     "faulty."),
        "fails", settings={"planted": "right", "meant": True, "say_a": "scale"}),
    Faq("key-bias", gettext_lazy("Which fault can nobody find?"),
        gettext_lazy("undetectable bug, equivalent implementation, key bias unused"),
        "id-names",
        gettext_lazy("One that changes nothing: without its key's bias attention is the same function."),
        "fails", settings={"unseen": True, "say_a": "k_bias"}),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("rotary positions"), {"planted": study.PAIRS}),
    law="A = softmax(Q Kᵀ/√d_head)",
    in_sight=("probe", "planted", "tokens"),
    drawer=(Switches(("meant", "unseen")),),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
