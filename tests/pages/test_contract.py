"""What every experiment page owes its visitor: each part of the frame, with real content."""

import ast
import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import COURSE, FOLDER, HOME, LEDGER, PAGES
from tests.experiments.test_snippets import SHORTEST
from tests.pages.conftest import Open, held

NAMES = [page.name for page in PAGES]
NUMBER = re.compile(r"`[^`]*\d[^`]*`")


def texts(at: AppTest) -> list[str]:
    return [item.value for item in at.markdown]


def button(at: AppTest, label: str) -> object:
    return next(item for item in at.button if item.label == label)


def measured(graded: str) -> str:
    """What was measured, as the line says that grades an answer: the answer itself where it is right."""
    if "cannot tell" in graded:
        return ""
    said, right, other = re.fullmatch(
        r"\*\*You said\*\* (.+)\. (?:(The measurement agrees\.)|Measured here: \*\*(.+)\*\*\.) :.*", graded
    ).groups()
    assert said != other
    return said if right else other


def open_tab(open_page: Open, name: str, tab: str, **parameters: str) -> AppTest:
    return open_page(name, **parameters | {f"{name}_tab": tab})


def test_every_script_in_the_folder_is_listed() -> None:
    scripts = {path.stem for path in FOLDER.glob("*.py")}
    assert scripts == {HOME.name, *NAMES, LEDGER.name, COURSE.name}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_says_what_it_shows(page: object) -> None:
    assert len(page.claim.split()) >= 6
    assert page.claim.endswith(".")
    assert page.formula
    source = (FOLDER / f"{page.name}.py").read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(source))


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_the_frame_is_there(name: str, open_page: Open) -> None:
    at = open_page(name)
    assert not at.exception
    assert at.title
    said = texts(at)
    question = at.pills(key=f"_{name}_option")
    assert question.label.startswith("**Predict.** ")
    assert question.label.endswith(("?", "…"))
    assert 3 <= len(question.options) <= 5
    assert question.options[-1] == "Skip"
    assert any("**Break it**" in text for text in said)
    assert 3 <= len(at.pills(key=f"_{name}_preset").options) <= 5
    assert button(at, "Reset")
    assert button(at, "Pin")
    assert [tab.label for tab in at.tabs] == ["Why", "Code", "Data", "Share"]
    assert at.page_link
    question.set_value("Skip").run()
    assert any(" holds" in text and NUMBER.search(text) for text in texts(at)), "a verdict with its number"


@pytest.mark.parametrize("name", NAMES)
def test_why_proves_step_by_step_beside_measured_numbers(name: str, open_page: Open) -> None:
    (proof,) = (text for text in texts(open_tab(open_page, name, "why")) if text.startswith("**1** "))
    steps = re.split(r"^\*\*\d+\*\* ", proof, flags=re.M)[1:]
    assert len(steps) >= 2
    assert all(len(step.split("\n\n> ")) == 2 for step in steps)
    words, measured = zip(*(step.split("\n\n> ") for step in steps), strict=True)
    assert all(len(said.split()) >= 12 for said in words)
    assert sum(bool(NUMBER.search(said)) for said in measured) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_code_is_short_plain_torch(name: str, open_page: Open) -> None:
    at = open_tab(open_page, name, "code")
    short, code = (item.value for item in at.code)
    assert short == SHORTEST[name].strip()
    ast.parse(code)
    assert re.search(r"^import .*\btorch\b", code, re.M)
    assert "attention_core" not in code
    assert 8 <= sum(map(bool, code.splitlines())) <= 100, "with the functions that all studies share"


@pytest.mark.parametrize("name", NAMES)
def test_data_has_a_table_a_figure_and_files(name: str, open_page: Open) -> None:
    at = open_tab(open_page, name, "data")
    assert not at.exception
    assert len(at.dataframe[0].value) >= 2
    assert at.get("plotly_chart")
    assert [item.label for item in at.get("download_button")][:3] == ["CSV", "JSON", "HTML"]


@pytest.mark.parametrize("name", NAMES)
def test_share_has_the_link_its_code_and_a_lesson(name: str, open_page: Open) -> None:
    at = open_tab(open_page, name, "share", seed="7")
    assert not at.exception
    links = [item.value for item in at.code]
    assert any("seed=7" in link and "course=" not in link for link in links)
    assert any("course=" in link for link in links)
    assert at.get("image")


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_makes_a_move_and_is_graded_and_skipping_is_one_click(name: str, open_page: Open) -> None:
    at = open_page(name)
    graded = []
    for answer in at.pills(key=f"_{name}_option").options[:2]:
        at.pills(key=f"_{name}_option").set_value(answer).run()
        assert not at.exception
        graded.append(next(text for text in texts(at) if text.startswith("**You said**")))
        assert held(at, name), "it asks for what is there already"
        button(at, "Ask again").click()
        at.run()
    assert len({measured(text) for text in graded}) == 1, "both answers make the same move"
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    assert not any(group.label.startswith("**Predict.**") for group in at.pills)
    assert not any("You said" in text for text in texts(at))


@pytest.mark.parametrize("name", NAMES)
def test_a_pinned_picture_stays_beside_the_next_one(name: str, open_page: Open) -> None:
    at = open_page(name)
    button(at, "Pin").click()
    at.run()
    at.pills(key=f"_{name}_preset").set_value(1).run()
    assert not at.exception
    assert {"Now", "Pinned"} <= {item.value for item in at.caption}
    button(at, "Unpin").click()
    at.run()
    assert "Pinned" not in {item.value for item in at.caption}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "learning" else name for name in NAMES]
)
def test_presets_go_where_they_say_and_reset_comes_back(name: str, open_page: Open) -> None:
    at = open_page(name)
    start = dict(at.query_params)
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    seen, surprises = set(), set()
    presets = range(len(at.pills(key=f"_{name}_preset").options))
    for index in presets:
        at.pills(key=f"_{name}_preset").set_value(index).run()
        assert not at.exception
        assert not at.error, index
        at.run()  # the groups of controls that a preset leaves as they are are not drawn anew
        assert at.pills(key=f"_{name}_preset").value == index, "it is lit while the controls are as it set them"
        seen.add(str(sorted(at.query_params.items())))
        surprises.add(next(text for text in texts(at) if text.startswith(":small[:gray[") and len(text.split()) >= 4))
    assert len(seen) == len(surprises) == len(presets), "two presets are the same"
    button(at, "Reset").click()
    at.run()
    assert dict(at.query_params) == start
