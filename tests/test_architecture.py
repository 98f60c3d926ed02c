"""The house's rules: arrows point one way, and each layer imports only what it may."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = (
    "modules", "identify", "checkpoints", "shipped", "measuring", "figures", "studies", "claims", "concept_test",
    "pages",
)  # fmt: skip
BANNED = {
    "modules": {"streamlit", "plotly"},
    "identify": {"streamlit", "plotly", "transformers"},
    "checkpoints": {"streamlit", "plotly", "transformers"},
    "shipped": {"streamlit", "plotly"},
    "measuring": {"streamlit", "plotly"},
    "figures": {"streamlit", "torch"},
    "studies": {"streamlit", "plotly"},
    "drawings": {"streamlit", "torch"},  # of the studies
    "claims": {"streamlit", "plotly"},
    "concept_test": {"streamlit", "plotly"},
    "pages": {"torch", "plotly", "numpy"},
}


def layer_of(path: Path) -> str:
    """The layer that a source file belongs to; empty for files above the layers."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "pages":
        return "pages"
    if parts[1] == "studies" and "draw" in (path.stem, path.parent.name):
        return "drawings"
    return parts[1] if parts[0] == "attention_core" and len(parts) > 2 else ""


def imports(source: str) -> set[str]:
    """Full names of the modules that ``source`` imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def subject(path: Path) -> str:
    """What a file is about: ``scaling`` for ``studies/scaling/sweep.py``."""
    parts = path.relative_to(ROOT).parts
    return parts[2].removesuffix(".py") if len(parts) > 2 else path.stem


def violations(layer: str, about: str, source: str) -> list[str]:
    """What a file of ``layer`` on the subject ``about`` imports against the rules."""
    wrong = []
    for name in sorted(imports(source)):
        parts = name.split(".")
        if parts[0] in BANNED.get(layer, set()):
            wrong.append(f"{name} is not for {layer}")
        target = parts[1] if parts[0] == "attention_core" and len(parts) > 1 else parts[0]
        room = "studies" if layer == "drawings" else layer
        if room in LAYERS and target in LAYERS and LAYERS.index(target) > LAYERS.index(room):
            wrong.append(f"{name} lies above {layer}")
        if parts[-1] == "TorchDispatchMode" and (layer, about) != ("measuring", "watch"):
            wrong.append(f"{name} imports torch's compiler: measuring.watch.Watch does not")
        if {room, target} == {"identify", "checkpoints"}:
            wrong.append(f"{name} lies beside {layer}")
        if layer == "studies" and (target == "figures" or (target == layer and "draw" in parts[3:4])):
            wrong.append(f"{name}: what measures does not draw")
        if layer in ("claims", "concept_test", "pages") and target == "modules":
            wrong.append(f"{name}: {layer} ask a study, which asks the modules")
        if room == target == "studies" and len(parts) > 2 and parts[2] != about:
            wrong.append(f"{name} is a neighbour of {about}: what both need moves down")
        if layer == "pages" and parts[0] == "pages" and len(parts) > 1 and parts[1] != "_shared":
            wrong.append(f"{name}: one page does not import another")
    return wrong


# Which rooms of pages/_shared a room may import; a file at their top may import all.
ROOMS = {
    "core": (),
    "class_rooms": (),
    "compute": ("core",),
    "components": ("core",),
    "lessons": ("core", "class_rooms"),
    "session": ("core", "class_rooms", "components", "lessons"),
    "classes": ("core", "class_rooms", "components", "lessons", "session"),
    "page": ("core", "compute", "components", "lessons", "session", "classes"),
    "claims": ("core", "compute", "components", "session", "page"),
    "concept_test": ("core", "compute", "lessons", "session", "classes", "courses"),
    "courses": ("core", "components", "lessons", "session", "classes", "page"),
}
MOST_FILES = 12  # of other rooms, that a file imports


def wrong_rooms(room: str, source: str) -> list[str]:
    """What a file of a room imports of rooms that are not for it, and if it imports of too many files."""
    names = {".".join(name.split(".")[:4]) for name in imports(source) if name.startswith("pages._shared.")}
    others = {name for name in names if name.count(".") > 2 and name.split(".")[2] != room}
    wrong = [name for name in sorted(names) if name.split(".")[2] not in (room, *ROOMS[room])]
    files = {name for name in others if (ROOT / f"{name.replace('.', '/')}.py").is_file() or _is_package(name)}
    return wrong + ([f"{len(files)} files of other rooms"] if len(files) > MOST_FILES else [])


def _is_package(name: str) -> bool:
    return (ROOT / name.replace(".", "/") / "__init__.py").is_file()


FILES = sorted([*ROOT.glob("attention_core/**/*.py"), *ROOT.glob("pages/**/*.py")])


def test_every_file_keeps_the_rules() -> None:
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in FILES
        if (wrong := violations(layer_of(path), subject(path), path.read_text(encoding="utf-8")))
    }
    assert len(FILES) > 200
    assert found == {}


@pytest.mark.parametrize(
    ("layer", "about", "source"),
    [
        ("modules", "masks", "import streamlit"),
        ("modules", "masks", "from attention_core.measuring.verdict import Verdict"),
        ("modules", "stack", "from attention_core.checkpoints.checkpoint import Checkpoint"),
        ("identify", "search", "import plotly"),
        ("identify", "search", "from transformers import PreTrainedModel"),
        ("identify", "search", "from attention_core.checkpoints.checkpoint import Checkpoint"),
        ("identify", "search", "from attention_core.measuring.checks import ConfigError"),
        ("checkpoints", "load", "import streamlit"),
        ("checkpoints", "load", "from attention_core.identify import identify"),
        ("checkpoints", "live_model", "from transformers import PreTrainedModel"),
        ("checkpoints", "load", "from attention_core.measuring.checks import ConfigError"),
        ("checkpoints", "load", "from attention_core.shipped.languages import SHIPPED"),
        ("shipped", "training", "import plotly.graph_objects as go"),
        ("shipped", "training", "from attention_core.measuring.checks import ConfigError"),
        ("measuring", "judge", "import plotly.graph_objects as go"),
        ("measuring", "judge", "from attention_core.figures import theme"),
        ("measuring", "judge", "from attention_core.studies.biases import run_biases"),
        ("studies", "exactness", "from torch.utils._python_dispatch import TorchDispatchMode"),
        ("figures", "table", "import torch"),
        ("figures", "table", "from attention_core.claims import claims"),
        ("figures", "table", "from attention_core.studies.scaling.draw import scaling_view"),
        ("studies", "biases", "import plotly.graph_objects as go"),
        ("studies", "biases", "from attention_core.studies.permutation import run_permutation"),
        ("studies", "biases", "from attention_core.figures import theme"),
        ("studies", "biases", "from attention_core.studies.biases.draw import terms_view"),
        ("studies", "biases", "from attention_core.claims import claims"),
        ("drawings", "biases", "import torch"),
        ("drawings", "biases", "from attention_core.claims import claims"),
        ("drawings", "biases", "from attention_core.studies.scaling.draw import scaling_view"),
        ("claims", "check", "import plotly.graph_objects as go"),
        ("claims", "check", "from attention_core.modules.masks import causal_mask"),
        ("claims", "ledger", "from attention_core.concept_test import ITEMS"),
        ("concept_test", "key", "import streamlit"),
        ("concept_test", "key", "from attention_core.modules.masks import causal_mask"),
        ("pages", "biases", "import numpy as np"),
        ("pages", "biases", "from attention_core.modules.masks import causal_mask"),
        ("pages", "biases", "from pages.permutation import PREDICT"),
    ],
)
def test_the_rules_can_be_broken(layer: str, about: str, source: str) -> None:
    assert violations(layer, about, source)


def test_every_room_imports_only_those_below_it() -> None:
    shared = ROOT / "pages/_shared"
    rooms = {path.parent.name for path in shared.glob("*/__init__.py")}
    found = {
        str(path.relative_to(shared)): wrong
        for path in FILES
        if path.is_relative_to(shared) and (room := path.relative_to(shared).parts[0]) in ROOMS
        if (wrong := wrong_rooms(room, path.read_text(encoding="utf-8")))
    }
    assert rooms == {*ROOMS}
    assert found == {}


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("core", "from pages._shared.compute.gate import gate"),
        ("components", "from pages._shared.session import address"),
        ("session", "from pages._shared.page.page import Page"),
        ("classes", "import pages._shared.page.page"),
        ("page", "from pages._shared.courses import strip"),
        ("page", "from pages._shared.class_rooms import Question"),
        ("claims", "from pages._shared import courses"),
        (
            "page",
            "\n".join(
                f"from pages._shared.{name} import x"
                for name in (
                    "core.log", "core.text", "core.pages", "core.network", "core.qr_code", "core.compat",
                    "core.visitor_state", "compute.gate", "compute.runner", "compute.progress", "compute.memory",
                    "session.address", "session.settings",
                )
            ),
        ),
    ],
)  # fmt: skip
def test_the_rules_of_the_rooms_can_be_broken(room: str, source: str) -> None:
    assert wrong_rooms(room, source)


@pytest.mark.slow
def test_nothing_banned_comes_in_by_a_back_door() -> None:
    """Every file of a layer is imported after those below it: what is loaded then, it or they brought in."""
    below = (*LAYERS[:5], "studies", "claims", "concept_test", "figures", "drawings")
    files = [path for layer in below for path in FILES if layer_of(path) == layer and path.stem != "__main__"]
    names = [(layer_of(path), ".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in files]
    assert {layer for layer, _ in names} == set(below)
    code = f"""
import importlib, sys
for layer, name in {[(layer, name.removesuffix(".__init__")) for layer, name in names]}:
    importlib.import_module(name)
    banned = {{"streamlit"}} if layer in ("figures", "drawings") else {{"streamlit", "plotly"}}
    assert not banned & set(sys.modules), (name, banned & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def imported_files(source: str, known: set[str]) -> set[str]:
    """Those of our modules that a file imports, for its types alone too; of a package, the module that is named."""
    return {name for name in imports(source) if name in known}


def circles(arrows: dict[str, set[str]]) -> set[str]:
    """The files that lead back to themselves."""
    found = set()
    for start in arrows:
        seen, ahead = set(), [*arrows[start]]
        while ahead:
            if (name := ahead.pop()) not in seen:
                seen.add(name)
                ahead += arrows[name]
        if start in seen:
            found.add(start)
    return found


def test_no_files_import_each_other_in_a_circle() -> None:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES}
    arrows = {name: imported_files(path.read_text(encoding="utf-8"), {*names}) for name, path in names.items()}
    assert sum(map(len, arrows.values())) > 1000
    assert circles(arrows) == set()
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"b", "c"}


def test_no_file_holds_too_much() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert {path: count for path, count in lines.items() if count > 400} == {}


COMPAT = ROOT / "pages/_shared/core/compat.py"
# What Streamlit documents, in its reference or in the guidance that its wheel carries.
DOCUMENTED = ("streamlit", "streamlit.errors", "streamlit.logger")


def undocumented(source: str) -> list[str]:
    """What a file uses of Streamlit that nobody documents, and other ways around it."""
    tree = ast.parse(source)
    wrong = [
        name for name in imports(source) if name.startswith("streamlit.") and not name.startswith(DOCUMENTED[1:])
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval"):
            wrong.append(f"{node.func.id}(")
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("gc.get_objects", "gc.get_referrers"):
            wrong.append(ast.unparse(node))
        private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if private and ast.unparse(node).startswith("st."):
            wrong.append(ast.unparse(node))
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and ast.unparse(node).startswith("st.")
        ):
            wrong.append(f"{ast.unparse(node)} = ")
    return wrong


def test_streamlit_is_used_by_its_documented_ways() -> None:
    pages = [path for path in FILES if path.is_relative_to(ROOT / "pages") and path != COMPAT]
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in pages
        if (wrong := undocumented(path.read_text(encoding="utf-8")))
    }
    assert len(pages) > 50
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "from streamlit.runtime.state.session_state import WStates",
        "exec('x = 1')",
        "import gc\ngc.get_objects()",
        "import streamlit as st\nst.session_state._state",
        "import streamlit as st\nst.button = print",
    ],
)
def test_other_ways_would_be_found(source: str) -> None:
    assert undocumented(source)


def test_no_test_file_imports_another() -> None:
    """What tests share stands in a helper."""
    importing = re.compile(r"^\s*(?:from|import) tests\.(?:\w+\.)*test_\w+", re.MULTILINE)
    files = sorted((ROOT / "tests").glob("**/*.py"))
    assert len(files) > 100
    assert [str(path) for path in files if importing.search(path.read_text(encoding="utf-8"))] == []
    assert importing.search("from tests.pages.test_flow import x")
    assert importing.search("import os\n    from tests.test_docs import x")


def upstream_given(source: str) -> list[str]:
    """Calls that hand autograd what comes back to the outputs: torch imports sympy, 40 MB, to compare the shapes."""
    given = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            most = {"grad": 2, "backward": 0}.get(node.func.attr)
            named = {"grad_outputs", "gradient"} & {one.arg for one in node.keywords}
            if most is not None and (named or len(node.args) > most):
                given.append(ast.unparse(node))
    return given


def test_the_package_never_imports_torchs_algebra_for_a_gradient() -> None:
    files = [path for path in FILES if path.is_relative_to(ROOT / "attention_core")]
    assert len(files) > 100
    assert [(path.name, found) for path in files if (found := upstream_given(path.read_text(encoding="utf-8")))] == []
    assert upstream_given("torch.autograd.grad(y, x, u)")
    assert upstream_given("y.backward(gradient=u)")
    assert not upstream_given("torch.autograd.grad(y.sum(), x)\nloss.backward()")
