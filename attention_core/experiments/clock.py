"""How long something takes on a device, which computes while Python goes on."""

import time
from collections.abc import Callable

import torch


@torch.inference_mode()
def clock(call: Callable[[], object], device: torch.device, repeats: int = 1) -> float:
    """Seconds that ``call`` takes, the mean of ``repeats``, from an idle device to an idle device.

    Args:
        call: What is timed.
        device: Where it runs.
        repeats: How often it is called.
    """
    _finish(device)
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    _finish(device)
    return (time.perf_counter() - start) / repeats


def _finish(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
