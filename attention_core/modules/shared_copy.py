"""A copy of a model to change: its modules are its own, and its weights are not twice in memory."""

import copy
from collections.abc import Callable
from typing import TypeVar

from torch import nn

Module = TypeVar("Module", bound=nn.Module)


def shared_copy(module: Module, put: Callable[[nn.Parameter], nn.Parameter] = lambda each: each) -> Module:
    """A copy of a module, and of all within, that has the same parameters and buffers.

    What is set on the copy is its own; what is written into its numbers is written into those of the module too.

    Args:
        module: The module.
        put: From each parameter to what takes its place in the copy, once for one that has two names.
    """
    numbers = {id(each): put(each) for each in module.parameters()}
    return copy.deepcopy(module, numbers | {id(each): each for each in module.buffers()})
