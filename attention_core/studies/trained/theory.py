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
        attentions = config.source.attentions
        if any(each.k_norm is not None for each in attentions):
            return Fails(_("keys are normalised with their bias"))
        if any(each.relative_keys is not None and each.relative_keys.position.both for each in attentions):
            return Fails(_("the vectors of distances meet keys with their bias"))
        if any(each.soft_cap is not None for each in attentions):
            return Fails(_("scores are capped with what the key bias adds to them"))
        sinks = any(each.sink is not None or each.zero_sink for each in attentions)
        return Fails(_("the score of the sink does not move with the others")) if sinks else Holds()
    # Positions that are added make equal words differ.
    alike = len(shown) == 1 or config.source.positions != "added"
    return Open(no_other_output(shown)) if alike else Holds()


def value_bias(config: TrainedConfig) -> Theory:
    """Rows of weights sum to 1, and the values that they mix all have the bias; but for that of a sink."""
    sinks = any(each.sink is not None or each.zero_sink for each in config.source.attentions)
    return Fails(_("a sink takes weight and has no value")) if sinks else Holds()


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
