"""A model's own tokenizer: from a text to numbers, and from each number to the text that stands for it on screen."""

import codecs
import json
import unicodedata
from typing import Any, Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.models import Encode

MAX_TOKENIZER: Final = 32 * 2**20
FIELD: Final = "tokenizer.json"
_SIGNS: Final = {"\n": "⏎", "\t": "⇥"}
_LOST: Final = "\ufffd"  # what decoders write for bytes that are no character


def _written_as_bytes(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no whole character, each as byte-level models name one: ``<0xE4>``."""
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"<0x{byte:02X}>" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("attention_core.bytes", _written_as_bytes)


def read_tokenizer(content: bytes, vocabulary: int) -> tuple[tuple[str, ...], Encode]:
    """The text of each token as it is shown, and the way from a text to tokens.

    Args:
        content: A file as the library tokenizers writes it.
        vocabulary: How many tokens the model knows.

    Raises:
        ConfigError: If it is too large or no such file, of a version that the library here does not know, or there is
            no such library.
    """
    if len(content) > MAX_TOKENIZER:
        given = _("{count:,} bytes", count=len(content))
        raise ConfigError(FIELD, given, _("at most {most:,} are allowed", most=MAX_TOKENIZER))
    try:
        import tokenizers
    except ImportError as error:
        needed = _("the library tokenizers is needed: python -m pip install tokenizers")
        raise ConfigError(FIELD, _("this file"), needed) from error
    try:
        tokenizer = tokenizers.Tokenizer.from_buffer(content)
    except BaseException as error:  # the library is Rust's, whose panics are no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        allowed = _("a tokenizer as the library tokenizers writes it")
        if _describes_a_model(content):
            allowed = _(
                "it says something that the library tokenizers {version} does not know; a newer version may",
                version=tokenizers.__version__,
            )
        raise ConfigError(FIELD, _("this file"), allowed) from error
    # What a file says of its batches would fill up each text, or cut it.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    shown = tuple(_shown(tokenizer, vocabulary))

    def encode(text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        ids = tuple(tokenizer.encode(text).ids)
        if any(one >= vocabulary for one in ids):
            allowed = _("its tokenizer gives numbers that the model, of {vocabulary}, has not", vocabulary=vocabulary)
            raise ConfigError("text", text, allowed)
        return ids, tuple(shown[one] for one in ids)

    return shown, encode


def _describes_a_model(content: bytes) -> bool:
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and isinstance(said.get("model"), dict)


def _shown(tokenizer: Any, vocabulary: int) -> list[str]:
    """What each token stands for, by its tokenizer's decoder; what was added to a vocabulary is as it is written."""
    added = {at: token.content for at, token in tokenizer.get_added_tokens_decoder().items()}
    decode = _decoder(tokenizer.decoder)
    found = []
    for at in range(vocabulary):
        token = tokenizer.id_to_token(at)
        text = str(at) if token is None else added[at] if at in added else decode(token)
        plain = text.isprintable() and " " not in text
        found.append((text if plain else "".join(map(_visible, text))) or "∅")
    return found


def _decoder(decoder: Any) -> Any:
    """From a token to its text.

    A decoder may drop the space that a text begins with, so a token is read between two letters; of those that put a
    space between any two tokens, WordPiece's, it is read alone.
    """
    if decoder is None:
        return str
    alone = decoder.decode(["a", "a"]) != "aa"
    byte_of = _alphabet()

    def text_of(token: str) -> str:
        text = decoder.decode([token]) if alone else decoder.decode(["a", token, "a"])[1:-1]
        if _LOST not in text:
            return text
        if not byte_of.keys() >= set(token):  # a byte that has a name, <0xE4>
            return token
        return bytes(byte_of[sign] for sign in token).decode("utf-8", "attention_core.bytes")

    return text_of


def _alphabet() -> dict[str, int]:
    """The byte of each sign in byte-level tokenizers: itself where that can be seen, else the next from 256."""
    from tokenizers.pre_tokenizers import ByteLevel

    signs = sorted(ByteLevel.alphabet())
    own = {sign: ord(sign) for sign in signs if ord(sign) < 256}
    return own | dict(zip(signs[len(own) :], sorted({*range(256)} - {*own.values()}), strict=True))


def _visible(sign: str) -> str:
    if sign in _SIGNS or unicodedata.category(sign) == "Zs":
        return _SIGNS.get(sign, "␣")
    return sign if sign.isprintable() else f"<U+{ord(sign):04X}>"
