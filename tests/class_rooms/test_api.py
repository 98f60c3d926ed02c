"""A class played through over HTTP, with rooms in memory and in Redis."""

import asyncio
import csv
import io
import re
import time
from collections.abc import Callable

import psutil
import pytest
import redis

from pages._shared.class_rooms import Limits, make_store
from pages._shared.class_rooms.refusal import RoomError
from tests.class_rooms.client import Answer, Api, Class
from tests.processes import PATIENCE_S, run_apart

ANA, BEN, CEM = "ana-00000000", "ben-00000000", "cem-00000000"


def test_keys_are_short_and_never_alike(api: Api) -> None:
    opened = [api.open() for _ in range(40)]
    keys = {one.key for one in opened}
    assert len(keys) == len({one.teacher for one in opened}) == 40
    assert all(re.fullmatch("[BCDFGHJKMNPQRSTVWXYZ]{5}", key) for key in keys)
    assert min(len(one.teacher) for one in opened) >= 32


def test_a_class_from_the_first_vote_to_the_answer(api: Api) -> None:
    room = api.open()
    assert room.state() | {"ends_in": 0} == {
        "phase": "waiting",
        "question": None,
        "round": 0,
        "voted": 0,
        "sums": [],
        "tallies": [],
        "measured": None,
        "unmeasured": None,
        "follow": None,
        "called": 0,
        "course": None,
        "paused": False,
        "here": 0,
        "lost": 0,
        "ends_in": 0,
        "tests": {},
        "number": 0,
        "ticket": room.ticket,
    }
    assert 12 * 3600 - 60 < room.state()["ends_in"] <= 12 * 3600
    room.ask()
    state = room.state()
    assert (state["phase"], state["round"]) == ("open", 1)
    assert state["question"] == {
        "name": "one", "kind": "one", "text": "Which?", "answers": ["a", "b", "c"], "page": "", "step": 0
    }  # fmt: skip
    for voter, answer in ((ANA, 0), (BEN, 0), (CEM, 2)):
        room.voted(voter, answer)
    assert (room.state()["voted"], room.state()["tallies"]) == (3, [])
    room.done("close")
    assert room.state()["tallies"] == [], "a tally that is not shown stays hidden"
    room.done("show")
    assert (room.state()["phase"], room.state()["tallies"]) == ("shown", [[2, 0, 1]])
    room.ask(number=2)
    assert (room.state()["round"], room.state()["voted"], room.state()["tallies"]) == (2, 0, [])
    for voter, answer in ((ANA, 0), (BEN, 1), (CEM, 1)):
        room.voted(voter, answer, number=2)
    room.done("close")
    room.done("reveal", answer=1)
    state = room.state()
    assert (state["phase"], state["tallies"], state["measured"]) == ("revealed", [[2, 0, 1], [1, 2, 0]], 1)
    room.ask("two")
    assert (room.state()["round"], room.state()["measured"], room.state()["voted"]) == (1, None, 0)


def test_a_pages_own_question(api: Api) -> None:
    room = api.open()
    room.ask(page="scaling")
    question = room.state()["question"]
    assert question["page"] == "scaling"
    assert question["answers"] == ["It grows", "It stays", "It shrinks"]
    room.done("close")
    room.ask(number=2, page="scaling")
    room.done("close")
    assert room.do("ask", question="two", round=1, page="nowhere").sentence == "This page asks no question."


def test_that_nothing_was_measured_is_told_until_it_is_asked_or_revealed_again(api: Api) -> None:
    room = api.open()
    room.ask(page="scaling")
    room.voted(ANA, 1)
    why = {"en": "Not measured: no.", "zh": "未测量：不行。"}
    with room.stream(ANA) as english, room.stream(f"{BEN}&language=zh") as chinese:
        room.done("close")
        room.done("unmeasured", question="one", why=why)
        told = english.until(unmeasured=why["en"])
        assert (told["phase"], told["measured"]) == ("closed", None)
        assert chinese.until(unmeasured=why["zh"])["question"]["name"] == "one"
        room.done("show")
        assert english.until(phase="shown")["unmeasured"] == why["en"]
        room.done("unmeasured", question="one")
        assert english.until(unmeasured="Nothing was measured, so there is no answer yet.")
        room.done("reveal", answer=1)
        assert english.until(phase="revealed")["unmeasured"] is None


def test_the_last_vote_of_a_voter_counts_whichever_tab_it_comes_from(api: Api) -> None:
    room = api.open()
    room.ask()
    with room.stream(ANA) as one, room.stream(ANA) as other:
        one.until(here=1)
        assert other.until(here=1)["here"] == 1
        room.voted(ANA, 0)
        room.voted(ANA, 2)
        room.voted(ANA, 2)
        assert other.until(voted=1)["voted"] == 1
    room.done("close")
    room.done("show")
    assert room.state()["tallies"] == [[0, 0, 1]]


def test_follow_and_pause(api: Api) -> None:
    room = api.open()
    room.done("follow", page="scaling", settings="scaling_alpha=0.5&seed=3")
    assert room.state()["called"] == 1
    room.done("follow", page="scaling", settings="scaling_alpha=0.5&seed=3")
    assert room.state()["called"] == 2, "who only asks now and then sees that students are fetched again"
    room.done("pause")
    assert room.state()["follow"] == {"page": "scaling", "settings": "scaling_alpha=0.5&seed=3"}
    assert room.state()["paused"] is True
    room.done("resume")
    room.done("free")
    assert (room.state()["follow"], room.state()["paused"]) == (None, False)


def test_results_are_for_the_teacher_and_harmless_in_a_spreadsheet(api: Api) -> None:
    room = api.open()
    room.ask("-one", text="＝1+1", answers=["@a", 'b, "c"'])
    room.voted(ANA, 1, "-one")
    assert len(table(room.results())) == 1, "an open round has no result"
    room.done("close")
    room.ask("-one", number=2)
    room.voted(ANA, 0, "-one", number=2)
    room.voted(BEN, 0, "-one", number=2)
    room.done("close")
    room.ask("two", page="scaling")
    results = room.results()
    assert results.headers["content-type"].startswith("text/csv")
    head, *rows = table(results)
    assert head == [
        *("step", "question", "kind", "text", "round", "from", "answer", "right", "votes"),
        *("present", "opened", "closed"),
    ]
    assert [row[:9] for row in rows] == [
        ["", "1", "one", "'＝1+1", "1", "", "'@a", "", "0"],
        ["", "1", "one", "'＝1+1", "1", "", 'b, "c"', "", "1"],
        ["", "1", "one", "'＝1+1", "2", "", "'@a", "", "2"],
        ["", "1", "one", "'＝1+1", "2", "", 'b, "c"', "", "0"],
        ["", "1", "one", "'＝1+1", "1 to 2", "", "'@a", "", "1"],
        ["", "1", "one", "'＝1+1", "1 to 2", 'b, "c"', "'@a", "", "1"],
    ]
    assert "teacher" in Class(api, room.key, "wrong").results().sentence


def table(results: Answer) -> list[list[str]]:
    """The rows of a file that begins with a byte-order mark."""
    assert results.body.startswith("\ufeff")
    return list(csv.reader(io.StringIO(results.body[1:])))


def test_a_vote_that_does_not_count_says_why(api: Api) -> None:
    room = api.open()
    assert room.vote(ANA, 0).sentence == "Nothing was asked yet."
    room.ask()
    assert "another question or round" in room.vote(ANA, 0, question="two").sentence
    assert "another question or round" in room.vote(ANA, 0, number=2).sentence
    assert "from 0 to 2" in room.vote(ANA, 3).sentence
    assert "from 0 to 2" in room.vote(ANA, -1).sentence
    room.done("close")
    closed = room.vote(ANA, 0)
    assert (closed.status, closed.sentence) == (409, "This vote is closed, and your answer came after it.")
    assert room.state()["voted"] == 0


def test_the_teachers_link_opened_twice(api: Api) -> None:
    room = api.open()
    again = Class(api, room.key.lower(), room.teacher)
    with room.stream() as one, again.stream() as other:
        again.ask()
        room.done("close")
        assert one.until(phase="closed")["number"] == other.until(phase="closed")["number"] == 2
        assert again.do("close").sentence == "No vote is open."
    assert room.state()["here"] == 0, "a teacher is no student"


@pytest.mark.parametrize(
    ("first", "what", "message"),
    [
        ([], "ask", {"question": "two", "round": 1, "text": "Which?", "answers": ["a", "b"]}),
        (["ask"], "close", {}),
        (["ask", "close"], "show", {}),
        (["ask", "close"], "reveal", {"answer": 1}),
        (["ask", "close"], "unmeasured", {"question": "one", "why": {"en": "No."}}),
        (["ask"], "drop", {"question": "one"}),
        ([], "follow", {"page": "scaling", "settings": ""}),
        ([], "free", {}),
        ([], "pause", {}),
        ([], "resume", {}),
    ],
)
def test_a_step_that_is_sent_again_under_its_id_is_one_step(
    api: Api, first: list[str], what: str, message: dict[str, object]
) -> None:
    room = api.open()
    for step in first:
        room.ask() if step == "ask" else room.done(step)
    room.done(what, id=f"{what}-00000001", **message)
    once = room.state() | {"number": 0, "ends_in": 0}
    room.done(what, id=f"{what}-00000001", **message)
    assert room.state() | {"number": 0, "ends_in": 0} == once
    if what in ("ask", "close"):
        assert room.do(what, id=f"{what}-00000002", **message).status == 409


def test_the_end_that_is_sent_again_has_come(api: Api) -> None:
    room = api.open()
    for _ in range(2):
        room.done("end", id="end-00000001")
    assert room.do("pause").status == 410


def test_a_class_that_is_opened_again_under_its_id_is_one_class(api: Api) -> None:
    one, again, other = (api.post("", {"id": name}).json for name in ("a" * 32, "a" * 32, "b" * 32))
    assert one == again
    assert {*one.values()}.isdisjoint(other.values())
    assert {name: len(text) for name, text in one.items()} == {"key": 5, "teacher": 32, "ticket": 16}
    assert api.post("", {"id": "short"}).status == 422


def test_an_unknown_key_and_an_ended_class(api: Api) -> None:
    unknown = Class(api, "BBBBB", "")
    for answer in (unknown.vote(ANA, 0), unknown.do("pause"), api.ask("GET", unknown.events()), unknown.results()):
        assert answer.status == 404
        assert answer.sentence.startswith("There is no class with this key.")
    room = api.open()
    room.ask()
    room.voted(ANA, 0)
    with room.stream(ANA) as stream:
        stream.until(voted=1)
        room.done("end")
        assert stream.end() == "This class has ended; nothing of it is left on the server."
    for answer in (room.vote(ANA, 0), room.do("pause"), api.ask("GET", room.events()), room.results()):
        assert (answer.status, answer.sentence) == (410, "This class has ended; nothing of it is left on the server.")


def test_only_the_teacher_teaches(api: Api) -> None:
    room = api.open()
    for header in ("", "Bearer", "Bearer wrong", f"Basic {room.teacher}", "Bearer ü"):
        answer = api.post(f"/{room.key}/teacher", {"do": "pause"}, Authorization=header)
        assert answer.status == 403
        assert "teacher" in answer.sentence
    assert room.state()["paused"] is False
    assert room.teacher not in str(room.state())


def test_a_class_writes_nothing_to_disk(replica: Callable) -> None:
    process, api = replica()
    counters = getattr(psutil.Process(process.pid), "io_counters", None)
    if counters is None:
        pytest.skip("This system does not count what a process writes.")
    play(api)  # the first time, Python may keep what it has compiled
    before = counters().write_bytes
    room = play(api)
    assert counters().write_bytes == before
    files = psutil.Process(process.pid).open_files()
    assert [file.path for file in files if file.mode != "r" and file.fd > 2] == [], "but what it says"
    assert room.state()["tallies"] == [[1, 0, 0]]


def play(api: Api) -> Class:
    room = api.open()
    room.ask()
    room.voted(ANA, 0)
    room.done("close")
    room.done("reveal", answer=0)
    assert room.results().status == 200
    return room


def test_a_class_in_memory_is_gone_when_its_time_is_over() -> None:
    async def live() -> list[bytes]:
        loop, limits = asyncio.get_running_loop(), Limits()
        async with (store := make_store(None, limits)):
            key = await store.open("secret")
            feed = store.feed(key, ANA)
            told = feed.listen(ANA, await store.read(key))
            events = [await anext(told) for _ in range(2)]
            now = loop.time
            loop.time = lambda: now() + limits.life_s - 60
            await asyncio.sleep(0)
            assert await store.read(key)
            loop.time = lambda: now() + limits.life_s
            while not events[-1].startswith(b"event: end"):
                events.append(await anext(told))
            with pytest.raises(RoomError, match="There is no class with this key"):
                await store.read(key)
        return events

    assert b"There is no class with this key." in run_apart(live())[-1]


def test_all_that_redis_keeps_of_a_class_goes_with_it(serve: Callable[..., Api], redis_url: str) -> None:
    room = serve(redis_url).open()
    room.ask()
    room.voted(ANA, 0)
    with room.stream(ANA) as stream, redis.from_url(redis_url) as client:
        stream.until(here=1)
        kept = list(client.scan_iter(f"*{room.key}*"))
        assert len(kept) == 3
        (ends,) = {client.pexpiretime(name) for name in kept}
        assert abs(ends / 1000 - time.time() - Limits().life_s) < PATIENCE_S
        for name in kept:
            client.pexpire(name, 1)
        assert stream.end().startswith("There is no class with this key.")
    assert room.do("close").status == 404


def test_a_course_lies_in_the_room_and_students_get_none_of_its_right_answers(api: Api) -> None:
    room = api.open()
    assert room.course().sentence == "There is no course in this class."
    assert room.do("step", step=0).status == 409
    with room.stream(ANA) as ana:
        assert ana.until(phase="waiting")["course"] is None
        room.done("course", course="tea", step=1)
        state = ana.until(called=1)
        name = state["course"].pop("name")
        assert (state["course"], state["follow"]) == ({"step": 1, "steps": 3}, {"page": "", "settings": ""})
        assert room.course().json == {"name": name, "course": "te"}
        teacher = room.course(Authorization=f"Bearer {room.teacher}")
        assert teacher.json == {"name": name, "course": "tea"}
        assert room.course(Authorization="Bearer wrong").status == 403
        room.done("step", step=2)
        assert ana.until(called=2)["course"]["step"] == 2
        room.done("free")
        room.done("step", step=3)
        state = ana.until(follow=None, course={"name": name, "step": 3, "steps": 3})
        assert state["called"] == 2, "who plays freely is not taken along"


def test_a_course_that_a_room_cannot_hold_is_refused_and_the_class_goes_on(api: Api) -> None:
    room = api.open()
    room.done("course", course="t" * 16_000, step=0)
    laid = room.state()["course"]
    too_large = room.do("course", course="t" * 16_001, step=0)
    assert too_large.status == 413
    assert too_large.sentence.startswith("This course takes 16,001 characters, more than a class can hold (16,000)")
    assert room.do("course", course="t" * 30_000, step=0).status == 413
    assert room.do("course", course="coffee", step=0).sentence == "This is no course."
    assert room.state()["course"] == laid
    room.ask()
