"""The question of each page, by its name: a class may vote on it, whether or not anybody has opened the page here."""

from pages._shared.core.pages import PAGES, module_of
from pages._shared.rooms import Question


def page_question(page: str) -> Question | None:
    """What a page asks; None if it asks nothing, or there is no such page."""
    if page not in {one.name for one in PAGES}:
        return None
    predict = module_of(page).page.predict
    return Question(predict.question, predict.options, page)
