"""The masks page: what it shows is what the stack reports, view by view."""

import pytest

from attention_core.figures.masking import CONVENTION_ROWS, SAYS, VIEWS
from tests.pages.conftest import Open, held


def text_of(at: object) -> str:
    return "\n".join(markdown.value for markdown in at.markdown)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("stack", ["encoder", "encoder-decoder"])
def test_each_view_says_what_it_shows(view: str, stack: str, open_page: Open) -> None:
    at = open_page("masks", masks_show=view, masks_stack=stack)
    assert SAYS[view] in text_of(at)
    assert not at.exception
    assert not at.warning
    assert not at.error


def test_the_table_of_conventions_is_shown_as_it_is_tested(open_page: Open) -> None:
    at = open_page("masks", masks_show="conventions")
    table = at.table[0].value
    assert list(table["argument"]) == [row[2] for row in CONVENTION_ROWS]
    assert list(table["True means"]) == [row[4] for row in CONVENTION_ROWS]


def verdict_of(at: object, key: str) -> str:
    """The line on the page that tells a claim's verdict, the first of several."""
    return next(line for line in text_of(at).splitlines() if f"`{key} · " in line)


@pytest.mark.parametrize(
    ("parameters", "claim", "says"),
    [
        ({}, "mask-encoder", "** holds."),
        ({"unmasked": "true"}, "mask-encoder", "** does not hold: the padding mask is left out"),
        ({"stack": "decoder", "unmasked": "true"}, "mask-decoder", "** holds."),
        ({"stack": "decoder", "unmasked": "true", "side": "left"}, "mask-decoder", "** does not hold"),
        ({"stack": "encoder-decoder"}, "mask-encdec", "** holds."),
        ({"show": "additive", "score_size": "100000"}, "mask-additive", "** does not hold"),
        ({"show": "empty"}, "mask-full", "** holds."),
        ({"show": "empty", "naive": "true"}, "mask-full", "** does not hold"),
        ({"padding": "not-a-number"}, "mask-encoder", "0 · NaN is NaN"),
    ],
)
def test_verdicts_follow_the_switches_in_links(parameters: dict, claim: str, says: str, open_page: Open) -> None:
    at = open_page("masks", **{f"masks_{name}": value for name, value in parameters.items()})
    assert not at.warning
    assert says in verdict_of(at, claim)


@pytest.mark.parametrize("typed", ["a dog ||| birds", "||| a dog | | birds ||"])
def test_bars_that_stand_together_are_no_word_and_empty_sentences_are_left_out(typed: str, open_page: Open) -> None:
    at = open_page("masks", masks_sentences=typed)
    assert not at.warning
    assert at.text_input(key="masks_sentences").value == "a dog | birds"


def test_a_text_of_bars_alone_is_refused_in_words(open_page: Open) -> None:
    at = open_page("masks")
    at.text_input(key="masks_sentences").set_value("|||").run()
    assert ["1 to 6 sentences are allowed" in error.value for error in at.error] == [True]


def grade_of(at: object) -> str:
    return next(item.value for item in at.markdown if item.value.startswith("**You said**"))


@pytest.mark.parametrize(("seed", "dtype"), [("0", "float64"), ("9", "bfloat16"), ("41", "float16")])
def test_an_answer_moves_every_control_and_the_grade_changes_with_the_settings(
    seed: str, dtype: str, open_page: Open
) -> None:
    at = open_page("masks", seed=seed, dtype=dtype, masks_batch_norm="true", masks_padding="nan", masks_side="left")
    at.pills(key="_masks_option").set_value("Stay exactly").run()
    assert "The measurement agrees" in grade_of(at)
    moved = set(held(at, "masks"))
    assert moved == {"stack", "show", "unmasked"}
    at.segmented_control(key="masks_side").set_value("left").run()
    assert "Measured here: **Move**" in grade_of(at)


def test_sentences_are_cut_at_bars_and_refused_in_words(open_page: Open) -> None:
    at = open_page("masks", masks_sentences="just one")
    assert "· 1 sentence · " in verdict_of(at, "mask-encoder")
    at.text_input(key="masks_sentences").set_value("a|b | c | d | e | f | g | h").run()
    assert "1 to 6 sentences" in at.error[0].value
    at.run()  # the move ran the answers alone, and left the controls out of what this test sees
    at.text_input(key="masks_sentences").set_value(" | | ").run()
    assert "1 to 6 sentences" in at.error[0].value
    assert "which is not possible" in open_page("masks", masks_sentences=" | | ").warning[0].value
    at = open_page("masks", masks_sentences="<b> | :red[x] $y$", masks_show="pad test")
    assert not at.exception
    assert not at.error
