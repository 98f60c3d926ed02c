"""Rooms in Redis, shared by all replicas: a replica that is lost takes nothing with it.

Per room three keys, all gone with the room: a hash with its state, how often it has changed (``number``), how often
the teacher changed it (``steps``) and the counts; the votes of the open round, by voter; and who is here, by the time
until which they are. The rules stay in Python (``room.py``): a script applies a vote or a step only if ``steps`` is
still what the rules were asked about, else they are asked again. So a vote and a step never cross.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from time import time

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import OutOfMemoryError, RedisError, ResponseError

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.room import ENDED, UNKNOWN, Room, RoomError
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import CROWDED, FULL, Store, digest, keys_of
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
if redis.call("HGET", KEYS[1], "steps") ~= ARGV[1] then return "changed" end
if ARGV[4] == "ended" then
  redis.call("DEL", KEYS[1], KEYS[2], KEYS[3])
  redis.call("HSET", KEYS[1], "ended", 1)
  redis.call("PEXPIREAT", KEYS[1], ARGV[3])
  redis.call("ZREM", KEYS[4], KEYS[1])
else
  redis.call("HSET", KEYS[1], "state", ARGV[2])
  redis.call("HINCRBY", KEYS[1], "steps", 1)
  redis.call("HINCRBY", KEYS[1], "number", 1)
  if ARGV[4] == "new ballot" then redis.call("DEL", KEYS[2]) end
end
redis.call("PUBLISH", ARGV[5], ARGV[6] .. " step")
return "done"
"""
VOTE = """
if redis.call("HGET", KEYS[1], "steps") ~= ARGV[1] then return "changed" end
local before = redis.call("HGET", KEYS[2], ARGV[2])
if before then
  redis.call("HINCRBY", KEYS[1], before, -1)
elseif redis.call("HLEN", KEYS[2]) >= tonumber(ARGV[4]) then
  return "full"
end
redis.call("HSET", KEYS[2], ARGV[2], ARGV[3])
redis.call("PEXPIREAT", KEYS[2], ARGV[5])
redis.call("HINCRBY", KEYS[1], ARGV[3], 1)
redis.call("HINCRBY", KEYS[1], "number", 1)
redis.call("PUBLISH", ARGV[6], ARGV[7] .. " counts")
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


@asynccontextmanager
async def reached() -> AsyncIterator[None]:
    """A Redis server that does not answer, or has no memory left, is no fault of who asks."""
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
        self._open, self._change, self._vote, self._see = (
            self._redis.register_script(script) for script in (OPEN, CHANGE, VOTE, SEE)
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
        """Pass on what any replica tells, for as long as this one lives."""
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as told:
                    await told.subscribe(CHANNEL)
                    await self._look_at_policy()
                    for key in list(self._feeds):
                        self.wake(key, urgent=True)  # what was told meanwhile was not heard
                    async for message in told.listen():
                        key, what = message["data"].split()
                        self.wake(key, urgent=what == "step")
            except (RedisError, OSError) as error:
                log.warning("live classes hear nothing from Redis: %s", type(error).__name__)
                await asyncio.sleep(AGAIN_S)

    async def _look_at_policy(self) -> None:
        """Say in the log where Redis would throw a room away to make place for another, or does not tell."""
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
                said = await self._open((_key(key), OPEN_ROOMS), arguments)
            if said == "crowded":
                raise RoomError(429, CROWDED, self.limits.new_room_s)
            if said == "open" or await self._is_of(key, room.secret):
                return key
        raise AssertionError("there is always another key")

    async def _is_of(self, key: str, secret: str) -> bool:
        try:
            return (await self._look(key))[0].secret == secret
        except RoomError as refusal:
            if refusal.status >= 500:
                raise
            return False

    async def _look(self, key: str) -> tuple[Room, dict[str, str], int]:
        """A room with its hash and how many are here."""
        async with reached(), self._redis.pipeline() as both:
            both.hgetall(_key(key))
            both.zcount(_here(key), f"({_ms(time())}", "+inf")
            kept, here = await both.execute()
        if not kept:
            raise RoomError(404, UNKNOWN)
        if "ended" in kept:
            raise RoomError(410, ENDED)
        return Room.load(json.loads(kept["state"])), kept, here

    async def read(self, key: str) -> Snapshot:
        """A room as it is now."""
        room, kept, here = await self._look(key)
        counts = {_place(name): int(votes) for name, votes in kept.items() if "/" in name}
        return Snapshot(room, int(kept["number"]), counts, here)

    async def change(self, key: str, step: Callable[[Room], Room]) -> None:
        """Take a step."""
        keys = (_key(key), _votes(key), _here(key), OPEN_ROOMS)
        said = "changed"
        while said == "changed":
            room, kept, _ = await self._look(key)
            then = step(room)
            what = "ended" if then.ended else "new ballot" if then.ballot != room.ballot else ""
            arguments = (kept["steps"], json.dumps(then.dump()), _ms(room.ends), what, CHANNEL, key)
            async with reached():
                said = await self._change(keys, arguments)

    async def vote(self, key: str, voter: str, question: str, number: int, answer: int) -> None:
        """Count a vote."""
        said = "changed"
        while said == "changed":
            room, kept, _ = await self._look(key)
            room.check_vote(question, number, answer)
            name = f"{len(room.asked) - 1}/{number}/{answer}"
            arguments = (kept["steps"], voter, name, self.limits.voters, _ms(room.ends), CHANNEL, key)
            async with reached():
                said = await self._vote((_key(key), _votes(key)), arguments)
        if said == "full":
            raise RoomError(429, FULL)

    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note who is here."""
        now = time()
        until = _ms(now + self.limits.present_s)
        arguments = (_ms(now), until, self.limits.voters, CHANNEL, key if strict else "", *voters)
        async with reached():
            said = await self._see((_key(key), _here(key)), arguments)
        if said == "full":
            raise RoomError(429, FULL)

    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note who is not here any more."""
        if voters := tuple(voters):
            async with reached():
                await self._redis.zrem(_here(key), *voters)

    async def is_here(self, key: str, voter: str) -> bool:
        """Whether a voter is here."""
        async with reached():
            until = await self._redis.zscore(_here(key), voter)
        return until is not None and until > 1000 * time()


def _place(name: str) -> tuple[int, int, int]:
    question, number, answer = map(int, name.split("/"))
    return question, number, answer


def _ms(seconds: float) -> int:
    return int(1000 * seconds)


def _key(key: str) -> str:
    return f"{PREFIX}:{key}"


def _votes(key: str) -> str:
    return f"{PREFIX}:{key}:votes"


def _here(key: str) -> str:
    return f"{PREFIX}:{key}:here"
