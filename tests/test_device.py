"""Which devices and formats there are, and a clear sentence for those that are not there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from attention_core import device
from attention_core.device import available_devices, resolve_device, resolve_dtype, supported_dtypes
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import Device, RunConfig
from attention_core.measuring.settings import declared


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


@pytest.fixture
def without_double(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every device but the CPU lacks float64, as Metal does: asking it for one raises, as the probe does here."""
    monkeypatch.setattr(device, "_computes", lambda dtype, where: dtype != torch.float64 or where == "cpu")
    device._supported_dtypes.cache_clear()
    yield
    device._supported_dtypes.cache_clear()


def test_a_format_the_device_lacks_is_refused(monkeypatch: pytest.MonkeyPatch, without_double: None) -> None:
    pretend(monkeypatch, "mps")
    assert supported_dtypes("mps") == ("float32", "bfloat16", "float16")
    sentence = "dtype = 'float64' is not available on mps; choose one of: float32, bfloat16, float16."
    for where in ("auto", "mps", torch.device("mps")):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            resolve_dtype("float64", where)
    sentence = "dtype = 'int8' is not available on cpu; choose one of: float64, float32, bfloat16, float16."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        resolve_dtype("int8", "cpu")


def test_the_probe_says_no_where_torch_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> torch.Tensor:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.")

    assert device._computes(torch.float64, "cpu")
    monkeypatch.setattr(torch.Tensor, "to", refuse)
    assert not device._computes(torch.float64, "cpu")


def test_the_precision_that_no_one_gives_is_the_devices_most_precise(
    monkeypatch: pytest.MonkeyPatch, without_double: None
) -> None:
    pretend(monkeypatch, "mps")
    assert RunConfig().dtype == RunConfig(dtype="auto", device="mps").dtype == "float32"
    assert RunConfig(device="cpu").dtype == "float64"
    assert RunConfig() == RunConfig(dtype="float32")
    assert hash(RunConfig()) == hash(RunConfig(dtype="float32"))
    sentence = "dtype = 'float64' is not possible: one of auto, float32, bfloat16, float16 is allowed."
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        RunConfig(dtype="float64")


def test_a_config_takes_any_device_that_is_there_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch, without_double: None
) -> None:
    of_devices = declared(RunConfig)["device"]
    assert isinstance(of_devices, Device)
    pretend(monkeypatch, "cuda", count=2)
    assert of_devices.options == ("auto", "cuda", "cpu")
    for name in ("cuda", "cuda:0", "cuda:1"):
        assert RunConfig(device=name).torch_device == torch.device(name)
    sentence = "device = 'cuda:2' is not possible: one of auto, cuda, cpu is allowed."
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        RunConfig(device="cuda:2")
    pretend(monkeypatch, None)
    assert of_devices.options == ("auto", "cpu")
    for wrong in ("cuda:1", "cuda", "meta", "", 1, None, torch.device("cpu")):
        with pytest.raises(ConfigError, match="one of auto, cpu is allowed"):
            RunConfig(device=wrong)  # type: ignore[arg-type]


def test_a_device_that_computes_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "xpu")
    monkeypatch.setattr(device, "_supported_dtypes", lambda where: ("float32",) if where == "cpu" else ())
    sentence = "device = 'auto' is not possible: a device that computes attention is needed."
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        RunConfig()
    assert RunConfig(device="cpu").dtype == "float32"


def test_an_experiments_device_adds_up_as_bounds_expect_whatever_was_set() -> None:
    matmul, sdpa = torch.backends.cuda.matmul, torch.backends.cuda
    torch.set_float32_matmul_precision("medium")
    matmul.allow_fp16_reduced_precision_reduction = True
    matmul.allow_bf16_reduced_precision_reduction = True
    matmul.allow_fp16_accumulation = True
    sdpa.allow_fp16_bf16_reduction_math_sdp(True)
    assert RunConfig().torch_device
    assert torch.get_float32_matmul_precision() == "highest"
    assert (matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision) == ("ieee", "ieee")
    assert not matmul.allow_tf32
    assert not matmul.allow_fp16_reduced_precision_reduction
    assert not matmul.allow_bf16_reduced_precision_reduction
    assert not matmul.allow_fp16_accumulation
    assert not sdpa.fp16_bf16_reduction_math_sdp_allowed()


def on_an_accelerator(*asked: str) -> None:
    """Run tests with a pretended one, which torch takes for the process's own from then on.

    The process ends at once: autograd's thread for the device may ask for an interpreter that is no longer there.
    """
    code = "import os, sys, pytest; found = pytest.main(sys.argv[1:]); sys.stdout.flush(); os._exit(found)"
    line = [sys.executable, "-c", code, "-n", "0", "-p", "no:cacheprovider", "-p", "tests.pretended", *asked]
    done = subprocess.run(line, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("part", ["not slow", "slow"])
def test_every_study_and_claim_runs_on_an_accelerator(part: str) -> None:
    on_an_accelerator("-m", part, "tests/accelerated.py")


@pytest.mark.nightly
@pytest.mark.parametrize("folder", ["checkpoints", "shipped", "experiments", "figures", "pages"])
def test_what_else_is_tested_holds_on_an_accelerator(folder: str) -> None:
    """But for what begins processes of its own, in which nothing is pretended."""
    own = ("tests/experiments/test_snippets.py", "tests/pages/test_cluster.py")
    on_an_accelerator(f"tests/{folder}", *(f"--ignore={path}" for path in own))
