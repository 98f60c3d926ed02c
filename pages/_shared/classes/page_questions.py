"""The question of each page, by its name: a class may vote on it, whether or not anybody has opened the page here."""

from pages._shared.rooms import Question

_questions: dict[str, Question] = {}


def declare(page: str, question: str, options: tuple[str, ...]) -> None:
    """Called as a page declares itself."""
    _questions[page] = Question(question, options, page)


def page_question(page: str) -> Question | None:
    """What a page asks; None if it asks nothing, or has not been imported yet."""
    return _questions.get(page)
