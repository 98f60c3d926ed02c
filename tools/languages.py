"""Keeps the catalogues: ``python -m tools.languages`` reads all texts, merges them, compiles, and says what lacks.

With ``--check`` nothing is written. Each room of the project has its own, ``attention_core/locale`` and
``pages/_shared/locale``. What is new stands in ``messages.po`` without a translation; a text that nobody uses goes.
What scripts say in browsers is put beside them as a module, ``words_zh.js``.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from pages._shared.lessons.library import texts_of
from attention_core import terminal
from attention_core.language import DOMAIN, ENGLISH, LANGUAGES

ROOT: Final = Path(__file__).parents[1]
ROOMS: Final = {"attention_core": "attention_core/locale", "pages": "pages/_shared/locale"}
PLURAL: Final = (1, 2)
KEYWORDS: Final[dict[str, Any]] = {
    "_": None, "gettext": None, "gettext_lazy": None, "ngettext": PLURAL, "ngettext_lazy": PLURAL,
    "pgettext_lazy": ((1, "c"), 2),
}  # fmt: skip
SCRIPTS: Final = "pages/_shared/components/web/base"
UNDATED: Final = datetime(2000, 1, 1, tzinfo=UTC)  # so that the same texts give the same file
COURSES: Final = "**/lessons/library/*.json"


def words_of_course(file: IO[bytes], *_of: object, **_options: object) -> Iterator[tuple[int, None, str, list[str]]]:
    """The texts of a course that comes with the app, as Babel takes them from a method of extraction."""
    for text in texts_of(json.load(file)):
        yield 0, None, text, []


METHODS: Final[list[tuple[str, Any]]] = [("**.py", "python"), ("**.js", "javascript"), (COURSES, words_of_course)]


def texts(room: str) -> Catalog:
    """All texts of a room in English."""
    found = Catalog(fuzzy=False)
    for name, _, message, comments, context in extract_from_dir(
        ROOT / room, METHODS, keywords=KEYWORDS, directory_filter=lambda _: True
    ):
        found.add(message, locations=[(f"{room}/{name}", 0)], auto_comments=comments, context=context)
    return found


def path_of(room: str, language: str) -> Path:
    """Where the translations of a room stand."""
    return ROOT / ROOMS[room] / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def merged(room: str, language: str) -> Catalog:
    """What is translated of a room's texts, and those that are not."""
    path, found = path_of(room, language), texts(room)
    known = read_po(BytesIO(path.read_bytes()), locale=language) if path.exists() else Catalog(locale=language)
    result = Catalog(locale=language, header_comment="", fuzzy=False, creation_date=UNDATED, revision_date=UNDATED)
    for message in found:
        if message.id:
            name = message.id[0] if isinstance(message.id, tuple) else message.id
            old = known.get(name, message.context)
            # gettext's own parts: nothing is guessed from a text that is like it
            string = old.string if old and old.id == message.id else None
            result.add(message.id, string, locations=message.locations, context=message.context)
    return result


def as_po(catalogue: Catalog) -> bytes:
    """A catalogue as the file that people edit; without dates, so that the same texts give the same file."""
    file = BytesIO()
    write_po(file, catalogue, width=0, omit_header=False, sort_output=True, include_lineno=False)
    lines = file.getvalue().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((b'"POT-Creation', b'"PO-Revision', b'"Generated')))


def as_mo(catalogue: Catalog) -> bytes:
    """A catalogue as the file that gettext reads."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def as_module(catalogue: Catalog) -> bytes:
    """What a catalogue has of the texts of scripts, as a module in JavaScript: an object from English."""
    words = {
        message.id: message.string
        for message in catalogue
        if message.string and any(path.endswith(".js") for path, _ in message.locations)
    }
    told = json.dumps(dict(sorted(words.items())), ensure_ascii=False, indent=2)
    return f"// Written by `python -m tools.languages`.\n\nexport default {told};\n".encode()


def module_of(language: str) -> Path:
    """Where the words of scripts stand."""
    return ROOT / SCRIPTS / f"words_{language}.js"


def lacking(catalogue: Catalog) -> Iterator[str]:
    """The texts that are not translated."""
    for message in catalogue:
        if message.id and not (all(message.string) if isinstance(message.string, tuple) else message.string):
            yield message.id[0] if isinstance(message.id, tuple) else message.id


def main(*options: str) -> int:
    """Merge and compile all, and say what lacks; the exit status is 1 if anything does."""
    terminal.forgive()
    writes = "--check" not in options
    missing = 0
    for room in ROOMS:
        for language in (one for one in LANGUAGES if one != ENGLISH):
            path, catalogue = path_of(room, language), merged(room, language)
            if writes:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(as_po(catalogue))
                path.with_suffix(".mo").write_bytes(as_mo(catalogue))
                if room == "pages":
                    module_of(language).write_bytes(as_module(catalogue))
            for text in lacking(catalogue):
                print(f"{path.relative_to(ROOT)}: {text}")
                missing += 1
    return min(missing, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
