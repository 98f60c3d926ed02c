"""Memory for modules that were made as shapes alone, so that nothing was drawn for them."""

from typing import TypeVar

import torch
from torch import nn

Module = TypeVar("Module", bound=nn.Module)


def allocate(module: Module, *, device: torch.device | str = "cpu", dtype: torch.dtype | None = None) -> Module:
    """The module itself, its parameters on torch's "meta" device replaced by ones with memory and no numbers yet.

    ``nn.Module.to_empty`` does so too, but torch imports a computer algebra system for it, a second and 30 MB, and it
    makes two parameters of one that has two names, such as a tied bias.

    Args:
        module: The module.
        device: Where the parameters shall live.
        dtype: Their precision; that which each has when None.
    """
    made: dict[nn.Parameter, nn.Parameter] = {}
    for part in module.modules():
        for name, each in [*part.named_parameters(recurse=False, remove_duplicate=False)]:
            if each not in made:
                empty = torch.empty(each.shape, device=device, dtype=dtype or each.dtype)
                made[each] = nn.Parameter(empty, requires_grad=each.requires_grad)
            setattr(part, name, made[each])
    return module
