"""The small Chinese grammar: its texts are right, its cases ask what they say, and training never shows them."""

import re
from random import Random

import pytest

from attention_core.shipped.chinese import CHINESE, MEASURE, NAMES, NOUNS, WORDS, held_out
from attention_core.shipped.corpus import Case

COUNT = 60
MEASURES = "本条只位张把"
# Written anew, by hand: which nouns a measure word counts.
COUNTED = {
    "本": "书 词典 杂志 小说", "条": "鱼 蛇 裤子 围巾", "只": "猫 鸟 兔子 羊", "位": "老师 医生 客人 作家",
    "张": "桌子 床 地图 照片", "把": "椅子 伞 刀 钥匙",
}  # fmt: skip
OF = {noun: measure for measure, nouns in COUNTED.items() for noun in nouns.split()}


def pattern() -> re.Pattern[str]:
    """All texts of the grammar, but for which noun goes with which measure word."""
    name, noun, measure = (f"(?:{'|'.join(some)}) " for some in (NAMES, OF, MEASURES))
    sees, likes = "(?:看见|找到|碰到) ", "(?:喜欢|想要|害怕) "
    verb = f"(?:{sees}了 |{likes})"
    place = f"在 {noun}(?:旁边|后面|前面|下面) "
    like = "很 (?:好看|特别|有名|奇怪) "
    somebody = f"(?:{name}|[这那] [只位] {noun})"
    inner = f"(?:{like}的 |{place}的 |{somebody}(?:{sees}|{likes})的 )?"
    counted, pointed = f"[一两三几] {measure}{inner}{noun}", f"[这那] {measure}{inner}{noun}"
    bracket = f"(?:（ {place}） )?"
    again = f"(?:， {somebody}也 {sees}了 [一两三几] {measure})?"
    sentence = f"(?:{pointed}{bracket}{like}|{somebody}{bracket}{verb}{counted}{again})"
    names = f"{name}和 {name}{place}(?:。 {name}{verb}{name})+"
    return re.compile(f"<start> (?:{sentence}|{name}说 ： “ {sentence}” |{names})。 <end>")


PATTERN = pattern()


def texts_of(count: int, seed: int = 0) -> list[list[str]]:
    texts = CHINESE.texts(Random(seed))
    return [[WORDS[each] for each in next(texts)] for _ in range(count)]


def agrees(words: list[str]) -> bool:
    """Whether each measure word is followed by a noun that it counts, the inner first, or counts one again."""
    waiting, last = list[str](), ""
    *said, again = [word for word in words if word not in ("”", "。", "<end>")]
    counts_again = again in MEASURES
    for at, word in enumerate(said if counts_again else words):
        if word in MEASURES:
            waiting.append(word)
        elif word in OF and words[at - 1] != "在":  # a place is named without a measure word
            if not waiting or waiting.pop() != OF[word]:
                return False
            last = last if "也" in words[:at] or "，" in words[:at] else OF[word]
    return not waiting and (not counts_again or again == last)


def test_the_words_are_some_seventy_and_each_has_one_id() -> None:
    assert len(WORDS) == len({*WORDS}) == 74
    assert OF == MEASURE
    assert {measure: " ".join(nouns) for measure, nouns in NOUNS.items()} == COUNTED


def test_every_text_is_of_the_grammar_and_none_with_another_measure_word_is() -> None:
    changed = 0
    for words in texts_of(1000):
        assert PATTERN.fullmatch(" ".join(words)), words
        assert len(words) <= 32
        assert agrees(words), words
        for place, word in enumerate(words):
            if word in MEASURES:
                other = MEASURES[(MEASURES.index(word) + 1) % 6]
                assert not agrees([*words[:place], other, *words[place + 1 :]]), words
                changed += 1
    assert changed > 1000


@pytest.fixture(scope="module")
def all_cases() -> dict[str, tuple[Case, ...]]:
    return CHINESE.cases(COUNT, 0)


@pytest.mark.parametrize("name", [each.name for each in CHINESE.constructions])
class TestCases:
    def test_the_cue_decides_what_is_right(self, name: str, all_cases: dict[str, tuple[Case, ...]]) -> None:
        for case in all_cases[name]:
            words = [WORDS[each] for each in case.beginning]
            right, wrong = ({WORDS[each] for each in ids} for ids in (case.right, case.wrong))
            cue, after = words[case.cue], words[case.cue + 1 :]
            assert held_out(words)
            assert not right & wrong
            between = [word for word in after if word in OF]
            if name.startswith("agreement"):
                assert cue in MEASURES
                assert right == {*COUNTED[cue].split()}
                assert right | wrong == {*OF}
                assert bool(between) == (name in ("agreement-place", "agreement-clause"))
                assert all(OF[word] != cue for word in between)
                assert bool(after) == (name != "agreement-noun")
            elif name == "measure":
                assert right == {OF[cue]}
                assert right | wrong == {*MEASURES}
                assert between
                assert all(OF[word] != OF[cue] for word in between)
            elif name == "closing":
                assert right == {{"“": "”", "（": "）"}[cue]}
                assert wrong == {"）", "”", "。"} - right
            else:
                assert right == {cue}
                assert right | wrong == {*NAMES}


@pytest.mark.parametrize(
    ("words", "is_held_out"),
    [
        ("一 条 鱼", False),
        ("那 只 猫 害怕 三 本", False),  # 2 and 14 have one measure word, and a measure word follows nothing
        ("一 条 那 只 猫 喜欢 的", False),  # 1 and 14
        ("一 条 在 书 旁边 的", False),  # 1 and 6
        ("一 条 在 桌子 旁边 的", False),  # 1 and 22
        ("一 条 在 伞 旁边 的", False),  # 1 and 27
        ("一 条 在 裤子 旁边 的", False),  # of one measure word
        ("一 条 那 只 羊 喜欢 的", True),  # 1 and 17
        ("小明 害怕 一 条 小红 喜欢 的", False),  # 30, 1 and 31
        ("小明 和 小红 在 书 旁边", False),  # 30, 31 and 6
        ("小明 （ 在 书 旁边 ） 看见", True),  # 30 and 6
    ],
)
def test_what_is_held_out(words: str, is_held_out: bool) -> None:
    assert held_out(words.split()) == is_held_out
