"""The Redis of live classes: one that throws rooms away is told of in the log, and it is let go of at the end."""

import asyncio
import logging
from collections.abc import Iterator

import pytest
import redis

from pages._shared.class_rooms import redis_store
from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.redis_store import RedisStore
from tests.processes import PATIENCE_S, run_apart

EVICTS = "live classes: where its memory is full Redis ends one (maxmemory-policy {}): set it to noeviction"


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.from_url(redis_url) as client:
        yield client
        client.config_set("maxmemory", 0)
        client.config_set("maxmemory-policy", "noeviction")


class Told(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def told(url: str, *, starts: bool = False) -> list[str]:
    """What the log says of a server's Redis; with ``starts`` by the server's start alone."""
    log, handler = redis_store.log, Told()

    async def begin() -> None:
        store = RedisStore(url, Limits())
        if starts:
            async with asyncio.timeout(PATIENCE_S), store:
                while not handler.lines:
                    await asyncio.sleep(0)
        else:
            await store._look_at_policy()
            await store._redis.aclose()

    log.addHandler(handler)
    try:
        run_apart(begin())
    finally:
        log.removeHandler(handler)
    return handler.lines


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl"])
def test_a_policy_that_evicts_is_told(client: redis.Redis, redis_url: str, policy: str) -> None:
    client.config_set("maxmemory", "100mb")
    client.config_set("maxmemory-policy", policy)
    (line,) = told(redis_url)
    assert line.startswith(EVICTS.format(policy))


def test_it_is_told_when_the_server_starts(client: redis.Redis, redis_url: str) -> None:
    client.config_set("maxmemory", "100mb")
    client.config_set("maxmemory-policy", "allkeys-lru")
    (line,) = told(redis_url, starts=True)
    assert line.startswith(EVICTS.format("allkeys-lru"))


@pytest.mark.parametrize(("memory", "policy"), [("100mb", "noeviction"), (0, "allkeys-lru")])
def test_where_nothing_is_evicted_nothing_is_told(
    client: redis.Redis, redis_url: str, memory: str | int, policy: str
) -> None:
    client.config_set("maxmemory", memory)
    client.config_set("maxmemory-policy", policy)
    assert told(redis_url) == []


def test_a_redis_that_may_not_be_asked_is_told(client: redis.Redis, redis_url: str) -> None:
    client.acl_setuser(
        "shy", enabled=True, nopass=True, categories=["+@all"], commands=["-info"], keys=["*"], channels=["*"]
    )
    assert told(redis_url.replace("redis://", "redis://shy:any@")) == [
        "live classes: Redis does not tell its maxmemory-policy, which must be noeviction"
    ]
    client.acl_deluser("shy")


def test_a_server_ends_whenever_it_is_told_to(redis_url: str) -> None:
    """While its client connects, too: what cancels it then is lost in the client."""

    async def end_after(turns: int) -> None:
        store = RedisStore(redis_url, Limits())
        await store.__aenter__()
        for _ in range(turns):
            await asyncio.sleep(0)
        await asyncio.wait_for(store.__aexit__(None, None, None), PATIENCE_S)

    for turns in range(60):
        run_apart(end_after(turns))
