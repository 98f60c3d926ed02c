"""The masks page: what it shows is what the stack reports, view by view."""

import pytest

from attention_core.figures.masking import CONVENTION_ROWS, SAYS, VIEWS
from tests.pages.conftest import Open


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("stack", ["encoder", "encoder-decoder"])
def test_each_view_says_what_it_shows(view: str, stack: str, open_page: Open) -> None:
    at = open_page("masks", masks_show=view, masks_stack=stack)
    assert SAYS[view] in text_of(at)
    assert not at.exception
    assert not at.error


def test_the_table_of_conventions_is_shown_as_it_is_tested(open_page: Open) -> None:
    at = open_page("masks", masks_show="conventions")
    table = at.table[0].value
    assert list(table["argument"]) == [row[2] for row in CONVENTION_ROWS]
    assert list(table["True means"]) == [row[4] for row in CONVENTION_ROWS]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "mask-encoder holds"),
        ({"masks_unmasked": "true"}, "mask-encoder does not hold**: the padding mask is left out"),
        ({"masks_stack": "decoder", "masks_unmasked": "true"}, "mask-decoder holds"),
        ({"masks_stack": "decoder", "masks_unmasked": "true", "masks_side": "left"}, "mask-decoder does not hold"),
        ({"masks_stack": "encoder-decoder"}, "mask-encdec holds"),
        ({"masks_show": "−10000 or −∞", "masks_score_size": "100000"}, "mask-additive does not hold"),
        ({"masks_show": "a row without keys"}, "mask-full holds"),
        ({"masks_show": "a row without keys", "masks_naive": "true"}, "mask-full does not hold"),
        ({"masks_padding": "NaN"}, "= NaN ≠ 0"),
    ],
)
def test_verdicts_follow_the_switches(parameters: dict, says: str, open_page: Open) -> None:
    assert says in text_of(open_page("masks", **parameters))


@pytest.mark.parametrize(
    ("parameters", "grade"),
    [({}, "The tensor agrees"), ({"masks_batch_norm": "true"}, "the tensor says **Move**")],
)
def test_the_prediction_is_graded_from_the_new_result(parameters: dict, grade: str, open_page: Open) -> None:
    at = open_page("masks", **parameters)
    at.pills(key="_masks_option").set_value("Stay exactly").run()
    assert grade in text_of(at)


def test_sentences_are_cut_at_bars_and_refused_in_words(open_page: Open) -> None:
    assert "1 sentence :gray" not in text_of(open_page("masks"))
    assert "1 sentence · " in text_of(open_page("masks", masks_sentences="just one"))
    assert "1 to 6 sentences" in open_page("masks", masks_sentences="a|b | c | d | e | f | g | h").error[0].value
    assert "1 to 6 sentences" in open_page("masks", masks_sentences=" | | ").error[0].value
    at = open_page("masks", masks_sentences="<b> | :red[x] $y$", masks_show="pad test")
    assert not at.exception
    assert not at.error
