"""Answers of a test over HTTP, in memory and in Redis: the first counts, nothing is lost, nothing counted twice."""

import csv
import io
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from pages._shared.class_rooms import Limits
from tests.class_rooms.client import Answer, Api, Class
from tests.processes import PATIENCE_S

ANA, BEN = "a" * 16, "0123456789abcdef"
HEAD = ["person", "time", "item", "answer"]


def table(answer: Answer) -> list[list[str]]:
    """The rows of a file that begins with a byte-order mark."""
    assert answer.status == 200, answer
    return list(csv.reader(io.StringIO(answer.body.removeprefix("\ufeff"))))


def counted(answer: Answer) -> int:
    assert answer.status == 200, answer
    return answer.json["counted"]


def test_of_two_answers_of_one_person_to_one_item_at_one_time_the_first_counts(api: Api) -> None:
    room = api.open()
    assert table(room.test_csv()) == [HEAD]
    assert counted(room.hand_in(ANA, {"sink": "A"})) == 1
    assert counted(room.hand_in(ANA, {"sink": "A", "rank": "B"})) == 2
    assert counted(room.hand_in(ANA, {"sink": "C", "rank": "B"})) == 1, "what was said first stays"
    assert counted(room.hand_in(ANA, {"sink": "C"}, "after")) == 1, "another time is another answer"
    assert counted(room.hand_in(BEN, {"mask": "D"})) == 1
    rows = [
        [BEN, "before", "mask", "D"], [ANA, "after", "sink", "C"], [ANA, "before", "rank", "B"],
        [ANA, "before", "sink", "A"],
    ]  # fmt: skip
    assert table(room.test_csv()) == [HEAD, *rows]


def test_two_phones_with_one_word_are_one_person_with_the_answers_of_both(api: Api) -> None:
    room = api.open()
    room.hand_in(ANA, {"sink": "A"}, voter="phone-one")
    room.hand_in(ANA, {"sink": "B", "rank": "B"}, voter="phone-two")
    assert table(room.test_csv())[1:] == [[ANA, "before", "rank", "B"], [ANA, "before", "sink", "A"]]
    assert room.state()["tests"] == {"before": [[2, 1]]}


def test_everybody_is_told_how_many_have_answered_how_much_and_nothing_of_what(api: Api) -> None:
    room = api.open()
    with room.stream() as stream:
        room.hand_in(ANA, {"sink": "A"})
        assert stream.until(tests={"before": [[1, 1]]})["number"] == 1
        room.hand_in(BEN, {"sink": "A"})
        room.hand_in(BEN, {"rank": "A", "mask": "C"})
        room.hand_in(ANA, {"sink": "B"}, "after")
        assert stream.until(tests={"before": [[1, 1], [3, 1]], "after": [[1, 1]]})["number"] == 4
    number = room.state()["number"]
    room.hand_in(BEN, {"rank": "A"})
    room.hand_in(BEN, {"rank": "D"})
    assert room.state()["number"] == number, "sent again, nothing has changed"
    assert ANA not in str(room.state())


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"time": "later"}, "“time” must be before or after."),
        ({"time": ["before"]}, "“time” must be before or after."),
        ({"time": None}, "“time” must be before or after."),
        ({"person": "ana"}, "“person” must be 16 hexadecimal digits."),
        ({"person": "A" * 16}, "“person” must be 16 hexadecimal digits."),
        ({"person": 7}, "“person” must be 16 hexadecimal digits."),
        ({"person": "a" * 15 + "\n"}, "“person” must be 16 hexadecimal digits."),
        ({"answers": {}}, "“answers” must hold a letter for one item or more."),
        ({"answers": [["sink", "A"]]}, "“answers” must hold a letter for one item or more."),
        ({"answers": {"sink": "A", "sunk": "A"}}, "“answers” names an item that the test does not have."),
        ({"answers": {"sink": "A", "rank": "E"}}, "“answers” must hold A, B, C or D for each item."),
        ({"answers": {"sink": "a"}}, "“answers” must hold A, B, C or D for each item."),
        ({"answers": {"sink": 0}}, "“answers” must hold A, B, C or D for each item."),
        ({"answers": {"sink": ["A"]}}, "“answers” must hold A, B, C or D for each item."),
        ({"voter": "ana"}, "“voter” must be 8 to 64 letters, digits, - or _."),
    ],
)
def test_what_is_no_answer_is_refused_and_takes_nothing_along(api: Api, wrong: dict[str, Any], sentence: str) -> None:
    room = api.open()
    message = {"voter": "ana-00000000", "time": "before", "person": ANA, "answers": {"sink": "A"}} | wrong
    refused = api.post(f"/{room.key}/test", message)
    assert (refused.status, refused.sentence) == (422, sentence)
    assert table(room.test_csv()) == [HEAD]
    assert room.state()["tests"] == {}


def test_a_message_that_is_too_long_or_none_is_refused(api: Api) -> None:
    room = api.open()
    assert api.post(f"/{room.key}/test", b"x" * 2049).status == 413
    assert api.post(f"/{room.key}/test", b"[]").status == 400
    for headers in ({"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}):
        answer = api.post(f"/{room.key}/test", {"voter": "ana-00000000"}, **headers)
        assert answer.status in (403, 415)
    assert table(room.test_csv()) == [HEAD]


def test_the_answers_are_for_the_teacher_alone_and_for_as_long_as_the_class_lives(api: Api) -> None:
    room = api.open()
    room.hand_in(ANA, {"sink": "A"})
    assert room.test_csv().headers["content-type"].startswith("text/csv")
    assert Class(api, room.key, "wrong").test_csv().status == 403
    assert api.ask("GET", f"/{room.key}/test.csv").status == 403
    room.done("end")
    for late in (room.hand_in(ANA, {"rank": "A"}), room.hand_in(BEN, {"sink": "A"}), room.test_csv()):
        assert (late.status, late.sentence) == (410, "This class has ended; nothing of it is left on the server.")
    assert Class(api, "BBBBB", "").hand_in(ANA, {"sink": "A"}).status == 404


def test_no_more_people_than_may_vote_and_who_is_in_goes_on(serve: Callable[..., Api], rooms_url: str | None) -> None:
    room = serve(rooms_url, voters=2, messages=500).open()
    for person in (ANA, BEN):
        room.hand_in(person, {"sink": "A"})
    full = room.hand_in("c" * 16, {"sink": "A"})
    assert (full.status, full.sentence) == (429, "This class is full.")
    assert counted(room.hand_in(ANA, {"rank": "A"})) == 1
    assert counted(room.hand_in("c" * 16, {"sink": "A"}, "after")) == 1, "each time has its own"
    assert {row[0] for row in table(room.test_csv())[1:] if row[1] == "before"} == {ANA, BEN}


def test_five_messages_at_once_are_heard(serve: Callable[..., Api]) -> None:
    room = serve(None).open()
    with ThreadPoolExecutor(12) as crowd:
        said = list(crowd.map(lambda _: room.hand_in(ANA, {"sink": "A"}).status, range(12)))
    assert 5 <= said.count(200) < 12
    assert set(said) == {200, 429}


def test_answers_that_race_are_each_counted_once(api: Api) -> None:
    """A hundred messages in no order, many of them twice; what counts of each item is one that was sent."""
    room, draw = api.open(), random.Random(3)
    people = [f"{number:016x}" for number in range(10)]
    sent = [(draw.choice(people), draw.choice(("sink", "rank", "mask")), draw.choice("ABCD")) for _ in range(100)]
    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(lambda one: room.hand_in(one[0], {one[1]: one[2]}), sent * 2))
    rows = table(room.test_csv())[1:]
    assert {(person, item) for person, _time, item, _letter in rows} == {one[:2] for one in sent}
    assert len(rows) == len({one[:2] for one in sent})
    assert {(person, item, letter) for person, _time, item, letter in rows} <= set(sent)
    answered = [len({item for who, item, _letter in sent if who == person}) for person in people]
    expected = sorted([items, answered.count(items)] for items in set(answered) - {0})
    assert room.state()["tests"] == {"before": expected}


def test_all_that_redis_keeps_of_a_test_goes_with_the_class(serve: Callable[..., Api], redis_url: str) -> None:
    room = serve(redis_url).open()
    room.hand_in(ANA, {"sink": "A"})
    with redis.from_url(redis_url) as client:
        kept = list(client.scan_iter(f"*{room.key}*"))
        assert len(kept) == 3
        assert {client.pexpiretime(name) for name in kept} == {client.pexpiretime(kept[0])}
        assert abs(client.pexpiretime(kept[0]) / 1000 - time.time() - Limits().life_s) < PATIENCE_S
        room.done("end")
        assert [name.decode().count(":") for name in client.scan_iter(f"*{room.key}*")] == [2], "that it has ended"


def test_a_vote_and_a_test_do_not_count_each_other(api: Api) -> None:
    room = api.open()
    room.hand_in(ANA, {"sink": "A"})
    room.ask()
    room.voted("ana-00000000", 0)
    room.done("close")
    room.done("show")
    state = room.state()
    assert (state["tallies"], state["tests"]) == ([[1, 0, 0]], {"before": [[1, 1]]})
    assert len(table(room.results())) == 4
