"""A class played through in real browsers: a teacher at a projector's size, three students on phones."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._shared.core.language import language
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from tests.browser.classes import PANEL, STEPS, counts, says, start, step, vote
from tests.browser.conftest import barriers, wait_until_settled
from tests.browser.locators import ALERT, FIGURE, POPOVER
from tests.browser.screens import PHONE, PROJECTOR

pytestmark = pytest.mark.xdist_group("live class")
ANSWERS = (  # to the question of Scaling
    "It shrinks for every query", "It stays about as it is", "It grows", "It vanishes for most, and grows for a few",
)  # fmt: skip
ENDED = "This class has ended; nothing of it is left on the server."


def chinese(text: str) -> str:
    """What a Chinese visitor reads for a text."""
    with language.using("zh"):
        return language.gettext(text)


def address_of(page: Any) -> tuple[str, dict[str, str]]:
    """Where a page is, and what its link holds, in whatever order."""
    parts = urlsplit(page.url)
    return parts.path, dict(parse_qsl(parts.query))


def join(phone: Any, key: str) -> None:
    """Type the key of a class on Home."""
    phone.get_by_role("button", name="Join a class").click()
    phone.get_by_label("Key of your class").fill(key)
    phone.get_by_role("button", name="Join", exact=True).click()


def test_a_class_is_played_through(visit: Callable, settled: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share", **PROJECTOR)
    key, secret = start(teacher)
    phones = [visit("", f"?class={key}", **PHONE) for _ in range(2)]
    phones.append(visit("", **PHONE))
    join(phones[2], key.lower())
    for phone in phones:
        says(phone, ".line", f"class {key}")
        says(phone, ".note", "No names")
    says(teacher, ".here", "^3 here$")
    says(teacher, ".note", "No names")
    assert teacher.locator(f"{PANEL} .steps button:visible").all_inner_texts() == STEPS
    assert teacher.locator(f"{PANEL} .qr").is_hidden(), "it would lead nobody here"
    says(teacher, ".address", "students cannot open it")
    assert barriers(teacher) == barriers(phones[0]) == []

    step(teacher, "Ask")
    for place, phone in enumerate(phones):
        says(phone, ".line", "^Vote. Without scaling")
        assert min(one.bounding_box()["height"] for one in phone.locator(f"{PANEL} .answer").all()) >= 44
        vote(phone, place)
        assert min(one.bounding_box()["height"] for one in phone.locator(f"{PANEL} button:visible").all()) >= 44
    vote(phones[1], 0)  # the last one counts
    says(teacher, ".status", "^Vote: 3 of 3$")
    phones[0].reload()
    says(phones[0], ".answer[aria-pressed=true]", "It shrinks")
    assert barriers(phones[0]) == []
    teacher.keyboard.down("PageDown")
    for phone in phones:
        says(phone, ".line", "^Closed")
    teacher.keyboard.down("PageDown")  # it is held
    teacher.keyboard.up("PageDown")
    assert teacher.locator(f"{PANEL} table").count() == 0, "nobody sees a count before the teacher shows it"
    step(teacher, "Ask again")
    for phone in phones:
        says(phone, ".line", "^Vote again")
        assert phone.locator(f"{PANEL} [aria-pressed=true]").count() == 0
        vote(phone, 3)
    teacher.reload()
    says(teacher, ".status", "^Second vote: 3 of 3$")
    settled(teacher)
    step(teacher, "Close the vote")
    step(teacher, "Show the counts")
    assert counts(teacher) == counts(phones[2]) == [["2", "0"], ["0", "0"], ["1", "0"], ["0", "3"]]
    assert "d_head" not in teacher.url
    step(teacher, "Reveal the answer")
    says(teacher, ".measured", "It vanishes for most.*✓ measured")
    says(phones[0], ".measured", "It vanishes for most.*your answer")
    says(phones[0], ".sent", "^Your answer matches the measurement.$")
    assert "scaling_d_head=4096" in teacher.url, "the move was made before the tensor was asked"
    with teacher.expect_download() as saved:
        teacher.get_by_role("button", name="Results (CSV)").click()
    file = Path(saved.value.path()).read_text("utf-8")
    assert file.startswith("\ufeff")
    rows = csv.DictReader(file.removeprefix("\ufeff").splitlines())
    assert [(row["round"], row["from"], row["answer"], row["votes"]) for row in rows] == [
        *(("1", "", answer, votes) for answer, votes in zip(ANSWERS, "2010", strict=True)),
        *(("2", "", answer, votes) for answer, votes in zip(ANSWERS, "0003", strict=True)),
        ("1 to 2", ANSWERS[0], ANSWERS[3], "2"),
        ("1 to 2", ANSWERS[2], ANSWERS[3], "1"),
    ]

    frames = [one if isinstance(one, bytes) else str(one).encode() for one in teacher.sent]
    assert frames
    assert not any(secret.encode() in frame for frame in frames), "Streamlit never hears the secret"
    assert not any(secret in url for url in teacher.asked)


@pytest.mark.nightly
def test_students_follow_look_up_and_go_back(visit: Callable, settled: Callable, open_page: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share", **PROJECTOR)
    key, secret = start(teacher)
    phone = visit("masks", f"?seed=5&class={key}", **PHONE)
    other = visit("biases", f"?class={key}", **PHONE)
    own = address_of(phone)
    teacher.get_by_role("button", name="Bring them here").click()
    for one in (phone, other):
        one.wait_for_url("**/scaling**")
        settled(one)
        assert "seed" not in one.url
        assert f"class={key}" in one.url
        one.get_by_role("button", name="Back to my page").wait_for()
    late = visit("", f"?class={key}", **PHONE)
    late.wait_for_url("**/scaling**")
    # One strays; who brings them here again fetches everybody.
    other.get_by_role("radio", name="÷ size", exact=True).click()
    other.wait_for_function("() => location.search.includes('scaling_scale')")
    settled(other)
    teacher.get_by_role("button", name="Look up").click()
    says(phone, ".look", "Look up")
    phone.reload()  # its next session knows only what the tab has kept
    says(phone, ".look", "Look up")
    settled(phone)
    teacher.get_by_role("button", name="Bring them here").click()
    other.wait_for_function("() => !location.search.includes('scaling_scale')")
    phone.wait_for_function("(name) => JSON.parse(sessionStorage.getItem(name)).call === 2", arg=f"room_way/{key}")
    teacher.get_by_role("button", name="Go on").click()
    phone.locator(f"{PANEL} .look").wait_for(state="hidden")
    teacher.get_by_role("button", name="Let them play").click()
    teacher.locator(f"{PANEL} button:disabled", has_text="Let them play").wait_for()
    settled(phone)
    phone.get_by_role("button", name="Back to my page").click()
    phone.wait_for_url("**/masks**")
    settled(phone)
    assert address_of(phone) == own

    # The teacher's own link, opened once more: what one panel does the other sees, and the address hides the secret.
    second = visit("scaling", f"?class={key}#teacher={secret}", **PROJECTOR)
    says(second, ".letters", key)
    second.wait_for_function("() => location.hash === ''")
    settled(second)
    second.get_by_text("Write your own questions").click()
    second.get_by_role("textbox", name="Your own questions").fill("Is <b>this</b> text?\nNo\n* Yes\n\nLonely\n")
    says(second, ".wrong", "“Lonely” has no answers; 2 to 6 are needed.")
    second.get_by_role("radio", name="Is <b>this</b> text?").check()
    step(second, "Ask")
    says(phone, ".line", "^Vote. Is <b>this</b> text\\?$")
    vote(phone, 1)
    says(teacher, ".asked", "this")
    step(teacher, "Close the vote")
    step(second, "Ask again")
    vote(phone, 1)
    step(second, "Close the vote")
    step(second, "Show the counts")
    step(second, "Reveal the answer")
    says(phone, ".sent", "^Your answer is right.$")
    says(teacher, ".measured", "Yes ?✓ right")

    remote = "document.documentElement.dataset.remote"
    assert second.evaluate(remote) == "class"
    second.get_by_role("button", name="End the class").click()
    with second.expect_download():
        second.get_by_role("button", name="Save the results").click()
    second.get_by_role("button", name="End it for everybody").click()
    for one in (teacher, second, phone, other, late):
        says(one, "p", f"^{ENDED}$")
    assert second.evaluate(remote) is None, "it walks the page again"
    phone.get_by_role("button", name="Close").click()
    phone.wait_for_function("() => !location.search.includes('class')")
    phone.locator(PANEL).wait_for(state="detached")
    stranger = visit("", f"?class={key}", **PHONE)
    says(stranger, ".line", f"^{ENDED}$")
    nobody = visit("", "?class=BBBBB", **PHONE)
    says(nobody, ".line", "^There is no class with this key.")
    for one in (stranger, nobody):
        assert all("410" in error or "404" in error for error in one.errors)
        one.errors.clear()


@pytest.mark.nightly
def test_a_remote_goes_where_the_class_is_and_all_votes_stand_at_the_end_of_the_course(visit: Callable) -> None:
    asked = Lesson(questions="Is it?\nNo\n* Yes")
    course = Course(steps=(Step(page="scaling", lesson=asked), Step(page="masks")))
    teacher = visit("masks", f"?course={course.encode()}&step=2&masks_tab=share", **PROJECTOR)
    key, secret = start(teacher)
    by_class = visit("", f"?class={key}", **PHONE)
    by_course = visit("masks", f"?course={course.for_students().encode()}&step=2&class={key}", **PHONE)
    remote = visit("", f"?class={key}#teacher={secret}", **PHONE)
    for one in (by_class, remote):
        one.wait_for_url("**/masks**")
    remote.locator(f"{PANEL} .walk").get_by_role("button", name="Previous step").click()
    for one in (teacher, by_class, by_course, remote):
        one.wait_for_url("**/scaling**")
    step(remote, "Ask")
    for place, phone in enumerate((by_class, by_course)):
        vote(phone, place)
    step(remote, "Close the vote")
    remote.locator(f"{PANEL} .steps").get_by_role("button", name="Reveal the answer").click()
    says(remote, ".measured", "Yes ?✓ right")
    for where in ("Step 1 of 2", "Step 2 of 2"):
        says(remote, ".walk", where)
        remote.locator(f"{PANEL} .walk").get_by_role("button", name="Next step").click()
    right = "✓ right"
    for one, marks in (
        (by_class, ["your answer", right]),
        (by_course, ["", f"{right}your answer"]),
        (teacher, ["", right]),
        (remote, ["", right]),
    ):
        votes = one.locator(".st-key-_class_votes")
        votes.get_by_role("heading", name="Step 1. Is it?").wait_for()
        assert votes.locator("td .count").all_inner_texts() == ["1", "1"]
        assert ["".join(row.locator("em").all_inner_texts()) for row in votes.locator("tbody th").all()] == marks
        assert barriers(one) == []


@pytest.mark.nightly
def test_another_device_of_the_teachers_is_taken_along_without_a_course(visit: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share", **PROJECTOR)
    key, secret = start(teacher)
    remote = visit("masks", f"?class={key}#teacher={secret}", **PHONE)
    teacher.get_by_role("button", name="Bring them here").click()
    remote.wait_for_url("**/scaling**")
    teacher.get_by_role("link", name="Biases").first.click()
    teacher.wait_for_url("**/biases**")
    step(teacher, "Ask")
    remote.wait_for_url("**/biases**")
    says(remote, ".status", "^Vote: 0 of 0$")
    assert "/biases" in teacher.url


@pytest.mark.nightly
def test_a_teachers_own_link_that_mail_has_changed_leads_the_class_and_hides_its_secret(visit: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share", **PROJECTOR)
    key, secret = start(teacher)
    assert re.search(rf"class={key}-[0-9a-f]{{16}}$", teacher.url)
    ways = (
        f"?class={key}%23teacher%3D{secret}",
        f"?class={key.lower()}&utm_source=mail#teacher={secret}.",  # the app writes this address anew
        f"?amp;class={key}#teacher%3D{secret}",
    )
    for way in ways:
        other = visit("scaling", way, **PROJECTOR)
        says(other, ".letters", f"^{key}$")
        other.wait_for_function("() => /class=[A-Z]{5}-[0-9a-f]{16}$/.test(location.href)")
        assert secret not in other.inner_text("body")
        other.reload()
        says(other, ".letters", f"^{key}$")
    nobody = visit("scaling", f"?class=AEIOU#teacher={secret}", **PROJECTOR)
    nobody.wait_for_function("() => !location.href.includes('teacher')")
    assert not nobody.locator(PANEL).count()


def test_a_key_of_no_class_is_said_to_be_none_where_it_was_typed(visit: Callable, settled: Callable) -> None:
    phone = visit("", **PROJECTOR)
    figure = phone.locator(FIGURE)
    before = figure.bounding_box()
    join(phone, "BBBBB")
    refused = phone.locator(f"{POPOVER} {ALERT}").get_by_text("There is no class with this key.")
    refused.wait_for()
    settled(phone)
    assert figure.bounding_box() == before, "nothing has moved"
    assert not phone.locator(PANEL).count()
    assert "class" not in phone.url
    phone.get_by_label("Key of your class").fill("B")
    phone.get_by_role("button", name="Join", exact=True).click()
    phone.locator(POPOVER).get_by_text("is not a class key").wait_for()
    assert not refused.count(), "it goes with the key that it speaks of"
    phone.errors.clear()  # the browser names each answer of 404


@pytest.mark.nightly
def test_a_phone_keeps_its_language_wherever_it_is_brought(visit: Callable, settled: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share&lang=zh", **PROJECTOR)
    key, _ = start(teacher, chinese("Start a class"))
    english, other = visit("", f"?class={key}", **PHONE), visit("", f"?class={key}&lang=zh", **PHONE)
    says(english, ".line", f"^You are in class {key}")
    teacher.get_by_role("button", name=chinese("Bring them here")).click()
    for phone in (english, other):
        phone.wait_for_url("**/scaling*")
        settled(phone)
    says(english, ".line", f"^You are in class {key}")
    assert english.evaluate("document.documentElement.lang") == "en"
    assert "lang" not in english.url
    assert "lang=zh" in other.url
    step(teacher, chinese("Ask"))
    says(english, ".line", "^Vote. Without scaling")
    says(english, ".answer", "It vanishes for most")
    says(other, ".line", f"^{chinese('Vote.')}.*[\u3400-\u9fff]")
    says(other, ".answer", chinese("It vanishes for most, and grows for a few"))
    vote(english, 3)
    assert barriers(english) == []


@pytest.mark.nightly
def test_a_class_is_not_lost_where_the_page_is_left_before_it_is_open(visit: Callable, settled: Callable) -> None:
    teacher = visit("scaling", "?scaling_tab=share", **PROJECTOR)
    held: list[Any] = []
    teacher.route("**/class/rooms?*", lambda route: held.append(route))  # noqa: PLW0108
    wait_until_settled(teacher)
    with teacher.expect_request("**/class/rooms?*"):
        teacher.get_by_role("button", name="Start a class", exact=True).click()
    teacher.get_by_role("link", name="Permutation").first.click()
    teacher.get_by_role("heading", name="Permutation").wait_for()
    settled(teacher)
    teacher.get_by_role("tab", name="Share").click()
    settled(teacher)
    held[0].continue_()
    says(teacher, ".letters", r"^[B-Z]{5}$")


@pytest.mark.nightly
def test_a_long_sentence_in_the_walls_bar_takes_a_line_and_no_buttons_room(visit: Callable) -> None:
    wall = visit("scaling", "?present=true", **PROJECTOR)
    wait_until_settled(wall)
    wall.get_by_role("button", name="Start a class", exact=True).click()
    says(wall, ".here", "here$")
    status, buttons = wall.locator(f"{PANEL} .head .status"), wall.locator(f"{PANEL} .head button:visible")
    wall.locator(f"{PANEL} .lost-share").evaluate("one => { one.hidden = false; one.append('12 of 30 lost'); }")
    status.evaluate(
        "one => { one.textContent = 'No words are seen yet: on your own device you choose which. '.repeat(2); }"
    )
    wall.locator(f"{PANEL} .head .next").last.evaluate(
        "one => { one.hidden = false; one.textContent = 'Reveal the answer'; }"
    )
    wall.locator(f"{PANEL} .head .steer").evaluate("one => one.append(one.lastChild.cloneNode(true))")  # in a course
    boxes = [one.bounding_box() for one in [status, *buttons.all()]]
    assert len(boxes) > 3
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 1280 and box["y"] + box["height"] <= 720 for box in boxes)


@pytest.mark.nightly
def test_who_votes_reads_why_nothing_was_measured_in_their_language(visit: Callable) -> None:
    """Learning trains in float32 and float64 alone."""
    teacher = visit("masks", "?masks_tab=share", **PROJECTOR)
    key, _ = start(teacher)
    teacher.goto(f"{urlsplit(teacher.url)._replace(path='/learning', query='').geturl()}?dtype=bfloat16&class={key}")
    says(teacher, ".letters", key)
    phone, other = (visit("masks", f"?class={key}", locale=locale, **PHONE) for locale in ("en-GB", "zh-CN"))
    step(teacher, "Ask")
    for one in (phone, other):
        one.locator(f"{PANEL} .answer").first.click()
        one.locator(f"{PANEL} .answer[aria-pressed=true]").wait_for()
    step(teacher, "Close the vote")
    teacher.locator(f"{PANEL} .steps button:enabled").filter(has_text=re.compile("^Reveal the answer$")).click()
    says(teacher, ".status", "^Not measured: Precision cannot be “bfloat16”.*reveal the answer again.$")
    says(phone, ".sent", "^Not measured: Precision cannot be “bfloat16”.*allowed.$")
    says(other, ".sent", "^没有实测：精度：不能是“bfloat16”")
