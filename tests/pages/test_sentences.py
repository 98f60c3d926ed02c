"""Sentences of any language: pages begin in the reader's, a link shows the same to all, and what was cut is said."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.language import worded_key
from pages._shared.core.pages import PAGES
from pages._shared.core.visitor_state import VISIT
from pages._shared.lessons.course import Course, Step
from pages._shared.page.worksheet import sheet_of
from attention_core.language import using
from attention_core.measuring.settings import Words
from tests.pages.conftest import open_page
from tests.pages.read import notices, page_of, pictures, truth, views, widget

MAT, ENGLISH = "猫 坐 在 垫子 上", "the cat sat on a mat"
PAIRS = "masks_sentences", "masks_targets"


def typed(at: AppTest, lang: str = "zh") -> dict[str, str]:
    """What the boxes of words hold, by their settings."""
    names = {one.key: one.key.partition("~")[0].removesuffix(f"_{lang}") for one in at.text_input}
    return {names[one.key]: one.value for one in at.text_input if one.key.split("_")[0] in KNOWN}


KNOWN = {page.name for page in PAGES} | {"home"}
# What pages begin with for readers of Chinese, and of English.
BEGINS = {
    "home": ({"home_tokens": MAT}, {"home_tokens": ENGLISH}),
    "anatomy": ({"anatomy_tokens": MAT}, {"anatomy_tokens": "the cat sat on the mat"}),
    "permutation": ({"permutation_tokens": MAT}, {"permutation_tokens": ENGLISH}),
    "biases": ({"biases_tokens": MAT}, {"biases_tokens": ENGLISH}),
    "variants": ({"variants_tokens": MAT}, {"variants_tokens": ENGLISH}),
    "projections": (
        {"projections_tokens": "狐狸 和 狗 一起 跑 上 了 那 座 大山"},
        {"projections_tokens": "the fox and a dog ran up one big hill"},
    ),
    "trained": ({"trained_text": "一 条 那 只 猫 喜欢 的"}, {"trained_text": "the keys near the cabinet"}),
    "masks": (
        {
            "masks_sentences": "猫 坐 在 垫子 上 | 狗 睡着 了 | 鸟儿 歌唱",
            "masks_targets": "the cat sat on the mat | a dog slept | birds sing",
        },
        {
            "masks_sentences": "the cat sat on the mat | a dog slept | birds sing",
            "masks_targets": "猫 坐 在 垫子 上 | 狗 睡着 了 | 鸟儿 歌唱",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BEGINS)
def test_a_page_begins_in_the_readers_language_and_goes_with_it(name: str) -> None:
    chinese, english = BEGINS[name]
    at = open_page(name, lang="zh")
    assert chinese.items() <= typed(at).items()
    assert chinese.items() <= dict(at.query_params).items()
    assert not notices(at)
    if name != "home":
        assert pictures(at)
    with using("zh"):
        at.selectbox(key=worded_key("lang")).select("en").run()
    assert english.items() <= typed(at).items()
    assert not {*english} & {*at.query_params}
    assert english.items() <= typed(open_page(name)).items()


@pytest.mark.parametrize("name", BEGINS)
def test_a_link_that_was_made_in_one_language_shows_its_sentence_in_the_other(name: str) -> None:
    chinese, english = BEGINS[name]
    made = {key: text for key, text in dict(open_page(name, lang="zh").query_params).items() if key != "lang"}
    assert chinese.items() <= typed(open_page(name, **made)).items()
    key = {"home": "home_positions", "masks": "masks_unmasked", "trained": "trained_untrained"}.get(name)
    moved = {key or f"{name}_seed": "true"} if key else {f"{name}_answer": "skipped"}
    if key:  # an English reader's address names no sentence, and everybody is shown the English one
        assert english.items() <= typed(open_page(name, lang="zh", **moved)).items()


def links(at: AppTest) -> list[dict[str, str]]:
    return [dict(parse_qsl(urlsplit(block.value).query)) for block in at.code if "://" in block.value]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_shared_link_names_its_sentence_and_the_language_where_it_was_chosen(lang: str) -> None:
    begins = BEGINS["biases"][lang == "en"]
    shared, *_ = links(open_page("biases", biases_tab="share", biases_answer="skipped", lang=lang))
    assert shared == begins | {"lang": lang}
    with using(lang):
        at = open_page("biases", biases_tab="share", biases_answer="skipped")
    assert all("lang" not in link for link in links(at))
    for other in ("zh", "en"):
        assert begins.items() <= typed(open_page("biases", **shared | {"lang": other}), other).items()


def test_a_class_is_taken_to_the_teachers_sentence_whatever_language_its_phones_are_in() -> None:
    """Phones follow the address of the teacher's browser, without what is a person's own."""
    for lang, other, begins in (("zh", "en", BEGINS["masks"][0]), ("en", "zh", BEGINS["masks"][1])):
        teacher = open_page("masks", lang=lang, **{"class": "BCDFG"})
        address = {key: text for key, text in teacher.query_params.items() if key not in ("lang", "class")}
        assert begins.items() <= address.items()
        assert begins.items() <= typed(open_page("masks", lang=other, **address), other).items()


def test_presets_are_in_the_readers_language() -> None:
    chosen = partial(open_page, "permutation")
    at = chosen(lang="zh")
    with using("zh"):
        widget(at, "_permutation_preset").set_value(2).run()
    assert typed(at)["permutation_tokens"] == "我 爱 你"
    assert at.query_params["permutation_order"] == "2-1-0"
    before, after, *_ = views(at)[0]["panels"]
    assert (before["columns"]["labels"], after["columns"]["labels"]) == ([*"我爱你"], [*"你爱我"])
    with using("zh"):
        widget(at, "_permutation_preset").set_value(0).run()
    assert typed(at)["permutation_tokens"] == MAT
    at = chosen()
    widget(at, "_permutation_preset").set_value(2).run()
    values = at.session_state[VISIT].settings
    assert (values["permutation_positions"], values.get("permutation_tokens")) == ("sinusoidal", None)


def test_an_order_goes_on_with_another_number_of_words() -> None:
    for tokens, order, stands in (
        ("a b c d e", "2-0-3-1-4-5", [2, 0, 3, 1, 4]),
        ("a b c", "5-4-3-2-1-0", [2, 1, 0]),
        ("a b c d", "1-0", [1, 0, 2, 3]),
    ):
        at = open_page("permutation", permutation_tokens=tokens, permutation_order=order)
        (after,) = (one for one in views(at)[0]["panels"] if one["title"] == "After the shuffle")
        assert after["columns"]["labels"] == [tokens.split()[i] for i in stands]


@pytest.mark.parametrize("name", [page.name for page in PAGES if page.name not in ("learning", "complexity")])
def test_a_question_has_one_answer_in_all_languages(name: str) -> None:
    """A class votes in the languages of its phones, and what is measured is told to all."""
    found = []
    for lang in ("en", "zh"):
        with using(lang):
            page = page_of(name)
            found.append(truth(name, page.settings.spelled(page.settings.defaults | dict(page.predict.move))))
    assert found[0] == found[1] is not None


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_every_box_for_a_sentence_says_how_its_words_are_told_apart(name: str) -> None:
    at = open_page(name)
    boxes = [one for one in at.text_input if one.key.startswith(f"{name}_")]
    declared = page_of(name).settings.declared
    assert len(boxes) == len([one for one in declared.values() if isinstance(one, Words)])
    assert [one.key for one in boxes if "Spaces separate words" not in one.help] == []


def test_the_page_says_that_characters_were_taken_for_words() -> None:
    said = "Without spaces each character is a word"

    def told(at: AppTest) -> bool:
        return any(said in one.value for one in at.caption)

    for name in ("home", "biases"):
        at = open_page(name)
        box: Any = partial(widget, at, f"{name}_tokens")
        box().input("我爱你，好吗").run()
        assert at.session_state[VISIT].settings[f"{name}_tokens"] == ("我", "爱", "你", "，", "好", "吗")
        assert told(at)
        box().input("我 爱 你").run()
        assert not told(at)
        assert told(open_page(name, **{f"{name}_tokens": "我爱你"}))
        assert not told(open_page(name, **{f"{name}_tokens": "the cat"}))


def test_a_full_width_bar_separates_sentences() -> None:
    at = open_page("masks")
    at.text_input(key="masks_sentences").input("我爱你｜猫　睡了").run()
    assert at.session_state[VISIT].settings["masks_sentences"] == (("我", "爱", "你"), ("猫", "睡了"))
    assert not at.error


def test_trained_models_cut_chinese_into_words_they_know_and_keep_what_a_tokenizer_reads() -> None:
    at = open_page("trained", lang="zh")
    with using("zh"):
        at.text_input(key="trained_text_zh").input("一本那位老师喜欢的").run()
    assert not at.error
    assert views(at)[0]["panels"][0]["columns"]["labels"][1:] == ["一", "本", "那", "位", "老师", "喜欢", "的"]
    assert at.query_params["trained_text"] == "一本那位老师喜欢的"


def test_paper_and_a_pin_show_the_sentence_of_their_link() -> None:
    def of(settings: Mapping[str, str]) -> str:
        return sheet_of(Step(page="masks", settings=settings)).picture

    with using("zh"):
        assert ">狗<" in of({})
        assert ">dog<" in of({"masks_stack": "decoder"})
    assert ">dog<" in of({})
    assert ">狗<" in of(BEGINS["masks"][0])
    course = Course(steps=(Step(page="masks", settings=BEGINS["masks"][0]),)).encode()
    assert typed(open_page("masks", course=course, lang="en"), "en")["masks_sentences"].startswith("猫")
