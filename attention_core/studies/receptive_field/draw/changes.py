"""How many more or fewer inputs a token sees after a move, in a sentence."""

from attention_core.language import ngettext
from attention_core.studies.receptive_field import AttendedKeys


def reach_changed(before: AttendedKeys, after: AttendedKeys) -> str:
    """How many inputs the last token sees from the top layer, before the move and after it.

    Args:
        before: Where the heads looked.
        after: Where they look.
    """
    if before.config.soft or after.config.soft:  # the largest weights are not all that soft heads see
        return ""
    (was, of), (now, all_) = ((int(one.reach_graph[-1, -1]), one.config.tokens) for one in (before, after))
    layers = after.config.layers
    if (was, of) == (now, all_):
        return ngettext(
            "{count} layer up the last token sees {now} of {inputs} inputs, as many as before.",
            "{count} layers up the last token sees {now} of {inputs} inputs, as many as before.",
            layers, now=now, inputs=all_,
        )  # fmt: skip
    return ngettext(
        "{count} layer up the last token now sees {now} of {inputs} inputs; before it saw {was} of {of}.",
        "{count} layers up the last token now sees {now} of {inputs} inputs; before it saw {was} of {of}.",
        layers, now=now, inputs=all_, was=was, of=of,
    )  # fmt: skip
