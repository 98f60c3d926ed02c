"""All claims on one axis: a row each, with the measurement, its bound, and the measurement when broken."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pages._shared.components.loader import component
from attention_core.claims import Checked, Claim
from attention_core.figures.ledger import Marks, marks, ticks

_draw = component("claims_chart/chart.js")
Look = tuple[str, str]  # colour, and meaning in words


def draw_chart(
    sections: Sequence[tuple[str, Sequence[Claim]]], checked: Mapping[str, Checked], looks: Mapping[str, Look], *,
    key: str,
) -> str | None:  # fmt: skip
    """Draw the chart and return the claim whose row was pressed; a claim not checked yet is hollow.

    Args:
        sections: The title of each page and its claims.
        checked: The checked claims, by id.
        looks: The colour and the meaning of each claim's outcome, by its id.
        key: The component's key.
    """
    rows = [
        {"title": title, "rows": [_row(claim, checked.get(claim.id), looks[claim.id]) for claim in claims]}
        for title, claims in sections
    ]
    bounds = [row["bound"]["at"] for section in rows for row in section["rows"] if row["bound"]]
    data = {
        "columns": _halves(rows), "ticks": [asdict(tick) for tick in ticks()], "rounding": max(bounds, default=0.0),
    }  # fmt: skip
    sent = _draw(key=key, data=data, on_go_change=lambda: None, height="content").go
    return sent if any(sent == claim.id for _, claims in sections for claim in claims) else None


def _row(claim: Claim, checked: Checked | None, look: Look) -> dict[str, Any]:
    colour, meaning = look
    return {
        "id": claim.id,
        "says": str(claim.statement),
        "state": colour,
        "means": meaning,
        "switch": str(claim.breaks.by) if claim.breaks else "",
        **asdict(marks(checked.verdicts, checked.broken) if checked else Marks()),
    }


_HEADING: Final = 2  # rows that a section's title takes


def _halves(sections: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The sections in two columns, of which the first is no lower than the second, and as low as it can be then."""
    heights = [len(section["rows"]) + _HEADING for section in sections]
    cut = next((at for at in range(len(heights) + 1) if 2 * sum(heights[:at]) >= sum(heights)), 0)
    return [part for part in (sections[:cut], sections[cut:]) if part]
