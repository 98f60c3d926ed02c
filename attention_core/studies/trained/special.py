"""What is special in a model's attention, in a few words, and the page that explains each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attention_core.language import Text
from attention_core.language import gettext_lazy as _
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, RelativeKey, Rotary


@dataclass(frozen=True, slots=True)
class Special:
    """One thing that not every attention has.

    Attributes:
        text: What it is.
        page: Name of the page that shows what it does.
    """

    text: Text
    page: str


def special(attentions: Sequence[MultiHeadAttention]) -> tuple[Special, ...]:
    """What the attentions of a model have beside queries, keys, values and a mask.

    Args:
        attentions: Those of its layers, from the bottom.
    """
    return tuple(_special(attentions))


def _special(attentions: Sequence[MultiHeadAttention]) -> Iterator[Special]:
    first, layers = attentions[0], len(attentions)
    if first.num_kv_heads != first.num_heads:
        shared = _("{heads} heads of queries share {kv_heads} of keys", heads=first.num_heads,
                   kv_heads=first.num_kv_heads)  # fmt: skip
        yield Special(shared, "variants")
    windows = [each.window + 1 for each in attentions if each.window is not None]
    if windows:
        some = _("a window of {size:,} tokens in {count} of {layers} layers", size=windows[0], count=len(windows),
                 layers=layers)  # fmt: skip
        yield Special(some, "masks")
    if first.soft_cap is not None:
        yield Special(_("scores softly capped at {cap:g}", cap=first.soft_cap), "scaling")
    if first.sink is not None:
        yield Special(_("a learned sink in each head"), "biases")
    if first.q_norm is not None:
        together = _("queries and keys normalised over all heads")
        yield Special(
            together if first.qk_norm_together else _("queries and keys normalised in each head"), "scaling"
        )
    if isinstance(first.position, Alibi):
        yield Special(_("a penalty on distance (ALiBi)"), "permutation")
    if isinstance(first.position, RelativeKey):
        yield Special(_("a learned vector for each distance"), "permutation")
    for position in dict.fromkeys(each.position for each in attentions):
        if isinstance(position, Rotary):
            yield Special(_rotary(position), "permutation")


def _rotary(position: Rotary) -> Text:
    if position.scaling is not None:
        kind = type(position.scaling).__name__
        return _("rotary positions, base {base:,.0f}, stretched by {kind}", base=position.base, kind=kind)
    if position.part != 1:
        return _("rotary positions, base {base:,.0f}, of {part:.0%} of each head", base=position.base,
                 part=position.part)  # fmt: skip
    return _("rotary positions, base {base:,.0f}", base=position.base)
