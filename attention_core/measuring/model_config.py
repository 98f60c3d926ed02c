"""Which trained model a study looks at, shipped or brought, and which text it reads."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.models import Brought, brought, prepared, shipped
from attention_core.measuring.settings import Choice, Words, setting
from attention_core.measuring.spelling import MOST_TOKENS, spell
from attention_core.shipped.corpus import END, START, Case, Construction
from attention_core.shipped.languages import LANGUAGES

OWN: Final = "own"
LIGHT: Final = 2**20  # parameters
MODELS: Final = {
    "grammar": _("Grammar (English)"), "chinese": _("Measure words (Chinese)"), "induction": _("Repetition"),
    "reverse": _("Reverse"), OWN: _("Your own"),
}  # fmt: skip
EXAMPLES: Final = {
    "grammar": ("the", "keys", "near", "the", "cabinet"),
    "chinese": ("一", "条", "那", "只", "猫", "喜欢", "的"),
    "induction": ("k", "c", "f", "a", "h", "d", "c", "f", "a"),
    "reverse": ("c", "f", "a", "h", "|", "h", "a"),
}
SHORT: Final = ("the", "keys", "near", "Tom")  # for two matrices side by side on a phone
# What readers begin with, and the model that reads it.
BEGINNINGS: Final = {EXAMPLES["grammar"]: "grammar", SHORT: "grammar", EXAMPLES["chinese"]: "chinese"}


@lru_cache(maxsize=32)
def _cases(model: str, count: int, seed: int) -> dict[str, tuple[Case, ...]]:
    return LANGUAGES[model].cases(count, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConfig(RunConfig):
    """Which model is looked at.

    Attributes:
        model: An id of ``MODELS``; ``own`` for one that was brought.
        brought: The digest of a model that was brought; empty for a shipped one.

    Raises:
        ConfigError: If there is no such model.
    """

    model: str = setting("grammar", Choice(MODELS, label=_("Model")), zh="chinese")
    brought: str = ""

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if (self.model == OWN) != bool(self.brought) or (self.brought and brought(self.brought) is None):
            allowed = _(
                "open the files of a model first, under “Open a model of your own”; a link does not hold them"
            )
            raise ConfigError("model", self.model, allowed)

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
    def moved_bytes(self) -> int:
        """What a copy of the weights takes on this device in this precision; none is made where they will do."""
        sizes = [(each.numel(), each.dtype) for each in self.source.module.parameters()]
        moves = self.torch_device.type != "cpu"
        return sum(size for size, dtype in sizes if moves or dtype != self.torch_dtype) * self.torch_dtype.itemsize

    @property
    def copied_bytes(self) -> int:
        """What weights of its own take while it is measured."""
        return self.moved_bytes

    @property
    def working_bytes(self) -> int:
        """About what is held at once: weights of its own, and what is computed from them."""
        return 16 * 2**20 + self.copied_bytes

    @property
    def in_this_process(self) -> bool:
        """Whether no other process can compute it: what was brought stays where it was opened."""
        return bool(self.brought)

    def prepared(self) -> Any:
        """A copy of the model as it is to be measured."""
        return prepared(self.source, self.torch_device, self.torch_dtype)


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


def beginning(text: tuple[str, ...] = EXAMPLES["grammar"]) -> Any:
    """The field of a text that a model reads, which ``ReadsText`` turns into tokens.

    Args:
        text: What English readers begin with, one of ``BEGINNINGS``.
    """
    return setting(
        text,
        Beginning(label=_("Beginning of a text"), hint=_("Words that the model knows, or its tokens.")),
        zh=" ".join(EXAMPLES["chinese"]),
    )


class ReadsText:
    """What a config of a model has that also has a ``text``: words that the model knows, or numbers of its tokens.

    Where the text is one of ``BEGINNINGS``, another model reads its own example.
    """

    __slots__ = ()
    text: tuple[str, ...]

    def begin(self: Any) -> None:
        """Put the model's own example in place of another's, and read the text.

        Raises:
            ConfigError: If the model does not know a word, or the text is too long for it.
        """
        if BEGINNINGS.get(self.text, self.model) != self.model:
            object.__setattr__(self, "text", self.source.example if self.brought else EXAMPLES[self.model])
        self.spelled()

    def spelled(self: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The numbers of the text's tokens and the tokens as they are shown, with what all texts begin with."""
        return spell(self.source, self.text, self.longest)
