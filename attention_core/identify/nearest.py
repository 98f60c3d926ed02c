"""Where no design is equal: the nearest one, as a hint."""

from dataclasses import replace

from attention_core.identify.design import Design
from attention_core.identify.found import described
from attention_core.identify.search import BATCH, TOKENS, Search
from attention_core.identify.space import possible


def nearest(search: Search) -> tuple[Design | None, str]:
    """The design of at most two choices other than usual that comes nearest, and a sentence that calls it a hint."""
    probe = search.generic(BATCH, TOKENS, 0)
    best, least = None, float("inf")
    for layout, stored in search.weights.layouts:
        values, around = possible(search.weights, layout, stored), Design(layout=layout, stored=stored)
        for _ in range(2):
            near = [replace(around, **{key: value}) for key, each in values.items() for value in each]
            around = min(near, key=probe.distance)
            if probe.distance(around) < least:
                best, least = around, probe.distance(around)
    if best is None:
        return None, "No design gives outputs of this shape."
    which = "; ".join(described(key, best) for key in (*best.own, *best.faults)) or "the usual one"
    return best, f"A hint, nothing more: the nearest design that was compared ({which}) is off by {least:.1e}."
