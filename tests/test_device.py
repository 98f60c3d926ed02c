"""Which devices and formats there are, and a clear sentence for those that are not there."""

import re
from types import SimpleNamespace

import pytest
import torch

from attention_core import device
from attention_core.device import available_devices, resolve_device, resolve_dtype, supported_dtypes


def pretend(monkeypatch: pytest.MonkeyPatch, accelerator: str | None, count: int = 1) -> None:
    found = None if accelerator is None else SimpleNamespace(type=accelerator)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda **_: found)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)


def test_auto_is_the_accelerator_that_torch_reports_else_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, None)
    assert available_devices() == ("cpu",)
    assert resolve_device() == resolve_device("auto") == torch.device("cpu")
    for name in ("cuda", "mps", "xpu"):
        pretend(monkeypatch, name)
        assert available_devices() == (name, "cpu")
        assert resolve_device("auto") == torch.device(name)
        assert resolve_device("cpu") == torch.device("cpu")


def test_every_reported_device_computes() -> None:
    for name in available_devices():
        assert "float32" in supported_dtypes(name)
        assert resolve_device(name).type == name
        for dtype in supported_dtypes(name):
            assert torch.ones(2, dtype=resolve_dtype(dtype, name), device=name).sum().item() == 2


def test_the_cpu_computes_in_all_four_formats() -> None:
    assert supported_dtypes("cpu") == ("float64", "float32", "bfloat16", "float16")
    assert supported_dtypes(torch.device("cpu")) == supported_dtypes("cpu")
    assert resolve_dtype("bfloat16", "cpu") == torch.bfloat16


@pytest.mark.parametrize("name", ["cuda:1", "tpu", "", "cuda"])
def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pretend(monkeypatch, None)
    sentence = f"device = {name!r} is not available here; choose one of: auto, cpu."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        resolve_device(name)


def test_a_numbered_device_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "cuda", count=2)
    assert resolve_device("cuda:1") == torch.device("cuda:1")
    sentence = "device = 'cuda:2' is not available here; choose one of: auto, cuda, cpu."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        resolve_device("cuda:2")


def test_a_format_the_device_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apple's accelerator has no float64: asking it for one raises, as the probe does here."""
    pretend(monkeypatch, "mps")
    monkeypatch.setattr(device, "_computes", lambda dtype, where: dtype != torch.float64 or where == "cpu")
    device._supported_dtypes.cache_clear()
    try:
        assert supported_dtypes("mps") == ("float32", "bfloat16", "float16")
        sentence = "dtype = 'float64' is not available on mps; choose one of: float32, bfloat16, float16."
        for where in ("auto", "mps", torch.device("mps")):
            with pytest.raises(ValueError, match=re.escape(sentence)):
                resolve_dtype("float64", where)
    finally:
        device._supported_dtypes.cache_clear()
    sentence = "dtype = 'int8' is not available on cpu; choose one of: float64, float32, bfloat16, float16."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        resolve_dtype("int8", "cpu")


def test_the_probe_says_no_where_torch_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> torch.Tensor:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.")

    assert device._computes(torch.float64, "cpu")
    monkeypatch.setattr(torch.Tensor, "to", refuse)
    assert not device._computes(torch.float64, "cpu")
