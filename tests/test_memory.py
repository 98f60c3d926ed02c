"""How much memory a process may have, by files as Linux has them, and how much of it a trained model."""

import tomllib
from pathlib import Path

import pytest

from attention_core import memory
from attention_core.checkpoints import load
from attention_core.measuring import models
from attention_core.memory import allowed_bytes, bytes_for_models

ROOT = Path(__file__).parents[1]
GIB, MIB = 2**30, 2**20
GPT2, BERT_BASE = 548_105_171, 440_449_768  # bytes of the files that the hub has of them


def system(root: Path, groups: str, limits: dict[str, str]) -> Path:
    for name, text in {"proc/self/cgroup": groups, **limits}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("groups", "limits", "allowed"),
    [
        ("", {}, 16 * GIB),
        ("0::/\n", {"sys/fs/cgroup/memory.max": "max\n"}, 16 * GIB),
        ("0::/\n", {"sys/fs/cgroup/memory.max": f"{GIB}\n"}, GIB),
        (
            "0::/a/b\n",
            {"sys/fs/cgroup/a/memory.max": f"{2 * GIB}\n", "sys/fs/cgroup/a/b/memory.max": "max\n"},
            2 * GIB,
        ),
        ("0::/a/b\n", {"sys/fs/cgroup/a/memory.max": f"{2 * GIB}\n", "sys/fs/cgroup/a/b/memory.max": f"{GIB}"}, GIB),
        ("4:memory:/x\n0::/\n", {"sys/fs/cgroup/memory/x/memory.limit_in_bytes": f"{3 * GIB}\n"}, 3 * GIB),
        ("4:cpu,memory:/x:y\n", {"sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n"}, GIB),
        ("4:cpu:/x\n", {"sys/fs/cgroup/memory/x/memory.limit_in_bytes": f"{GIB}\n"}, 16 * GIB),
        ("4:memory:/\n", {"sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2**63 - 4096}\n"}, 16 * GIB),
        ("0::/\n", {"sys/fs/cgroup/memory.max": f"{64 * GIB}\n"}, 16 * GIB),
        ("nonsense", {"sys/fs/cgroup/memory.max": f"{GIB}\n"}, GIB),
    ],
)
def test_the_least_of_the_machine_and_its_groups_is_allowed(
    groups: str, limits: dict[str, str], allowed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_physical", lambda: iter([16 * GIB]))
    assert allowed_bytes(system(tmp_path, groups, limits)) == allowed


def test_where_nobody_says_a_model_may_be_as_large_as_on_a_small_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_physical", lambda: iter([]))
    assert allowed_bytes(tmp_path) is None
    assert bytes_for_models(None) == 256 * MIB


def test_known_models_fit_where_memory_allows_and_a_small_host_keeps_a_small_limit() -> None:
    assert [bytes_for_models(size * MIB) for size in (690, 2048)] == [256 * MIB] * 2
    assert bytes_for_models(3115 * MIB) > GPT2 > bytes_for_models(3 * GIB) > BERT_BASE
    assert bytes_for_models(64 * GIB) == bytes_for_models(1024 * GIB) == 2 * GIB
    sizes = [bytes_for_models(half * GIB // 2) for half in range(40)]
    assert sizes == sorted(sizes)
    assert all(4 * size <= (half - 2) * GIB // 2 for half, size in enumerate(sizes) if size > 256 * MIB)


def test_the_package_the_page_and_the_server_agree() -> None:
    assert load.MAX_BYTES == models.MAX_BYTES == memory.MODEL_BYTES == bytes_for_models(allowed_bytes())
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] * MIB == memory.LARGEST
