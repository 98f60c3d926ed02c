"""All claims on one axis: a row each, with what was measured, what it is held to, and what a switch makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pages._shared.components.loader import component
from attention_core.claims import Checked, Claim
from attention_core.figures.ledger import Marks, marks, ticks

_draw = component("claims_chart/chart.js")
Look = tuple[str, str]  # colour, and meaning in words


def draw_chart(
    sections: Sequence[tuple[str, Sequence[Claim]]], found: Mapping[str, Checked], looks: Mapping[str, Look], *,
    key: str,
) -> str | None:  # fmt: skip
    """Draw the rows, and say whose was pressed; what is not known of a claim yet is hollow.

    Args:
        sections: The title of each page and its claims.
        found: What has been found, by the claims' ids.
        looks: The colour and the meaning of what has been found of each claim, by its id.
        key: The component's key.
    """
    told = [
        {"title": title, "rows": [_row(claim, found.get(claim.id), looks[claim.id]) for claim in claims]}
        for title, claims in sections
    ]
    bounds = [row["bound"]["at"] for section in told for row in section["rows"] if row["bound"]]
    data = {
        "columns": _halves(told), "ticks": [asdict(one) for one in ticks()], "rounding": max(bounds, default=0.0),
    }  # fmt: skip
    sent = _draw(key=key, data=data, on_go_change=lambda: None, height="content").go
    return sent if any(sent == claim.id for _, claims in sections for claim in claims) else None


def _row(claim: Claim, one: Checked | None, look: Look) -> dict[str, Any]:
    colour, meaning = look
    return {
        "id": claim.id,
        "says": str(claim.statement),
        "state": colour,
        "means": meaning,
        "switch": str(claim.breaks.by) if claim.breaks else "",
        **asdict(marks(one.verdicts, one.broken) if one else Marks()),
    }


_HEADING: Final = 2  # rows that a section's title takes


def _halves(sections: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The sections in two columns, of which the first is no lower than the second, and as low as it can be then."""
    heights = [len(section["rows"]) + _HEADING for section in sections]
    cut = next((at for at in range(len(heights) + 1) if 2 * sum(heights[:at]) >= sum(heights)), 0)
    return [part for part in (sections[:cut], sections[cut:]) if part]
