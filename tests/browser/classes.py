"""What a teacher and students do in a class, and what it says to them."""

import re
from typing import Any

from tests.browser.conftest import wait_until_settled

PANEL = ".st-key-_class_panel .panel"
STEPS = ["Ask", "Close the vote", "Ask again", "Close the vote", "Show the counts", "Reveal the answer"]


def start(teacher: Any, said: str = "Start a class") -> tuple[str, str]:
    """Open a class from the tab Share, or from a slide; its key, and the secret that the tab keeps."""
    wait_until_settled(teacher)
    teacher.get_by_role("button", name=said, exact=True).click()
    says(teacher, ".letters", r"^[B-Z]{5}$")
    key = teacher.locator(f"{PANEL} .letters:visible").inner_text()
    return key, teacher.evaluate("(name) => sessionStorage.getItem(name)", f"room_teacher/{key}")


def says(page: Any, part: str, pattern: str) -> None:
    """Wait until a part of the panel says so."""
    page.locator(f"{PANEL} {part}:visible").filter(has_text=re.compile(pattern)).first.wait_for()


def step(teacher: Any, name: str) -> None:
    """Press the step that is marked, which must be this one."""
    teacher.locator(f"{PANEL} .steps .main:enabled").filter(has_text=re.compile(f"^{name}$")).click()


def vote(phone: Any, answer: int) -> None:
    phone.locator(f"{PANEL} .answer").nth(answer).click()
    phone.locator(f"{PANEL} .answer[aria-pressed=true]").nth(0).wait_for()
    says(phone, ".sent", "^Sent")


def counts(page: Any) -> list[list[str]]:
    """What the histogram says, row by row."""
    page.locator(f"{PANEL} table").wait_for()
    rows = page.locator(f"{PANEL} tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]
