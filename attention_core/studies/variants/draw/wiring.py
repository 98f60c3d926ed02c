"""Which head of queries reads which keys and values: what full, grouped, multi-query and linear attention share."""

import numpy as np

from attention_core.figures.matrix import Axis, Edges, Gauge, GraphPanel, Nodes
from attention_core.language import gettext as _
from attention_core.studies.variants import HEADS, KV_HEADS, VariantsConfig, VariantsResult


def wiring_panels(config: VariantsConfig, result: VariantsResult, kept: dict[int, int]) -> tuple[GraphPanel, ...]:
    """Which head of queries reads which keys and values, and the bytes that are kept of each word for it.

    Args:
        config: The settings.
        result: Their result.
        kept: Bytes of each word, by the number of heads of keys.
    """
    most = float(max(kept.values()))

    def panel(title: str, numbers: tuple[int, ...], gauge: Gauge, note: str = "") -> GraphPanel:
        """The wiring with so many heads of keys, or with each of several at the steps of a sweep."""
        steps = [None] if len(numbers) == 1 else range(len(numbers))
        wires = [_wires(config, number) for number in numbers]
        heads = np.arange(HEADS)
        queries = Nodes(at=np.stack((np.ones(HEADS), heads), axis=1), role="query", large=True)
        boxes = [
            Nodes(at=np.stack((np.zeros(len(at)), np.unique(at)), axis=1), boxes=("key", "value"), step=step)
            for step, at in zip(steps, map(np.unique, wires), strict=True)
        ]
        edges = [
            Edges(ends=np.stack((np.ones(HEADS), heads, at), axis=1), lit=True, step=step)
            for step, at in zip(steps, wires, strict=True)
        ]
        return GraphPanel(
            title=title,
            values=np.tile(heads + 1, (2, 1)),
            layers=Axis(title=_("heads of"), labels=(_("keys, values"), _("queries"))),
            tokens=Axis(title=_("head"), labels=tuple(map(str, heads + 1))),
            quantity=_("head"),
            edges=tuple(edges),
            nodes=(queries, *boxes),
            gauge=gauge,
            note=note,
        )

    def bytes_of(*numbers: int) -> Gauge:
        says = tuple(_("{size:,} bytes per word", size=kept[number]) for number in numbers)
        return Gauge(values=np.array([kept[number] for number in numbers]), most=most, says=says)

    constant = Gauge(values=np.zeros(1), most=most, says=(_("0 more with each word"),))
    sums = _("Each head keeps sums over all words: {size:,} bytes in all.", size=result.state_bytes)
    return (
        panel(_("Full, {heads} heads", heads=HEADS), (HEADS,), bytes_of(HEADS)),
        panel(_("Grouped"), KV_HEADS, bytes_of(*KV_HEADS)),
        panel(_("Multi-query"), (1,), bytes_of(1)),
        panel(_("Linear"), (HEADS,), constant, sums),
    )


def _wires(config: VariantsConfig, number: int) -> np.ndarray:
    """Where in its row the keys stand that each head of queries reads: below the middle of those that share them."""
    heads, each = np.arange(HEADS), HEADS // number
    of = heads % number if config.tiled else heads // each
    return of * each + (each - 1) / 2
