"""Settings of the page of trained models: which model reads what, and what is changed about it."""

from dataclasses import dataclass
from typing import Any, Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.model_config import BEGINNINGS as BEGINNINGS
from attention_core.measuring.model_config import EXAMPLES as EXAMPLES
from attention_core.measuring.model_config import MODELS as MODELS
from attention_core.measuring.model_config import OWN as OWN
from attention_core.measuring.model_config import ReadsText, SourceConfig, beginning
from attention_core.measuring.models import Head, prepared, require_copy
from attention_core.measuring.settings import Choice, OneOf, Switch, setting

KINDS: Final = {
    "previous": _("the word before"),
    "same": _("the same word"),
    "induction": _("what followed the same word"),
    "agreement": _("the word that decides"),
}
FACTORS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig(SourceConfig):
    """Which model is looked at, and what is changed about it.

    Attributes:
        without: What the head does that is switched off, an id of ``KINDS``; or ``none``.
        untrained: Random weights of the same shape in place of the trained ones.
        factor: What every head's scores are multiplied by, beside the model's own scale.
        off: Layer and head of each further head that is off, counted from 0.

    Raises:
        ConfigError: If there is no such model or head.
    """

    without: str = setting(
        "none",
        Choice(
            {"none": _("none")} | KINDS,
            label=_("Off: the head that looks at"),
            hint=_("The one that does so most, measured."),
        ),
    )
    untrained: bool = setting(False, Switch(label=_("Untrained"), hint=_("Random weights of the same shape.")))
    factor: float = setting(
        1.0,
        OneOf(FACTORS, shown="× {:g}".format, label=_("Scores"), hint=_("Of all heads, beside their own scale.")),
    )
    off: tuple[Head, ...] = ()

    def __post_init__(self) -> None:
        SourceConfig.__post_init__(self)
        layers, heads = self.shape
        for layer, head in self.off:
            if not (0 <= layer < layers and 0 <= head < heads):
                allowed = _("this model has {layers} layers of {heads} heads", layers=layers, heads=heads)
                raise ConfigError("off", (layer, head), allowed)
        require_copy("untrained" if self.untrained else "dtype", self.copied_bytes)

    @property
    def copied_bytes(self) -> int:
        """What weights of its own take while it is measured; none are made where those of the model will do."""
        if not self.untrained:
            return self.moved_bytes
        sizes = [each.numel() for each in self.source.module.parameters()]
        return sum(sizes) * self.torch_dtype.itemsize + 8 * max(sizes)  # drawn in float64, one after the other

    def prepared(self) -> Any:
        """A copy of the model as it is to be measured, with all heads on."""
        seed = self.seed if self.untrained else None
        return prepared(self.source, self.torch_device, self.torch_dtype, untrained=seed, factor=self.factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedConfig(ReadsText, ModelConfig):
    """One text through a trained model.

    Attributes:
        text: What it reads: words that it knows; of a model without words the numbers of its tokens. Where it is one
            of ``BEGINNINGS``, another model reads its own example.

    Raises:
        ConfigError: If the model does not know a word, or the text is too long for it.
    """

    text: tuple[str, ...] = beginning()

    def __post_init__(self) -> None:
        ModelConfig.__post_init__(self)
        self.begin()


def can_move(config: TrainedConfig) -> bool:
    """Whether a shuffle of what stands between the first and the last token changes the text."""
    ids, _ = config.spelled()
    return len(set(ids[len(config.start) : -1])) > 1
