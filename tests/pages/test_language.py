"""In which language the app speaks, by browser, link, sidebar or class; and texts that wait for it."""

import copy
import json
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.language import worded_key
from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES, TEST
from pages._shared.core.visitor_state import VISIT, Way
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from attention_core import language
from attention_core.language import Text, gettext, gettext_lazy, joined, listed, ngettext_lazy, using
from tests.pages.conftest import open_page
from tests.pages.read import notices
from tests.sweeps import some_by_day

CATALOGUE = {"{count:,} key": "{count:,} 个键", "{share} of {what}": "{what}的 {share}", ", ": "、", " and ": "和"}


class Pretended:
    """A catalogue of a few texts."""

    def gettext(self, message: str) -> str:
        return CATALOGUE.get(message, message)

    def ngettext(self, one: str, many: str, count: int) -> str:
        return CATALOGUE.get(one, one if count == 1 else many)


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    english = language.catalogue(language.ENGLISH)
    monkeypatch.setattr(language, "catalogue", cache(lambda spoken: Pretended() if spoken == "zh" else english))


def shares() -> Text:
    return gettext_lazy(
        "{share} of {what}", share="3 %", what=ngettext_lazy("{count:,} key", "{count:,} keys", 1_024)
    )


# ---- texts ----


@pytest.mark.usefixtures("catalogue")
def test_a_kept_text_is_english_and_is_worded_with_its_values_when_it_is_drawn() -> None:
    text = shares()
    assert text == "3 % of 1,024 keys" == str(text) == f"{text}"
    with using("zh"):
        assert str(text) == f"{text}" == "1,024 个键的 3 %" == gettext("{it}", it=text)
        assert text == "3 % of 1,024 keys"  # what compares it, and what saves it, has the English one
        assert json.dumps(text) == '"3 % of 1,024 keys"'
        assert shares() == text
    assert str(text) == text


@pytest.mark.usefixtures("catalogue")
def test_a_kept_text_survives_a_copy_and_the_way_to_another_process() -> None:
    text = listed([shares(), "b", "c"])
    for other in (copy.deepcopy(text), pickle.loads(pickle.dumps(text))):
        assert other == "3 % of 1,024 keys, b and c"
        with using("zh"):
            assert str(other) == "1,024 个键的 3 %、b和c"


def test_lists_leave_out_what_is_empty() -> None:
    assert listed(["a"]) == "a"
    assert not listed([])
    assert joined("; ", ["a", "", "b"]) == "a; b"


@pytest.mark.usefixtures("catalogue")
def test_another_thread_speaks_english() -> None:
    with using("zh"), ThreadPoolExecutor(1) as other:
        assert other.submit(lambda: str(shares())).result() == "3 % of 1,024 keys"


# ---- visitors ----


def spoken(at: AppTest) -> str:
    return at.session_state[VISIT].language


def choose(at: AppTest, lang: str) -> str:
    """Choose in the sidebar; AppTest words what stands there in this thread."""
    with using(spoken(at)):
        at.selectbox(key=worded_key("lang")).select(lang).run()
    return spoken(at)


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("zh-CN", "zh"),
        ("zh", "zh"),
        ("zh_CN", "zh"),
        ("ZH", "zh"),
        ("zh-Hans-CN", "zh"),
        ("zh-TW", "zh"),
        ("de-DE", "en"),
        ("en-GB", "en"),
        ("", "en"),
        ("z" * 999, "en"),
        ("zhx", "en"),
    ],
)
def test_a_browser_decides_unless_a_link_or_the_sidebar_does(
    monkeypatch: pytest.MonkeyPatch, locale: str, language: str
) -> None:
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", locale)
    at = open_page("home")
    assert spoken(at) == language
    for chosen in ("zh", "en", "auto"):
        assert choose(at, chosen) == (language if chosen == "auto" else chosen)
    assert spoken(open_page("masks", lang="zh")) == "zh"
    assert spoken(open_page("masks", lang="en")) == "en"


CAT = "猫 坐 在 垫子 上"
CHINESE = {
    "home": CAT, "anatomy": CAT, "permutation": CAT, "biases": CAT, "bug_hunt": CAT, "variants": CAT,
    "trained": "一 条 那 只 猫 喜欢 的", "projections": "狐狸 和 狗 一起 跑 上 了 那 座 大山",
    "masks": "猫 坐 在 垫子 上 | 狗 睡着 了 | 鸟儿 歌唱", "exactness": "猫 坐 在 垫子 上",
    "worth": "一 条 那 只 猫 喜欢 的",
}  # fmt: skip


@pytest.mark.parametrize("name", some_by_day(page.name for page in (HOME, *PAGES, LEDGER, COURSE, TEST)))
def test_every_pages_bare_address_begins_in_the_browsers_language(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", "zh-CN")
    at = open_page(name)
    assert not at.exception
    assert spoken(at) == "zh"
    assert notices(at) == []
    assert "lang" not in at.query_params, "the language is the browser's, and of who opens this link later theirs"
    words = [
        str(one.value) for one in at.text_input if re.search("_tokens|_sentences|^(?:trained|worth)_text", one.key)
    ]
    assert words == ([CHINESE[name]] if name in CHINESE else [])


@pytest.mark.parametrize(
    "locale", [None, "*", "C", "zh\0", "../zh", "zh,en;q=0.5", "中文", "\ud83d", "<b>", "_", "-zh", "z" * 10**5]
)
def test_a_browser_that_names_no_language_reads_english(locale: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", locale)
    for name in ("masks", "claims"):
        at = open_page(name)
        assert not at.exception
        assert (spoken(at), notices(at)) == ("en", [])


@pytest.mark.parametrize("lang", ["xx", "", "zhx", "../zh", "zh\0", "<b>", "9" * 500])
def test_an_unknown_language_is_english_with_a_sentence(lang: str) -> None:
    at = open_page("masks", lang=lang)
    (sentence,) = notices(at)
    assert "Language" in sentence
    assert "auto is used" in sentence
    assert spoken(at) == "en"
    assert at.session_state[VISIT].settings.get("lang", "auto") == "auto"


@pytest.mark.parametrize(
    ("lang", "language", "traditional"),
    [
        ("zh-CN", "zh", False), ("zh_CN", "zh", False), ("ZH", "zh", False), ("zh-Hans", "zh", False),
        ("zh_CN.UTF-8", "zh", False), ("zh-SG", "zh", False), ("zh-Hans-HK", "zh", False),
        ("zh-TW", "zh", True), ("zh-HK", "zh", True), ("zh-Hant", "zh", True), ("zh_tw", "zh", True),
        ("zh-Hant-CN", "zh", True), ("zh-MO", "zh", True), ("EN", "en", False), ("en-GB", "en", False),
    ],
)  # fmt: skip
def test_a_language_is_known_however_it_is_spelled_and_readers_of_traditional_characters_are_told(
    lang: str, language: str, traditional: bool
) -> None:
    at = open_page("masks", lang=lang)
    assert spoken(at) == at.query_params["lang"] == language
    assert ["简体" in sentence for sentence in notices(at)] == [True] * traditional
    with using(language):
        assert not notices(at.run())


def test_readers_of_traditional_characters_are_told_where_their_browser_asks_for_chinese(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for locale, told in (("zh-HK", 1), ("zh-CN", 0), ("en-HK", 0)):
        monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", locale)
        assert len(notices(open_page("home"))) == told


def test_a_link_within_a_visit_changes_what_was_drawn_before_it_too() -> None:
    at = open_page("home")
    before = at.session_state[VISIT].pages
    at.session_state[VISIT].way = Way(("masks", {}), ("home", {"lang": "zh"}))
    at.query_params["lang"] = "zh"
    assert spoken(at.run()) == "zh"
    assert at.session_state[VISIT].pages[0] == "zh" != before[0]


def test_what_is_set_stays_where_the_language_changes() -> None:
    """A browser sends the words of the options that it was shown; so no widget is the same in two languages."""

    def keys(at: AppTest) -> set[str]:
        return {str(one.key) for one in at.selectbox if str(one.key).startswith("permutation_")}

    at, english = (open_page("permutation", permutation_positions="rotary", lang=lang) for lang in ("zh", "en"))
    assert keys(at).isdisjoint(keys(english))
    choose(at, "en")
    assert keys(at) == keys(english)
    assert not notices(at)
    assert at.query_params["permutation_positions"] == "rotary"


def test_a_course_that_is_handed_out_carries_the_language_that_its_teacher_has_chosen() -> None:
    course = Course(steps=(Step(page="masks", settings={}, lesson=Lesson(note="看一看")),)).encode()
    at = open_page("masks", course=course, lang="zh")
    assert spoken(at) == "zh"
    for chosen in ("zh", "en"):
        at = open_page("anatomy", anatomy_tab="share", anatomy_answer="skipped", lang=chosen)
        links = [block.value for block in at.code if "course=" in block.value]
        assert links
        assert all(f"lang={chosen}" in link for link in links)
    at = open_page("anatomy", anatomy_tab="share", anatomy_answer="skipped")
    assert not [block.value for block in at.code if "lang=" in block.value]
