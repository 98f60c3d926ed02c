"""What moving tokens changed, in a sentence, measured from the results before and after it."""

from attention_core.figures.text import bold
from attention_core.language import gettext as _
from attention_core.measuring.arrays import largest_difference
from attention_core.studies.permutation.measure import ShuffleResult
from attention_core.studies.permutation.settings import ShuffleConfig


def shuffle_changed(
    before: tuple[ShuffleConfig, ShuffleResult], after: tuple[ShuffleConfig, ShuffleResult], *, output: bool = False
) -> str:
    """What moved with its tokens, and whether any number changed once each stands where its token stood.

    Args:
        before: A shuffle and its result.
        after: The same after the move.
        output: Whether outputs are looked at, which have no column for a key, rather than weights.
    """
    (old, was), (new, now) = before, after
    if (old.tokens, old.keys) != (new.tokens, new.keys):
        return _("Other tokens, and so other numbers.")
    bound = was.bound + now.bound
    weight, number = (
        largest_difference(one, other)
        for one, other in (
            (was.weights_undone, now.weights_undone),
            (was.output_undone, now.output_undone),
        )
    )
    rows, columns = _turned(old.query_order, new.query_order), _turned(old.key_order, new.key_order)
    moved = _moved(rows, columns, output=output)
    if max(weight, number) > bound:
        by = _(
            "weights by up to {weights}, outputs by up to {outputs}",
            weights=bold(weight),
            outputs=bold(number),
        )
        if rows or columns:
            return _("{moved}, and numbers changed: {by}.", moved=moved, by=by)
        return _("No token moved, but numbers changed: {by}.", by=by)
    told = _("{moved}; no number changed, but for rounding.", moved=moved)
    if columns and not rows and largest_difference(was.output_after, now.output_after) <= bound:
        return _("{told} The output's rows stand where they stood.", told=told)
    return told


def _turned(old: tuple[int, ...], new: tuple[int, ...]) -> str:
    """Whether tokens moved from one order to another, or back into their own; empty where they did neither."""
    begun, ended = (order == tuple(range(len(order))) for order in (old, new))  # as is one that is empty
    if old == new or (begun and ended):
        return ""
    return "back" if ended else "moved"


def _moved(rows: str, columns: str, *, output: bool) -> str:
    """What the eye can follow of queries and keys that moved or went back."""
    both = {
        ("", ""): _("No token moved"),
        ("moved", "moved"): _("The rows and columns moved with their tokens"),
        ("back", "back"): _("The rows and columns stand in their order again"),
        ("moved", ""): _("The rows moved with their queries"),
        ("back", ""): _("The rows stand in their order again"),
        ("", "moved"): _("The columns moved with their keys"),
        ("", "back"): _("The columns stand in their order again"),
        ("moved", "back"): _("The rows moved with their queries and the columns stand in their order again"),
        ("back", "moved"): _("The rows stand in their order again and the columns moved with their keys"),
    }
    of_output = {
        ("moved", "moved"): _("The rows moved with their tokens"),
        ("back", "back"): _("The rows stand in their order again"),
        ("", "moved"): _("The keys moved"),
        ("", "back"): _("The keys stand in their order again"),
        ("moved", "back"): _("The rows moved with their queries and the keys stand in their order again"),
        ("back", "moved"): _("The rows stand in their order again and the keys moved"),
    }
    return (both | of_output if output else both)[rows, columns]
