"""The anatomy page: its steps are walked, a cell is taken apart, and words stay as they were typed."""

from attention_core.studies.anatomy import AnatomyConfig, run_anatomy
from attention_core.studies.anatomy.draw import STEP_NAMES, step_of
from tests.pages.conftest import open_page
from tests.pages.read import notices, outcome, plain, said, widget


def test_the_steps_are_walked_and_each_says_what_it_does() -> None:
    at = open_page("anatomy", anatomy_step=STEP_NAMES[0])
    for step, following in zip(STEP_NAMES, (*STEP_NAMES[1:], None), strict=True):
        assert step_of(step).says in plain(at)
        if following:
            at.button(key="_N").click().run()
    at.button(key="_P").click().run()
    assert step_of(STEP_NAMES[-2]).says in plain(at)
    widget(at, "anatomy_step").set_value("qkv").run()
    assert step_of("qkv").says in plain(at)
    assert dict(at.query_params) == {"anatomy_step": "qkv"}


def test_the_link_holds_the_chosen_cell_and_the_arithmetic_follows() -> None:
    at = open_page("anatomy", anatomy_step="softmax", anatomy_cell="8.1.3.2")
    share = round(100 * run_anatomy(AnatomyConfig()).weights[0, 3, 2])
    assert f"“on” takes {share} % of what it reads here from “sat”" in said(at)
    assert not notices(at)
    assert len(notices(open_page("anatomy", anatomy_cell="nonsense"))) == 1


def test_a_number_of_heads_that_does_not_divide_is_refused_in_words() -> None:
    assert "a divisor of the width 16" in open_page("anatomy", anatomy_heads="3").error[0].value
    at = open_page("anatomy", anatomy_heads="3", anatomy_d_head="4", anatomy_step="heads")
    assert not at.error
    assert outcome(at, "mha-divisible") == "fails"


def test_words_reach_the_arithmetic_exactly_as_typed() -> None:
    at = open_page("anatomy", anatomy_step="softmax", anatomy_tokens="<b> :red[x] $y$")
    assert "“\\$y\\$” takes" in said(at)
    assert "“\\:red\\[x\\]”" in said(at)
    assert not at.exception
