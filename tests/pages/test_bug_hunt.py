"""The bug hunt for a class: what counts as right is what identify says of each of the eight."""

import pytest

from pages._shared.lessons.library import ours
from pages.bug_hunt import SAID, View, identified, page, sentence_of
from attention_core.language import LANGUAGES, using
from attention_core.studies.bug_hunt import kind_of, reference
from tests.pages.read import built


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_right_answers_of_our_course_are_what_identify_says(language: str) -> None:
    with using(language):
        asked = [(step, question) for step in ours("hunt").steps for question in step.questions]
        assert len(asked) == 5
        for step, question in asked:
            config, view = built("bug_hunt", step.settings)
            assert view.suspect in question.text, "the question asks of the one that is looked at"
            assert config.planted == "drawn", "no control says what is planted"
            accused = View(suspect=view.suspect, **{f"say_{view.suspect.lower()}": "right"})
            ((design,),) = (one.found for one in identified(config, accused))
            assert design is not None
            assert isinstance(question.right, int)
            assert question.answers[question.right] == str(SAID[kind_of(design, reference(config))])
            assert set(question.answers) <= {str(said) for said in SAID.values()}


@pytest.mark.slow
def test_at_its_end_all_eight_are_named_rightly() -> None:
    step = ours("hunt").steps[-1]
    config, view = built("bug_hunt", step.settings)
    assert len(view.accused) == 8
    assert sentence_of(config, view).endswith(":small[8 of 8 are named right.]")
    assert {verdict.claim.partition(".")[0] for verdict in page.results_of(config, view).verdicts} >= {
        "id-right",
        "id-names",
    }
