"""What all configs share: precision, device and seed, and that every declared setting is checked."""

from dataclasses import dataclass

import torch

from attention_core.device import DTYPES, available_devices, resolve_device, resolve_dtype, supported_dtypes
from attention_core.experiments.checks import check_choice
from attention_core.experiments.settings import Choice, Whole, check_settings, setting

MAX_SEED = 999_999


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Precision, device and seed: what every experiment's config has.

    Attributes:
        dtype: ``float64``, ``float32``, ``bfloat16`` or ``float16``, where the device has it.
        device: ``auto`` (the accelerator torch reports, else the CPU) or a device's name.
        seed: Seed of every random draw, 0 … 999,999.

    Raises:
        ConfigError: If a declared setting is not possible; a config adds what concerns several of them.
    """

    dtype: str = setting(
        "float64",
        Choice(
            {name: name for name in DTYPES}, label="Precision", hint="How many bits each number has on the device."
        ),
    )
    device: str = setting(
        "auto",
        Choice(
            {name: name for name in ("auto", *available_devices())},
            label="Device",
            hint="auto is the accelerator torch reports, else the CPU.",
        ),
    )
    seed: int = setting(
        0, Whole(0, MAX_SEED, label="Seed", typed=True, hint="Another seed draws other embeddings and weights.")
    )

    def __post_init__(self) -> None:
        check_settings(self)
        check_choice("dtype", self.dtype, supported_dtypes(self.torch_device))

    @property
    def torch_device(self) -> torch.device:
        """The device that ``device`` stands for on this machine."""
        return resolve_device(self.device)

    @property
    def torch_dtype(self) -> torch.dtype:
        """The torch dtype that ``dtype`` names."""
        return resolve_dtype(self.dtype, self.torch_device)
