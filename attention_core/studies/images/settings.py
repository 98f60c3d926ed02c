"""The settings of the study of pictures: what is looked at, by which model, and what is changed about it."""

import re
from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext, pgettext_lazy
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Real, Setting, Switch, setting
from attention_core.shipped.shapes import GREYS, SHAPES, SIZE
from attention_core.shipped.vision import GRID, PATCHES, POSITION_NAMES

OWN: Final = "own"
PICTURES: Final = dict(SHAPES) | {
    "two": _("two shapes"), "noise": _("only noise"), OWN: pgettext_lazy("picture", "your own"),
}  # fmt: skip
WEIGHTS: Final = {
    "shipped": pgettext_lazy("weights", "trained"),
    "live": _("trained here, from the seed"),
    "untrained": pgettext_lazy("weights", "random"),
}
BLANK: Final = "0" * SIZE**2
_PIXELS: Final = re.compile(f"[0-9a-f]{{{SIZE**2}}}")
assert GREYS == 16  # a hexadecimal digit for each pixel


@dataclass(frozen=True, slots=True)
class Pixels(Setting):
    """A picture: a digit from 0, paper, to f, ink, for each pixel, row by row."""

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is such a text."""
        if not isinstance(value, str) or not _PIXELS.fullmatch(value):
            allowed = _("{count} digits from 0 to f, one for each pixel, are allowed", count=SIZE**2)
            raise ConfigError(name, value, allowed)

    def read(self, text: str) -> str:
        """The digits."""
        return text


def _covered_name(patch: int) -> str:
    return f"{1 + (patch - 1) // GRID}.{1 + (patch - 1) % GRID}" if patch else gettext("none")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesConfig(RunConfig):
    """A picture, a vision transformer that reads it, and what is changed about both.

    Attributes:
        picture: A name of ``PICTURES``; the seed draws all but one's own.
        positions: A name of ``POSITION_NAMES``.
        weights: A name of ``WEIGHTS``.
        shuffled: Whether the patches change places, in an order that the seed draws.
        noise: Standard deviation of what is added to each pixel of a shape.
        covered: Which patch is paper instead, from 1, row by row; 0 for none.
        averaged: Whether the answer is read from the mean of the patches and not where it is collected.
        columns_first: Whether the kernel of the convolution reads each patch column by column.
        window: Whether a patch sees its neighbours only.
        pixels: One's own picture, as ``Pixels`` has it.
    """

    picture: str = setting("ring", Choice(PICTURES, label=_("Picture")))
    positions: str = setting("none", Choice(POSITION_NAMES, label=_("Positions")))
    weights: str = setting("shipped", Choice(WEIGHTS, label=_("Weights")))
    shuffled: bool = setting(
        False, Switch(label=_("Shuffle the patches"), hint=_("Into an order that the seed draws."))
    )
    noise: float = setting(
        0.1, Real(0.0, 0.5, 0.05, label=_("Noise"), hint=_("Standard deviation of what is added to each pixel."))
    )
    covered: int = setting(
        0,
        OneOf(
            range(PATCHES + 1), shown=_covered_name, label=_("Covered patch"), hint=_("By its row and its column.")
        ),
    )
    averaged: bool = setting(
        False, Switch(label=_("Answer from the mean"), hint=_("Of all patches, not from the token that collects."))
    )
    columns_first: bool = setting(
        False, Switch(label=_("Kernel column by column"), hint=_("The convolution reads its weights in that order."))
    )
    window: bool = setting(
        False, Switch(label=_("Neighbours only"), hint=_("A patch sees the 3 × 3 patches around it."))
    )
    pixels: str = setting(BLANK, Pixels(label=_("Pixels")))

    @property
    def is_light(self) -> bool:
        """Whether it answers as fast as any other picture: nothing is trained for it."""
        return self.weights != "live"

    @property
    def working_bytes(self) -> int:
        """About what is held at once: 32 copies of a picture's states, to see how far rounding is carried."""
        return 24 * 2**20
