"""What is asked of attention: a folder for each study, with its settings, claims, measurements and drawings.

A folder is found by itself: its ``STUDY`` says what it is.
"""

from importlib import import_module
from pkgutil import iter_modules

from attention_core.measuring.study import Study

STUDIES: tuple[Study, ...]


def __getattr__(name: str) -> object:
    """``STUDIES``, in the order of their places: looked for when asked for, since who needs one needs not all."""
    if name != "STUDIES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    folders = [import_module(f"{__name__}.{folder.name}") for folder in iter_modules(__path__)]
    globals()[name] = tuple(sorted((folder.STUDY for folder in folders), key=lambda study: study.place))
    return globals()[name]
