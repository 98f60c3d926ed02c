"""What theory says of the app's claims on the weights of a trained model."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.studies.trained.settings import TrainedConfig, can_move


def key_bias(config: TrainedConfig) -> Theory:
    """Softmax cancels the key bias, unless it is turned or normalised with the keys."""
    ids, shown = config.spelled()
    if len(set(ids)) > 1:
        if config.source.positions == "rotary":
            return Fails(_("rotary positions turn the key bias"))
        normed = any(each.k_norm is not None for each in config.source.attentions)
        return Fails(_("keys are normalised with their bias")) if normed else Holds()
    # Positions that are added make equal words differ.
    alike = len(shown) == 1 or config.source.positions != "added"
    return Open(no_other_output(shown)) if alike else Holds()


def order_bare(config: TrainedConfig) -> Theory:
    """Neither positions nor a mask tell the order: there are none."""
    return Holds() if can_move(config) else Open(_("there are no two different words between the first and the last"))


def order_placeless(config: TrainedConfig) -> Theory:
    """A causal mask is left, where there is one."""
    theory = order_bare(config)
    told = isinstance(theory, Holds) and config.source.causal
    return Fails(_("its causal mask tells the order")) if told else theory


def order_whole(config: TrainedConfig) -> Theory:
    """Positions tell the order, and so does a causal mask."""
    if can_move(config) and config.source.positions:
        return Fails(_("its positions tell the order"))
    return order_placeless(config)
