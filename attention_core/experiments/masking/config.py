"""The masking experiment's settings, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_int,
    check_tokens,
)

D_MODEL: Final = 16
NUM_HEADS: Final = 2
LAYERS: Final = 2
MAX_SENTENCES: Final = 6
MAX_WINDOW: Final = 8
MAX_SCORE_STD: Final = 1e6
STACKS: Final = ("encoder", "decoder", "encoder-decoder")
SIDES: Final = ("right", "left")
POSITIONS: Final = ("none", "by slot", "from the first word")
PADDINGS: Final = ("other words", "NaN")
Sentences = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingConfig(RunConfig):
    """A batch of sentences of different lengths, and the stack that reads them.

    Attributes:
        sentences: One to six sentences; with an encoder–decoder, the sources.
        targets: The targets of an encoder–decoder; taken from the start again where they are fewer.
        stack: ``encoder``, ``decoder`` or ``encoder-decoder``.
        side: Where short sentences are padded.
        window: How far self-attention looks to either side; 0 stands for no window.
        positions: ``none``, counted ``by slot``, or counted ``from the first word`` of each sentence.
        unmasked: Whether the key padding masks are left out.
        padding: What replaces the padding in the pad-content test.
        batch_norm: Whether the stack normalises with BatchNorm in training mode instead of LayerNorm.
        score_std: Standard deviation of the scores that −10000 is added to.
        naive: Whether a row without keys goes through softmax as it is.
    """

    sentences: Sentences = (("the", "cat", "sat", "on", "the", "mat"), ("a", "dog", "slept"), ("birds", "sing"))
    targets: Sentences = (("il", "gatto", "dorme"), ("un", "cane", "abbaia", "forte"))
    stack: str = "encoder"
    side: str = "right"
    window: int = 0
    positions: str = "by slot"
    unmasked: bool = False
    padding: str = "other words"
    batch_norm: bool = False
    score_std: float = 1.0
    naive: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        for name in ("sentences", "targets"):
            _check_sentences(name, getattr(self, name))
        check_choice("stack", self.stack, STACKS)
        check_choice("side", self.side, SIDES)
        check_int("window", self.window, 0, MAX_WINDOW)
        check_choice("positions", self.positions, POSITIONS)
        check_choice("padding", self.padding, PADDINGS)
        check_float("score_std", self.score_std, 0.1, MAX_SCORE_STD)
        for name in ("unmasked", "batch_norm", "naive"):
            check_bool(name, getattr(self, name))
        if self.batch_norm and min(map(len, (*self.sentences, *self.decoded))) < 2:
            raise ConfigError("batch_norm", True, "BatchNorm takes statistics, so each sentence needs two words")

    @property
    def decoded(self) -> Sentences:
        """One target for each sentence with an encoder–decoder; none otherwise."""
        if self.stack != "encoder-decoder":
            return ()
        return tuple(self.targets[i % len(self.targets)] for i in range(len(self.sentences)))

    @property
    def claim(self) -> str:
        """The claim about this stack."""
        return {"encoder": "mask-encoder", "decoder": "mask-decoder"}.get(self.stack, "mask-encdec")


def _check_sentences(field: str, value: object) -> None:
    if type(value) is not tuple or not 1 <= len(value) <= MAX_SENTENCES:
        raise ConfigError(field, value, f"1 to {MAX_SENTENCES} sentences are allowed")
    for sentence in value:
        check_tokens(field, sentence)
    check_tokens(field, tuple(token for sentence in value for token in sentence))


def is_padded(sentences: Sentences) -> bool:
    """Whether the sentences differ in length."""
    return len(set(map(len, sentences))) > 1


def breaks(config: MaskingConfig, test: str) -> str:
    """What makes a test of the stack fail under these settings, in words; empty where it passes.

    Args:
        config: The settings.
        test: ``content`` (replace the padding), ``alone`` (each sentence without padding) or ``grid`` (which module
            gets which mask).
    """
    read = config.stack != "decoder"  # is there an encoder, or a cross-attention, which need the padding mask?
    written = config.decoded if config.stack == "encoder-decoder" else config.sentences
    left = config.side == "left" and config.stack != "encoder" and is_padded(written)
    needed = (read and is_padded(config.sentences)) or left
    padded = is_padded(config.sentences) or is_padded(config.decoded)
    if test == "grid":
        asked = read or config.side == "left"
        return "the padding mask is left out" if config.unmasked and asked else ""
    if test == "content" and config.padding == "NaN" and padded:
        return "the padding holds NaN, and 0 · NaN is NaN"
    if config.batch_norm and (padded if test == "content" else len(config.sentences) > 1):
        return "BatchNorm takes its statistics over all tokens"
    if config.unmasked and needed:
        return "the padding mask is left out"
    if test == "alone" and config.positions == "by slot" and config.side == "left" and padded:
        return "padding on the left shifts the words to other slots"
    return ""
