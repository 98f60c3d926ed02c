"""One design: a value for each choice."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from attention_core.identify.choices import BY_KEY, FAULT, OWN, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What an attention computes, as values of :data:`.choices.CHOICES`; the first option of each by default."""

    layout: str = "contiguous"
    stored: str = "rows"
    values: str = "v"
    scores: str = "qk"
    q_bias: str = "added"
    k_bias: str = "added"
    v_bias: str = "added"
    added: str = "none"
    cut: str = "transpose"
    merge: str = "transpose"
    groups: str = "repeated"
    qk_norm: str = "none"
    rotary: str = "none"
    turned_values: str = "no"
    scale: str = "d_head"
    distance: str = "none"
    mask: str = "none"
    softmax: str = "keys"
    direction: str = "rows"
    output: str = "projected"
    o_bias: str = "added"
    around: str = "none"
    attended: str = "tokens"

    def values_of_choices(self) -> Iterator[tuple[str, str]]:
        """Pairs of a choice's key and its value."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        """Keys of the choices whose option is of a kind."""
        return tuple(key for key, value in self.values_of_choices() if BY_KEY[key].option(value).kind == kind)

    @property
    def faults(self) -> tuple[str, ...]:
        """Keys of the choices that are faulty."""
        return self.of_kind(FAULT)

    @property
    def own(self) -> tuple[str, ...]:
        """Keys of the choices that are neither usual nor faulty."""
        return self.of_kind(OWN)
