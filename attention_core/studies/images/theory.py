"""What theory says of attention on pictures under each setting, and how it is measured."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.studies.images.pictures import cut, is_blank, picture_of, stays
from attention_core.studies.images.settings import ImagesConfig

BLANK: Final = _("the picture is blank, and all patches are alike")
ALIKE: Final = _("in this order every patch stands where an equal one stood")
WINDOW: Final = _("each patch sees its neighbours only")


def _linear(config: ImagesConfig) -> Theory:
    """A kernel read in another order meets other pixels, unless each patch is its own mirror image."""
    if is_blank(config):
        return Open(BLANK)
    patches = cut(picture_of(config))
    if config.columns_first and bool((patches == patches.mT).all()):
        return Open(_("each patch is the same read column by column"))
    return (
        Fails(_("the kernel is read column by column, the patches row by row")) if config.columns_first else Holds()
    )


def _same(config: ImagesConfig) -> Theory:
    """What stays in its place while patches move tells them apart."""
    if stays(config):
        return Open(BLANK if is_blank(config) else ALIKE)
    if config.positions != "none":
        return Fails(_("positions stay with the place"))
    return Fails(_("its neighbours are others after the shuffle")) if config.window else Holds()


def _convolved(config: ImagesConfig) -> Theory:
    """A kernel of 3 × 3 reads pixels of two patches at their border."""
    return Open(BLANK if is_blank(config) else ALIKE) if stays(config) else Holds()


def _all_seen(config: ImagesConfig) -> Theory:
    """Softmax gives every key that is not hidden some weight."""
    if config.window:
        return Fails(WINDOW)
    small = _("a small weight may be 0 in {dtype}", dtype=config.dtype)
    return Open(small) if config.dtype == "float16" else Holds()


def _unseen(config: ImagesConfig) -> Theory:
    """What no token sees reaches the answer on its own path alone."""
    if is_blank(config):
        return Open(_("the picture is blank, and covering a patch changes nothing"))
    return Fails(_("the mean reads every patch, seen or not")) if config.averaged else Holds()


TESTS: Final = (
    ClaimTest("vit-order.same", "≤", _("the scores of the classes after the shuffle differ by at most"),
              "max |ViT(σx) − ViT(x)|", theory=_same),
    ClaimTest("vit-order.convolution", "≥", _("those of convolutions of 3 × 3 differ by"),
              "max |CNN(σx) − CNN(x)|", theory=_convolved),
    ClaimTest("patch-linear", "≤", _("embedding and convolution differ by at most"),
              "max |W · patch + b − conv(x)|", theory=_linear),
    ClaimTest("vit-reach.attention", "=", _("after one layer of attention a patch depends on another in"),
              _("pairs with ∂yᵢ/∂xⱼ ≠ 0"), theory=_all_seen),
    ClaimTest("vit-reach.convolution", "=", _("to see the whole picture from a corner convolutions of 3 × 3 need"),
              _("layers until a corner depends on all pixels")),
    ClaimTest("vit-cover", "≤", _("covering a patch that no token sees moves the scores by at most"),
              _("max |ViT(x covered) − ViT(x)|, the patch hidden as a key"), theory=_unseen),
)  # fmt: skip
