"""Settings of the study of masks."""

import re
from dataclasses import dataclass
from typing import Any, Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import MAX_TOKENS, ConfigError, check_tokens
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, Whole, Words, setting
from attention_core.measuring.words import is_unspaced, words

D_MODEL: Final = 16
NUM_HEADS: Final = 2
LAYERS: Final = 2
MAX_SENTENCES: Final = 6
STACKS: Final = {"encoder": _("encoder"), "decoder": _("decoder"), "encoder-decoder": _("encoder-decoder")}
SIDES: Final = {"right": _("right"), "left": _("left")}
POSITIONS: Final = {
    "none": _("none"), "slot": _("by slot"), "word": _("from the first word"), "learned": _("learned, by slot"),
}  # fmt: skip
TABLE: Final = MAX_TOKENS  # positions that the learned table has: as many as all sentences have words
PADDINGS: Final = {"words": _("other words"), "not-a-number": "NaN"}
Batched = tuple[tuple[str, ...], ...]
# A ``|`` or several that stand alone; one of full width wherever it stands, for who types it types no spaces.
_BETWEEN: Final = re.compile(r"(?<!\S)\|+(?!\S)|\|*｜[|｜]*")


@dataclass(frozen=True, slots=True)
class Sentences(Words):
    """Sentences typed by a person, with ``|`` between them: a tuple of tuples of words."""

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless ``value`` is 1 to 6 sentences of at most 64 words together."""
        if type(value) is not tuple or not 1 <= len(value) <= MAX_SENTENCES:
            raise ConfigError(name, value, _("1 to {most} sentences are allowed", most=MAX_SENTENCES))
        for sentence in value:
            check_tokens(name, sentence)
        check_tokens(name, tuple(token for sentence in value for token in sentence))

    def read(self, text: str) -> Any:
        """The sentences of a text, cut at ``|``; empty ones are left out.

        A ``|`` within a word is part of it, but not in a sentence that has no spaces between words.
        """
        return tuple(found for sentence in _parts(text) if (found := words(sentence)))

    def write(self, value: Any) -> str:
        """The text, with `` | `` between sentences."""
        return " | ".join(map(" ".join, value))

    def is_cut(self, text: str) -> bool:
        """Whether characters of a sentence are taken for words."""
        return any(map(Words(label="").is_cut, _parts(text)))


def _parts(text: str) -> list[str]:
    """The texts of the sentences, empty ones too."""
    parts = _BETWEEN.split(text)
    return [one for part in parts for one in (part.split("|") if is_unspaced(part) else (part,))]


@dataclass(frozen=True, slots=True, kw_only=True)
class MasksConfig(RunConfig):
    """A batch of sentences of different lengths, and the stack that reads them.

    Attributes:
        sentences: One to six sentences; with an encoder–decoder, the sources.
        targets: The targets of an encoder–decoder; taken from the start again where they are fewer.
        stack: ``encoder``, ``decoder`` or ``encoder-decoder``.
        side: Where short sentences are padded.
        window: How far self-attention looks to either side; 0 stands for no window.
        positions: ``none``, sines counted by ``slot`` or from the first ``word`` of each sentence, or ``learned``
            vectors from a table, by slot.
        unmasked: Whether the key padding masks are left out.
        padding: What replaces the padding in the pad-content test: other ``words``, or ``not-a-number``.
        batch_norm: Whether the stack normalises with BatchNorm in training mode instead of LayerNorm.
        score_std: Standard deviation of the scores that −10000 is added to, 1 to 100,000.
        naive: Whether a row without keys goes through softmax as it is.
    """

    sentences: tuple[tuple[str, ...], ...] = setting(
        (("the", "cat", "sat", "on", "the", "mat"), ("a", "dog", "slept"), ("birds", "sing")),
        Sentences(
            label=_("Sentences, with | between them"),
            hint=_("With a space on either side of it. Empty ones are left out."),
        ),
        zh="猫 坐 在 垫子 上 | 狗 睡着 了 | 鸟儿 歌唱",
    )
    targets: tuple[tuple[str, ...], ...] = setting(
        (("猫", "坐", "在", "垫子", "上"), ("狗", "睡着", "了"), ("鸟儿", "歌唱")),
        Sentences(
            label=_("Targets of an encoder–decoder"),
            hint=_("Where they are fewer, the first ones come again."),
        ),
        zh="the cat sat on the mat | a dog slept | birds sing",
    )
    stack: str = setting("encoder", Choice(STACKS, label=pgettext_lazy("which", "Stack")))
    side: str = setting("right", Choice(SIDES, label=_("Padding"), listed=False))
    window: int = setting(0, Whole(0, 8, label=_("Sliding window"), hint=_("Words to either side; 0 is no window.")))
    positions: str = setting("slot", Choice(POSITIONS, label=_("Positions")))
    unmasked: bool = setting(False, Switch(label=_("Leave out the padding mask")))
    padding: str = setting("words", Choice(PADDINGS, label=_("Replace the padding by")))
    batch_norm: bool = setting(
        False, Switch(label=_("BatchNorm, in training"), hint=_("Its statistics mix all tokens."))
    )
    score_std: int = setting(
        1, OneOf((1, 100, 1_000, 10_000, 100_000), between=True, label=_("Size of the scores"), link="score_size")
    )
    naive: bool = setting(False, Switch(label=_("Softmax alone"), hint=_("A row without keys is then 0 ÷ 0.")))

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if self.batch_norm and min(map(len, (*self.sentences, *self.decoded))) < 2:
            raise ConfigError("batch_norm", True, _("BatchNorm takes statistics, so each sentence needs two words"))

    @property
    def decoded(self) -> Batched:
        """One target for each sentence with an encoder–decoder; none otherwise."""
        if self.stack != "encoder-decoder":
            return ()
        return tuple(self.targets[i % len(self.targets)] for i in range(len(self.sentences)))

    @property
    def claim(self) -> str:
        """The claim about this stack."""
        return {"encoder": "mask-encoder", "decoder": "mask-decoder"}.get(self.stack, "mask-encdec")
