"""Every config of the package, found by what it derives from."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Final

import attention_core
from attention_core.measuring.config import RunConfig

for _module in pkgutil.walk_packages(attention_core.__path__, "attention_core."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)


def _derived_from(kind: type[RunConfig]) -> Iterator[type[RunConfig]]:
    """A class and all that derive from it."""
    yield kind
    for each in kind.__subclasses__():
        yield from _derived_from(each)


# By name: beside a class with slots lives, until it is collected, the one that it was made from.
_FOUND: Final = {f"{each.__module__}.{each.__name__}": each for each in _derived_from(RunConfig)}
CONFIGS: Final = [each for name, each in sorted(_FOUND.items()) if name.startswith("attention_core")]
