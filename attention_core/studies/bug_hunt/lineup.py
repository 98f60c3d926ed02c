"""Who stands in the line: which eight designs, drawn by the seed."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from attention_core.identify.design import Design
from attention_core.language import gettext_lazy as _
from attention_core.studies.bug_hunt.settings import PAIRS, RIGHT, BugHuntConfig

FAULTS: Final = {
    ("softmax", "queries"): _("softmax over queries, not keys"),
    ("softmax", "heads"): _("softmax over heads, not keys"),
    ("softmax", "batch"): _("softmax over the batch, not keys"),
    ("softmax", "all"): _("softmax over queries and keys at once"),
    ("softmax", "double"): _("softmax, twice"),
    ("softmax", "nothing"): _("no softmax: scores are the weights"),
    ("softmax", "scaled_after"): _("the scale comes after softmax"),
    ("scale", "d_model"): _("a scale of 1/√d_model"),
    ("scale", "twice"): _("a scale of 1/d_head: 1/√d_head, twice"),
    ("scale", "none"): _("no scale"),
    ("scale", "times"): _("times √d_head, not divided by it"),
    ("mask", "after"): _("the mask comes after softmax"),
    ("mask", "filled:-1e-09"): _("hidden scores are −10⁻⁹, not −∞"),
    ("mask", "future"): _("the mask hides the words before"),
    ("mask", "added_ones"): _("a mask of ones and zeros is added"),
    ("cut", "view"): _("heads are cut by a view without a transpose"),
    ("merge", "view"): _("heads are merged by a reshape without a transpose"),
    ("scores", "kq"): _("queries and keys are swapped"),
    ("scores", "qq"): _("keys come from W_Q, too"),
    ("values", "k"): _("values come from W_K"),
    ("q_bias", "left_out"): _("the query's bias is left out"),
    ("v_bias", "left_out"): _("the value's bias is left out"),
    ("direction", "columns"): _("weights are transposed"),
    ("output", "left_out"): _("the output projection is not used"),
    ("distance", "wrong_sign"): _("ALiBi has the wrong sign"),
    ("rotary", "mixed_halves"): _("rotary pairs of halves, with the angles of neighbours"),
    ("rotary", "queries_halves"): _("rotary positions turn queries alone"),
    ("k_bias", "left_out"): _("the key's bias is left out"),
}  # fmt: skip
OWN: Final = {
    ("distance", "alibi"): _("distances lower scores (ALiBi)"),
    ("mask", "window:3"): _("a window of three words"),
    ("softmax", "plus_one"): _("softmax over keys and a zero"),
    ("softmax", "sigmoid"): _("a sigmoid in the place of softmax"),
    ("qk_norm", "unit"): _("queries and keys of length 1"),
    ("rotary", "halves:10000"): _("rotary positions, halves"),
    ("rotary", "neighbours:10000"): _("rotary positions, neighbours"),
}  # fmt: skip
UNSEEN: Final = ("k_bias", "left_out")
_AT_A: Final = {
    "softmax": ("softmax", "queries"), "nothing": ("softmax", "nothing"), "late": ("mask", "after"),
    "fill": ("mask", "filled:-1e-09"), "cut": ("cut", "view"), "scale": ("scale", "d_model"),
    "sign": ("distance", "wrong_sign"), PAIRS: ("rotary", "mixed_halves"),
}  # fmt: skip


def reference(config: BugHuntConfig) -> Design:
    """What the others are to be: causal attention, with rotary positions where their pairs are at stake."""
    return Design(mask="causal", rotary="halves:10000" if config.planted == PAIRS else "none")


class Drawn(NamedTuple):
    """One of the eight.

    Attributes:
        design: What it computes.
        faulty: Whether it was drawn as a fault.
    """

    design: Design
    faulty: bool


def line_up(config: BugHuntConfig) -> tuple[Drawn, ...]:
    """The eight: one is right, one a design of its own, and six have a fault each, of different choices."""
    chance, usual = random.Random(config.seed), reference(config)
    right = Drawn(replace(usual, scale="none") if config.meant else usual, faulty=False)
    if config.planted == RIGHT:
        others = [Drawn(replace(usual, **{key: value}), faulty=False) for key, value in OWN]
        chance.shuffle(others)
        return (right, *others)
    at_a = UNSEEN if config.unseen else _AT_A.get(config.planted)
    own = chance.choice([one for one in OWN if one[0] != "rotary"])
    faults = list(_faults(chance, at_a, turned=usual.rotary != "none"))[:6]
    made = [Drawn(replace(usual, **{key: value}), faulty=True) for key, value in faults]
    first, others = (made[:1], made[1:]) if at_a else ([], made)
    others += [right, Drawn(replace(usual, **{own[0]: own[1]}), faulty=False)]
    chance.shuffle(others)
    return (*first, *others)


def _faults(chance: random.Random, first: tuple[str, str] | None, *, turned: bool) -> Iterator[tuple[str, str]]:
    """Faults in a drawn order, each of another choice than those before."""
    pool = [one for one in FAULTS if one != UNSEEN and (turned or one[0] != "rotary")]
    chance.shuffle(pool)
    choices = set[str]()
    for key, value in (*([first] if first else []), *pool):
        if key not in choices:
            choices.add(key)
            yield key, value


def kind_of(design: Design, usual: Design) -> str:
    """What is to be said of a design: the choice that is faulty, ``own``, or ``right``."""
    if design.faults:
        return design.faults[0]
    return "right" if design.own == usual.own and design.mask == usual.mask else "own"


def in_words(design: Design, usual: Design) -> str:
    """What a design does otherwise than the usual one."""
    words = FAULTS | OWN
    here, there = dict(design.values_of_choices()), dict(usual.values_of_choices())
    return str(
        next((words[key, here[key]] for key in here if here[key] != there[key] and (key, here[key]) in words), "")
    )
