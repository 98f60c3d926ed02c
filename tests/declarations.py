"""What is declared of settings, a line each: what is approved of a study's configs and of a page's views."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from attention_core.measuring.settings import Setting, declared, defaults


def declarations(kind: type[Any]) -> Iterator[str]:
    """What is declared of each field that the class it derives from does not declare so."""
    above = next((one for one in kind.__mro__[1:] if dataclasses.is_dataclass(one)), None)
    for name, one in declared(kind).items():
        if above is None or (declared(above).get(name), defaults(above).get(name)) != (one, defaults(kind)[name]):
            yield f"  {name} = {defaults(kind)[name]!r}: {declaration(one)}"


def declaration(one: Setting) -> str:
    """Its kind, and what is not as it would be anyway."""
    parts = {each.name: (getattr(one, each.name), each.default) for each in dataclasses.fields(one)}
    said = {name: value for name, (value, usual) in parts.items() if value != usual and not callable(value)}
    if options := said.get("options"):
        said["options"] = " | ".join(
            name if name == str(label) else f"{name}: {label}" for name, label in options.items()
        )
    return "; ".join([type(one).__name__, *(f"{name} {value}" for name, value in said.items())])
