"""The event stream: the whole state on joining and at each change, numbered; who sleeps catches up."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from pages._shared.class_rooms import memory_store, redis_store
from tests.class_rooms.client import Api
from tests.class_rooms.conftest import QUICK, start_redis
from tests.processes import start_app, stop

ANA, BEN = "ana-00000000", "ben-00000000"


def test_the_whole_state_comes_first_and_at_each_change(api: Api) -> None:
    room = api.open()
    with room.stream(ANA) as stream:
        first = stream.next()
        assert (first.name, first.id, first.state["phase"]) == ("message", "0", "waiting")
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        assert "no-transform" in stream.response.headers["cache-control"]
        room.ask()
        opened = stream.until(phase="open")
        room.done("pause")
        paused = stream.until(paused=True)
        assert opened["number"] < paused["number"]
        assert paused["question"] == opened["question"]


def test_numbers_never_go_back_and_are_the_events_ids(api: Api) -> None:
    room = api.open()
    with room.stream() as stream:
        room.ask()
        for place in range(20):
            room.voted(f"voter-{place:04}", place % 3)
        room.done("close")
        seen = []
        while not seen or seen[-1].state["phase"] != "closed":
            event = stream.next()
            if event.name == "message":
                assert event.id == str(event.state["number"])
                seen.append(event)
    numbers = [event.state["number"] for event in seen]
    assert numbers == sorted(numbers)
    assert numbers[-1] == 22
    assert seen[-1].state["voted"] == 20


def test_who_slept_catches_up(api: Api) -> None:
    room = api.open()
    with room.stream(ANA) as stream:
        before = stream.next()
    room.ask()
    room.voted(BEN, 1)
    room.done("close")
    room.done("reveal", answer=1)
    for last in (before.id, "0", "999", "nonsense", "-1"):
        with room.stream(ANA, **{"Last-Event-ID": last}) as stream:
            after = stream.next()
            assert int(after.id) > int(before.id)
            assert (after.state["phase"], after.state["tallies"]) == ("revealed", [[0, 1, 0]])


def test_a_quiet_stream_beats(api: Api) -> None:
    room = api.open()
    with room.stream() as stream:
        stream.until(phase="waiting")
        assert [stream.next().name for _ in range(3)] == ["beat"] * 3


def test_who_comes_and_who_leaves_is_counted(api: Api) -> None:
    room = api.open()
    with room.stream() as teacher:
        teacher.until(here=0)
        with room.stream(ANA) as ana:
            ana.until(here=1)
            with room.stream(BEN), room.stream(BEN) as ben:
                assert ben.until(here=2)
                teacher.until(here=2)
            teacher.until(here=1)
        teacher.until(here=0)


def test_who_asks_instead_of_listening_is_here_for_a_while(
    serve: Callable[..., Api], rooms_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, passed = serve(rooms_url), 0.0
    for store in (memory_store, redis_store):
        monkeypatch.setattr(store, "time", lambda: time.time() + passed)
    room = api.open()
    with room.stream() as teacher, room.stream(ANA):
        teacher.until(here=1)
        assert room.state(BEN)["here"] == 2
        passed = QUICK["present_s"]
        # The feed looks again at each beat: who listens is here still, and nobody says that BEN is gone.
        teacher.until(here=1)
    lonely = api.open()
    assert lonely.state(BEN)["here"] == 1
    passed *= 2
    assert lonely.state()["here"] == 0, "no feed has looked since"


def test_a_stopped_server_ends_its_streams_and_stops(replica: Callable) -> None:
    process, api = replica()
    room = api.open()
    with room.stream(ANA) as stream, room.stream() as other:
        assert stream.next()
        assert other.next()
        stop(process)
        assert process.returncode is not None
        while stream.next():
            pass


def test_while_redis_does_not_answer_there_is_a_sentence_and_the_stream_stays(
    serve: Callable[..., Api], tmp_path: Path
) -> None:
    process, url = start_redis(tmp_path)
    api = serve(url)
    room = api.open()
    with room.stream(ANA) as stream:
        stream.until(here=1)
        stop(process)
        answer = room.vote(ANA, 0)
        assert answer.status == 503
        assert answer.sentence == "The class cannot be reached for a moment. It is not lost: try again."
        assert stream.next().name == "beat"


def test_a_redis_that_was_restarted_knows_no_class_and_takes_new_ones(
    serve: Callable[..., Api], tmp_path: Path
) -> None:
    process, url = start_redis(tmp_path)
    room = (api := serve(url)).open()
    with room.stream(ANA) as stream:
        stream.until(here=1)
        stop(process)
        process, _ = start_redis(tmp_path, int(url.rpartition(":")[2]))
        assert stream.end().startswith("There is no class with this key.")
    assert room.do("close").sentence.startswith("There is no class with this key.")
    again = api.open()
    again.ask()
    assert again.state()["phase"] == "open"
    stop(process)


def test_a_redis_that_is_full_says_so_and_loses_nothing(serve: Callable[..., Api], tmp_path: Path) -> None:
    process, url = start_redis(tmp_path)
    room = serve(url).open()
    room.ask()
    room.voted(ANA, 0)
    with room.stream(BEN) as stream, redis.from_url(url) as client:
        stream.until(voted=1)
        client.config_set("maxmemory", 1)
        for answer in (room.do("close"), room.vote(BEN, 1)):
            assert answer.status == 503
            assert answer.sentence == "Too many classes are open here. Try again when some have ended."
        assert stream.next().name == "beat"
        client.config_set("maxmemory", 0)
        room.done("close")
        assert stream.until(phase="closed")["voted"] == 1
    stop(process)


# With these nothing is told but what is pushed, and that at once.
PUSHED = {"beat_s": 1000.0, "counts_s": 1000.0}


def test_a_step_waits_for_no_count(serve: Callable[..., Api], rooms_url: str | None) -> None:
    api = serve(rooms_url, **PUSHED)
    room = api.open()
    with room.stream(ANA) as ana:
        ana.until(phase="waiting")
        room.ask()
        ana.until(phase="open")
        room.voted(ANA, 0)
        room.done("pause")
        assert ana.until(paused=True)["voted"] == 1


def test_a_step_on_one_replica_is_told_on_the_other(serve: Callable[..., Api], redis_url: str) -> None:
    one, two = serve(redis_url, **PUSHED), serve(redis_url, **PUSHED)
    room = one.open()
    with room.at(two).stream(ANA) as ana:
        ana.until(phase="waiting")
        room.done("follow", page="scaling", settings="")
        assert ana.until(follow={"page": "scaling", "settings": ""})
        room.done("end")
        assert "ended" in ana.end()


def test_what_was_told_while_redis_was_not_heard_is_told_then(serve: Callable[..., Api], redis_url: str) -> None:
    one, two = serve(redis_url, **PUSHED), serve(redis_url, **PUSHED)
    room = one.open()
    with room.at(two).stream(ANA) as ana, redis.from_url(redis_url) as client:
        ana.until(phase="waiting")
        assert client.client_kill_filter(_type="pubsub") >= 2
        room.done("pause")
        ana.until(paused=True)


def test_inside_streamlits_app_it_streams_and_stops(tmp_path: Path) -> None:
    """As ``streamlit run`` serves it: the routes answer, and open streams do not keep the server from stopping."""
    script = tmp_path / "app.py"
    script.write_text(
        "import streamlit as st\n"
        "from pages._shared.class_rooms import make_store, routes\n"
        "store = make_store(None)\n"
        "all_ = routes(store, {}.get, str, str, tuple)\n"
        f"app = st.App({str(tmp_path / 'main.py')!r}, routes=all_, lifespan=lambda _: store)\n"
    )
    (tmp_path / "main.py").write_text("import streamlit as st\nst.write('Class')\n")
    server = start_app(script, tmp_path / "log")
    try:
        room = Api(server.url).open()
        room.ask()
        with room.stream(ANA) as ana:
            ana.until(phase="open", here=1)
            room.voted(ANA, 0)
            assert ana.until(voted=1)["tallies"] == []
            stop(server.process)
            while event := ana.next():
                assert event.name in ("message", "beat"), "the class has not ended, only the stream"
    finally:
        server.process.kill()
