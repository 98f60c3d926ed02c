"""Where the words of a typed text end: at spaces, or in languages without them at each character."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import Words, declared
from attention_core.measuring.words import words
from attention_core.studies.anatomy.settings import AnatomyConfig
from attention_core.studies.masks.settings import MasksConfig

SENTENCE = Words(label="Sentence")
SENTENCES = declared(MasksConfig)["sentences"]
FAMILY, FIRE, WALES = (
    "👨\u200d👩\u200d👧\u200d👦",
    "❤\ufe0f\u200d🔥",
    "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("the cat sat", ["the", "cat", "sat"]),
        ("don't", ["don't"]),
        ("我爱你", ["我", "爱", "你"]),
        ("我们 爱 猫", ["我们", "爱", "猫"]),
        ("我们　爱　猫", ["我们", "爱", "猫"]),  # full-width spaces
        ("　我爱你 ", ["我", "爱", "你"]),
        ("我爱你，对吗？", ["我", "爱", "你", "，", "对", "吗", "？"]),
        ("“书”……《猫》——", ["“", "书", "”", "……", "《", "猫", "》", "——"]),
        ("我用BERT算了3.5次，don't。", ["我", "用", "BERT", "算", "了", "3.5", "次", "，", "don't", "。"]),
        ("A,B都对", ["A", ",", "B", "都", "对"]),
        ("𠮷野家々〇", ["𠮷", "野", "家", "々", "〇"]),
        ("猫が好き", ["猫", "が", "好", "き"]),
        (unicodedata.normalize("NFD", "ガギ"), [unicodedata.normalize("NFD", one) for one in "ガギ"]),
        ("ｶﾞｷﾞ", ["ｶﾞ", "ｷﾞ"]),
        ("나는간다", ["나", "는", "간", "다"]),
        (unicodedata.normalize("NFD", "각나"), [unicodedata.normalize("NFD", one) for one in "각나"]),
        ("เด็กน้ำ", ["เ", "ด็", "ก", "น้ำ"]),
        ("ນ້ຳດີ", ["ນ້ຳ", "ດີ"]),
        ("ក្រុង", ["ក្រុ", "ង"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        (f"我{FAMILY}爱{FIRE}你👍🏽", ["我", FAMILY, "爱", FIRE, "你", "👍🏽"]),
        (f"我🇨🇳🇺🇸{WALES}1\ufe0f\u20e3", ["我", "🇨🇳", "🇺🇸", WALES, "1\ufe0f\u20e3"]),
        ("我\u0301爱", ["我\u0301", "爱"]),
        ("\u0301我爱", ["\u0301我", "爱"]),
        ("我\u200b爱\ufeff你", ["我", "爱", "你"]),
        ("我", ["我"]),
        ("שלום", ["שלום"]),
        ("", []),
        (" \u3000", []),
    ],
)  # fmt: skip
def test_words_of_a_text(text: str, cut: list[str]) -> None:
    assert words(text) == SENTENCE.read(text) == tuple(cut)


UNSPACED = "我爱你猫がガ한국กำด็ນ້ຳក្រမြန်ｶﾞ𠮷々〇"


@given(st.text(st.sampled_from(UNSPACED + "👍🏽\u200d\ufe0f\u0301🇨🇳aé9'.，。… \u3000"), max_size=40))
def test_nothing_is_lost_no_mark_stands_alone_and_what_was_cut_is_read_again(text: str) -> None:
    found = words(text)
    assert "".join(found) == "".join(text.split())
    assert all(found)
    again = SENTENCE.read(SENTENCE.write(found))
    if len(found) != 1:
        assert again == found
    if not any(sign.isspace() for sign in text.strip()) and any(letter in text for letter in "我爱你猫"):
        bases = [token for token in found if unicodedata.category(token[0])[0] != "M"]
        assert [token for token in found[1:] if token not in bases] == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("a b | c d", [["a", "b"], ["c", "d"]]),
        ("a|b c", [["a|b", "c"]]),
        ("a ｜ b", [["a"], ["b"]]),
        ("a｜b｜｜c", [["a"], ["b"], ["c"]]),
        ("我爱你｜你爱我", [["我", "爱", "你"], ["你", "爱", "我"]]),
        ("我爱你|你 爱 我", [["我爱你|你", "爱", "我"]]),  # it has spaces, so all is as typed
        ("我爱你|你爱我", [["我", "爱", "你"], ["你", "爱", "我"]]),
        ("我爱你 | 我们 爱 猫", [["我", "爱", "你"], ["我们", "爱", "猫"]]),
        ("我　爱　你｜猫", [["我", "爱", "你"], ["猫"]]),
        ("｜", []),
        ("| ｜ |", []),
    ],
)
def test_sentences_of_a_text(text: str, sentences: list[list[str]]) -> None:
    assert SENTENCES.read(text) == tuple(map(tuple, sentences))


@pytest.mark.parametrize(
    ("text", "cut"),
    [("我爱你", True), ("我 爱 你", False), ("我", False), ("the cat", False), ("thecat", False), ("한국", True)],
)
def test_whether_characters_are_taken_for_words(text: str, cut: bool) -> None:
    assert SENTENCE.is_cut(text) == SENTENCES.is_cut(text) == cut
    assert SENTENCES.is_cut(f"a b | {text}") == SENTENCES.is_cut(f"a b｜{text}") == cut


def test_limits_hold_on_what_results() -> None:
    assert len(SENTENCE.read("猫" * 64)) == 64
    SENTENCE.check("tokens", SENTENCE.read("猫" * 64))
    with pytest.raises(ConfigError, match="65 tokens"):
        AnatomyConfig(tokens=SENTENCE.read("猫" * 65))
    with pytest.raises(ConfigError, match="tokens"):
        SENTENCE.check("tokens", SENTENCE.read("猫" * 5000))
    marked = "我" + "\u0301" * 600  # one character of very many marks
    assert SENTENCE.read(marked) == (marked,), "nothing is lost before it is refused"
    with pytest.raises(ConfigError, match=r"601 characters.*at most 512 characters are allowed"):
        AnatomyConfig(tokens=SENTENCE.read(marked))


@pytest.mark.parametrize("sign", ["ש", "e\u0301", "\u1100"])
def test_a_word_may_be_as_long_as_a_link(sign: str) -> None:
    assert words("我" + sign * 2**15) == ("我", sign * 2**15)


def test_marks_that_nothing_stands_before_belong_to_the_first_character() -> None:
    marks = "\u0301" * 100_000
    assert words(marks + "我爱") == (marks + "我", "爱")
