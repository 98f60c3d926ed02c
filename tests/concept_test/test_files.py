"""The test as files: whole, with measured keys, and read by programs that are not ours."""

import csv
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from moodle_xml_parser.parser import parse_bytes
from onyx2moodle.parser import parse_item
from onyx2moodle.translate.multichoice import translate

from attention_core.concept_test import ITEMS, KeysConfig, KeysResult, steps_keys
from attention_core.concept_test.files import COLUMNS, lettered, moodle, qti, table
from attention_core.language import using
from attention_core.measuring.run import run

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
PACKAGE = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
BY_ID = {item.id: item for item in ITEMS}
# What stands in a test of QTI 2.1, in its package and in an item with one choice, in the order that specifications
# have: of each element its attributes and its children. Then that of a quiz for Moodle, which publishes no schema; it
# is what its importer asks a question with one choice for, in the order of its exporter.
GRAMMAR = {
    "assessmentItem": (
        {"identifier", "title", "adaptive", "timeDependent", "xml:lang", "xsi:schemaLocation"},
        ("responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing"),
    ),
    "responseDeclaration": ({"identifier", "cardinality", "baseType"}, ("correctResponse",)),
    "outcomeDeclaration": ({"identifier", "cardinality", "baseType"}, ("defaultValue",)),
    "correctResponse": (set(), ("value",)),
    "defaultValue": (set(), ("value",)),
    "value": (set(), ()),
    "itemBody": (set(), ("p", "choiceInteraction")),
    "p": (set(), ()),
    "choiceInteraction": ({"responseIdentifier", "shuffle", "maxChoices"}, ("simpleChoice",) * 4),
    "simpleChoice": ({"identifier"}, ()),
    "responseProcessing": ({"template"}, ()),
    "assessmentTest": ({"identifier", "title", "xsi:schemaLocation"}, ("testPart",)),
    "testPart": ({"identifier", "navigationMode", "submissionMode"}, ("assessmentSection",)),
    "assessmentSection": ({"identifier", "title", "visible"}, ("assessmentItemRef",) * len(ITEMS)),
    "assessmentItemRef": ({"identifier", "href"}, ()),
    "manifest": ({"identifier", "xsi:schemaLocation"}, ("metadata", "organizations", "resources")),
    "metadata": (set(), ("schema", "schemaversion")),
    "schema": (set(), ()),
    "schemaversion": (set(), ()),
    "organizations": (set(), ()),
    "resources": (set(), ("resource",) * (len(ITEMS) + 1)),
    "file": ({"href"}, ()),
    "dependency": ({"identifierref"}, ()),
    "quiz": (set(), ("question",) * (1 + len(ITEMS))),
    "category": (set(), ("text",)),
    "name": (set(), ("text",)),
    "questiontext": ({"format"}, ("text",)),
    "answer": ({"fraction", "format"}, ("text",)),
} | dict.fromkeys(
    ("text", "defaultgrade", "penalty", "hidden", "single", "shuffleanswers", "answernumbering"), (set(), ())
)
# Elements with a type, which says what stands in them.
TYPED = {
    "imsqti_item_xmlv2p1": ({"identifier", "type", "href"}, ("file",)),
    "imsqti_test_xmlv2p1": ({"identifier", "type", "href"}, ("file", *("dependency",) * len(ITEMS))),
    "category": ({"type"}, ("category",)),
    "multichoice": (
        {"type"},
        (
            "name",
            "questiontext",
            "defaultgrade",
            "penalty",
            "hidden",
            "single",
            "shuffleanswers",
            "answernumbering",
            *("answer",) * 4,
        ),
    ),
}
# What values are written as: names of XML's, booleans, and words of a list.
NAME = r"[A-Za-z_][\w.-]*"
VALUES = {
    "identifier": NAME, "identifierref": NAME, "responseIdentifier": NAME,
    "adaptive": "true|false", "timeDependent": "true|false", "shuffle": "true|false", "visible": "true|false",
    "cardinality": "single|multiple|ordered|record", "baseType": "identifier|float", "maxChoices": r"\d+",
    "navigationMode": "linear|nonlinear", "submissionMode": "individual|simultaneous",
    "format": "html|plain_text|markdown|moodle_auto_format", "fraction": r"-?\d+(\.\d+)?",
    "defaultgrade": r"\d+(\.\d+)?", "penalty": r"\d+(\.\d+)?", "hidden": "0|1", "single": "true|false",
    "shuffleanswers": "true|false", "answernumbering": "none|abc|ABCD|123|iii|IIII", "text": r"(?s).*\S.*",
}  # fmt: skip
PREFIXES = {
    "{http://www.w3.org/XML/1998/namespace}": "xml:",
    "{http://www.w3.org/2001/XMLSchema-instance}": "xsi:",
}


@pytest.fixture(scope="module")
def keys() -> KeysResult:
    return run(KeysConfig(dtype="float64", device="cpu"))


@pytest.fixture(scope="module")
def package(keys: KeysResult) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(qti(keys))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def attribute(name: str) -> str:
    return next((prefix + name[len(space) :] for space, prefix in PREFIXES.items() if name.startswith(space)), name)


def local(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(QTI).removeprefix(PACKAGE)


def departures(element: ElementTree.Element) -> list[str]:
    """Where a document is not as the specification has it."""
    name = local(element)
    known = TYPED.get(element.attrib["type"]) if name in ("resource", "question") else GRAMMAR.get(name)
    if known is None:
        return [name]
    attributes, children = known
    found = [name] if {attribute(one) for one in element.attrib} != attributes else []
    values = {**element.attrib, name: element.text or ""}
    found += [key for key, value in values.items() if not re.fullmatch(VALUES.get(key, "(?s).*"), value)]
    if tuple(map(local, element)) != children:
        found.append(f"what stands in {name}")
    return found + [fault for one in element for fault in departures(one)]


@pytest.mark.slow
def test_every_item_is_as_the_specification_has_it(package: dict[str, bytes]) -> None:
    names = [name for name in package if name not in ("imsmanifest.xml", "test.xml")]
    assert {name.removesuffix(".xml") for name in names} == set(BY_ID)
    for name in names:
        root = ElementTree.fromstring(package[name])
        assert root.tag == f"{QTI}assessmentItem"
        assert departures(root) == []
        assert root.attrib["title"].isdecimal(), "who is asked learns nothing by it"
        choices = [one.attrib["identifier"] for one in root.iter(f"{QTI}simpleChoice")]
        assert choices == list("ABCD")
        assert root.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value") in choices
    other = ElementTree.fromstring(package["slice.xml"].replace(b"<p>", b"<b>").replace(b"</p>", b"</b>"))
    assert departures(other) == ["what stands in itemBody", "b"]
    other = ElementTree.fromstring(package["slice.xml"].replace(b'shuffle="true"', b'shuffle="yes"'))
    assert departures(other) == ["shuffle"]


def test_the_package_lists_what_it_holds_and_the_test_asks_all(package: dict[str, bytes]) -> None:
    manifest, test = (ElementTree.fromstring(package[name]) for name in ("imsmanifest.xml", "test.xml"))
    assert departures(manifest) == departures(test) == []
    names = [one.attrib["identifier"] for one in test.iter() if "identifier" in one.attrib]
    assert len({*names}) == len(names) == len(ITEMS) + 3, (
        "a test, its part, its section and its items: no two of a name"
    )
    resources = list(manifest.iter(f"{PACKAGE}resource"))
    assert {one.attrib["href"] for one in resources} == {*package} - {"imsmanifest.xml"}
    assert {one.attrib["type"] for one in resources} == {"imsqti_item_xmlv2p1", "imsqti_test_xmlv2p1"}
    known = {one.attrib["identifier"] for one in resources}
    assert {one.attrib["identifierref"] for one in manifest.iter(f"{PACKAGE}dependency")} < known
    assert {one.attrib["href"] for one in test.iter(f"{QTI}assessmentItemRef")} == {f"{name}.xml" for name in BY_ID}


@pytest.mark.slow
def test_another_program_reads_the_qti(package: dict[str, bytes], keys: KeysResult, tmp_path: Path) -> None:
    """What it makes of it for Moodle, a third program reads."""
    for asked in lettered():
        (path := tmp_path / f"{asked.item.id}.xml").write_bytes(package[path.name])
        item = parse_item(path)
        assert item.identifier == asked.item.id
        assert item.response_decls["RESPONSE"].correct_values == [
            "ABCD"[asked.order.index(keys.right(asked.item.id))]
        ]
        (question,) = parse_bytes(f"<quiz>{translate(item)}</quiz>".encode())["multichoice"]
        assert asked.item.asked in question.text_pre_parse
        assert question.single
        assert question.shuffle_answers
        options = {option.answer: option.score_fraction for option in question.options}
        assert options == {
            str(choice.text): 100 * (place == keys.right(asked.item.id))
            for place, choice in enumerate(asked.item.choices)
        }


def test_the_quiz_is_as_moodle_asks_for_it(keys: KeysResult) -> None:
    made = moodle(keys)
    assert departures(ElementTree.fromstring(made)) == []
    other = made.replace(b"<single>true", b"<single>yes", 1).replace(b"<hidden>0</hidden>", b"", 1)
    assert departures(ElementTree.fromstring(other)) == ["what stands in question", "single"]
    other = made.replace(b'fraction="0"', b'fraction="no"', 1)
    assert departures(ElementTree.fromstring(other)) == ["fraction"]
    other = made.replace(b'"multichoice"', b'"choice"', 1)
    assert departures(ElementTree.fromstring(other)) == ["question"]


def test_another_program_reads_what_is_for_moodle(keys: KeysResult) -> None:
    questions = parse_bytes(moodle(keys))["multichoice"]
    assert [question.name for question in questions] == [asked.item.id for asked in lettered()]
    for question in questions:
        item = BY_ID[question.name]
        assert question.text_pre_parse == str(item.asked)
        assert (question.single, question.shuffle_answers, question.default_grade) == (True, True, 1.0)
        options = {option.answer: option.score_fraction for option in question.options}
        right = keys.right(item.id)
        assert options == {str(choice.text): 100 * (place == right) for place, choice in enumerate(item.choices)}


def test_the_table_says_what_each_answer_stands_for(keys: KeysResult) -> None:
    rows = list(csv.DictReader(io.StringIO(table(keys))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 30
    for row in rows:
        item = BY_ID[row["item"]]
        meant = {str(choice.text): choice.misconception for choice in item.choices}
        assert {row[letter]: row[f"{letter} stands for"] for letter in "ABCD"} == meant
        assert row[f"{row['right']} stands for"] == ""
        assert row["source"] == item.source.address


def test_files_say_how_keys_were_measured_and_are_the_same_again(keys: KeysResult) -> None:
    assert b"<!-- Not validated. Keys measured: float64, cpu, seed 0. -->" in moodle(keys)
    assert qti(keys) == qti(keys)


def test_files_are_in_the_language_of_who_makes_them(keys: KeysResult) -> None:
    with using("zh"):
        made = moodle(keys)
        item = zipfile.ZipFile(io.BytesIO(qti(keys))).read("slice.xml").decode()
        asked = str(BY_ID["slice"].asked)
    (question,) = [one for one in parse_bytes(made)["multichoice"] if one.name == "slice"]
    assert question.text_pre_parse == asked != str(BY_ID["slice"].asked)
    assert asked in item
    assert 'xml:lang="zh"' in item


@pytest.mark.slow
def test_an_item_without_a_key_is_in_no_file() -> None:
    coarse = run(KeysConfig(dtype="bfloat16", device="cpu"))
    unknown = {key.item for key in coarse.keys if key.right is None}
    assert "rank" in unknown
    assert {one.name for one in parse_bytes(moodle(coarse))["multichoice"]} == set(BY_ID) - unknown
    assert {row["item"] for row in csv.DictReader(io.StringIO(table(coarse)))} == set(BY_ID) - unknown


def test_keys_are_measured_item_by_item() -> None:
    steps = steps_keys(KeysConfig(dtype="float32", device="cpu"))
    first = next(steps)
    assert (first.done, first.total) == (0, 30)
