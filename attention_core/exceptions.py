"""What this project's exceptions have in common: they go from one process to another as they are."""

import pickle
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any, Self


class PortableError(Exception):
    """An exception that is copied and pickled with all its fields, whatever its constructor takes.

    Python makes an exception again by calling its class with ``args``, which are the sentence alone. Where the
    constructor takes something else that fails in the process that receives it, and ends a whole pool of them.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.args, {name: _portable(value) for name, value in vars(self).items()})

    def __copy__(self) -> Self:
        return _made(type(self), self.args, vars(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        fields = vars(self).copy()
        for name, value in fields.items():
            with suppress(Exception):  # what cannot be copied is shared
                fields[name] = deepcopy(value, memo)
        return _made(type(self), self.args, fields)


def _made(kind: type[Any], args: tuple[Any, ...], fields: Mapping[str, Any]) -> Any:
    made: Any = kind.__new__(kind, *args)
    vars(made).update(fields)
    return made


def _portable(value: Any) -> Any:
    """The value, or what it prints as where it cannot go to another process: what is refused may be anything."""
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:  # noqa: BLE001 - pickling runs code of the value's own
        return repr(value)
    return value
