"""A kept model of a text is asked: what is typed becomes its tokens."""

from collections.abc import Callable
from typing import Final

from attention_core.language import COMMA, listed
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.studies.learning.result import Trained
from attention_core.studies.learning.settings import TEXT
from attention_core.studies.learning.text.cut import CHARACTERS, WORDS, cut, join, shown

_NAMED: Final = 6  # tokens that a refusal names


def encoder(trained: Trained) -> Callable[[str], tuple[tuple[int, ...], tuple[str, ...]]] | None:
    """From a text to numbers of tokens, and these as they are shown; None of a model that learned from no text."""
    if trained.config.task != TEXT:
        return None
    number = {word: at for at, word in enumerate(trained.words)}
    by = _cut_by(trained.words)

    def encode(text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        tokens = cut(text if " " in number else text.replace(" ", ""), by) if by == CHARACTERS else cut(text, by)
        for token in tokens:
            if token not in number:
                some = listed(shown(trained.words[:_NAMED]), COMMA)
                allowed = _("its text has {count} kinds of tokens, such as {some}", count=len(number), some=some)
                raise ConfigError("text", token, allowed)
        return tuple(number[token] for token in tokens), shown(tokens)

    return encode


def example(trained: Trained) -> tuple[str, ...]:
    """What a model of a text has written, as one types it; nothing of a model that learned from none."""
    if trained.config.task != TEXT:
        return ()
    written = join(trained.written[: trained.config.tokens], _cut_by(trained.words)).split()
    return tuple(written) or tuple(word for word in trained.words if word.strip())[:1]


def _cut_by(words: tuple[str, ...]) -> str:
    """What a text of these tokens was cut into: of characters none is longer than one."""
    return CHARACTERS if all(len(word) == 1 for word in words) else WORDS
