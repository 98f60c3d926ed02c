"""Settings of the page of trained models: which model reads what, and what is changed about it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, Words, setting
from attention_core.shipped.corpus import END, START, Case, Construction
from attention_core.shipped.languages import LANGUAGES
from attention_core.studies.trained.models import Brought, Head, brought, prepared, shipped
from attention_core.studies.trained.spelling import MOST_TOKENS, spell

OWN: Final = "own"
LIGHT: Final = 2**20  # parameters
MODELS: Final = {
    "grammar": _("Grammar (English)"), "chinese": _("Measure words (Chinese)"), "induction": _("Repetition"),
    "reverse": _("Reverse"), OWN: _("Your own"),
}  # fmt: skip
KINDS: Final = {
    "previous": _("the word before"),
    "same": _("the same word"),
    "induction": _("what followed the same word"),
    "agreement": _("the word that decides"),
}
EXAMPLES: Final = {
    "grammar": ("the", "keys", "near", "the", "cabinet"),
    "chinese": ("一", "条", "那", "只", "猫", "喜欢", "的"),
    "induction": ("k", "c", "f", "a", "h", "d", "c", "f", "a"),
    "reverse": ("c", "f", "a", "h", "|", "h", "a"),
}
BEGINNINGS: Final = (EXAMPLES["grammar"], EXAMPLES["chinese"])  # what the page's readers begin with
FACTORS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@lru_cache(maxsize=32)
def _cases(model: str, count: int, seed: int) -> dict[str, tuple[Case, ...]]:
    return LANGUAGES[model].cases(count, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig(RunConfig):
    """Which model is looked at, and what is changed about it.

    Attributes:
        model: An id of ``MODELS``; ``own`` for one that was brought.
        without: What the head does that is switched off, an id of ``KINDS``; or ``none``.
        untrained: Random weights of the same shape in place of the trained ones.
        factor: What every head's scores are multiplied by, beside the model's own scale.
        off: Layer and head of each further head that is off, counted from 0.
        brought: The digest of a model that was brought; empty for a shipped one.

    Raises:
        ConfigError: If there is no such model or head.
    """

    model: str = setting("grammar", Choice(MODELS, label=_("Model")), zh="chinese")
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
    brought: str = ""

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if (self.model == OWN) != bool(self.brought) or (self.brought and brought(self.brought) is None):
            allowed = _(
                "open the files of a model first, under “Open a model of your own”; a link does not hold them"
            )
            raise ConfigError("model", self.model, allowed)
        layers, heads = self.shape
        for layer, head in self.off:
            if not (0 <= layer < layers and 0 <= head < heads):
                allowed = _("this model has {layers} layers of {heads} heads", layers=layers, heads=heads)
                raise ConfigError("off", (layer, head), allowed)

    @property
    def source(self) -> Brought:
        """The model as it was read.

        Raises:
            ConfigError: If it was brought, and nobody has it open any more.
        """
        found = brought(self.brought) if self.brought else shipped(self.model)
        if found is None:
            raise ConfigError("model", self.model, _("it is no longer open; open its files again"))
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, and heads of each."""
        return self.source.shape

    @property
    def is_light(self) -> bool:
        """Whether it answers as fast as any other picture."""
        return self.source.parameters <= LIGHT

    @property
    def constructions(self) -> tuple[Construction, ...]:
        """What a shipped model is measured with; nothing for one that was brought."""
        return () if self.brought else LANGUAGES[self.model].constructions

    def cases(self, count: int) -> dict[str, tuple[Case, ...]]:
        """Cases of each construction by the seed; drawing them takes longer than to answer them, and is done once."""
        return _cases(self.model, count, self.seed) if self.constructions else {}

    @property
    def start(self) -> tuple[int, ...]:
        """The token that every text of the model begins with, where it has one."""
        words = self.source.words
        return (words.index(START),) if START in words else ()

    @property
    def usable(self) -> tuple[int, ...]:
        """The tokens that may stand within a text, as far as that is known."""
        words = self.source.words
        return tuple(at for at in range(self.source.vocabulary) if not words or words[at] not in (START, END))

    @property
    def longest(self) -> int:
        """Most tokens of a text: as many as fit a picture, and as the model has positions for."""
        return min(MOST_TOKENS, self.source.longest)

    @property
    def working_bytes(self) -> int:
        """About what is held at once: copies of the weights in this precision."""
        return 16 * 2**20 + 3 * self.source.parameters * self.torch_dtype.itemsize

    @property
    def in_this_process(self) -> bool:
        """Whether no other process can compute it: what was brought stays where it was opened."""
        return bool(self.brought)

    def prepared(self) -> Any:
        """A copy of the model as it is to be measured, with all heads on."""
        seed = self.seed if self.untrained else None
        return prepared(self.source, self.torch_device, self.torch_dtype, untrained=seed, factor=self.factor)


@dataclass(frozen=True, slots=True)
class Beginning(Words):
    """Words for a model, which tells those apart itself that have no space between them."""

    cut: str = _(
        "Spaces separate words, unless the model has a tokenizer. A text of a language without spaces is cut into "
        "words that the model knows."
    )

    def read(self, text: str) -> tuple[str, ...]:
        """What stands between spaces."""
        return tuple(text.split())

    def is_cut(self, text: str) -> bool:  # noqa: ARG002 - the same for all
        """Never: words without spaces stay together here."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedConfig(ModelConfig):
    """One text through a trained model.

    Attributes:
        text: What it reads: words that it knows; of a model without words the numbers of its tokens. Where it is one
            of ``BEGINNINGS``, another model reads its own example.

    Raises:
        ConfigError: If the model does not know a word, or the text is too long for it.
    """

    text: tuple[str, ...] = setting(
        EXAMPLES["grammar"],
        Beginning(label=_("Beginning of a text"), hint=_("Words that the model knows, or its tokens.")),
        zh=" ".join(EXAMPLES["chinese"]),
    )

    def __post_init__(self) -> None:
        ModelConfig.__post_init__(self)
        if self.text in BEGINNINGS and self.text != EXAMPLES.get(self.model):
            object.__setattr__(self, "text", self.source.example if self.brought else EXAMPLES[self.model])
        self.spelled()

    def spelled(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The numbers of the text's tokens and the tokens as they are shown, with what all texts begin with."""
        return spell(self.source, self.text, self.longest)


def can_move(config: TrainedConfig) -> bool:
    """Whether a shuffle of what stands between the first and the last token changes the text."""
    ids, _ = config.spelled()
    return len(set(ids[len(config.start) : -1])) > 1
