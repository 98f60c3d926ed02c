"""Rooms in Redis, shared by all replicas: a replica that is lost takes nothing with it.

Per room seven keys, all gone with the room: a hash with its state, how often it has changed (``number``), how often
the teacher changed it (``steps``) and the counts; the votes of each round of the current question, by voter; and who
is here, and who is lost, by the time until which they are; answers of tests, by time, person and item, and how many
people have answered so many items. The rules stay in Python (``room.py``): a script applies a
vote or a step only if ``steps`` is still what the rules were asked about, else they are asked again. So a vote and a
step never cross.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from time import time
from typing import NamedTuple

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import OutOfMemoryError, RedisError, ResponseError

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import ENDED, UNKNOWN, Room
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import CROWDED, DIFFERENT, FULL, Store, digest, keys_of
from pages._shared.class_rooms.tested import Given, Row
from attention_core.language import gettext_lazy as _

log = logging.getLogger(__name__)

PREFIX = "attention:room"
CHANNEL = f"{PREFIX}s:told"
OPEN_ROOMS = f"{PREFIX}s:open"
UNREACHABLE = _("The class cannot be reached for a moment. It is not lost: try again.")
CONNECTIONS = 16
AGAIN_S = 1.0
CANCEL_S = 0.1
EVICTS = "where its memory is full Redis ends one"
CURE = "set it to noeviction, and new classes are refused instead"

OPEN = """
if redis.call("EXISTS", KEYS[1]) == 1 then return "taken" end
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", ARGV[3])
if redis.call("ZCARD", KEYS[2]) >= tonumber(ARGV[4]) then return "crowded" end
redis.call("HSET", KEYS[1], "state", ARGV[1], "steps", 0, "number", 0)
redis.call("PEXPIREAT", KEYS[1], ARGV[2])
redis.call("ZADD", KEYS[2], ARGV[2], KEYS[1])
return "open"
"""
CHANGE = """
if redis.call("HGET", KEYS[2], "steps") ~= ARGV[1] then return "changed" end
if ARGV[4] == "ended" then
  redis.call("DEL", unpack(KEYS, 2))
  redis.call("HSET", KEYS[2], "ended", 1)
  redis.call("PEXPIREAT", KEYS[2], ARGV[3])
  redis.call("ZREM", KEYS[1], KEYS[2])
else
  redis.call("HSET", KEYS[2], "state", ARGV[2])
  redis.call("HINCRBY", KEYS[2], "steps", 1)
  redis.call("HINCRBY", KEYS[2], "number", 1)
  for round in string.gmatch(ARGV[4], "%d") do redis.call("DEL", KEYS[2 + round]) end
end
redis.call("PUBLISH", ARGV[5], ARGV[6] .. " step")
return "done"
"""
# KEYS are the room and the votes of its rounds; a count is named by question, round, vote and first vote.
VOTE = """
if redis.call("HGET", KEYS[1], "steps") ~= ARGV[1] then return "changed" end
local votes, first = KEYS[1 + ARGV[4]], ""
if ARGV[4] == "2" then first = redis.call("HGET", KEYS[2], ARGV[2]) or "" end
local function count(vote) return ARGV[3] .. "/" .. ARGV[4] .. "/" .. vote .. "\\t" .. first end
local before, now = redis.call("HGET", votes, ARGV[2]), count(ARGV[5])
if not before and redis.call("HLEN", votes) >= tonumber(ARGV[6]) then return "full" end
if redis.call("HEXISTS", KEYS[1], now) == 0 and redis.call("HLEN", KEYS[1]) >= tonumber(ARGV[7]) then
  return "different"
end
if before and redis.call("HINCRBY", KEYS[1], count(before), -1) == 0 then
  redis.call("HDEL", KEYS[1], count(before))
end
redis.call("HSET", votes, ARGV[2], ARGV[5])
redis.call("PEXPIREAT", votes, ARGV[8])
redis.call("HINCRBY", KEYS[1], now, 1)
redis.call("HINCRBY", KEYS[1], "number", 1)
redis.call("PUBLISH", ARGV[9], ARGV[10] .. " counts")
return "done"
"""
SEE = """
if redis.call("HEXISTS", KEYS[1], "state") == 0 then return "gone" end
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", ARGV[1])
for i = 6, #ARGV do
  if ARGV[5] ~= "" and redis.call("ZCARD", KEYS[2]) >= tonumber(ARGV[3]) and
     not redis.call("ZSCORE", KEYS[2], ARGV[i]) then
    return "full"
  end
  redis.call("ZADD", KEYS[2], ARGV[2], ARGV[i])
end
redis.call("PEXPIREAT", KEYS[2], redis.call("PEXPIRETIME", KEYS[1]))
if ARGV[5] ~= "" then redis.call("PUBLISH", ARGV[4], ARGV[5] .. " counts") end
return "done"
"""


LOSE = """
if redis.call("HEXISTS", KEYS[1], "state") == 0 then return "gone" end
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", ARGV[1])
redis.call("ZREM", KEYS[2], ARGV[3])
if ARGV[2] ~= "" then
  if redis.call("ZCARD", KEYS[2]) >= tonumber(ARGV[4]) then return "full" end
  redis.call("ZADD", KEYS[2], ARGV[2], ARGV[3])
  redis.call("PEXPIREAT", KEYS[2], redis.call("PEXPIRETIME", KEYS[1]))
end
redis.call("PUBLISH", ARGV[5], ARGV[6] .. " counts")
return "done"
"""
# A field is a time, a time and a person, or these and an item: how many people, how many items, and which letter.
HAND_IN = """
if redis.call("HEXISTS", KEYS[1], "state") == 0 then return "gone" end
local time, who = ARGV[1], ARGV[1] .. "/" .. ARGV[2]
local had, now, counted = tonumber(redis.call("HGET", KEYS[2], who) or 0), 0, 0
if had == 0 and tonumber(redis.call("HGET", KEYS[2], time) or 0) >= tonumber(ARGV[3]) then return "full" end
now = had
for i = 6, #ARGV, 2 do
  local field = who .. "/" .. ARGV[i]
  now = now + redis.call("HSETNX", KEYS[2], field, ARGV[i + 1])
  if redis.call("HGET", KEYS[2], field) == ARGV[i + 1] then counted = counted + 1 end
end
if now > had then
  redis.call("HSET", KEYS[2], who, now)
  if had == 0 then redis.call("HINCRBY", KEYS[2], time, 1)
  elseif redis.call("HINCRBY", KEYS[3], time .. "/" .. had, -1) == 0 then
    redis.call("HDEL", KEYS[3], time .. "/" .. had)
  end
  redis.call("HINCRBY", KEYS[3], time .. "/" .. now, 1)
  for i = 2, 3 do redis.call("PEXPIREAT", KEYS[i], redis.call("PEXPIRETIME", KEYS[1])) end
  redis.call("HINCRBY", KEYS[1], "number", 1)
  redis.call("PUBLISH", ARGV[4], ARGV[5] .. " counts")
end
return tostring(counted)
"""
STATE = 3  # fields of a room's hash that are no counts


@asynccontextmanager
async def reached() -> AsyncIterator[None]:
    """Turn errors of Redis into a ``RoomError``: it does not answer, or has no memory left."""
    try:
        yield
    except OutOfMemoryError as error:
        raise RoomError(503, CROWDED, AGAIN_S) from error
    except (RedisError, OSError) as error:
        raise RoomError(503, UNREACHABLE, AGAIN_S) from error


class RedisStore(Store):
    """Rooms of all replicas that use one Redis server (7.0 or newer)."""

    def __init__(self, url: str, limits: Limits) -> None:
        super().__init__(limits)
        pool = BlockingConnectionPool.from_url(url, max_connections=CONNECTIONS, decode_responses=True)
        self._redis = Redis.from_pool(pool)
        self._open, self._change, self._vote, self._see, self._lose, self._hand_in = (
            self._redis.register_script(script) for script in (OPEN, CHANGE, VOTE, SEE, LOSE, HAND_IN)
        )
        self._hearing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._hearing = asyncio.create_task(self._hear())
        await super().__aenter__()

    async def __aexit__(self, *given: object) -> None:
        await super().__aexit__(*given)
        while self._hearing and not self._hearing.done():  # the client swallows what cancels it as it connects
            self._hearing.cancel()
            await asyncio.wait((self._hearing,), timeout=CANCEL_S)
        await self._redis.aclose()

    async def _hear(self) -> None:
        """Pass on the messages of all replicas, as long as this one lives."""
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe(CHANNEL)
                    await self._look_at_policy()
                    for key in list(self._feeds):
                        self.wake(key, urgent=True)  # what was told meanwhile was not heard
                    async for message in channel.listen():
                        key, what = message["data"].split()
                        self.wake(key, urgent=what == "step")
            except (RedisError, OSError) as error:
                log.warning("live classes hear nothing from Redis: %s", type(error).__name__)
                await asyncio.sleep(AGAIN_S)

    async def _look_at_policy(self) -> None:
        """Log a warning if Redis may evict rooms, or does not tell its policy."""
        try:
            memory = await self._redis.info("memory")
        except ResponseError:  # a user without the right to ask
            memory = {}
        policy = memory.get("maxmemory_policy", "")
        if not policy:
            log.warning("live classes: Redis does not tell its maxmemory-policy, which must be noeviction")
        elif policy != "noeviction" and memory.get("maxmemory") != 0:
            log.warning(
                "live classes: where its memory is full Redis ends one (maxmemory-policy %s): %s", policy, CURE
            )

    async def open(self, secret: str) -> str:
        """Open a room."""
        now = time()
        room = Room(ends=now + self.limits.life_s, secret=digest(secret))
        for key in keys_of(secret):
            arguments = (json.dumps(room.dump()), _ms(room.ends), _ms(now), self.limits.rooms)
            async with reached():
                answer = await self._open((_key(key), OPEN_ROOMS), arguments)
            if answer == "crowded":
                raise RoomError(429, CROWDED, self.limits.new_room_s)
            if answer == "open" or await self._is_of(key, room.secret):
                return key
        raise AssertionError("there is always another key")

    async def _is_of(self, key: str, secret: str) -> bool:
        try:
            return (await self._look(key)).room.secret == secret
        except RoomError as refusal:
            if refusal.status >= 500:
                raise
            return False

    async def _look(self, key: str) -> "_Seen":
        """Read a room."""
        async with reached(), self._redis.pipeline() as all_:
            all_.hgetall(_key(key))
            for noted in (_here(key), _lost(key)):
                all_.zcount(noted, f"({_ms(time())}", "+inf")
            all_.hgetall(_tested(key))
            fields, here, lost, tested = await all_.execute()
        if not fields:
            raise RoomError(404, UNKNOWN)
        if "ended" in fields:
            raise RoomError(410, ENDED)
        return _Seen(Room.load(json.loads(fields["state"])), fields, here, lost, tested)

    async def read(self, key: str) -> Snapshot:
        """Read a room."""
        seen = await self._look(key)
        counts = {_counted(name): int(votes) for name, votes in seen.fields.items() if "/" in name}
        answered = (name.split("/") for name in seen.tested)
        handed_in = {(time, int(items)): int(seen.tested[f"{time}/{items}"]) for time, items in answered}
        return Snapshot(seen.room, int(seen.fields["number"]), counts, seen.here, seen.lost, handed_in)

    async def change(self, key: str, step: Callable[[Room], Room]) -> None:
        """Change a room by a step."""
        keys = (OPEN_ROOMS, _key(key), _votes(key, 1), _votes(key, 2), _here(key), _lost(key), *_test(key))
        answer = "changed"
        while answer == "changed":
            seen = await self._look(key)
            room = seen.room
            after = step(room).timed(room, time(), seen.here)
            what = "ended" if after.ended else " ".join(map(str, after.forgets(room)))
            arguments = (seen.fields["steps"], json.dumps(after.dump()), _ms(room.ends), what, CHANNEL, key)
            async with reached():
                answer = await self._change(keys, arguments)

    async def vote(self, key: str, voter: str, question: str, number: int, answer: object) -> str:
        """Count an answer."""
        keys, outcome, vote = (_key(key), _votes(key, 1), _votes(key, 2)), "changed", ""
        limits = (self.limits.voters, self.limits.different + STATE)
        while outcome == "changed":
            seen = await self._look(key)
            room = seen.room
            vote = room.read_vote(question, number, answer)
            counted = (len(room.asked) - 1, number, vote)
            arguments = (seen.fields["steps"], voter, *counted, *limits, _ms(room.ends), CHANNEL, key)
            async with reached():
                outcome = await self._vote(keys, arguments)
        if outcome != "done":
            raise RoomError(429, FULL if outcome == "full" else DIFFERENT)
        return vote

    async def hand_in(self, key: str, given: Given) -> int:
        """Keep answers of a test."""
        letters = [part for pair in given.letters.items() for part in pair]
        arguments = (given.time, given.person, self.limits.voters, CHANNEL, key, *letters)
        async with reached():
            answer = await self._hand_in((_key(key), *_test(key)), arguments)
        if answer == "gone":
            await self._look(key)  # which says why
        if answer == "full":
            raise RoomError(429, FULL)
        return int(answer)

    async def answers(self, key: str) -> list[Row]:
        """All answers of tests."""
        async with reached():
            kept = await self._redis.hgetall(_test(key)[0])
        given = [(*name.split("/"), letter) for name, letter in kept.items() if name.count("/") == 2]
        return sorted((person, time, item, letter) for time, person, item, letter in given)

    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note who is here."""
        now = time()
        until = _ms(now + self.limits.present_s)
        arguments = (_ms(now), until, self.limits.voters, CHANNEL, key if strict else "", *voters)
        async with reached():
            answer = await self._see((_key(key), _here(key)), arguments)
        if answer == "full":
            raise RoomError(429, FULL)

    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note who is not here any more."""
        if voters := tuple(voters):
            async with reached():
                await self._redis.zrem(_here(key), *voters)

    async def lose(self, key: str, voter: str, *, lost: bool) -> None:
        """Note whether a voter is lost."""
        now = time()
        until = _ms(now + self.limits.lost_s) if lost else ""
        async with reached():
            arguments = (_ms(now), until, voter, self.limits.voters, CHANNEL, key)
            answer = await self._lose((_key(key), _lost(key)), arguments)
        if answer == "full":
            raise RoomError(429, FULL)

    async def is_here(self, key: str, voter: str) -> bool:
        """Whether a voter is here."""
        async with reached():
            until = await self._redis.zscore(_here(key), voter)
        return until is not None and until > 1000 * time()


class _Seen(NamedTuple):
    """A room as it is kept: its state, all fields of its hash, who is here and lost, people by what they answered."""

    room: Room
    fields: dict[str, str]
    here: int
    lost: int
    tested: dict[str, str]


def _counted(name: str) -> tuple[int, int, str, str]:
    question, number, votes = name.split("/", 2)
    vote, first = votes.split("\t")
    return int(question), int(number), vote, first


def _ms(seconds: float) -> int:
    return int(1000 * seconds)


def _key(key: str) -> str:
    return f"{PREFIX}:{key}"


def _votes(key: str, number: int) -> str:
    return f"{PREFIX}:{key}:votes:{number}"


def _here(key: str) -> str:
    return f"{PREFIX}:{key}:here"


def _lost(key: str) -> str:
    return f"{PREFIX}:{key}:lost"


def _test(key: str) -> tuple[str, str]:
    return f"{PREFIX}:{key}:test", _tested(key)


def _tested(key: str) -> str:
    return f"{PREFIX}:{key}:tested"
