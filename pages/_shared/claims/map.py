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
    """A box of the map."""

    label: str  # what it is
    says: str  # id of the claim that it says, and whose page it opens
    layer: int = 0  # the sublayer of a block that it belongs to, from 1; 0 for what stands outside the blocks
    kind: Kind = "part"  # what it looks like; the encoder's output goes to the one that is ``cross``

    @property
    def claim(self) -> Claim:
        """The claim that it says."""
        return _CLAIMS[self.says]

    @property
    def claims(self) -> tuple[str, ...]:
        """Ids of all claims about the same part of a transformer."""
        return tuple(name for name, claim in _CLAIMS.items() if claim.part == self.claim.part)


ENCODER: Final = (
    Box(_("Embedding"), "count-blind"),
    Box(_("Positions"), "pe-order"),
    Box(_("Padding mask"), "mask-encoder", 1),
    Box(_("Self-attention"), "perm-self", 1, "attention"),
    Box(_("Add & norm"), "norm-place", 1),
    Box(_("Feed-forward"), "ffn-alone", 2),
    Box(_("Add & norm"), "ln-norm", 2),
    Box(_("× N layers"), "rf-bound"),
)
DECODER: Final = (
    Box(_("Embedding"), "count-blind"),
    Box(_("Positions"), "nope-depth"),
    Box(_("Causal attention"), "mask-decoder", 1, "attention"),
    Box(_("Add & norm"), "bias-norm", 1),
    Box(_("Cross-attention"), "perm-kv", 2, "cross"),
    Box(_("Add & norm"), "rank-collapse", 2),
    Box(_("Feed-forward"), "ffn-alone", 3),
    Box(_("Add & norm"), "ln-norm", 3),
    Box(_("× N layers"), "rf-bound"),
    Box(_("Output, learned"), "learn-order"),
)
ATTENTION: Final = (
    Box("Q, K, V", "qkv-none"),
    Box(_("+ biases"), "bias-k"),
    Box(_("Split into heads"), "mha-reshape"),
    Box(_("Shared, kept K, V"), "kv-repeat"),
    Box("Q · Kᵀ", "cplx-bottleneck", kind="attention"),
    Box("÷ √d_head", "scale-var"),
    Box(_("Mask"), "mask-additive"),
    Box(_("Softmax"), "drop-rows", kind="attention"),
    Box(_("Weights · V"), "convex-hull", kind="attention"),
)
PARTS: Final = {_("Encoder"): ENCODER, _("Decoder"): DECODER, _("Inside one attention"): ATTENTION}
BOXES: Final = tuple(box for part in PARTS.values() for box in part)


def draw_map(checked: Mapping[str, Checked], *, key: str) -> None:
    """Draw the map; a pressed box leads to its page, with the settings of its claim."""
    numbers = iter(range(len(BOXES)))
    parts = [
        {"title": str(title), "boxes": [_plain(next(numbers), box, checked) for box in part]}
        for title, part in PARTS.items()
    ]
    sent = _draw(key=key, data={"parts": parts}, on_go_change=lambda: None, height="content").go
    if type(sent) is int and 0 <= sent < len(BOXES):  # a forged message may hold anything
        claim = BOXES[sent].claim
        st.switch_page(target(claim.page), query_params=link_to(claim.page, claim.parameters()))


def box_state(box: Box, checked: Mapping[str, Checked]) -> tuple[str, str]:
    """The state of a box's claims, as a word and as a sentence."""
    checked_here = [checked[name] for name in box.claims if name in checked]
    count = len(box.claims)
    claims_text = ngettext("{count} claim", "{count} claims", count)
    if not checked_here:
        return "unchecked", gettext("{claims}, not checked yet", claims=claims_text)
    agree = sum(each.outcome == "agrees" for each in checked_here)
    if any(each.outcome == "surprises" for each in checked_here):
        return "surprises", gettext("{claims}, not all as theory says", claims=claims_text)
    sentence = gettext("{number} of {claims} checked and as theory says", number=agree, claims=claims_text)
    return ("agrees" if agree == count else "partly"), sentence


def _plain(number: int, box: Box, checked: Mapping[str, Checked]) -> dict[str, object]:
    claim = box.claim
    state, sentence = box_state(box, checked)
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
