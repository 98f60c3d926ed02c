"""The base of all configs: precision, device and seed, and the check of every declared setting."""

from dataclasses import dataclass, fields
from typing import Any, Self

import torch

from attention_core.device import DTYPES, available_devices, pin_sums, resolve_device, resolve_dtype, supported_dtypes
from attention_core.language import COMMA, gettext, listed
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import MAX_SEED, ConfigError, check_choice
from attention_core.measuring.settings import Choice, Setting, Whole, check_settings, setting


@dataclass(frozen=True, slots=True)
class Device(Setting):
    """A device's name: ``auto``, or any that torch knows here, such as ``cuda:1``."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names that a page offers."""
        return ("auto", *available_devices())

    def check(self, name: str, value: object) -> None:
        """Raise ``ConfigError`` unless there is such a device."""
        try:
            resolve_device(value if isinstance(value, str) else "")
        except ValueError:
            raise ConfigError(
                name, value, _("one of {choices} is allowed", choices=listed(self.options, COMMA))
            ) from None

    def read(self, text: str) -> str:
        """The name."""
        return text

    def say(self, value: str) -> str:
        """The name; ``auto`` in words."""
        return gettext("auto") if value == "auto" else value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Precision, device and seed, and the check of all settings: the base of every experiment's config.

    Attributes:
        dtype: ``float64``, ``float32``, ``bfloat16`` or ``float16``, where the device has it; ``auto`` becomes the
            most precise one that it has.
        device: ``auto`` (the accelerator torch reports, else the CPU) or a device's name.
        seed: Seed of every random draw, 0 … 999,999.

    Raises:
        ConfigError: If a declared setting is not possible; a config adds what concerns several of them.
    """

    dtype: str = setting(
        "auto",
        Choice(
            {"auto": _("auto"), **{name: name for name in DTYPES}},
            label=_("Precision"),
            hint=_("How many bits each number has on the device; auto is the most precise that it has."),
        ),
    )
    device: str = setting(
        "auto", Device(label=_("Device"), hint=_("auto is the accelerator torch reports, else the CPU."))
    )
    seed: int = setting(
        0, Whole(0, MAX_SEED, label=_("Seed"), typed=True, hint=_("Another seed draws other embeddings and weights."))
    )

    def __post_init__(self) -> None:
        check_settings(self)
        possible = supported_dtypes(self.torch_device)
        if not possible:
            raise ConfigError("device", self.device, _("a device that computes attention is needed"))
        check_choice("dtype", self.dtype, ("auto", *possible))
        if self.dtype == "auto":
            object.__setattr__(self, "dtype", possible[0])

    @classmethod
    def like(cls, other: "RunConfig", **changed: Any) -> Self:
        """A config of this class with the settings it shares with another, and some changed."""
        shared = {each.name: getattr(other, each.name) for each in fields(cls) if hasattr(other, each.name)}
        return cls(**shared | changed)

    @property
    def torch_device(self) -> torch.device:
        """The device that ``device`` stands for on this machine; sums are pinned to what the bounds expect."""
        pin_sums()
        return resolve_device(self.device)

    @property
    def torch_dtype(self) -> torch.dtype:
        """The torch dtype that ``dtype`` names."""
        return resolve_dtype(self.dtype, self.torch_device)
