"""What other programs and other keyboards have changed on its way: links, keys, and marks of the right answer."""

import re
from urllib.parse import quote

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.incoming import parameters
from pages._shared.core.visitor_state import CLASS, KEY_TYPED, VISIT
from pages._shared.lessons.course import Course, Step, decode
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import opened
from pages._shared.lessons.questions import parse
from pages._shared.session import way_in
from tests.pages.conftest import open_page
from tests.pages.read import notices, said, sent

TICKETED, SECRETED = "0123456789abcdef", "Ab3_-xyzAb3_-xyzAb3_-xyzAb3_-xyz"
UNSEEN = "\u200b\u2060\ufeff\u00ad\u200e\u202a\u2066\ufe0f\u034f\u180e\U000e0020\u3164\u2800"


def settings(at: AppTest) -> dict[str, object]:
    return dict(at.session_state[VISIT].settings)


@pytest.mark.parametrize(
    "name",
    [
        "amp;biases_size", "amp;amp;biases_size", "Biases_Size", "BIASES_SIZE", "AMP;biases_size", "?biases_size",
        "&biases_size", " biases_size", "biases_size\u200b", "\ufeffbiases_size", "biases%5Fsize", "biases%255Fsize",
        "ｂｉａｓｅｓ＿ｓｉｚｅ",
    ],
)  # fmt: skip
def test_a_name_that_was_changed_on_its_way_is_the_setting_that_was_meant(name: str) -> None:
    at = open_page("biases", **{name: "2.5"})
    assert settings(at)["biases_size"] == 2.5
    assert notices(at) == []
    assert "biases_size" in at.query_params
    assert name not in at.query_params


@pytest.mark.parametrize(
    "end", [".", ",", ")", "]", "}", ">", "”", "』", "。", "，", "）", "！", "…", "*", "**", " ", "\u00a0", UNSEEN]
)
def test_what_stands_behind_a_link_is_no_part_of_its_last_value(end: str) -> None:
    at = open_page("biases", biases_size=f"2.5{end}")
    assert settings(at)["biases_size"] == 2.5
    assert notices(at) == []


def test_a_name_that_came_unchanged_goes_before_one_that_did_not() -> None:
    given = {"amp;seed": "1", "seed": "2", "SEED": "3", "amp;dtype": "float64"}
    assert parameters(given) == {"seed": "2", "dtype": "float64"}
    assert parameters(dict(reversed(given.items()))) == {"seed": "2", "dtype": "float64"}


def test_a_link_that_was_encoded_as_a_whole_is_the_link() -> None:
    whole = "biases_tokens=a%20b&biases_size=2.5"
    for text in (whole, quote(whole), quote(quote(whole))):
        assert parameters({text: ""}) == {"biases_tokens": "a b", "biases_size": "2.5"}


@pytest.mark.parametrize("name", ["bias_size", "biases_sise", "biases", "size", "scaling_d_head", "courses", "clas"])
def test_a_name_that_nobody_knows_is_said(name: str) -> None:
    at = open_page("biases", **{name: "2.5", "seed": "3"})
    told = name.replace("_", "\\_")
    assert notices(at) == [f"The link holds “{told}”, which this page does not know; it is left out."]
    assert settings(at)["seed"] == 3


@pytest.mark.parametrize(
    "name",
    [
        "utm_source",
        "UTM_campaign",
        "amp;utm_medium",
        "fbclid",
        "gclid",
        "mc_eid",
        "msclkid",
        "srsltid",
        "_hsenc",
        "mkt_tok",
        "spm",
        "from",
        "isappinstalled",
        "gt;",
        "quot;",
        "amp;",
    ],
)
def test_what_others_add_to_a_link_is_passed_over(name: str) -> None:
    at = open_page("biases", **{name: "" if name.endswith(";") else "x", "seed": "3"})
    assert notices(at) == []
    assert settings(at) == {"seed": 3}


def test_what_others_add_behind_a_second_question_mark_is_no_part_of_the_last_value() -> None:
    at = open_page("biases", biases_size="2.5?utm_source=x", utm_medium="y")
    assert (notices(at), settings(at)) == ([], {"biases_size": 2.5})


def test_text_of_a_visitor_stays_as_it_is() -> None:
    text = "why? from=a. (b) #teacher ＊ c&amp;d %20 teacher=you"
    assert parameters({"biases_tokens": text}) == {"biases_tokens": text}


def test_a_setting_that_a_lesson_fixes_under_a_name_that_nobody_knows_is_said() -> None:
    lesson = Lesson(fixed={"scaling_sclae": "root"})
    at = open_page("scaling", course=Course(steps=(Step(page="scaling", lesson=lesson), Step(page="masks"))).encode())
    assert [one for one in notices(at) if "Step 1 of the course holds “scaling\\_sclae”" in one]


# ---- a course ----

COURSES = [
    Course(title="t" * i, steps=(Step(page="biases", settings={"seed": "5"}, lesson=Lesson(note="n" * (i * 3))),))
    for i in range(24)
]
ENDS = [
    *".,;:!?)]}>\"'*_~ \n\t", "...", "…", "。", "，", "）", "」", "”", "**", "__", "\u00a0", "%20", UNSEEN, "=",
    "==", "&", "). ", ".Then", "-",
]  # fmt: skip


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_every_course_opens_whatever_stands_behind_its_link(end: str) -> None:
    assert [decode(course.encode() + end) for course in COURSES] == [(course, []) for course in COURSES]


@pytest.mark.parametrize("put", ["<{}>", "({})", "\u201c{}\u201d", "\ufeff{}", "*{}*", " {} "])
def test_every_course_opens_whatever_stands_around_it(put: str) -> None:
    assert [opened(put.format(course.encode()))[0] for course in COURSES] == COURSES
    assert opened(put.format("Order"))[0] == opened("order")[0]


@pytest.mark.parametrize("gap", ["\n", "\r\n ", " ", "=\n", UNSEEN], ids=ascii)
def test_every_course_opens_whose_link_was_broken_into_lines(gap: str) -> None:
    for course in COURSES:
        text = course.encode()
        assert decode(gap.join(text[at : at + 20] for at in range(0, len(text), 20)))[0] == course


def test_a_course_that_was_cut_says_so() -> None:
    text = COURSES[-1].encode()
    for length in range(len(text) - 1):
        with pytest.raises(ValueError, match="may have been cut when it was copied"):
            decode(text[:length])


def test_a_course_in_the_address_is_as_it_was_written() -> None:
    at = open_page("biases", course=f"({COURSES[3].encode()}).", **{"amp;step": "1."})
    assert notices(at) == []
    assert (at.query_params["course"], at.query_params["step"]) == (COURSES[3].encode(), "1")


WALK = Course(
    title="Three",
    steps=tuple(Step(page="scaling", settings={"scaling_d_head": size}) for size in ("16", "256", "1024")),
)


@pytest.mark.parametrize("step", ["0", "5", "999", "abc", "-1", "1.5", "", "2²", "9" * 5_000])
def test_a_step_that_a_course_has_not_is_said_and_the_course_begins(step: str) -> None:
    at = open_page("scaling", course=WALK.encode(), step=step)
    assert not at.exception
    (sentence,) = notices(at)
    assert sentence.startswith("The link asks for step “")
    assert sentence.endswith("” of a course of 3, which there is not: here is step 1.")
    assert len(sentence) < 200
    assert (at.query_params["step"], at.query_params["scaling_d_head"]) == ("1", "16")
    assert "**Step 1 of 3**" in said(at)


@pytest.mark.parametrize("step", ["2", "２", "2.", " 2", "2\u200b"])
def test_a_step_is_the_one_that_was_meant(step: str) -> None:
    at = open_page("scaling", course=WALK.encode(), step=step)
    assert (notices(at), at.query_params["step"]) == ([], "2")


# ---- a class ----


@pytest.mark.parametrize(
    "typed",
    [
        "bcdfg", "ｂｃｄｆｇ", "ＢＣＤＦＧ", "b c d f g", " B C D F G ", "B\u3000C D F G", "BCDFG.", "(BCDFG)",
        "“BCDFG”", "b-c-d-f-g", "BCD FG", "BCDFG\u200b", f"B{UNSEEN}CDFG", "\u202aBCDFG\u202c", "BCDFG!", "𝐁𝐂𝐃𝐅𝐆",
        "ⓑⓒⓓⓕⓖ", f"BCDFG-{TICKETED}", f"bcdfg-{TICKETED.upper()}.", "http://school.test/?class=bcdfg",
        "https://school.test/attention/?lang=zh&amp;class=BCDFG&present=true",
        "https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fschool.test%2F%3Fclass%3DBCDFG&data=05%7C01",
        "https://urldefense.com/v3/__http://school.test/?class=BCDFG__;!!Ab3xyz!QWRTZ$",
        f"https://urldefense.com/v3/__http://school.test/?class=BCDFG-{TICKETED}__;!!Ab3xyz!QWRTZ$",
        "https://urldefense.proofpoint.com/v2/url?u=http-3A__school.test_-3Fclass-3DBCDFG&d=DwIGaQ&c=x",
        f"https://urldefense.proofpoint.com/v2/url?u=http-3A__school.test_-3Fclass-3DBCDFG-2D{TICKETED}&d=DwIGaQ&c=x",
        "https://link.zhihu.com/?target=https%3A//school.test/%3Fclass%3DBCDFG", "<http://school.test/?class=BCDFG|Ours>",
        "[http://school.test/?class=BCDFG](http://school.test/?class=BCDFG)", "http://school.test/?class=BCDFG。明天见",
        "https://school.test/?class=BCDFG 明天见", "http://school.test/?class=BCDFG;lang=zh",
        f"BCDFG-{TICKETED}。明天见",
        "http://school.test/?class=3DBCDFG", f"http://school.test/?class=BCDFG—{TICKETED}", f"BCDFG\u2011{TICKETED}",
        f"BCDFG – {TICKETED}", "Key: BCDFG", "班级：bcdfg", "班级BCDFG，明天见", "Klasse bcdfg!", "BCDFG (bcdfg)",
    ],
)  # fmt: skip
def test_a_key_is_the_one_that_was_meant(typed: str) -> None:
    at = open_page("home")
    at.text_input(key=KEY_TYPED).set_value(typed).run()
    assert not at.error
    assert at.session_state[CLASS].key == "BCDFG"
    (told,) = sent(at, "live_class/panel")
    assert (told["room"], told["ticket"]) == ("BCDFG", TICKETED if TICKETED in typed.lower() else "")
    ticket = f"-{TICKETED}" if TICKETED in typed.lower() else ""
    assert at.query_params["class"] == f"BCDFG{ticket}"


@pytest.mark.parametrize(
    "typed", ["BCDFG or HJKMN", "xBCDFG", "BCDFGx", "BCDFG_x", "https://school.test/", "BCDF G HJ"]
)
def test_what_may_be_another_key_or_none_is_no_key(typed: str) -> None:
    at = open_page("home")
    at.text_input(key=KEY_TYPED).set_value(typed).run()
    assert at.session_state[CLASS].key == ""
    assert at.error


def test_a_key_is_typed_as_long_as_it_takes() -> None:
    assert open_page("home").text_input(key=KEY_TYPED).proto.max_chars == 0


OWN: list[dict[str, str]] = [
    {"class": f"BCDFG#teacher={SECRETED}"},
    {"class": f"BCDFG-{TICKETED}#teacher={SECRETED}"},
    {"class": f"BCDFG-{TICKETED}#teacher={SECRETED}."},
    {"class": f"BCDFG%23teacher%3D{SECRETED}"},
    {"class": f"BCDFG%2523teacher%253D{SECRETED}"},
    {"class": f"bcdfg#Teacher={SECRETED})"},
    {"class": f"BCDFG&teacher={SECRETED}"},
    {"class": f"BCDFG?teacher={SECRETED}"},
    {"class": f"BCDFG teacher={SECRETED}"},
    {"class": f"BCDFG#teacher={SECRETED}&data=05|01"},
    {"class": f"BCDFG-{TICKETED}#teacher={SECRETED}。明天见"},
    {"class": "BCDFG", "teacher": SECRETED},
    {"class": "BCDFG", "amp;teacher": f"{SECRETED}."},
    {"class": "BCDFG", "#teacher": SECRETED},
    {"amp;class": f"BCDFG#teacher={SECRETED}"},
    {"class": "BCDFG", "lang": f"en#teacher={SECRETED}"},
    {f"class=BCDFG#teacher={SECRETED}": ""},
    {f"class%3DBCDFG%23teacher%3D{SECRETED}": ""},
]


@pytest.mark.parametrize("link", OWN, ids=str)
def test_a_teachers_own_link_leads_the_class_and_shows_nothing_of_its_secret(link: dict[str, str]) -> None:
    at = open_page("biases", **link)
    assert at.session_state[CLASS].key == "BCDFG"
    assert at.session_state[CLASS].secret == SECRETED, "until the browser has it"
    assert at.session_state[CLASS].ticket == (TICKETED if TICKETED in str(link) else "")
    assert notices(at) == []
    (told,) = sent(at, "live_class/panel")
    assert told.pop("secret") == SECRETED
    assert told["address"] == ""
    assert hides_secret(at, str(told))


@pytest.mark.parametrize("key", ["AEIOU", ""])
@pytest.mark.parametrize("link", [next(iter(one.items())) for one in OWN], ids=str)
def test_a_secret_is_not_shown_where_there_is_no_class_either(link: tuple[str, str], key: str) -> None:
    name, text = (re.sub("bcdfg", key, one, flags=re.IGNORECASE) for one in link)
    at = open_page("biases", **{name: text})
    assert at.session_state[CLASS].key == ""
    assert notices(at)
    assert hides_secret(at)


@pytest.mark.parametrize(
    "typed", [SECRETED, f"#teacher={SECRETED}", f"http://school.test/#teacher={SECRETED}", "x" * 10**4]
)
def test_what_is_pasted_for_a_key_is_not_said_again_where_it_may_be_a_secret(typed: str) -> None:
    at = open_page("home")
    at.text_input(key=KEY_TYPED).set_value(typed).run()
    assert at.session_state[CLASS].key == ""
    (refused,) = [one.value for one in at.error]
    assert "not a class key: a key has five letters, all consonants." in refused
    assert len(refused) < 200
    assert hides_secret(at, refused)


def hides_secret(at: AppTest, *more: str) -> bool:
    """Whether nothing on the page or in its address is a part of the secret, in capitals either."""
    shown = [one.value for kind in (at.markdown, at.toast, at.error, at.caption, at.warning) for one in kind]
    all_of_it = " ".join((*shown, *more, str(dict(at.query_params)))).replace("\\", "").lower()
    return not any(SECRETED[start : start + 6].lower() in all_of_it for start in (0, 8, 26))


@pytest.mark.parametrize(
    "link",
    [
        "https://school.test/?class=BCDFG-{ticket}#teacher={secret}",
        "https://urldefense.com/v3/__https://school.test/?class=BCDFG-{ticket}*teacher={secret}__;Iw!!Ab3xyz!QWRTZ$",
        "https://school.test/?class=3DBCDFG-{ticket}#teacher={secret}。",
    ],
)
def test_a_link_that_is_pasted_whole_holds_all_of_the_way_in(link: str) -> None:
    way = way_in.read(link.format(ticket=TICKETED, secret=SECRETED))
    assert way == way_in.WayIn("BCDFG", TICKETED, SECRETED)


# ---- the mark of the right answer ----


@pytest.mark.parametrize(
    "mark",
    [
        "*",
        "* ",
        "＊",
        "＊ ",
        "＊\u3000",
        "﹡",
        "∗",
        "★",
        "⭐",
        "\u200b*",
        "\ufeff＊",
        "  *\u200b ",
        "*\u00a0",
        "*\ufe0f ",
        "\u3000＊",
        "\u2060 ∗ ",
    ],
    ids=ascii,
)
def test_the_right_answer_is_the_one_that_was_marked(mark: str) -> None:
    (one,), wrong = parse(f"哪个词最受关注？\nNo\n{mark}Yes", asks=False)
    assert (one.answers, one.right, wrong) == (("No", "Yes"), 1, "")


@pytest.mark.parametrize("answer", ["＊Yes", "\u200b* Yes", "★ Yes"])
def test_no_answer_is_marked_for_all_to_see(answer: str) -> None:
    questions, error = parse(f"Which?\nNo\n* {answer}", asks=False)
    assert questions == []
    assert "an answer begins with a star" in error


@pytest.mark.parametrize(
    "gap", ["\n\n", "\n \n", "\n\u200b\n", "\n\u3000\n", "\r\n\r\n", "\n\ufeff \n", "\u2028\u2028"], ids=ascii
)
def test_a_line_in_which_nothing_is_seen_begins_the_next_question(gap: str) -> None:
    found, wrong = parse(f"One?\na\n*b{gap}Two?\n*c\nd", asks=False)
    assert [(one.text, one.answers, one.right) for one in found] == [("One?", ("a", "b"), 1), ("Two?", ("c", "d"), 0)]
    assert wrong == ""


@pytest.mark.parametrize("own", ["This page's question", "Ｔhis page’s question．", "\u200bthis page's question "])
def test_the_pages_own_question_is_meant_however_it_is_typed(own: str) -> None:
    (one,), wrong = parse(own, asks=True)
    assert (one.text, wrong) == ("", "")
