"""What people ask of attention: found by the box, answered where it is measured, and by what is measured there."""

import re
from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import PAGES
from pages._shared.core.text import plain_markdown
from pages._shared.core.visitor_state import VISIT
from pages._shared.lessons.lesson import Lesson
from pages._shared.page.faq import Place, answer, near, places
from pages._shared.page.page import Look
from pages._shared.page.words import WORDS, words_in
from attention_core.claims import statement
from attention_core.figures.mathematics import set_markdown
from attention_core.language import LANGUAGES, using
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import defaults
from tests.pages.conftest import go_to, lesson_text, looked_at, open_page
from tests.pages.read import held, link_of, notices, said, widget

ASKED = "What do you want to know?"
OTHERWISE, CANNOT_TELL = "With these settings it is otherwise", "These settings cannot tell."


def named(place: Place) -> str:
    return f"{place.page.spec.name}-{place.faq.id}"


def look(place: Place, **moved: object) -> Look:
    """The page where a question leads, but for what was moved then."""
    settings = place.page.settings.defaults | defaults(RunConfig) | place.faq.settings | moved
    found = place.page.look_at(settings)
    assert isinstance(found, Look), (named(place), found)
    return found


def place_of(page: str, name: str) -> Place:
    return next(place for place in places() if (place.page.spec.name, place.faq.id) == (page, name))


def lines_of(at: AppTest, place: Place) -> list[str]:
    """What a page says of a question that stands on it."""
    return [line for line in said(at).splitlines() if line.startswith(f"**{set_markdown(place.faq.asked)}**")]


def type_in(at: AppTest, text: str, box: str = "_faq_home") -> AppTest:
    return widget(at, box).set_value(text).run()


def ways(at: AppTest) -> list[str]:
    """The questions that a box has found."""
    return [one.label for one in at.button if re.match(r"_faq_sidebar_(?!close)", one.key or "")]


QUICK = [place for place in places() if place.page.spec.name != "learning"]


@pytest.mark.parametrize(
    "place",
    [pytest.param(one, id=named(one), marks=() if one in QUICK[::4] else pytest.mark.nightly) for one in places()],
)
def test_each_question_leads_to_where_its_answer_is_measured(place: Place) -> None:
    found = look(place)
    measured = {
        verdict.outcome
        for verdict in found.results.verdicts
        if place.faq.claim in (verdict.claim, verdict.key) and verdict.outcome != "undecided"
    }
    assert measured, "nothing is measured of it there"
    assert ("fails" in measured) == (place.faq.outcome == "fails")
    assert "surprises" not in measured
    assert answer(place.faq, found) == set_markdown(place.faq.answer)


@pytest.mark.parametrize("place", [QUICK[0], *QUICK[8::12]], ids=named)
def test_who_comes_by_a_question_finds_it_answered_above_the_picture(place: Place) -> None:
    name = place.page.spec.name
    at = looked_at(name, **place.link())
    assert not at.exception
    assert notices(at) == []
    assert not [one for one in at.pills if one.key == f"_{name}_option"], "no other question stands beside it"
    (line,) = lines_of(at, place)
    assert line.endswith(str(set_markdown(place.faq.answer)))
    told = next(text for text in said(at).splitlines() if re.match(r":small\[:\w+\[:material/\w+: ", text))
    asked = plain_markdown(statement(place.faq.claim.partition(".")[0]), 200)
    assert asked in told, "the verdict in sight is that on which the answer stands"
    settings = {key.removeprefix(f"{name}_"): text for key, text in link_of(name, place.faq.settings).items()}
    assert held(at, name) == {"asked": place.faq.id} | settings


def test_the_answer_follows_the_settings() -> None:
    place = place_of("scaling", "root")
    other = answer(place.faq, look(place, scale="root"))
    assert OTHERWISE in other
    assert "1/√d" in other.replace("\\", "") or "sqrt" in other, "the reason is said"
    at = open_page("scaling", **place.link())
    widget(at, "scaling_scale").set_value("root").run()
    (line,) = lines_of(at, place)
    assert OTHERWISE in line
    assert str(set_markdown(place.faq.answer)) not in said(at)
    at.run()  # of the whole page, which draws its controls
    widget(at, "scaling_scale").set_value("none").run()
    (line,) = lines_of(at, place)
    assert line.endswith(str(set_markdown(place.faq.answer)))


def test_what_fails_there_and_holds_here_is_said_to_be_otherwise() -> None:
    place = place_of("anatomy", "dropout")
    found = answer(place.faq, look(place, dropout=0.0))
    assert OTHERWISE in found
    assert "Each row of weights adds up to 1" in found


def test_what_cannot_be_told_is_said_to_be_open() -> None:
    place = place_of("permutation", "order")
    found = answer(place.faq, look(place, tokens=("same",) * 6))
    assert CANNOT_TELL in found


def test_a_question_is_closed_and_stays_so() -> None:
    place = place_of("biases", "key")
    at = open_page("biases", **place.link())
    at.button(key="_biases_close_asked").click().run()
    assert not lines_of(at, place)
    assert "asked" not in held(at, "biases")
    assert not lines_of(at.run(), place)


@pytest.mark.parametrize("given", ["nothing of ours", "'; drop", "root"])
def test_a_question_that_the_page_does_not_have_is_left_out_and_said(given: str) -> None:
    at = open_page("biases", biases_asked=given)
    assert not at.exception
    assert notices(at) == ["The link asks a question that this page does not have; it is left out."]
    assert "asked" not in held(at, "biases")
    assert at.run().exception == []
    assert notices(at) == []


def test_nothing_is_answered_while_a_lesson_has_the_prediction_come_first() -> None:
    place = place_of("biases", "key")
    at = open_page("biases", course=lesson_text("biases", Lesson(predict_first=True)))
    at.session_state[VISIT].settings["biases_asked"] = place.faq.id
    assert not lines_of(at.run(), place)
    at.pills(key="_biases_option").set_value("Skip").run()
    assert lines_of(at, place)


@pytest.mark.parametrize("box", ["_faq_home", "_faq_sidebar"])
def test_what_is_typed_finds_questions_and_each_leads_to_its_answer(box: str) -> None:
    place = place_of("masks", "nan")
    at = open_page("home")
    assert widget(at, box).label == ASKED
    type_in(at, "my loss is nan with a mask", box)
    assert not at.exception
    assert "Near “my loss is nan with a mask”:" in said(at)
    assert ways(at)[0] == "Why do I get NaN after masking?"
    assert widget(at, box).value == "my loss is nan with a mask", "it can be worded otherwise"
    at.button(key="_faq_sidebar_masks_nan").click().run()
    go_to(at, "masks").run()
    assert not at.exception
    (line,) = lines_of(at, place)
    assert line.endswith(str(set_markdown(place.faq.answer)))
    assert not ways(at)
    assert widget(at, "_faq_sidebar").value == ""


def test_what_was_found_is_put_away_by_a_button_and_by_an_empty_box() -> None:
    at = type_in(open_page("home"), "gqa")
    assert ways(at)
    at.button(key="_faq_sidebar_close_asked").click().run()
    assert not ways(at)
    assert widget(at, "_faq_home").value == ""
    type_in(type_in(at, "gqa"), "   ")
    assert not ways(at)


@pytest.mark.parametrize("given", ["pizza", "?!", "x" * 5_000, "**bold** <script>"])
def test_what_is_like_no_question_is_said_to_be(given: str) -> None:
    at = type_in(open_page("home"), given)
    assert not at.exception
    assert "here yet, nor anything like it." in said(at)
    assert "<script>" not in said(at)
    assert not ways(at)


def test_of_questions_that_hold_the_same_words_the_one_with_the_fewest_others_comes_first() -> None:
    assert named(near("what is a causal mask")[0]) == "masks-mask"
    assert named(near("causal")[0]) == "masks-mask"


def test_small_words_alone_make_no_question_near() -> None:
    assert "learning-induction" not in [named(place) for place in near("is attention an explanation")]


@pytest.mark.parametrize(
    ("typed", "meaning"),
    [
        ("is attention an explanation", "**Explanation, explain**: of an answer by weights"),
        ("softmax", "**Softmax**: turns a row of scores into shares"),
        ("multi-query", "**Grouped heads**: heads that ask with queries of their own"),
        ("什么是KV缓存", "**KV cache**: keys and values of the words so far"),
    ],
)
def test_words_of_the_glossary_are_found_as_well(typed: str, meaning: str) -> None:
    assert meaning in said(type_in(open_page("home"), typed))


TYPED = {
    "Why does a transformer need positions at all?": "permutation-positions",
    "why divide by sqrt(d_k)": "scaling-root",
    "src_mask or src_key_padding_mask": "masks-names",
    "what is GQA": "variants-grouped",
    "what do Q K V mean": "anatomy-meaning",
    "flash attention": "complexity-flash",
    "induction head": "learning-induction",
    "nan in attention mask": "masks-nan",
    "multi head why": "anatomy-several",
    "k bias useless": "biases-key",
    "can a transformer take any length": "masks-length",
    "layernorm vs batchnorm": "normalization-batch",
    "什么是KV缓存": "variants-what-cache",
    "quadrat": "complexity-quadratic",
    "quadartic": "complexity-quadratic",
    "RoPE with KV cache wrong": "variants-restart",
    "rank collapse": "projections-collapse",
    "Why do we divide by the square root of d_k?": "scaling-root",
    "How does GQA save memory?": "variants-grouped",
    "Why use several heads instead of one big one?": "anatomy-several",
    "How many layers until a token sees the whole text?": "receptive_field-far",
    "How many parameters has multi-head attention?": "projections-parameters",
    "Why does dropout act on the weights, and rows no longer sum to 1?": "anatomy-dropout",
    "layer norm or batch norm": "normalization-batch",
    "什么是GQA": "variants-grouped",
    "为什么用LayerNorm不用BatchNorm": "normalization-batch",
    "为什么除以根号": "scaling-root",
    "掩码 之后 NaN": "masks-nan",
    "softmax large dimension": "scaling-saturate",
    "does flash attention change the result": "exactness-flash",
    "is my own attention implementation correct": "bug_hunt-mine",
    "is my kv cache right": "variants-cache",
    "do attention weights explain the prediction": "worth-explain",
    "can I trust attention weights": "worth-explain",
}


# As people type them, with words of no weight, words of nobody, and slips; whose answer has to come first.
FIRST = {
    "How far back can a token see with a sliding window through several layers?": "receptive_field-window",
    "Why does everybody cache keys and values, but never queries?": "variants-queries",
    "who decides which is query and which is key": "projections-names",
    "shuffle words different answer?": "permutation-order",
    "why need causal mask in training, generation has nothing to the right": "masks-causal",
    "what happens to softmax gradients if scores get large": "scaling-gradient",
    "attention sink everything looks at first token": "worth-first",
    "What is rotary position embedding (RoPE)?": "permutation-rotary",
    "why scale by sqrt dk": "scaling-root",
    "self attention vs cross attention difference": "permutation-self-cross",
    "rope vs sinusoidal": "permutation-rotary",
    "rotary embeddings advantage": "permutation-rotary",
    "whats the diffrence between rope and learned embeddings": "permutation-relative",
    "alibi vs rope": "permutation-relative",
    "why multiple heads and not one big head": "anatomy-several",
    "where do q k v come from": "anatomy-from",
    "can a transformer handle longer sequences than it was trained on": "masks-length",
    "why softmax and not just normalize": "anatomy-softmax",
    "is softmax needed in attention": "anatomy-softmax",
    "does true in attn_mask mean ignore or keep": "masks-true",
    "get attention weights per head pytorch": "anatomy-per-head",
    "why all heads look at first token": "worth-first",
    "why residual conections": "projections-residual",
    "attention without residual collapses": "projections-residual",
    "why training is paralel but generation is slow": "masks-parallel",
    "does the bias in key projection matter": "biases-key",
    "do i need bias in q k v": "biases-key",
    "sliding window how many layers to see whole text": "receptive_field-window",
    "attention mask shape": "masks-names",
    "why is the softmax over keys and not queries": "bug_hunt-axis",
    "how many heads should i choose": "projections-rank",
    "logits different fp16 vs fp32": "exactness-rounding",
    "difference between bert and gpt attention": "masks-mask",
    "how to implement multi head attention from scratch": "anatomy-formula",
    "what happens if i dont mask padding": "masks-padding",
    "does order of keys matter": "permutation-equivariant",
    "how does kv cache speed up inference": "variants-what-cache",
    "why are my attention maps all diagonal": "projections-why",
    "attention entropy temperature scaling": "scaling-temperature",
    "how much slower is attention for 2x tokens": "complexity-quadratic",
    "why -inf and not 0 in mask": "masks-minus",
    "vit vs cnn receptive field": "images-images",
    "what does attention actually do": "anatomy-formula",
    "how does multi query attention reduce memory": "variants-bytes",
    "why is kv cache only k and v": "variants-queries",
    "position embeddings why needed": "permutation-positions",
    "what is attention sink": "worth-first",
    "how to check my attention code": "bug_hunt-mine",
    "query and key same matrix": "projections-tied",
    "为什么除以根号dk": "scaling-root",
    "多头注意力为什么比单头好": "anatomy-several",
    "为什么要多头": "anatomy-several",
    "绝对位置编码和相对位置编码的区别": "permutation-relative",
    "旋转位置编码的优点": "permutation-rotary",
    "注意力权重怎么看": "anatomy-per-head",
    "位置编码有什么用": "permutation-positions",
    "自注意力和交叉注意力的区别": "permutation-self-cross",
    "pytorch mha 结果和自己写的不一样": "bug_hunt-torch",
    "残差连接的作用": "projections-residual",
    "FlashAttention 为什么省显存": "exactness-memory",
    "how does the causal mask work in gpt decoder": "masks-mask",
    "RoPE relative position how does rotating q and k only depend on distance": "permutation-rotary",
    "why does RoPE depend only on distance": "permutation-rotary",
    "gqa cache size": "variants-grouped",
    "linear attention kernel trick why is it worse than softmax": "variants-linear",
    "can you prune attention heads without losing accuracy": "anatomy-prune",
    "which heads matter": "anatomy-prune",
    "Should the mask be applied before or after softmax? My rows dont sum to 1 anymore": "bug_hunt-late",
    "sdpa vs manual attention difference": "exactness-rounding",
    "rank collapse pure attention without skip connections or MLP loses rank": "projections-collapse",
    "注意力头可以剪掉吗": "anatomy-prune",
    "掩码应该在softmax之前还是之后": "bug_hunt-late",
}


@pytest.mark.parametrize("text", FIRST)
def test_the_answer_to_a_question_as_it_is_typed_comes_first(text: str) -> None:
    assert [named(place) for place in near(text)][:1] == [FIRST[text]]


@pytest.mark.parametrize(
    "text", ["pizza with attention", "best laptop for deep learning", "adam optimizer weight decay", "今天天气怎么样"]
)
def test_a_question_of_something_else_finds_nothing(text: str) -> None:
    assert not near(text)


@pytest.mark.parametrize("text", TYPED)
def test_a_question_in_other_words_is_near(text: str) -> None:
    assert TYPED[text] in [named(place) for place in near(text)][:3]


@pytest.mark.parametrize(
    ("typed", "word"),
    [("multi-query", "Grouped heads"), ("head", "Head"), ("mask", "Mask"), ("what is softmax", "Softmax")],
)
def test_the_word_that_is_meant_comes_first(typed: str, word: str) -> None:
    assert words_in(typed)[0].word == word


def test_questions_can_be_told_apart_and_there_are_some_of_every_page() -> None:
    counts = Counter(place.page.spec.name for place in places())
    assert set(counts) == {page.name for page in PAGES}
    assert min(counts.values()) >= 3
    assert len(places()) >= 60
    assert len({named(place) for place in places()}) == len(places())
    for language in LANGUAGES:
        with using(language):
            assert len({str(place.faq.asked) for place in places()}) == len(places())


def test_why_ends_with_what_people_ask_of_the_page() -> None:
    at = looked_at("projections", projections_answer="skipped")
    asked = [one.label for one in at.button if (one.key or "").startswith("_projections_faq_")]
    assert asked == [set_markdown(place.faq.asked) for place in places() if place.page.spec.name == "projections"]


def test_a_question_is_asked_below_the_proofs_of_other_pages_too_and_leads_to_its_own() -> None:
    asked = {(place.page.spec.name, name) for place in places() for name in place.faq.on}
    assert {("exactness", name) for name in ("scaling", "trained", "variants")} <= asked
    assert {name for _own, name in asked} <= {spec.name for spec in PAGES}
    assert all(own != name for own, name in asked)
    at, place = looked_at("variants"), place_of("exactness", "rounding")
    at.button(key="_variants_faq_exactness_rounding").click().run()
    go_to(at, "exactness").run()
    assert not at.exception
    (line,) = lines_of(at, place)
    assert line.endswith(str(set_markdown(place.faq.answer)))


def test_what_was_typed_stays_on_its_page() -> None:
    at = type_in(open_page("home"), "gqa")
    assert ways(at)
    go_to(at, "masks").run()
    assert not ways(at)
    assert "Near “gqa”" not in said(at)


def test_the_glossary_says_what_all_words_mean_once_it_is_open() -> None:
    at = open_page("masks")
    meaning = "**Softmax**: turns a row of scores into shares"
    assert meaning not in said(at)
    at.session_state["_glossary"] = True
    assert meaning in said(at.run())
    assert f"**{WORDS[-1].word}**: {WORDS[-1].meaning}" in said(at)


def test_a_word_without_a_question_is_led_in_by_a_sentence() -> None:
    at = type_in(open_page("home"), "what is a standard error")
    assert "The glossary says of “what is a standard error”:" in said(at)
