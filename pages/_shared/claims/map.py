"""The map on Home: encoder, decoder and the inside of one attention, each box a link to where it is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlencode

import streamlit as st

from pages._shared.components.loader import component
from pages._shared.core.pages import PAGES, target
from pages._shared.session.links import link_to
from attention_core.claims import Checked, Claim, claims, statement
from attention_core.language import gettext, ngettext
from attention_core.language import gettext_lazy as _

Kind = Literal["attention", "cross", "part"]
_draw = component("map/map.js")
_CLAIMS: Final[Mapping[str, Claim]] = {claim.id: claim for claim in claims()}
_TITLES: Final = {page.name: page.title for page in PAGES}


@dataclass(frozen=True, slots=True)
class Box:
    """One box."""

    label: str  # what it is
    # Ids of the claims about it. The first is what it says, and its page the one that it opens.
    claims: tuple[str, ...]
    layer: int = 0  # the sublayer of a block that it belongs to, from 1; 0 for what stands outside the blocks
    kind: Kind = "part"  # what it looks like; the encoder's output goes to the one that is ``cross``

    @property
    def first(self) -> Claim:
        """The claim that it says."""
        return _CLAIMS[self.claims[0]]


ENCODER: Final = (
    Box(_("Embedding"), ("count-blind",)),
    Box(_("Positions"), ("pe-order",)),
    Box(_("Padding mask"), ("mask-encoder",), 1),
    Box(_("Self-attention"), ("perm-self", "perm-pool", "perm-bias"), 1, "attention"),
    Box(_("Add & norm"), ("norm-place", "ln-deps"), 1),
    Box(_("Feed-forward"), ("perm-block",), 2),
    Box(_("Add & norm"), ("ln-norm",), 2),
    Box(_("× N layers"), ("rf-bound", "rf-tight", "rf-random")),
)
DECODER: Final = (
    Box(_("Embedding"), ("count-blind",)),
    Box(_("Positions"), ("nope-depth",)),
    Box(_("Causal attention"), ("mask-decoder",), 1, "attention"),
    Box(_("Add & norm"), ("bias-norm",), 1),
    Box(_("Cross-attention"), ("perm-kv", "perm-q", "mask-encdec"), 2, "cross"),
    Box(_("Add & norm"), ("rank-collapse",), 2),
    Box(_("Feed-forward"), ("perm-block",), 3),
    Box(_("Add & norm"), ("ln-norm",), 3),
    Box(_("× N layers"), ("rf-bound", "rf-tight", "rf-random")),
    Box(_("Output, learned"), ("learn-order", "learn-depth", "learn-scale", "learn-key-bias", "learn-tied")),
)
ATTENTION: Final = (
    Box("Q, K, V", ("qkv-none", "qkv-tied", "qk-tied", "gauge", "low-rank")),
    Box(_("+ biases"), ("bias-k", "bias-q", "bias-v", "bias-k-grad", "bias-terms", "bias-mean", "bias-appendix")),
    Box(_("Split into heads"), ("mha-reshape", "mha-divisible", "head-tap")),
    Box(_("Shared, kept K, V"), ("kv-repeat", "kv-bytes", "cache-exact", "linear-order", "linear-cost")),
    Box("Q · Kᵀ", ("cplx-bottleneck", "cplx-core", "cplx-mha", "cplx-heads"), kind="attention"),
    Box("÷ √d_head", ("scale-var", "scale-sat", "scale-jac", "scale-grad", "scale-absorb")),
    Box(_("Mask"), ("mask-additive", "mask-full")),
    Box(_("Softmax"), ("drop-rows", "softmax-shift"), kind="attention"),
    Box(_("Weights · V"), ("convex-hull", "soft-lookup"), kind="attention"),
)
PARTS: Final = {_("Encoder"): ENCODER, _("Decoder"): DECODER, _("Inside one attention"): ATTENTION}
BOXES: Final = tuple(box for part in PARTS.values() for box in part)


def draw_map(found: Mapping[str, Checked], *, key: str) -> None:
    """Draw the map; where one of its links is followed, go to that page with the settings of its claim."""
    numbers = iter(range(len(BOXES)))
    parts = [
        {"title": str(title), "boxes": [_plain(next(numbers), box, found) for box in part]}
        for title, part in PARTS.items()
    ]
    sent = _draw(key=key, data={"parts": parts}, on_go_change=lambda: None, height="content").go
    if type(sent) is int and 0 <= sent < len(BOXES):  # a forged message may hold anything
        claim = BOXES[sent].first
        st.switch_page(target(claim.page), query_params=link_to(claim.page, claim.parameters()))


def told(box: Box, found: Mapping[str, Checked]) -> tuple[str, str]:
    """The state of a box's claims in a word, and in a sentence."""
    here = [found[name] for name in box.claims if name in found]
    count = len(box.claims)
    counted = ngettext("{count} claim", "{count} claims", count)
    if not here:
        return "unchecked", gettext("{claims}, not checked yet", claims=counted)
    agree = sum(one.outcome == "agrees" for one in here)
    if any(one.outcome == "surprises" for one in here):
        return "surprises", gettext("{claims}, not all as theory says", claims=counted)
    sentence = gettext("{number} of {claims} checked and as theory says", number=agree, claims=counted)
    return ("agrees" if agree == count else "partly"), sentence


def _plain(number: int, box: Box, found: Mapping[str, Checked]) -> dict[str, object]:
    claim = box.first
    state, sentence = told(box, found)
    return {
        "number": number,
        "label": str(box.label),
        "layer": box.layer,
        "kind": box.kind,
        "state": state,
        "says": str(statement(claim.id)),
        "told": sentence,
        "page": str(_TITLES[claim.page]),
        "href": f"{claim.page}?{urlencode(link_to(claim.page, claim.parameters()))}",
    }
