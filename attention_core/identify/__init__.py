"""What does this attention compute? ``identify(module, d_model=64, num_heads=4)`` says it, and what is wrong with it.

The package can be called as its function can: ``attention_core.identify`` is both.
"""

import sys
from types import ModuleType
from typing import Any

from attention_core.identify.choices import CHOICES as CHOICES
from attention_core.identify.design import Design as Design
from attention_core.identify.errors import IdentifyError as IdentifyError
from attention_core.identify.found import Fault as Fault
from attention_core.identify.found import Identified as Identified
from attention_core.identify.found import Row as Row
from attention_core.identify.identifying import identify as identify


class _Callable(ModuleType):
    """Python hangs a package on the one above it, where the function of its name would be: so it answers as that."""

    def __call__(self, *given: Any, **options: Any) -> Identified:
        return identify(*given, **options)


sys.modules[__name__].__class__ = _Callable
