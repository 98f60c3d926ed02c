"""The package as others install and import it: what it needs, what it offers, and what a type checker sees of it."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from setuptools.config.pyprojecttoml import read_configuration

import attention_core
from attention_core.modules import block, feed_forward, normalization, positions, projections
from tests.environment import environment, surroundings

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED, EXTRAS = PROJECT["project"]["dependencies"], PROJECT["project"]["optional-dependencies"]
WITHOUT = ("plotly", "safetensors", "streamlit", "tokenizers")


def in_a_fresh_process(code: str, *, without: tuple[str, ...] = ()) -> str:
    """What ``code`` prints in a Python of its own, in which some packages cannot be imported."""
    blocked = "".join(f"sys.modules[{name!r}] = None; " for name in without)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {blocked}{code}"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_version_is_said_once_and_is_the_one_that_is_installed_and_cited() -> None:
    assert read_configuration(ROOT / "pyproject.toml")["project"]["version"] == attention_core.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == attention_core.__version__


def test_a_library_asks_for_ranges_and_what_is_tested_lies_in_them() -> None:
    pinned = dict(re.findall(r"^(\S+)==(\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M))
    assert [Requirement(each).name for each in NEEDED] == ["torch", "numpy", "jaxtyping"]
    assert EXTRAS["figures"][0].startswith("plotly")
    assert EXTRAS["all"][0] == "attention-core[figures]"
    assert [Requirement(each).name for each in EXTRAS["all"][1:]] == ["safetensors", "tokenizers", "pillow"]
    for asked in map(Requirement, (*NEEDED, *EXTRAS["figures"], *EXTRAS["all"][1:])):
        assert {one.operator for one in asked.specifier} == {">="}, asked
        assert asked.specifier.contains(pinned[asked.name]), asked


@pytest.mark.slow
def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import attention_core; loaded = {'torch', 'numpy', 'attention_core.modules'} & set(sys.modules); "
        "from attention_core import MultiHeadAttention, check, claims; print(loaded, claims.check is check)"
    )
    assert in_a_fresh_process(code) == "set() True"


@pytest.mark.slow
def test_the_modules_need_neither_plotly_nor_safetensors() -> None:
    code = "import torch, attention_core as a; print(tuple(a.MultiHeadAttention(8, 2)(torch.ones(1, 3, 8)).shape))"
    assert in_a_fresh_process(code, without=WITHOUT) == "(1, 3, 8)"


@pytest.mark.slow
def test_experiments_and_claims_do_not_need_them_either() -> None:
    code = (
        "import attention_core as a; from attention_core.studies.learning import LearningConfig; "
        "print(a.check('qk-tied').outcome, a.run(LearningConfig(steps=1)).provenance.dtype)"
    )
    assert in_a_fresh_process(code, without=WITHOUT) == "agrees float32"


@pytest.mark.slow
def test_without_safetensors_keeping_a_model_says_what_is_missing() -> None:
    code = (
        "import attention_core as a\n"
        "from attention_core.studies.learning import LearningConfig, keep\n"
        "try: keep(a.run(LearningConfig(steps=1)).trained)\n"
        "except ImportError as error: print(error)\n"
    )
    assert "safetensors" in in_a_fresh_process(f"\n{code}", without=WITHOUT)


def test_the_public_names_are_all_that_is_listed_and_each_is_there() -> None:
    assert dir(attention_core) == sorted(attention_core.__all__)
    assert not [name for name in dir(attention_core) if name.startswith("_")]
    for name in attention_core.__all__:
        found = getattr(attention_core, name)
        assert getattr(found, "__name__", "").rpartition(".")[2] == name
        assert (getattr(found, "__doc__", None) or "").strip(), name
    with pytest.raises(AttributeError, match="module 'attention_core' has no attribute 'Any'"):
        attention_core.Any  # noqa: B018
    names: dict[str, object] = {}
    exec("from attention_core import *", names)
    assert set(attention_core.__all__) <= set(names)


@pytest.mark.parametrize(
    "names",
    [
        ("NoPosition", "Sinusoidal", "Learned", "Rotary", "Alibi", "RelativeKey"),
        ("LayerNorm", "RMSNorm", "BatchNorm", "NoNorm"),
        ("PreNorm", "PostNorm", "ResidualPostNorm"),
        ("Full", "Identity", "TiedKeyValue", "TiedQueryKey"),
        ("ReLU", "GELU"),
        ("TransformerBlock", "Encoder", "Decoder", "EncoderDecoder", "Checkpoint"),
        ("causal_mask", "sliding_window_mask", "key_padding_mask", "combine_masks", "to_additive", "to_bool"),
        ("check", "claims", "run", "ConfigError"),
    ],
)
def test_what_a_module_can_be_given_is_found_at_the_top(names: tuple[str, ...]) -> None:
    assert set(names) <= set(attention_core.__all__)


def test_every_choice_of_a_block_can_be_imported_from_the_top() -> None:
    unions = (
        positions.Position, projections.Projections, normalization.Norm, block.Placement, feed_forward.Activation,
    )  # fmt: skip
    choices = [choice for union in unions for choice in union.__args__]
    assert len(choices) >= 18
    for choice in choices:
        assert getattr(attention_core, choice.__name__) is choice


@pytest.mark.nightly
def test_a_type_checker_knows_what_comes_from_the_top(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(
        "import attention_core\nfrom attention_core import Encoder, Rotary, check\n"
        "reveal_type(attention_core.MultiHeadAttention(8, 2, position=Rotary()))\n"
        "reveal_type(Encoder(8, 2, 1))\nreveal_type(check('bias-k').verdicts)\n"
        "attention_core.no_such_name\n"
    )
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT)], "typeCheckingMode": "basic"}))
    done = subprocess.run(
        [Path(sys.executable).with_name("basedpyright"), "--outputjson", "--pythonpath", sys.executable, "use.py"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    said = {
        each["range"]["start"]["line"] + 1: each["message"] for each in json.loads(done.stdout)["generalDiagnostics"]
    }
    assert 'is "MultiHeadAttention"' in said[3]
    assert 'is "Encoder"' in said[4]
    assert 'is "tuple[Verdict, ...]"' in said[5]
    assert '"no_such_name" is not a known attribute' in said[6]


@pytest.mark.nightly
def test_a_wheel_holds_the_whole_package_and_works_alone(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "attention_core", tmp_path / "attention_core", ignore=shutil.ignore_patterns("*.pyc"))
    code = "import setuptools.build_meta as backend; backend.build_wheel('made')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "made").glob(f"attention_core-{attention_core.__version__}-*.whl")
    with zipfile.ZipFile(wheel) as made:
        held = set(made.namelist())
    assert {"attention_core/py.typed", "attention_core/__init__.pyi"} <= held
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "attention_core").rglob("*.py")} <= held
    shipped = (ROOT / "attention_core/shipped/models").glob("*/*")
    assert {path.relative_to(ROOT).as_posix() for path in shipped} <= held

    # And works where nothing of this checkout is: what is not asked for cannot be imported.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "installed", wheel]
    subprocess.run(pip, check=True)
    (empty := tmp_path / "empty").mkdir()
    blocked = "".join(f"sys.modules[{name!r}] = None; " for name in WITHOUT)
    code = (
        f"import sys; {blocked}import attention_core as a; from attention_core.shipped.languages import SHIPPED; "
        "heads = [a.load_checkpoint(folder).config.num_heads for folder in SHIPPED.values()]; "
        "print(a.__file__, a.check('qk-tied').outcome, *heads)"
    )
    done = subprocess.run(
        ["python", "-c", code], capture_output=True, text=True, cwd=empty, check=False,
        env=surroundings(environment(), PYTHONPATH=str(tmp_path / "installed")),
    )  # fmt: skip
    said = [str(tmp_path / "installed/attention_core/__init__.py"), "agrees", *"4444"]
    assert done.stdout.split() == said, done.stderr
