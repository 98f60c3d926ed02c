"""What the second votes of a class gained, as a picture."""

from collections.abc import Sequence
from typing import Final

from pages._shared.class_rooms.results import FEWEST_PAIRS, FEWEST_WRONG, Gain
from attention_core.figures.matrix import MatrixView
from attention_core.figures.panels import Axis, BarsPanel, drawable
from attention_core.figures.sheet import Shown, sheet_svg
from attention_core.language import gettext as _
from attention_core.language import using

_LONGEST: Final = 34  # characters of a question as a title; the whole of a longer one stands below its bars


def draw_gains(gains: Sequence[Gain], language: str) -> str:
    """Each question's share of right answers in both votes, as SVG.

    Args:
        gains: One or more.
        language: That it is worded in.
    """
    with using(language):
        return sheet_svg([Shown(_view(gains))])


def _view(gains: Sequence[Gain]) -> MatrixView:
    summary = _("Of those who voted twice, the share with the right answer.")
    return MatrixView(panels=tuple(map(_panel, gains)), summary=summary)


def _panel(gain: Gain) -> BarsPanel:
    is_short = len(gain.text) <= _LONGEST
    words = gain.text[: _LONGEST - 2].rpartition(" ")
    title = gain.text if is_short else f"{words[0] or words[2]} …"
    votes = Axis(title=_("vote"), labels=(_("First vote"), _("Second vote")))
    return BarsPanel(
        title=title, values=drawable([gain.first, gain.second]), labels=votes,
        quantity=_("right answers"), limits=(0.0, 1.0),
        lying=True, percent=True, note=_note(gain) if is_short else f"{gain.text} {_note(gain)}",
    )  # fmt: skip


def _note(gain: Gain) -> str:
    if gain.normalised is None:
        return _(
            "{pairs} voted twice. A normalised gain needs {fewest} who did, {wrong} of them not right at first.",
            pairs=gain.pairs,
            fewest=FEWEST_PAIRS,
            wrong=FEWEST_WRONG,
        )
    value, error = (f"{number:.2f}".replace("-", "−") for number in gain.normalised)
    return _(
        "{pairs} voted twice. Normalised gain {gain} ± {error}: of those not right at first the share that came to "
        "be right, less those who ceased to be.",
        pairs=gain.pairs,
        gain=value,
        error=error,
    )
