"""What is drawn and said is approved as a CPU computes it: another device's last digits, zeros and kernels differ."""

import pytest

from attention_core import device


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have ``"auto"`` stand for the CPU."""
    monkeypatch.setattr(device, "available_devices", lambda: ("cpu",))
