"""How long something takes on a device, which computes while Python goes on."""

import time
from collections.abc import Callable

import torch


@torch.inference_mode()
def seconds_of(
    call: Callable[[], object],
    device: torch.device,
    repeats: int = 1,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds that ``call`` takes, the mean of ``repeats``, from an idle device to an idle device."""
    _finish(device)
    start = clock()
    for _ in range(repeats):
        call()
    _finish(device)
    return (clock() - start) / repeats


def _finish(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
