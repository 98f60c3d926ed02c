"""Every exception of the project goes from one process to another with all its fields, and is copied with them."""

import copy
import copyreg
import importlib
import multiprocessing
import pickle
import pkgutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest

import pages._shared
from pages._shared.class_rooms.refusal import RoomError
import attention_core
from attention_core.language import gettext_lazy, using
from attention_core.measuring.checks import ConfigError
from attention_core.studies.biases import BiasesConfig

# What those are made with whose constructor takes more than a sentence.
EXAMPLES = {
    "ConfigError": ("tokens", ("the", "cat"), gettext_lazy("a tuple of words is allowed")),
    "RoomError": (429, gettext_lazy("A message must be JSON, and say so."), 2.5),
}
COPIES: dict[str, Callable] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


def exceptions() -> Iterator[type[BaseException]]:
    """Every exception class of the project."""
    for package in (attention_core, pages._shared):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                for one in vars(importlib.import_module(module.name)).values():
                    if isinstance(one, type) and issubclass(one, BaseException) and one.__module__ == module.name:
                        yield one


FOUND = {kind.__name__: kind for kind in exceptions()}


@pytest.fixture(autouse=True)
def by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's `distributed`, once imported, teaches pickle to copy every exception; elsewhere nobody does."""
    for kind in FOUND.values():
        monkeypatch.delitem(copyreg.dispatch_table, kind, raising=False)


def test_all_are_found() -> None:
    assert {*EXAMPLES, "CheckpointError", "Cancelled", "WrongResult", "WorkersLost", "SchedulerLost"} <= FOUND.keys()


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_as_the_original(name: str, way: str) -> None:
    kind = FOUND[name]
    error = kind(*EXAMPLES.get(name, ("a sentence that says why",)))
    error.add_note("seen in the third run")
    twin = COPIES[way](error)
    assert twin is not error
    assert type(twin) is kind
    assert vars(twin) == vars(error)
    for language in ("en", "zh"):
        with using(language):
            assert str(twin) == str(error)
            assert repr(twin) == repr(error)


def test_a_copy_is_worded_in_every_language() -> None:
    refused = pickle.loads(pickle.dumps(ConfigError(*EXAMPLES["ConfigError"])))
    slowed = pickle.loads(pickle.dumps(RoomError(*EXAMPLES["RoomError"])))
    assert str(refused) == "tokens = ('the', 'cat') is not possible: a tuple of words is allowed."
    assert slowed.worded("en") == "A message must be JSON, and say so."
    with using("zh"):
        assert str(refused).isascii() is False
    assert slowed.worded("zh").isascii() is False


UNPORTABLE = {
    "function": lambda: 1,
    "lock": threading.Lock(),
    "generator": (word for word in "ab"),
    "local class": type("Local", (), {})(),
}


@pytest.mark.parametrize("value", UNPORTABLE.values(), ids=UNPORTABLE)
def test_a_refused_value_that_no_other_process_can_have_is_told_as_text(value: object) -> None:
    error = ConfigError("size", value, "a number is allowed")
    twin = pickle.loads(pickle.dumps(error))
    assert twin.value == repr(value)
    assert (twin.field, twin.allowed, str(twin)) == ("size", "a number is allowed", str(error))
    for copied in (copy.copy(error), copy.deepcopy(error)):
        assert type(copied.value) is type(value)
        assert str(copied) == str(error)


def test_a_refused_config_leaves_a_pool_of_processes_as_it_was() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        asked = [pool.submit(partial(BiasesConfig, size=size)) for size in (1.0, 50.0, 2.0)]
        assert asked[0].result().size == 1.0
        with pytest.raises(ConfigError) as refused:
            asked[1].result()
        assert (refused.value.field, refused.value.value) == ("size", 50.0)
        assert asked[2].result().size == 2.0
