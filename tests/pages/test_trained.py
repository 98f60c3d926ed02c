"""The page of trained models: heads that are switched off, and models that come and leave with a session."""

import gc
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.page.worksheet import sheet_of
from attention_core.language import using
from attention_core.measuring import models
from attention_core.measuring.run import run
from attention_core.shipped.languages import SHIPPED
from attention_core.studies import learning, trained
from attention_core.studies.trained import HeadsConfig, run_heads
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import button, notices, outcome, plain, said, views, widget


def opened(at: Any, files: dict[str, bytes]) -> Any:
    """Bring files, and open what they hold."""
    (box,) = at.file_uploader
    box.set_value([(name, content, "application/octet-stream") for name, content in files.items()]).run()
    button(at, "Open it").click()
    return at.run()


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("model", "lang", "kind", "example"),
    [
        ("grammar", "en", "verbs", "“keys”"), ("grammar", "zh", "动词", "“keys”"),
        ("chinese", "en", "nouns", "“keys”"), ("chinese", "zh", "名词", "“条”"),
    ],
)  # fmt: skip
def test_the_question_is_true_of_whichever_model_is_chosen(model: str, lang: str, kind: str, example: str) -> None:
    """A lesson keeps its model, whatever language the reader's page would begin with."""
    lesson = Lesson(predict_first=True, fixed={"trained_model": model})
    with using(lang):
        sheet = sheet_of(Step(page="trained", settings={}, lesson=lesson))
        one, other, neither = map(str, sheet.options)
        assert not sheet.problem
        assert kind in one
        assert kind in other
        assert kind not in neither
        assert example in str(sheet.question)
        assert str(sheet.truth) in (one, other, neither)


class Hand:
    """A browser that presses one cell of the page's picture, once it is drawn again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cell: list[int] = []
        monkeypatch.setattr("pages._shared.components.matrix_view._component", self.draw)

    def draw(self, *, key: str, data: dict[str, Any], on_step_change: Any, on_cell_change: Any) -> None:
        del on_step_change
        if self.cell and key == "trained":
            st.session_state[key] = {"cell": [data["at"]["order"], *self.cell]}
            self.cell = []
            with suppress(BaseException):  # a run that is asked for is raised, and no error
                on_cell_change()
            del st.session_state[key]

    def switch(self, at: Any, head: tuple[int, int]) -> None:
        """Press the switch of a head: the cell after the last of its row."""
        self.cell = [0, 4 * head[0] + head[1], 6]
        at.run()
        assert not self.cell
        at.run()
        assert not [*at.exception, *at.error]


def test_a_head_that_is_switched_off_is_named_and_changes_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    best = run_heads(HeadsConfig()).best("agreement")
    assert best is not None
    hand, at = Hand(monkeypatch), open_answered("trained")
    assert "a plural verb" in said(at)
    hand.switch(at, best)
    assert "Without head 2.1 the probability of singular verbs rises to 37%" in plain(at)
    assert dict(at.query_params)["trained_off"] == f"{best[0]}.{best[1]}"
    assert "a plural verb" not in said(at)
    hand.switch(at, best)
    assert "trained_off" not in dict(at.query_params)


def test_the_head_that_decides_asks_the_question_first_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    best = run_heads(HeadsConfig()).best("agreement")
    assert best is not None
    hand, at = Hand(monkeypatch), open_page("trained")
    hand.switch(at, (0, 0))
    assert dict(at.query_params)["trained_off"] == "0.0"
    hand.switch(at, (0, 0))
    hand.cell = [0, 4 * best[0] + best[1], 6]
    at.run()
    assert any("Predict first" in line for line in notices(at))
    at.run()
    assert "trained_off" not in dict(at.query_params)
    at.pills(key="_trained_option").set_value("Skip").run()
    assert not any("Predict first" in line for line in notices(at))
    hand.switch(at, best)
    assert dict(at.query_params)["trained_off"] == f"{best[0]}.{best[1]}"


def test_the_switch_of_a_head_that_is_named_is_off_and_can_be_turned_on(monkeypatch: pytest.MonkeyPatch) -> None:
    best = run_heads(HeadsConfig()).best("agreement")
    assert best is not None
    hand, at = Hand(monkeypatch), open_answered("trained", trained_without="agreement")
    assert "Without head 2.1" in plain(at)
    hand.switch(at, best)
    assert "a plural verb" in said(at)
    assert not {"trained_without", "trained_off"} & {*dict(at.query_params)}


def test_a_word_that_the_model_does_not_know_is_named_and_nothing_is_lost() -> None:
    at = open_answered("trained")
    widget(at, "trained_text").set_value("the zebra").run()
    (complaint,) = at.error
    assert "this model knows 77 words" in complaint.value
    assert widget(at, "trained_text").value == "the zebra"
    assert views(at)[0]["panels"], "the last good picture is kept"


def test_another_model_begins_with_its_own_text() -> None:
    at = open_answered("trained", trained_off="1.0", trained_head="1.0")
    assert {"trained_off", "trained_head"} <= {*at.query_params}
    widget(at, "trained_model").set_value("induction").run()
    assert {*at.query_params} == {"trained_answer", "trained_model", "trained_text"}, "heads are the other's"
    assert not [*at.exception, *at.error]
    assert widget(at, "trained_text").value == "k c f a h d c f a"
    assert "Next comes “h”" in said(at)


def test_a_link_that_names_a_model_and_no_text_says_what_is_read() -> None:
    at = open_answered("trained", trained_model="induction")
    assert widget(at, "trained_text").value == "the keys near the cabinet", "as where a link says nothing"
    assert "This model reads its own example, “k c f a h d c f a”" in said(at)
    widget(at, "trained_text").set_value("a b a").run()
    assert "reads its own example" not in said(at)
    assert "Next comes “b”" in said(at)


def test_in_chinese_another_model_is_chosen_by_its_own_box() -> None:
    at = open_answered("trained", lang="zh")
    with using("zh"):
        widget(at, "trained_model").set_value("induction").run()
        assert not [*at.exception, *at.error]
        assert widget(at, "trained_text").value == "k c f a h d c f a"
    assert dict(at.query_params)["trained_model"] == "induction"


@pytest.mark.parametrize(("switch", "value"), [("untrained", True), ("factor", 8.0), ("without", "agreement")])
def test_each_switch_changes_the_picture_and_no_claim_surprises(switch: str, value: Any) -> None:
    at = open_answered("trained")
    before = views(at)[0]["block"]
    widget = at.toggle if isinstance(value, bool) else at.selectbox
    widget(key=f"trained_{switch}").set_value(value).run()
    assert views(at)[0]["block"] != before
    assert outcome(at, "bias-k") == "holds"


def test_a_folder_that_is_brought_is_looked_at_and_leaves_with_its_session() -> None:
    free = models.free_bytes()
    at = opened(open_answered("trained"), files_of(SHIPPED["reverse"]))
    assert not [*at.exception, *at.error]
    assert "Open: **your model**" in said(at)
    assert dict(at.query_params)["trained_model"] == "own"
    assert models.free_bytes() < free
    assert not any("safetensors" in str(value) or "digest" in str(value) for value in dict(at.query_params).values())
    at.selectbox(key="trained_show").set_value("depth").run()
    assert not [*at.exception, *at.error]
    at.run()  # a browser keeps the controls that a run does not draw
    button(at, "Close it").click()
    at.run()
    assert not [*at.exception, *at.error]
    gc.collect()
    assert models.free_bytes() == free
    assert widget(at, "trained_model").value == "grammar"


def bring(at: Any, files: dict[str, bytes]) -> Any:
    at.file_uploader[0].set_value([(name, content, "application/octet-stream") for name, content in files.items()])
    return at.run()


def buttons(at: Any) -> set[str]:
    return {one.label for one in at.button}


def test_what_may_be_brought_is_said_before_and_all_of_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "MAX_BYTES", 300 * 2**20)
    at = open_answered("trained")
    (box,) = at.file_uploader
    assert all(name in box.label for name in ("config.json", "model.safetensors", "tokenizer.json"))
    assert "Up to 300 MB for all models that are open here" in said(at)
    assert box.proto.max_upload_size_mb == 300
    whole = files_of(SHIPPED["reverse"])
    for name, other in (("model.safetensors", "config.json"), ("config.json", "model.safetensors")):
        bring(at, {name: whole[name]})
        assert not [*at.exception, *at.error]
        assert f"Still to come: **{escape_markdown(other)}**" in said(at)
        assert "Open it" not in buttons(at)
    bring(at, whole)
    assert "Still to come" not in said(at)
    assert "Open it" in buttons(at)


def test_parts_wait_for_each_other_and_a_name_that_nothing_reads_is_told() -> None:
    at, config = open_answered("trained"), files_of(SHIPPED["reverse"])["config.json"]
    first, second = (f"model-0000{part}-of-00002.safetensors" for part in (1, 2))
    index = json.dumps({"weight_map": {"a": first, "b": second}}).encode()
    for files, missing in (
        ({first: b""}, ("config.json", "model.safetensors.index.json")),
        ({"config.json": config, "model.safetensors.index.json": index, second: b""}, (first,)),
        ({"config (1).json": config}, ("model.safetensors",)),  # what browsers call a second download
    ):
        bring(at, files)
        assert "Still to come: " + " and ".join(f"**{escape_markdown(name)}**" for name in missing) in said(at)
        assert "Open it" not in buttons(at)
    for name in ("config of mine.json", "gpt2.safetensors"):
        bring(at, {name: b"{}"})
        (complaint,) = at.error
        assert all(escape_markdown(one) in complaint.value for one in (name, "config.json", "model.safetensors"))
        assert "Open it" not in buttons(at)
    bring(at, {"config.json": config, "config (1).json": config})
    (complaint,) = at.error
    assert escape_markdown("config (1).json") in complaint.value
    assert "Open it" not in buttons(at)


def test_a_text_that_is_too_long_is_kept_as_it_was_typed_and_that_is_said() -> None:
    at = open_answered("trained")
    for text, sentence in (("the " * 65, "1 to 64 tokens are allowed"), ("x" * 600, "at most 512 characters")):
        widget(at, "trained_text").set_value(text).run()
        (complaint,) = at.error
        assert sentence in complaint.value
        assert widget(at, "trained_text").value == text
    at = open_answered("trained", trained_text="the keys " * 100)
    (told,) = notices(at)
    assert "which is not possible" in told


def test_a_link_to_a_model_of_somebodys_own_says_that_its_files_are_needed() -> None:
    at = open_answered("trained", trained_model="own")
    assert not at.exception
    (told,) = at.error
    assert "open the files of a model first, under “Open a model of your own”" in told.value
    (opener,) = (one for one in at.expander if one.label == "Open a model of your own")
    assert opener.proto.expanded
    at = open_answered("trained")
    widget(at, "trained_model").set_value("own").run()
    assert [one.proto.expanded for one in at.expander if one.label == "Open a model of your own"] == [True]


def test_what_was_kept_on_learning_opens_here() -> None:
    trained = run(learning.LearningConfig(steps=20, causal=True, tokens=6, kinds=5, heads=2, d_model=16)).trained
    at = opened(open_answered("trained"), {"kept.safetensors": learning.keep(trained)})
    assert not [*at.exception, *at.error]
    assert "Open: **kept\\.safetensors**" in said(at)
    assert widget(at, "trained_text").value == "a b c d e a"


@pytest.mark.parametrize(
    ("task", "causal", "said_of_it"),
    [("induction", True, "Next comes "), ("induction", False, "does not predict what comes next"),
     ("copy", True, "does not predict what comes next")],
)  # fmt: skip
def test_only_of_a_model_that_predicts_it_is_said_what_comes_next(task: str, causal: bool, said_of_it: str) -> None:
    config = learning.LearningConfig(task=task, causal=causal, steps=2, tokens=6, kinds=5, back=1, d_model=16)
    at = opened(open_answered("trained"), {"kept.safetensors": learning.keep(run(config).trained)})
    assert not [*at.exception, *at.error]
    assert [part in said(at) for part in ("Next comes ", "does not predict what comes next")] == [
        part == said_of_it for part in ("Next comes ", "does not predict what comes next")
    ]


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"config.json": b"{}", "model.safetensors": b"PK\x03\x04" + b"\0" * 64}, "model\\_type"),
        ({"config.json": b"[" * 5000, "model.safetensors": b""}, "config\\.json"),
        ({"weights.safetensors": b"\0" * 100}, ""),
        ({"config.json": json.dumps({"model_type": "gpt2"}).encode(), "other.json": b"{}"}, ""),
    ],
)
def test_files_that_are_no_model_are_refused_with_a_sentence(files: dict[str, bytes], complaint: str) -> None:
    at = open_answered("trained")
    (box,) = at.file_uploader
    box.set_value([(name, content, "application/octet-stream") for name, content in files.items()]).run()
    if not at.error:
        button(at, "Open it").click()
        at.run()
    assert not at.exception
    (said_so,) = at.error
    assert complaint in said_so.value
    assert said_so.value.endswith((".", "\\."))
