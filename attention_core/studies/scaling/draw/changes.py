"""What another size or factor made of the largest weight, in a sentence."""

from collections.abc import Callable

from attention_core.figures.text import bold
from attention_core.language import SEMICOLON, joined
from attention_core.language import gettext as _
from attention_core.studies.scaling import ScalingPicture


def scaling_changed(
    before: tuple[ScalingPicture, int], after: tuple[ScalingPicture, int], sizes: tuple[str, str],
    label: Callable[[str], str],
) -> str:  # fmt: skip
    """What became of the largest weight, with the chosen factor and with what stands beside it.

    Args:
        before: The picture and the step of ``D_HEADS`` that is looked at.
        after: The same after the move.
        sizes: d_head before and after, in words.
        label: From a factor's name to what people call it.
    """
    (was, at), (now, to) = before, after
    told, new = [], []
    for one in (now.chosen, now.beside):
        came = bold(one.largest_weight(to))
        then = next((side for side in (was.chosen, was.beside) if side.name == one.name), None)
        if then:
            went = bold(then.largest_weight(at))
            stayed = _("{factor} still {now}", factor=label(one.name), now=came)
            moved = _("{factor} from {before} to {now}", factor=label(one.name), before=went, now=came)
            told.append(stayed if went == came else moved)
        else:  # 1/√d_head is always one of the two, so there is never this alone
            new.append(_("{factor} it is now {now}", factor=label(one.name), now=came))
    factors = str(joined(SEMICOLON, told + new))
    if sizes[0] == sizes[1]:
        return _("The largest weight of this query: {factors}.", factors=factors)
    return _(
        "From d_head = {before} to {after} the largest weight of this query: {factors}. A single query may go either "
        "way, by chance: the curves over d_head are of many.",
        before=sizes[0], after=sizes[1], factors=factors,
    )  # fmt: skip
