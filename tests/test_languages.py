"""The catalogues: places and markup are kept, and type is set well; at night every text is translated."""

import ast
import re
from io import BytesIO
from string import Formatter
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from attention_core.language import ENGLISH, LANGUAGES
from tools.languages import KEYWORDS, ROOMS, ROOT, as_mo, as_po, lacking, merged, path_of

CATALOGUES = [(room, language) for room in ROOMS for language in LANGUAGES if language != ENGLISH]
# What is not prose: code, formulas, icons, links, and what a place is filled with.
NO_PROSE = re.compile(r"`[^`]*`|\$[^$]*\$|:material/\w+:|\[[^]]*\]\(\S*\)|https?://\S+")
MARKUP = re.compile(
    r"`[^`]*`|\$[^$]*\$|:material/\w+:|:(?:blue|orange|green|violet|gray|small|red)\[|\*\*|\\n|  \n|<[^>]*>"
)
HAN = "[\u3400-\u9fff]"
# What a typesetter of Chinese would mend.
HALF_WIDTH = re.compile(rf"{HAN}[,;:?!]|[,;:?!]{HAN}|{HAN}\.(?:\s|$)")
NO_SPACE = re.compile(rf"{HAN}[A-Za-z0-9√∂σ]|[A-Za-z0-9%]{HAN}")
SPACE = re.compile(r"[，。；：？！、（“] (?! \n)|(?<! ) [，。；：？！、）”]|\S “|” \S")


def messages(room: str, language: str) -> list[tuple[Message, str, str]]:
    """Each message that is translated with its English text, in the singular, and its translation."""
    found = []
    for message in merged(room, language):
        if message.id:
            one = message.id[0] if isinstance(message.id, tuple) else message.id
            other = message.string[0] if isinstance(message.string, tuple) else message.string
            found.append((message, str(one), str(other)))
    assert len(found) > 500
    return [(message, one, other) for message, one, other in found if other]


def context(message: Message) -> tuple[str, ...]:
    """Its context, which Babel reads from a compiled file as bytes."""
    told: Any = message.context
    return (told.decode() if isinstance(told, bytes) else told or "",)


def parts(text: Any) -> tuple[str, ...]:
    """A text, or its singular and plural."""
    return (text,) if isinstance(text, str) else tuple(text)


def places(text: str) -> list[str]:
    """What stands in for values, with its format."""
    try:
        return sorted(f"{name}:{form}!{how}" for _, name, form, how in Formatter().parse(text) if name is not None)
    except ValueError:  # a text without values, which holds a brace
        return []


def markup(text: str) -> list[str]:
    """Signs that are the same in all languages; a command has its option for the language, and a number its words."""
    signs = (re.sub(r"`.*\{.*`", "`{}`", sign) for sign in MARKUP.findall(text))
    return sorted(sign for sign in signs if not sign.startswith("`python -m"))


def prose(text: str) -> str:
    """Without colours; what is no prose stands as a letter, and a formula's brackets with what they hold."""
    return re.sub(r"\([^()]*\)", "x", NO_PROSE.sub("x", re.sub(r":\w+\[|\]", "", text)))


@pytest.mark.parametrize(("room", "language"), CATALOGUES)
def test_what_gettext_reads_is_what_people_edit(room: str, language: str) -> None:
    path = path_of(room, language)
    edited, read = (
        {context(one) + parts(one.id): parts(one.string) for one in reader(BytesIO(file.read_bytes())) if one.id}
        for reader, file in ((read_po, path), (read_mo, path.with_suffix(".mo")))
    )
    edited = {key: words for key, words in edited.items() if all(words)}  # what is not translated yet is left out
    assert len(read) > 500
    assert read == edited


@pytest.mark.nightly
@pytest.mark.parametrize(("room", "language"), CATALOGUES)
def test_every_text_is_translated_and_none_is_left_over(room: str, language: str) -> None:
    """``python -m tools.languages`` makes the files anew."""
    catalogue, path = merged(room, language), path_of(room, language)
    assert list(lacking(catalogue)) == []
    assert path.read_bytes() == as_po(catalogue)
    assert path.with_suffix(".mo").read_bytes() == as_mo(catalogue)


def test_a_text_has_one_translation_in_all_rooms() -> None:
    """A text is looked up without saying where it is used: what means two things needs a context."""
    ours, theirs = ({(one.context, text): other for one, text, other in messages(room, "zh")} for room in ROOMS)
    assert {key: (ours[key], theirs[key]) for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]} == {}


def test_no_text_stands_within_an_f_string() -> None:
    """Nothing finds it there, and so it would stay English."""
    found = []
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        strings = (one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.JoinedStr))
        calls = (one for text in strings for one in ast.walk(text) if isinstance(one, ast.Call))
        found += [ast.unparse(one) for one in calls if getattr(one.func, "id", "") in KEYWORDS]
    assert found == []


@pytest.mark.parametrize("room", ROOMS)
def test_one_thing_has_one_word_in_chinese(room: str) -> None:
    other_words = ("平移", "偏置 β", "论断", "教师", "抽头", "汇点", "打破它", "地图")
    assert [other for _, _, other in messages(room, "zh") if any(word in other for word in other_words)] == []


@pytest.mark.parametrize(("room", "language"), CATALOGUES)
def test_a_translation_has_the_same_places_and_markup(room: str, language: str) -> None:
    for _, one, other in messages(room, language):
        assert places(one) == places(other), one
        assert markup(one) == markup(other), one


@pytest.mark.parametrize("rule", [HALF_WIDTH, NO_SPACE, SPACE], ids=["full width", "spaces", "no spaces"])
@pytest.mark.parametrize("room", ROOMS)
def test_chinese_is_set_as_type_is(room: str, rule: re.Pattern[str]) -> None:
    wrong = [other for _, _, other in messages(room, "zh") if rule.search(prose(other))]
    assert wrong == []
