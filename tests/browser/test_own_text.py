"""A text is pasted in a browser: its fragment alone would go on looking at the one before."""

from collections.abc import Callable

from tests.browser.conftest import wait_until_settled

SONG = "five boats went out, five boats came in;\nand who saw them? the wind, the wind.\n" * 12


def test_what_is_pasted_is_trained_on_at_the_first_press(visit: Callable) -> None:
    page = visit("learning", "?learning_task=text&learning_steps=20&learning_batch=8&learning_answer=skipped")
    page.get_by_text("6,430, of 67 kinds").wait_for()
    wait_until_settled(page)
    page.get_by_text("Train on a text of your own").click()
    page.get_by_label("Paste a text").fill(SONG)
    page.get_by_role("button", name="Train on it").click()
    page.get_by_text("of 17 kinds").wait_for()
    assert "boats" not in page.url
    assert page.locator(".written u").count() == 1
