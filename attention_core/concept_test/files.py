"""The test as files for other platforms: QTI 2.1, Moodle XML, and a table with what each answer stands for.

Texts are in the language of whoever makes the files, keys are those that were measured. An item whose key could not
be told is left out. No file but the table, which is for teachers, names what an answer stands for.
"""

import csv
from collections.abc import Iterator
from html import escape
from io import BytesIO, StringIO
from typing import Final
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attention_core.concept_test.forms import FORMS, Asked, form
from attention_core.concept_test.key import KeysResult
from attention_core.language import current
from attention_core.language import gettext as _

LETTERS: Final = "ABCD"
COLUMNS: Final = ("item", "asked", *LETTERS, *(f"{letter} stands for" for letter in LETTERS), "right", "source")
_QTI: Final = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE: Final = "http://www.imsglobal.org/xsd/imscp_v1p1"
_SCHEMAS: Final = {
    _QTI: "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
    _PACKAGE: "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd",
}
_ONE_RIGHT: Final = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"
_DATE: Final = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold: the same keys give the same file


def lettered(seed: int = 0) -> tuple[Asked, ...]:
    """All items, as files ask them: in the order of a seed's forms, their choices as these letter them."""
    return tuple(asked for number in range(FORMS) for asked in form(seed, number))


def qti(keys: KeysResult) -> bytes:
    """The test as a zip: a package of IMS Content Packaging with an item of QTI 2.1 each, and a test of all.

    Args:
        keys: What was measured.
    """
    asked = list(_known(keys))
    files = {
        f"{one.item.id}.xml": _document(_qti_item(number, one, right), keys)
        for number, (one, right) in enumerate(asked, 1)
    }
    files["test.xml"] = _document(_qti_test([one for one, _right in asked]), keys)
    files = {"imsmanifest.xml": _document(_manifest([*files]), keys), **files}
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(ZipInfo(name, _DATE), content)
    return packed.getvalue()


def moodle(keys: KeysResult) -> bytes:
    """The test as Moodle's XML: a category of multiple-choice questions with one right answer.

    Args:
        keys: What was measured.
    """
    quiz = Element("quiz")
    category = SubElement(SubElement(quiz, "question", type="category"), "category")
    SubElement(category, "text").text = f"$course$/{_title()}"
    for one, right in _known(keys):
        question = SubElement(quiz, "question", type="multichoice")
        SubElement(SubElement(question, "name"), "text").text = one.item.id
        SubElement(SubElement(question, "questiontext", format="html"), "text").text = escape(str(one.item.asked))
        for name, value in (
            ("defaultgrade", "1"),
            ("penalty", "0"),
            ("hidden", "0"),
            ("single", "true"),
            ("shuffleanswers", "true"),
            ("answernumbering", "ABCD"),
        ):
            SubElement(question, name).text = value
        for place in one.order:
            fraction = "100" if place == right else "0"
            answer = SubElement(question, "answer", fraction=fraction, format="html")
            SubElement(answer, "text").text = escape(str(one.item.choices[place].text))
    return _document(quiz, keys)


def table(keys: KeysResult) -> str:
    """The test as CSV: what is asked, what each answer stands for, which is right as measured, and the source."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for one, right in _known(keys):
        choices = [one.item.choices[place] for place in one.order]
        lines.writerow((
            one.item.id, one.item.asked, *(choice.text for choice in choices),
            *(choice.misconception for choice in choices), LETTERS[one.order.index(right)], one.item.source.address,
        ))  # fmt: skip
    return text.getvalue()


def _known(keys: KeysResult) -> Iterator[tuple[Asked, int]]:
    for one in lettered():
        right = keys.right(one.item.id)
        if right is not None:
            yield one, right


def _title() -> str:
    return _("Attention: a concept test (not validated)")


def _qti_item(number: int, one: Asked, right: int) -> Element:
    """An item, whose title is its number: its name might say too much to who is asked."""
    item = _root(
        _QTI, "assessmentItem", identifier=one.item.id, title=str(number), adaptive="false", timeDependent="false"
    )
    given = SubElement(
        item, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType="identifier"
    )
    SubElement(SubElement(given, "correctResponse"), "value").text = LETTERS[one.order.index(right)]
    score = SubElement(item, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    SubElement(SubElement(score, "defaultValue"), "value").text = "0"
    body = SubElement(item, "itemBody")
    SubElement(body, "p").text = str(one.item.asked)
    choices = SubElement(body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="true", maxChoices="1")
    for letter, place in zip(LETTERS, one.order, strict=True):
        SubElement(choices, "simpleChoice", identifier=letter).text = str(one.item.choices[place].text)
    SubElement(item, "responseProcessing", template=_ONE_RIGHT)
    return item


def _qti_test(asked: list[Asked]) -> Element:
    test = _root(_QTI, "assessmentTest", identifier="attention-concept-test", title=_title())
    part = SubElement(test, "testPart", identifier="part", navigationMode="nonlinear", submissionMode="simultaneous")
    section = SubElement(part, "assessmentSection", identifier="items", title=_title(), visible="true")
    for one in asked:
        SubElement(section, "assessmentItemRef", identifier=one.item.id, href=f"{one.item.id}.xml")
    return test


def _manifest(names: list[str]) -> Element:
    """What a package holds; a test depends on its items."""
    manifest = _root(_PACKAGE, "manifest", identifier="attention-concept-test-package")
    metadata = SubElement(manifest, "metadata")
    SubElement(metadata, "schema").text = "QTIv2.1 Package"
    SubElement(metadata, "schemaversion").text = "1.0.0"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    for name in names:
        kind = "imsqti_test_xmlv2p1" if name == "test.xml" else "imsqti_item_xmlv2p1"
        resource = SubElement(resources, "resource", identifier=f"file-{name}", type=kind, href=name)
        SubElement(resource, "file", href=name)
        if name == "test.xml":
            for other in names[:-1]:
                SubElement(resource, "dependency", identifierref=f"file-{other}")
    return manifest


def _root(space: str, tag: str, **attributes: str) -> Element:
    """The root of a document, whose elements have no prefix; it says its language where that may stand."""
    there = {
        "xmlns": space,
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{space} {_SCHEMAS[space]}",
    }
    language = {"xml:lang": current()} if tag == "assessmentItem" else {}
    return Element(tag, there | attributes | language)


def _document(root: Element, keys: KeysResult) -> bytes:
    """An XML document that says first how its keys were measured."""
    where = keys.provenance
    root.insert(0, Comment(f" Not validated. Keys measured: {where.dtype}, {where.device}, seed {where.seed}. "))
    indent(root)
    return tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n"
