"""The variants page: each picture's slider holds a setting, and times are measured only when asked."""

from collections.abc import Generator

import pytest

from attention_core.claims import statement
from attention_core.measuring.clock import Task
from attention_core.measuring.step import Step
from attention_core.studies.variants import crossing
from tests.pages.conftest import open_page
from tests.pages.read import outcome, page_of, plain, said


def test_a_grade_and_its_reason_stand_at_the_questions_own_move_alone() -> None:
    at = open_page("variants")
    at.pills(key="_variants_option").set_value(page_of("variants").predict.options[1]).run()
    assert f"**Why:** {statement('cache-exact').removesuffix('.')}" in plain(at)
    at.pills(key="_variants_preset").set_value(5).run()
    assert outcome(at, "cache-exact") == "fails"
    assert "You said" not in said(at)


def test_asked_for_it_measures_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_the_work(tasks: list[Task], *_: object) -> Generator[Step, None, list[Task]]:
        """Stands for the clock: linear attention takes 64 times as long for a token as softmax for a pair."""
        for at, task in enumerate(tasks):
            yield Step(at, len(tasks), task.doing)
            task.times += [1e-6 * task.flops * (64 if task.kind == "linear" else 1)] * 3
        return []

    monkeypatch.setattr(crossing, "measure", as_the_work)
    at = open_page("variants", variants_measure="n", variants_seconds="2", variants_answer="skipped")
    assert not at.exception
    assert "From about 64 tokens on linear attention takes less time here." in said(at)
    assert any(one.key == "variants_curves" for one in at.get("bidi_component"))


def test_the_sliders_of_longer_and_shorter_sentences() -> None:
    at = open_page("variants", variants_show="cache", variants_word="6", variants_answer="skipped")
    for typed in ("two words", "one"):
        at.text_input(key="variants_tokens").set_value(typed).run()
        assert not [*at.exception, *at.error]
        at.run()  # a browser keeps the controls that a run does not draw
