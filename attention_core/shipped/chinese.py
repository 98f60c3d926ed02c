"""A small Chinese grammar of some seventy words: what the model ``chinese`` was trained on, and is measured with.

Each noun has its own measure word: 一 条 鱼, 一 本 书. Between the two stands nothing, how the thing is, where it is,
or who likes it: 一 条 那 只 猫 喜欢 的 鱼, *a fish that this cat likes*. So the measure word decides which nouns may
come, across nouns that have another; and a noun decides by which measure word it is counted later. As in the English
``grammar`` somebody says a sentence, brackets close, and names come back. Texts for training and cases for measuring
come from one writer; a rule on neighbours keeps them apart: :func:`held_out`.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.shipped.corpus import END, START, Construction, shuffled
from attention_core.shipped.writer import Writer, language_of

NOUNS: Final = {
    "本": ("书", "词典", "杂志", "小说"),
    "条": ("鱼", "蛇", "裤子", "围巾"),
    "只": ("猫", "鸟", "兔子", "羊"),
    "位": ("老师", "医生", "客人", "作家"),
    "张": ("桌子", "床", "地图", "照片"),
    "把": ("椅子", "伞", "刀", "钥匙"),
}  # fmt: skip
ALL: Final = tuple(noun for nouns in NOUNS.values() for noun in nouns)
MEASURE: Final = {noun: measure for measure, nouns in NOUNS.items() for noun in nouns}
ALIVE: Final = ("只", "位")  # whose nouns see and like something
NAMES: Final = ("小明", "小红", "小华", "小丽", "小刚", "小芳", "小军", "小燕")
SEES: Final = ("看见", "找到", "碰到")
LIKES: Final = ("喜欢", "想要", "害怕")
PLACES: Final = ("旁边", "后面", "前面", "下面")
ADJECTIVES: Final = ("好看", "特别", "有名", "奇怪")
COUNTS: Final = ("一", "两", "三", "几")
POINTING: Final = ("这", "那")
CLOSING: Final = ("）", "”", "。")

WORDS: Final = (
    START, END, "。", "，", "：", "“", "”", "（", "）", "的", "了", "和", "也", "说", "在", "很", *PLACES,
    *ADJECTIVES, *COUNTS, *POINTING, *SEES, *LIKES, *NAMES, *NOUNS, *ALL,
)  # fmt: skip
_NUMBER: Final = {word: at for at, word in enumerate([*NOUNS, *ALL, *NAMES])}


def held_out(words: Sequence[str]) -> bool:
    """Whether training never shows these words, because a measure word or noun never has this noun after it there.

    Measure words, nouns and names are numbered. Training has none of them before a noun or a name as the next of
    these if the sum of their numbers is a multiple of 6, unless both are names or have one measure word. So one pair
    in six is kept back, and every noun is seen after others.
    """
    numbered = [word for word in words if word in _NUMBER]
    for at, one in enumerate(numbered):
        other = next((word for word in numbered[at + 1 :] if word not in NOUNS), None)
        if other is None or MEASURE.get(one, one) == MEASURE.get(other, other) or {one, other} <= {*NAMES}:
            continue
        if (_NUMBER[one] + _NUMBER[other]) % 6 == 0:
            return True
    return False


class _Text(Writer):
    """A text that is written word by word, and the choices made in it."""

    def __init__(self, draw: Random) -> None:
        super().__init__(draw)
        self.pick(self.sentence, self.sentence, self.saying, self.names)()
        self.say("。", END)

    def saying(self) -> None:
        """Write 小明 说 ： “ 那 只 猫 很 有名 ”."""
        self.say(self.pick(*NAMES), "说", "：", "“")
        opened = len(self.words) - 1
        self.sentence()
        self.choose("closing", opened, ["”"], CLOSING)
        self.say("”")

    def names(self) -> None:
        """Write 小明 和 小红 在 桌子 旁边 。 小红 看见 了 小明, and perhaps more of the two."""
        pair = shuffled(self.draw, NAMES)[:2]
        first = len(self.words)
        self.say(pair[0], "和", pair[1])
        self.place()
        going = True
        while going:
            who = int(self.often(0.5))
            self.say("。", pair[who])
            self.verb()
            self.choose("names", first + 2 * (1 - who), [pair[1 - who]], NAMES)
            self.say(pair[1 - who])
            going = self.often(0.5) and len(self.words) < 24

    def sentence(self) -> None:
        """Write 那 条 鱼 很 有名, or 小明 看见 了 一 条 鱼, and perhaps 那 只 猫 也 看见 了 两 条."""
        if self.often(0.3):
            self.noun(POINTING, tuple(NOUNS))
            self.bracket()
            self.say("很", self.pick(*ADJECTIVES))
            return
        self.somebody()
        self.bracket()
        verb = self.verb()
        place = self.noun(COUNTS, tuple(NOUNS))
        if verb in SEES and self.often(0.5):
            self.say("，")
            self.again(verb, place)

    def again(self, verb: str, place: int) -> None:
        """Write 那 只 猫 也 看见 了 两 条: what was seen is counted by its own measure word."""
        measure = MEASURE[self.words[place]]
        between = self.somebody()
        self.say("也", verb, "了", self.pick(*COUNTS))
        if between not in ("", measure):
            self.choose("measure", place, [measure], tuple(NOUNS))
        self.say(measure)

    def noun(self, before: Sequence[str], measures: Sequence[str]) -> int:
        """Write 一 条 鱼, with something before the noun or nothing; give the noun's place."""
        measure = self.pick(*measures)
        self.say(self.pick(*before), measure)
        cue = len(self.words) - 1
        way, between = self.pick("noun", "described", "place", "clause"), ""
        if way == "described":
            self.say("很", self.pick(*ADJECTIVES), "的")
        elif way == "place":
            between = self.place()
            self.say("的")
        elif way == "clause":
            between = self.somebody()
            self.say(self.pick(*SEES, *LIKES), "的")
        if way in ("noun", "described") or between not in ("", measure):
            self.choose(f"agreement-{way}", cue, NOUNS[measure], ALL)
        self.say(self.new(NOUNS[measure]))
        return len(self.words) - 1

    def somebody(self) -> str:
        """Write 小明, or 那 只 猫; give the measure word, empty for a name."""
        if self.often(0.3):
            self.say(self.new(NAMES))
            return ""
        measure = self.pick(*ALIVE)
        self.say(self.pick(*POINTING), measure, self.new(NOUNS[measure]))
        return measure

    def place(self) -> str:
        """Write 在 桌子 旁边; give the noun's measure word."""
        noun = self.new(ALL)
        self.say("在", noun, self.pick(*PLACES))
        return MEASURE[noun]

    def bracket(self) -> None:
        """Write （ 在 桌子 旁边 ）, perhaps."""
        if self.often(0.25):
            self.say("（")
            opened = len(self.words) - 1
            self.place()
            self.choose("closing", opened, ["）"], CLOSING)
            self.say("）")

    def verb(self) -> str:
        """Write 喜欢, or 看见 了, and give the verb."""
        verb = self.pick(*SEES, *LIKES)
        self.say(verb, *(["了"] if verb in SEES else []))
        return verb

    def new(self, words: Sequence[str]) -> str:
        """One of these that the text does not have yet; any of them where it has all."""
        return self.pick(*[word for word in words if word not in self.words] or words)


CHINESE: Final = language_of(
    WORDS,
    _Text,
    held_out,
    (
        Construction("agreement-noun", _("a noun right after its measure word")),
        Construction("agreement-described", _("a noun after what it is like")),
        Construction("agreement-place", _("a noun across a place")),
        Construction("agreement-clause", _("a noun across a clause")),
        Construction("measure", _("a measure word for what was named before")),
        Construction("closing", _("brackets and quotes close")),
        Construction("names", _("a name comes back")),
    ),
    longest=32,
)
