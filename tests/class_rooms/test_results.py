"""What came of a class: who moved, what was gained and how surely, and that what is kept has bounds."""

import csv
import io
import re
from collections.abc import Callable
from math import sqrt
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._shared.class_rooms.question import Kind, Question
from pages._shared.class_rooms.results import FEWEST_PAIRS, FEWEST_WRONG, Gain, gains, normalised
from pages._shared.class_rooms.room import Room
from pages._shared.classes.gains import draw_gains
from tests.class_rooms.client import Api, Class

OPENED = Room(ends=1e12, secret="")
PAIRS = st.tuples(*[st.integers(0, 60)] * 4)


def both(stayed: int, went: int, came: int, never: int) -> dict[tuple[bool, bool], int]:
    return {(True, True): stayed, (True, False): went, (False, True): came, (False, False): never}


@given(PAIRS)
def test_the_normalised_gain_is_that_of_the_shares_and_its_error_that_of_shares_drawn_together(
    counts: tuple[int, int, int, int],
) -> None:
    stayed, went, came, never = counts
    n = sum(counts)
    told = normalised(both(*counts))
    assert (told is None) == (n < FEWEST_PAIRS or came + never < FEWEST_WRONG)
    if told is None:
        return
    first, second = (stayed + went) / n, (stayed + came) / n
    assert told[0] == pytest.approx((second - first) / (1 - first), abs=1e-12)
    # The same by matrices: the covariance of shares, and the gain's derivatives as differences.
    shares = np.array(counts) / n

    def gain(one: np.ndarray) -> float:
        before, after = one[0] + one[1], one[0] + one[2]
        return (after - before) / (one[2] + one[3])

    step = 1e-6
    slopes = [(gain(shares + step * way) - gain(shares - step * way)) / (2 * step) for way in np.eye(4)]
    covariance = (np.diag(shares) - np.outer(shares, shares)) / n
    assert told[1] == pytest.approx(sqrt(max(0.0, slopes @ covariance @ slopes)), abs=1e-6)


def test_an_error_is_at_most_what_the_fewest_allow() -> None:
    worst = max(normalised(both(10, 0, came, FEWEST_WRONG - came))[1] for came in range(FEWEST_WRONG + 1))  # type: ignore[index]
    assert worst <= 1 / (2 * sqrt(FEWEST_WRONG)) + 1e-12
    assert round(worst, 2) == 0.16


def played(right: object, kind: Kind = Kind.ONE) -> Room:
    question = Question("Which?", ("a", "b") if kind.chooses else (), kind=kind)
    return OPENED.ask("one", 1, question, 50).close().ask("one", 2, None, 50).close().reveal(right)


def test_a_gain_is_of_those_who_answered_twice_and_of_questions_that_have_a_right_answer() -> None:
    counts = {
        (0, 1, "0", ""): 4, (0, 1, "1", ""): 2, (0, 2, "1", "0"): 3, (0, 2, "1", "1"): 1, (0, 2, "0", ""): 5,
    }  # fmt: skip
    assert gains(played(1), counts) == [Gain("Which?", 4, 0.25, 1.0, None)]
    assert gains(played(None), counts) == []
    assert gains(played(1), {(0, 2, "0", ""): 5}) == [], "nobody answered twice"
    assert gains(OPENED.ask("one", 1, Question("Which?", ("a", "b")), 50).close().reveal(1), counts) == []
    near = {(0, 1, "0.4", ""): 2, (0, 2, "0.4", "0.4"): 1, (0, 2, "0.41", "0.4"): 1}
    assert gains(played([0.3, 0.1], Kind.NUMBER), near) == [Gain("Which?", 2, 1.0, 0.5, None)]


def test_gains_are_drawn_with_their_question_as_text_and_a_normalised_one_only_where_enough_tell() -> None:
    few = Gain("<b>Which</b> & 'why'\x00?", 5, 0.2, 0.6, None)
    long = "Reverse the keys and values and leave the queries: which of the weights change, and which not?"
    drawn = draw_gains([few, Gain(long, 30, 0.4, 0.8, (2 / 3, 0.1234))], "en")
    texts = ["".join(one.itertext()) for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("}text")]
    assert "<b>Which</b> & 'why'\N{REPLACEMENT CHARACTER}?" in texts
    assert {"20%", "60%", "40%", "80%"} <= set(texts)
    told = " ".join(texts)
    assert "5 voted twice. A normalised gain needs 20 who did, 10 of them not right at first." in told
    assert f"{long} 30 voted twice. Normalised gain 0.67 ± 0.12:" in told, "the title alone is cut"
    assert "Reverse the keys and values and …" in texts, "and at the end of a word"
    assert f"{'长' * 32} …" in draw_gains([Gain("长" * 40, 5, 0.2, 0.6, None)], "zh")


def test_everybody_is_told_what_was_voted_on_the_questions_whose_answer_is_out_and_on_no_others(api: Api) -> None:
    room = api.open()
    assert room.votes().json == {"votes": []}
    room.ask("one", step=2)
    room.voted("ana-00000000", 1)
    room.voted("ben-00000000", 2)
    room.done("close")
    room.done("show")
    assert room.votes().json == {"votes": []}, "its counts are shown, and its answer is not out"
    room.ask("one", number=2)
    room.voted("ana-00000000", 2, number=2)
    room.done("close")
    room.done("reveal", answer=2)
    one = {
        "step": 2, "sums": [2, 1], "tallies": [[0, 1, 1], [0, 0, 1]], "measured": 2,
        "question": {
            "name": "one", "kind": "one", "text": "Which?", "answers": ["a", "b", "c"], "page": "", "step": 2,
        },
    }  # fmt: skip
    room.done("ask", question="put-away", round=1, kind="number", text="How many?")
    room.voted("ana-00000000", "7", "put-away")
    room.done("close")
    room.done("drop", question="put-away")
    room.done("ask", question="few", round=1, kind="words", text="What?")
    for voter, words in (("ana", "rows"), ("ben", "columns"), ("cem", "rows")):
        room.voted(f"{voter}-00000000", words, "few")
    room.done("close")
    room.done("show", words=[0])
    assert [item["question"]["name"] for item in room.votes().json["votes"]] == ["one"]
    room.done("reveal")
    room.done("ask", question="page", round=1, page="scaling")
    room.done("close")
    room.done("reveal", answer=1)
    told, now = room.votes().json["votes"], room.state()
    assert told[0] == one
    assert [item["question"]["name"] for item in told] == ["one", "few", "page"]
    few = {field: told[1][field] for field in ("sums", "tallies", "measured")}
    assert few == {"sums": [3], "tallies": [[["rows", 2]]], "measured": None}, "the words that the teacher has shown"
    state = {field: now[field] for field in ("question", "sums", "tallies", "measured")}
    assert told[2] == {"step": 0, **state}, "as the state tells it"
    assert api.ask("GET", "/BBBBB/votes").status == 404


def test_who_moved_is_counted_and_when_and_before_how_many(api: Api) -> None:
    room = api.open()
    with room.stream("ana-00000000") as ana, room.stream("ben-00000000"):
        ana.until(here=2)
        room.done("ask", question="one", round=1, step=3, kind="number", text="How many?")
        for voter, answer in (("ana", "６４"), ("ben", "1e2"), ("cem", 7), ("dan", 7)):
            room.voted(f"{voter}-00000000", answer)
        room.done("close")
        room.done("ask", question="one", round=2)
        for voter, answer in (("ana", 64), ("ben", 1), ("ben", 65.5), ("cem", 64), ("eva", 7)):
            room.voted(f"{voter}-00000000", answer, number=2)
        room.done("close")
        room.done("reveal", answer=[64, 2])
    rows = list(csv.DictReader(io.StringIO(room.results().body[1:])))
    assert {(row["step"], row["question"], row["kind"], row["text"]) for row in rows} == {
        ("3", "1", "number", "How many?")
    }
    assert [(row["round"], row["from"], row["answer"], row["right"], row["votes"]) for row in rows] == [
        ("1", "", "7", "no", "2"),
        ("1", "", "64", "yes", "1"),
        ("1", "", "100", "no", "1"),
        ("2", "", "7", "no", "1"),
        ("2", "", "64", "yes", "2"),
        ("2", "", "65.5", "yes", "1"),
        ("1 to 2", "", "7", "no", "1"),
        ("1 to 2", "100", "65.5", "yes", "1"),
        ("1 to 2", "64", "64", "yes", "1"),
        ("1 to 2", "7", "", "", "1"),
        ("1 to 2", "7", "64", "yes", "1"),
    ]
    for row in rows[:6]:
        assert row["present"] == "2"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["opened"])
        assert row["opened"] <= row["closed"]
    drawn = api.ask("GET", f"/{room.key}/gains.svg", Authorization=f"Bearer {room.teacher}")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "en [('How many?', 3, 0.3333333333333333, 1.0)]" in drawn.body
    other = api.ask("GET", f"/{room.key}/gains.svg?language=zh", Authorization=f"Bearer {room.teacher}")
    assert "zh [('How many?'" in other.body


def test_gains_and_words_are_for_the_teacher_and_where_there_are_none_it_is_said(api: Api) -> None:
    room = api.open()
    for path in ("gains.svg", "words"):
        assert "teacher" in api.ask("GET", f"/{room.key}/{path}").sentence
    none = api.ask("GET", f"/{room.key}/gains.svg", Authorization=f"Bearer {room.teacher}")
    assert (none.status, none.sentence.startswith("No question has had two votes")) == (409, True)


def test_words_are_grouped_and_nobody_sees_one_that_the_teacher_has_not_chosen(api: Api) -> None:
    room = api.open()
    room.done("ask", question="one", round=1, kind="words", text="What?")
    for at, words in enumerate(("Keys.", "ｋｅｙｓ", " the  word before ", "rude", "KEYS!")):
        room.voted(f"voter-{at:04}", words)

    def words() -> list[list[object]]:
        answer = api.ask("GET", f"/{room.key}/words", Authorization=f"Bearer {room.teacher}")
        return answer.json["words"]

    assert words() == [], "an open vote is nobody's to see"
    room.done("close")
    assert words() == [["keys", 3], ["rude", 1], ["the word before", 1]]
    room.done("show")
    assert (room.state()["sums"], room.state()["tallies"]) == ([5], [[]])
    room.done("show", words=[2, 0, 400])
    assert room.state()["tallies"] == [[["keys", 3], ["the word before", 1]]]
    assert "rude" not in str(room.state())
    room.done("reveal")
    room.done("show", words=[0])
    assert (room.state()["phase"], room.state()["tallies"]) == ("revealed", [[["keys", 3]]])
    room.done("ask", question="two", round=1, text="Which?", answers=["a", "b"])
    assert words() == []
    for nonsense in ("…", "a b c d e f g", "x" * 41, "\u202eabc", 7, None, ["keys"]):
        room.done("close") if room.state()["phase"] == "open" else None
        room.done("ask", question=f"q{abs(hash(str(nonsense)))}", round=1, kind="words", text="What?")
        name = room.state()["question"]["name"]
        refused = room.vote("voter-0000", nonsense, question=name)
        assert refused.status == 422, nonsense
        assert refused.sentence
        room.voted("voter-0000", "keys", question=name)


def test_different_answers_have_a_bound_and_those_that_were_given_are_taken(
    serve: Callable[..., Api], rooms_url: str | None
) -> None:
    room = serve(rooms_url, different=3, messages=500).open()
    room.done("ask", question="one", round=1, kind="number", text="How many?")
    for at in range(3):
        room.voted(f"voter-{at:04}", at)
    assert room.vote("voter-0003", 7).status == 429
    assert room.vote("voter-0003", 7).sentence.startswith("This class has given as many different answers")
    assert room.state()["voted"] == 3
    room.voted("voter-0003", 1)
    assert room.vote("voter-0000", 7).status == 429
    assert room.state()["voted"] == 4, "a vote that could not be changed stays"
    room.voted("voter-0000", 1)
    room.voted("voter-0001", 7)
    room.done("close")
    room.done("show")
    assert room.state()["tallies"] == [[[1, 2], [2, 1], [7, 1]]]


def lose(room: Class, voter: str, lost: object) -> int:
    return room.api.post(f"/{room.key}/lost", {"voter": voter, "lost": lost}).status


def test_who_is_lost_is_counted_until_it_is_over(serve: Callable[..., Api], rooms_url: str | None) -> None:
    room = serve(rooms_url, voters=2, messages=500).open()
    with room.stream("ana-00000000") as ana, room.stream("ben-00000000"):
        ana.until(here=2)
        assert lose(room, "ana-00000000", True) == lose(room, "ana-00000000", True) == 204
        ana.until(lost=1)
        assert lose(room, "ben-00000000", True) == 204
        ana.until(lost=2)
        assert lose(room, "cem-00000000", True) == 429, "as many as may be here"
        assert lose(room, "ana-00000000", False) == 204
        assert ana.until(lost=1)["number"] == 0, "neither a vote nor a step"
    assert lose(room, "ana-00000000", 1) == 422
    assert lose(room, "x", True) == 422
    room.done("end")
    assert lose(room, "ana-00000000", True) == 410


def test_nobody_is_lost_for_ever(serve: Callable[..., Api], rooms_url: str | None) -> None:
    room = serve(rooms_url, lost_s=0.5).open()
    assert lose(room, "ana-00000000", True) == 204
    with room.stream("ana-00000000") as ana:
        ana.until(here=1, lost=0)
