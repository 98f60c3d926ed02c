"""A picture's file made small: checked before it is decoded, then cut to a square of few pixels in a few greys."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from attention_core.language import OR, listed
from attention_core.language import gettext as _

if TYPE_CHECKING:  # imported where it decodes: whoever brings no picture needs none of it
    from PIL import Image

MAX_BYTES: Final = 5 * 2**20
MAX_SIDE: Final = 4096  # pixels: decoded, the largest picture takes 64 MB, and one is decoded at a time
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_LOOKED_AT: Final = 256  # pixels along the longer side, of which all else is made
_FLAT: Final = 8  # of 255: greys that lie closer together are one colour
_one_at_a_time = threading.Lock()


class PictureError(ValueError):
    """A file that is no picture that can be made small, with a sentence that says why."""


def read_picture(content: bytes, size: int) -> np.ndarray:
    """The middle square of a picture as greys from 0 for paper to 1 for ink (size, size).

    The lightest becomes 0 and the darkest 1; where the border is mostly dark it is taken for the paper.

    Args:
        content: The file: PNG, JPEG, WebP, GIF or BMP.
        size: Pixels along a side.

    Raises:
        PictureError: If it is too large in bytes or in pixels, moves, is of one colour, or cannot be decoded.
    """
    if len(content) > MAX_BYTES:
        raise PictureError(
            _("The file has {given:,} bytes; up to {most:,} are allowed.", given=len(content), most=MAX_BYTES)
        )
    from PIL import Image, ImageOps

    with _one_at_a_time:
        light = _decoded(content)
    square = ImageOps.fit(light, (size, size), Image.Resampling.BOX)
    greys = 1 - np.asarray(square, np.float64) / 255
    low, high = float(greys.min()), float(greys.max())
    if high - low < _FLAT / 255:
        raise PictureError(_("The picture has one colour only, and there is nothing to see in it."))
    greys = (greys - low) / (high - low)
    border = np.concatenate((greys[0], greys[-1], greys[:, 0], greys[:, -1]))
    return 1 - greys if float(np.median(border)) > 0.5 else greys


def _decoded(content: bytes) -> Image.Image:
    """The whole picture in greys, no larger than it needs to be looked at."""
    from PIL import Image, ImageOps

    try:
        image: Any = Image.open(io.BytesIO(content), formats=FORMATS)  # reads its header, and no pixel
        width, height = image.size
        moves = getattr(image, "is_animated", False)
    except Exception as error:
        raise PictureError(
            _("The file is no picture that can be read; {formats} can.", formats=listed(FORMATS, OR))
        ) from error
    if max(width, height) > MAX_SIDE:
        raise PictureError(
            _(
                "The picture has {width:,} × {height:,} pixels; up to {most:,} × {most:,} are allowed.",
                width=width, height=height, most=MAX_SIDE,
            )
        )  # fmt: skip
    if moves:
        raise PictureError(_("The picture moves; one that stands still is needed."))
    try:
        image.draft("L", (_LOOKED_AT, _LOOKED_AT))  # a JPEG is decoded at an eighth of its size where that will do
        image.load()
        image = ImageOps.exif_transpose(image)
        image.thumbnail((_LOOKED_AT, _LOOKED_AT))
        return _on_paper(image)
    except Exception as error:  # decoders raise what they like at bytes that are not what their header says
        raise PictureError(_("The file says that it is a picture, and its pixels cannot be read.")) from error


def _on_paper(image: Image.Image) -> Image.Image:
    """The picture in greys; what is transparent shows white paper."""
    from PIL import Image

    if image.mode.startswith(("I", "F")):  # of more than 256 greys
        values = np.asarray(image, np.float64)
        return Image.fromarray((255 * values / max(1.0, float(values.max()))).astype(np.uint8))
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("L")
    above = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", above.size, "white"), above).convert("L")
