"""The rules of a room, against a model that keeps every vote, in memory and in Redis; votes that race with steps."""

import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from pages._shared.class_rooms import Limits, Question, Store, make_store
from pages._shared.class_rooms.memory_store import MemoryStore
from pages._shared.class_rooms.question import Kind
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.results import rows
from pages._shared.class_rooms.room import Course, Phase, Room, cast
from pages._shared.class_rooms.store import keys_of, new_secret
from tests.processes import ROOT, run_apart

ABC = Question("Which?", ("a", "b", "c"))
OPENED = Room(ends=1e12, secret="")
ASKED = OPENED.ask("one", 1, ABC, 50)
CLOSED = ASKED.close()
AGAIN = CLOSED.ask("one", 2, None, 50)
DONE = AGAIN.close()
REVEALED = DONE.reveal(1)
DROPPED = AGAIN.drop("one")


@pytest.mark.parametrize(("asked_at", "goes_to", "phase"), [
    (2, 2, Phase.DROPPED), (2, 0, Phase.DROPPED), (2, 3, Phase.DROPPED),
    (2, 1, Phase.OPEN),  # the class is there already, and a device that has come says so
    (3, 2, Phase.OPEN),  # the question leads to its own step
    (0, 2, Phase.OPEN),  # it is of no step
])  # fmt: skip
def test_a_question_that_is_not_answered_is_put_away_where_its_step_of_the_course_is_left(
    asked_at: int, goes_to: int, phase: Phase
) -> None:
    room = OPENED.lay(Course("tea", steps=3, step=1)).ask("one", 1, ABC, 50, asked_at)
    assert room.go(goes_to).phase is phase
    assert room.close().go(goes_to).phase is (Phase.CLOSED if phase is Phase.OPEN else phase)
    assert room.close().reveal(1).go(goes_to).phase is Phase.REVEALED


def test_a_step_is_taken_before_anything_is_asked() -> None:
    room = OPENED.lay(Course("tea", steps=3)).go(2)
    assert (room.phase, room.course and room.course.step) == (Phase.WAITING, 2)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (lambda: ASKED.ask("two", 1, ABC, 50), "A vote is open. Close it before you ask again."),
        (lambda: OPENED.ask("one", 1, None, 50), "A question needs a text and answers"),
        (lambda: OPENED.ask("one", 2, None, 50), "A second round asks the question of the first again"),
        (lambda: CLOSED.ask("two", 2, None, 50), "A second round asks the question of the first again"),
        (lambda: CLOSED.ask("one", 2, Question("What?", ABC.answers), 50), "The second round must have the question"),
        (lambda: CLOSED.ask("one", 1, ABC, 50), "A question of this name was asked already."),
        (lambda: DONE.ask("one", 2, None, 50), "This question has had both of its rounds."),
        (lambda: CLOSED.reveal(0).ask("one", 2, None, 50), "The answer is out"),
        (lambda: CLOSED.ask("two", 1, ABC, 1), "A class can have 1 questions"),
        (lambda: ASKED.drop("one").ask("one", 2, None, 50), "This question was put away. Ask it once more."),
        (DROPPED.close, "No vote is open."),
        (DROPPED.show, "This question was put away. Ask it once more."),
        (lambda: DROPPED.reveal(1), "This question was put away. Ask it once more."),
        (lambda: DROPPED.read_vote("one", 2, 0), "This vote is closed"),
        (OPENED.close, "No vote is open."),
        (CLOSED.close, "No vote is open."),
        (OPENED.show, "Nothing was asked yet"),
        (ASKED.show, "Close the vote before you show the counts: who sees a result votes for it."),
        (lambda: AGAIN.reveal(None), "Close the vote before you reveal the answer"),
        (lambda: DONE.reveal(3), "from 0 to 2"),
        (lambda: DONE.reveal(-1), "from 0 to 2"),
        (lambda: OPENED.read_vote("one", 1, 0), "Nothing was asked yet."),
        (lambda: AGAIN.read_vote("one", 1, 0), "That vote is over"),
        (lambda: DONE.read_vote("one", 2, 0), "This vote is closed"),
        (lambda: AGAIN.read_vote("one", 2, 3), "from 0 to 2"),
    ],
)
def test_what_cannot_be_done_has_a_sentence(step: Any, sentence: str) -> None:
    with pytest.raises(RoomError, match=sentence):
        step()


def test_a_second_vote_hides_the_first_tally_again() -> None:
    counts = {(0, 1, "0", ""): 2, (0, 1, "2", ""): 1, (0, 2, "1", "0"): 2, (0, 2, "1", ""): 1}
    hidden = [ASKED, CLOSED, AGAIN, DONE, CLOSED.show().ask("one", 2, None, 50)]
    assert all(room.public(counts, 0, 0)["tallies"] == [] for room in hidden)
    assert CLOSED.show().public(counts, 0, 0)["tallies"] == [[2, 0, 1]]
    assert DONE.show().public(counts, 0, 0)["tallies"] == [[2, 0, 1], [0, 3, 0]]
    assert REVEALED.show() == REVEALED
    assert DONE.reveal(None).public(counts, 0, 0)["measured"] is None


def test_who_was_to_look_up_looks_at_what_is_asked() -> None:
    def paused(room: Room) -> Room:
        return replace(room, paused=True)

    assert not paused(OPENED).ask("one", 1, ABC, 50).paused
    assert not paused(CLOSED).ask("one", 2, None, 50).paused
    for still in (paused(ASKED).close(), paused(CLOSED).show(), paused(CLOSED).reveal(1), paused(CLOSED).drop("one")):
        assert still.paused


def test_what_is_left_of_a_class_is_told_in_whole_seconds_and_never_less_than_none() -> None:
    room = replace(OPENED, ends=100.0)
    assert [room.public({}, 0, now)["ends_in"] for now in (0, 40.4, 99.6, 100, 130)] == [100, 60, 0, 0, 0]


PAGE = ABC.of_page("scaling")
KEPT = [
    OPENED,
    ASKED,
    CLOSED.show(),
    AGAIN,
    REVEALED,
    DROPPED,
    DONE.say_unmeasured("one", {"en": "No."}),
    REVEALED.ask("two", 1, PAGE, 50).once("a", Room.close),
]


@pytest.mark.parametrize("room", KEPT)
def test_a_room_survives_its_dump(room: Room) -> None:
    assert Room.load(json.loads(json.dumps(room.dump()))) == room


def test_a_question_that_is_put_away_is_over_and_its_votes_stay() -> None:
    counts = {(0, 1, "0", ""): 2, (0, 2, "1", "0"): 2, (0, 2, "1", ""): 1}
    assert DROPPED.ballot is None
    told = DROPPED.public(counts, 0, 0)
    assert (told["phase"], told["tallies"], told["measured"]) == ("dropped", [], None)
    assert [row[8] for row in rows(DROPPED, counts)] == [2, 0, 0, 0, 3, 0, 1, 2]
    assert DROPPED.ask("two", 1, ABC, 50).ballot == (1, 1)
    for room, name in ((REVEALED, "one"), (AGAIN, "another"), (OPENED, "one")):
        assert room.drop(name) == room, "what is answered, or not on, stays"


def test_that_nothing_was_measured_is_said_of_the_closed_question_alone() -> None:
    said = DONE.say_unmeasured("one", {})
    assert said.unmeasured == {}
    assert said.phase == DONE.phase
    assert CLOSED.say_unmeasured("one", {"en": "No."}).ask("one", 2, None, 50).unmeasured is None
    for then in (said.reveal(1), said.drop("one"), said.ask("two", 1, ABC, 50)):
        assert then.unmeasured is None
    for room, name in ((OPENED, "one"), (ASKED, "one"), (REVEALED, "one"), (DROPPED, "one"), (DONE, "another")):
        assert room.say_unmeasured(name, {}) == room


def test_a_command_of_an_id_is_taken_once_and_one_that_was_refused_is_not_taken() -> None:
    closed = ASKED.once("close-00", Room.close)
    assert closed.phase == CLOSED.phase
    assert closed.once("close-00", Room.close) == closed
    with pytest.raises(RoomError, match="No vote is open"):
        closed.once("close-01", Room.close)
    assert closed.once("ask-0000", lambda room: room.ask("one", 2, None, 50)).once("close-01", Room.close).round == 2
    many = OPENED
    for number in range(100):
        many = many.once(f"pause-{number:03}", lambda room: replace(room, paused=not room.paused))
    assert many.dump()["taken"] == tuple(f"pause-{number:03}" for number in range(84, 100)), "the last 16"
    assert many.once("pause-084", Room.close) == many


def test_nothing_of_a_voter_or_the_teacher_is_public() -> None:
    public = REVEALED.public({}, 3, 0)
    assert set(public) == set(OPENED.public({}, 0, 0))
    assert not {"secret", "votes", "voters", "teacher"} & set(public)


QUESTIONS = {
    Kind.ONE: ABC,
    Kind.SEVERAL: replace(ABC, kind=Kind.SEVERAL),
    Kind.NUMBER: Question("Which?", kind=Kind.NUMBER),
    Kind.WORDS: Question("Which?", kind=Kind.WORDS),
}
# What phones send, and of each kind of question what it means; nothing where it is refused.
SENT = [
    0,
    1,
    2,
    3,
    -1,
    True,
    [2, 0],
    [0, 2],
    [1],
    [],
    [0, 0],
    [3],
    "0.5",
    "０，５",
    "KV  Cache!",
    "kv cache",
    None,
    "x" * 41,
]
ZERO_TWO, CACHE = (0, 2), "kv cache"
MEANS: dict[Kind, dict[int, Any]] = {
    Kind.ONE: {0: 0, 1: 1, 2: 2},
    Kind.SEVERAL: {6: ZERO_TWO, 7: ZERO_TWO, 8: (1,)},
    Kind.NUMBER: {0: 0, 1: 1, 2: 2, 3: 3, 4: -1, 12: 0.5, 13: 0.5},
    Kind.WORDS: {12: "0.5", 13: "0,5", 14: CACHE, 15: CACHE},
}
SAID = {0: "a", 1: "b", 2: "c", ZERO_TWO: "a + c", (1,): "b"}
RIGHT = {Kind.ONE: 1, Kind.SEVERAL: [2, 0], Kind.NUMBER: [0.4, 0.1], Kind.WORDS: None}
ARE_RIGHT = {Kind.ONE: [1], Kind.SEVERAL: [ZERO_TWO], Kind.NUMBER: [0.5], Kind.WORDS: []}


class Play(RuleBasedStateMachine):
    """Everything that can be asked of a room, in any order, beside a model that knows each vote."""

    url: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.thread, self.loop = ThreadPoolExecutor(1), asyncio.Runner()
        self.store: Store = make_store(self.url, Limits(voters=3, questions=3))
        self.votes: dict[tuple[int, int], dict[str, Any]] = {}
        self.names: list[str] = []
        self.kinds: list[Kind] = []
        self.answered: set[int] = set()
        self.round, self.phase, self.number = 0, Phase.WAITING, 0

    def run(self, what: Coroutine[Any, Any, Any]) -> Any:
        return self.thread.submit(self.loop.run, what).result()

    def ask(self, what: Any, allowed: bool) -> None:
        """Do it; it must be refused exactly if the model says so."""
        try:
            self.run(what)
            assert allowed, "this should have been refused"
            self.number += 1
        except RoomError:
            assert not allowed, "this should have been allowed"

    def step(self, step: Any, allowed: bool) -> bool:
        self.ask(self.store.change(self.key, step), allowed)
        return allowed

    @initialize()
    def open(self) -> None:
        self.run(self.store.__aenter__())
        self.key = self.run(self.store.open(new_secret()))

    @rule(name=st.sampled_from("pqrs"), kind=st.sampled_from(Kind))
    def first_round(self, name: str, kind: Kind) -> None:
        fresh = self.phase is not Phase.OPEN and name not in self.names and len(self.names) < 3
        if self.step(lambda room: room.ask(name, 1, QUESTIONS[kind], 3), fresh):
            self.names.append(name)
            self.kinds.append(kind)
            self.round, self.phase = 1, Phase.OPEN
            self.votes[len(self.names) - 1, 1] = {}

    @rule(name=st.sampled_from("pqrs"))
    def second_round(self, name: str) -> None:
        current = self.names[-1:] == [name] and self.round == 1
        if self.step(lambda room: room.ask(name, 2, None, 3), current and self.phase in (Phase.CLOSED, Phase.SHOWN)):
            self.round, self.phase = 2, Phase.OPEN
            self.votes[len(self.names) - 1, 2] = {}

    @rule(
        voter=st.sampled_from("uvwx"),
        place=st.integers(0, 3),
        number=st.sampled_from((1, 2)),
        current=st.booleans(),
        possible=st.booleans(),
        sent=st.integers(0, len(SENT) - 1),
    )
    def vote(self, voter: str, place: int, number: int, current: bool, possible: bool, sent: int) -> None:
        # Most votes are for what is open, and most are possible, else hardly any would count.
        name = self.names[-1] if current and self.names else "pqrs"[place]
        number = self.round if current and self.round else number
        means = MEANS[self.kinds[-1]] if self.kinds else {}
        sent = sorted(means)[sent % len(means)] if possible and means else sent
        is_open = self.phase is Phase.OPEN and self.names[-1] == name and self.round == number
        votes = self.votes[len(self.names) - 1, number] if is_open else {}
        counts = is_open and sent in means and (voter in votes or len(votes) < 3)
        self.ask(self.store.vote(self.key, voter, name, number, SENT[sent]), counts)
        if counts:
            votes[voter] = means[sent]

    @rule()
    def close(self) -> None:
        if self.step(Room.close, self.phase is Phase.OPEN):
            self.phase = Phase.CLOSED

    @rule()
    def show(self) -> None:
        if self.step(Room.show, self.phase not in (Phase.WAITING, Phase.OPEN)) and self.phase is Phase.CLOSED:
            self.phase = Phase.SHOWN

    @rule(right=st.sampled_from(["none", "right", "of another kind"]))
    def reveal(self, right: str) -> None:
        closed = self.phase not in (Phase.WAITING, Phase.OPEN)
        kind = self.kinds[-1] if self.kinds else Kind.ONE
        given = {"none": None, "right": RIGHT[kind], "of another kind": "x"}[right]
        if self.step(lambda room: room.reveal(given), closed and right != "of another kind"):
            self.phase = Phase.REVEALED
            (self.answered.discard if given is None else self.answered.add)(len(self.names) - 1)

    @invariant()
    def everything_published_is_as_the_model_says(self) -> None:
        now = self.run(self.store.read(self.key))
        state = now.public()
        assert (state["number"], state["phase"], state["round"]) == (self.number, self.phase, self.round)
        last = len(self.names) - 1
        shown = self.phase in (Phase.SHOWN, Phase.REVEALED)
        sums = [len(self.votes[last, number]) for number in range(1, self.round + 1)]
        assert state["voted"] == (sums[-1] if sums else 0)
        assert state["sums"] == (sums if shown else [])
        current = [self.tally(last, number) for number in range(1, self.round + 1)]
        assert state["tallies"] == (current if shown else [])
        assert Counter(row[:9] for row in rows(now.room, now.counts)) == Counter(self.rows())
        assert all(count > 0 for count in now.counts.values()), "what nobody says any more is not kept"

    def tally(self, place: int, number: int) -> list[Any]:
        counts, kind = Counter(self.votes[place, number].values()), self.kinds[place]
        if kind is Kind.SEVERAL:
            return [sum(count for answer, count in counts.items() if one in answer) for one in range(3)]
        if kind is Kind.NUMBER:
            return [[answer, counts[answer]] for answer in sorted(counts)]
        return [counts[answer] for answer in range(3)] if kind is Kind.ONE else []

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the results, in any order."""
        for place, kind in enumerate(self.kinds):
            right = {**dict.fromkeys(ARE_RIGHT[kind], "yes"), None: ""} if place in self.answered else None
            head = ("", place + 1, kind.value, "Which?")

            def row(*told: Any, answer: Any, count: int, right: Any = right, head: Any = head) -> tuple[Any, ...]:
                said = "" if answer is None else SAID.get(answer, answer) if head[2] in ("one", "several") else answer
                return (*head, *told, said, "" if right is None else right.get(answer, "no"), count)

            first, second = (self.votes.get((place, number)) for number in (1, 2))
            if place == len(self.kinds) - 1 and self.phase is Phase.OPEN:
                first, second = (first, None) if self.round == 2 else (None, None)
            for number, votes in ((1, first), (2, second)):
                counts = Counter(votes.values() if votes is not None else ())
                if kind is Kind.ONE and votes is not None:
                    counts.update(dict.fromkeys(range(3), 0))
                yield from (row(number, "", answer=answer, count=count) for answer, count in counts.items())
            if first is not None and second is not None:
                ways = Counter((first.get(voter), second.get(voter)) for voter in first.keys() | second.keys())
                for (left, came), count in ways.items():
                    known = "" if left is None else SAID[left] if kind in (Kind.ONE, Kind.SEVERAL) else left
                    yield row("1 to 2", known, answer=came, count=count)

    def teardown(self) -> None:
        self.run(self.store.__aexit__(None, None, None))
        self.thread.submit(self.loop.close).result()
        self.thread.shutdown()


def test_any_order_of_steps_and_votes(rooms_url: str | None) -> None:
    examples = 25 if rooms_url else 100
    machine = type("Play", (Play,), {"url": rooms_url})
    slow = [HealthCheck.too_slow]
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=30, suppress_health_check=slow)
    )


@pytest.mark.parametrize("seed", range(3))
def test_votes_that_race_with_closing_count_exactly_if_they_were_taken(rooms_url: str | None, seed: int) -> None:
    draw = random.Random(seed)

    async def vote(store: Store, key: str, voter: str, answer: int) -> str:
        try:
            await store.vote(key, voter, "one", 1, answer)
        except RoomError as refusal:
            return refusal.sentence
        return ""

    async def race() -> None:
        # Two replicas where there can be two.
        first = make_store(rooms_url)
        second = make_store(rooms_url) if rooms_url else first
        key = await first.open("secret")
        await first.change(key, lambda room: room.ask("one", 1, ABC, 50))
        voters = [f"voter-{place:04}" for place in range(120)]
        answers = [draw.randrange(3) for _ in voters]
        stores = [draw.choice((first, second)) for _ in voters]
        votes = [vote(*one) for one in zip(stores, [key] * 120, voters, answers, strict=True)]

        async def close() -> Counter[str]:
            await second.change(key, Room.close)
            now = await first.read(key)
            return cast(now.counts, 0, 1)

        heard = await asyncio.gather(*votes[:60], close(), *votes[60:])
        closed = heard.pop(60)
        assert set(heard) <= {"", "This vote is closed, and your answer came after it."}
        now = await second.read(key)
        expected = Counter(str(answer) for answer, was in zip(answers, heard, strict=True) if not was)
        assert cast(now.counts, 0, 1) == closed == expected
        for store in {first, second}:
            await store.__aexit__(None, None, None)

    run_apart(race())


def test_a_key_is_never_given_twice_even_after_its_class(
    rooms_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(("BBBBB", "BBBBB", "CCCCC", "BBBBB", "DDDDD"))
    for kind in ("memory", "redis"):
        monkeypatch.setattr(f"pages._shared.class_rooms.{kind}_store.keys_of", lambda _: drawn)

    async def play() -> None:
        store = make_store(rooms_url)
        assert [await store.open(f"secret {number}") for number in range(2)] == ["BBBBB", "CCCCC"]
        await store.change("BBBBB", lambda room: replace(room, ended=True))
        assert await store.open("secret 0") == "DDDDD"
        await store.__aexit__(None, None, None)

    run_apart(play())


def test_nobody_who_knows_the_state_of_chance_can_foresee_a_class() -> None:
    secrets = set()
    for _ in range(2):
        random.seed(1)
        secrets |= {new_secret() for _ in range(5)}
    assert len(secrets) == 10
    assert len({next(keys_of(secret)) for secret in secrets}) == 10


def test_one_secret_opens_one_room_until_it_has_ended(rooms_url: str | None) -> None:
    async def play() -> None:
        # Two replicas where there can be two, and room for one class alone.
        limits = Limits(rooms=1)
        first = make_store(rooms_url, limits)
        second = make_store(rooms_url, limits) if rooms_url else first
        opened = await asyncio.gather(*(store.open("secret") for store in (first, second, first)))
        assert len(set(opened)) == 1
        with pytest.raises(RoomError, match="Too many classes"):
            await second.open("another")
        await first.change(opened[0], lambda room: replace(room, ended=True))
        assert await second.open("secret") != opened[0]
        for store in {first, second}:
            await store.__aexit__(None, None, None)

    run_apart(play())


def test_redis_keeps_no_vote_of_a_closed_round_and_nothing_for_longer_than_the_room(redis_url: str) -> None:
    async def play() -> None:
        store = make_store(redis_url)
        key = await store.open("the secret")
        await store.change(key, lambda room: room.ask("one", 1, ABC, 50))
        await store.see(key, ["voter-0000"], strict=True)
        await store.vote(key, "voter-0000", "one", 1, 0)
        ends = (await store.read(key)).room.ends
        with redis.from_url(redis_url, decode_responses=True) as client:
            kept = [name for name in client.scan_iter() if key in name]
            assert len(kept) == 3
            assert {client.pexpiretime(name) for name in kept} == {int(1000 * ends)}
            await store.change(key, Room.close)
            await store.change(key, lambda room: room.ask("one", 2, None, 50))
            await store.vote(key, "voter-0000", "one", 2, 0)
            await store.lose(key, "voter-0000", lost=True)
            await store.lose(key, "voter-0001", lost=True)
            kept = [name for name in client.scan_iter() if key in name]
            assert len(kept) == 5
            assert {client.pexpiretime(name) for name in kept} == {int(1000 * ends)}
            assert (await store.read(key)).lost == 2
            for voter in ("voter-0000", "voter-0001"):
                await store.lose(key, voter, lost=False)
            await store.change(key, Room.close)
            await store.leave(key, ["voter-0000"])
            left = {name: client.hgetall(name) for name in client.scan_iter() if key in name}
            assert "voter-0000" not in str(left)
            assert "the secret" not in str(left)
            await store.change(key, lambda room: room.ask("two", 1, ABC, 50))
            await store.see(key, ["voter-0000"], strict=True)
            await store.vote(key, "voter-0000", "two", 1, 0)
            await store.lose(key, "voter-0000", lost=True)
            await store.change(key, lambda room: replace(room, ended=True))
            assert [name for name in client.scan_iter() if key in name] == [f"attention:room:{key}"]
            assert client.hgetall(f"attention:room:{key}") == {"ended": "1"}
        await store.__aexit__(None, None, None)

    run_apart(play())


def test_a_server_that_stops_begins_no_stream_and_says_when_to_come_again() -> None:
    store = make_store(None)
    store.hush()
    with pytest.raises(RoomError) as refused:
        store.feed("BBBBB", "")
    assert (refused.value.status, refused.value.wait) == (503, 1)
    assert str(refused.value.sentence) == "The server is about to stop."


def test_rooms_need_neither_streamlit_nor_torch_and_redis_only_where_it_is_asked_for() -> None:
    code = (
        "import sys, types;"
        "bare = types.ModuleType('pages._shared'); bare.__path__ = ['pages/_shared'];"
        "sys.modules['pages._shared'] = bare;"
        "from pages._shared.class_rooms import make_store, routes; make_store(None);"
        "print([name for name in ('streamlit', 'torch', 'numpy', 'redis') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_where_the_package_of_redis_is_missing_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "pages._shared.class_rooms.redis_store", raising=False)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    assert isinstance(make_store(None), MemoryStore)
    with pytest.raises(ImportError, match=r"^ROOMS_URL needs what requirements-cluster\.txt names: python -m pip"):
        make_store("redis://127.0.0.1:6379")
