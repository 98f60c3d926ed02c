"""From what a person types to the tokens of a model, and back."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from attention_core.language import COMMA, listed
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError, check_tokens
from attention_core.measuring.models import Brought
from attention_core.measuring.words import is_unspaced
from attention_core.shipped.corpus import START

MOST_TOKENS: Final = 64
_SHOWN: Final = 6  # words that a refusal names


def spell(model: Brought, text: Sequence[str], most: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The numbers of a text's tokens, and the tokens as they are shown.

    Args:
        model: Whose tokens.
        text: What was typed, cut at white space, and between known words that have none between them; where the
            model's texts begin with a token of their own, without it.
        most: How many tokens there may be.

    Raises:
        ConfigError: If the model does not know one of them, or there are too many.
    """
    if model.encode is not None:
        ids, tokens = model.encode(" ".join(text))
    elif model.words:
        ids, tokens = _by_words(model.words, text)
    else:
        ids, tokens = _by_number(model, text)
    if not 1 <= len(ids) <= most:
        given = _("{count} tokens", count=len(ids))
        raise ConfigError("text", given, _("1 to {most} tokens are allowed here", most=most))
    return ids, tokens


def _by_words(words: Sequence[str], text: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    index = {word: at for at, word in enumerate(words)}
    text = tuple(part for word in text for part in _parts(word, index))
    for word in text:
        if word not in index:
            known = [one for one in words if not one.startswith("<")]
            some = listed(known[:: max(1, len(known) // _SHOWN)][:_SHOWN], COMMA)
            allowed = _("this model knows {count} words, such as {some}", count=len(known), some=some)
            raise ConfigError("text", word, allowed)
    tokens = ((START,) if START in index and text[:1] != (START,) else ()) + tuple(text)
    return tuple(index[token] for token in tokens), tokens


def _parts(word: str, known: Collection[str]) -> tuple[str, ...]:
    """Known words that stand together without spaces, the longest first; the word itself where it is known or not."""
    if word in known or not is_unspaced(word):
        return (word,)
    longest_first = sorted(known, key=len, reverse=True)
    found = re.findall("|".join(map(re.escape, longest_first)), word)
    return tuple(found) if "".join(found) == word else (word,)


def _by_number(model: Brought, text: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    check_tokens("text", tuple(text))
    last = model.vocabulary - 1
    for word in text:
        if not (word.isascii() and word.isdigit() and int(word[:9]) <= last and len(word) <= len(str(last))):
            allowed = _("without a tokenizer, numbers of tokens from 0 to {last:,} are allowed", last=last)
            raise ConfigError("text", word, allowed)
    return tuple(map(int, text)), tuple(text)
