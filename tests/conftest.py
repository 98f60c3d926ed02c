"""Where modules are tested, alone and in trained models, annotated calls go through beartype, with their shapes."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

# As in the app: tests run side by side, and more threads for each of them only fight over the cores, four to nine
# times as long. torch reads this when it is first imported, here and in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import jaxtyping
import pytest
from hypothesis import Phase, settings
from syrupy.assertion import SnapshotAssertion

from tests.approved import ApprovedLines, approved_names, of_test

# Dozens of processes import the same: byte code is kept whatever is set, or each compiles it all anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
HERE = Path(__file__).parent
# What makes texts has no tensors, and makes them word by word: checked, it takes eight times as long.
WORDS = {"chinese", "corpus", "grammar", "languages", "tasks", "writer"}
MADE = [path.stem for path in (HERE.parent / "attention_core/shipped").glob("[!_]*.py")]
SHIPPED = [f"attention_core.shipped.{name}" for name in MADE if name not in WORDS]
jaxtyping.install_import_hook(["attention_core.modules", "attention_core.checkpoints", *SHIPPED], "beartype.beartype")
CHECKED = (HERE / "modules", HERE / "checkpoints/test_parity.py", HERE / "experiments/test_surprises.py")

# New examples on every run at a desk; the same ones in continuous integration, where a failure must be of the change.
settings.register_profile("desk", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
settings.load_profile("ci" if "CI" in os.environ else "desk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser a file's tests are one group: what they compute once, one worker computes."""
    for item in items:
        if "browser" not in item.path.parts and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(autouse=True)
def only_there(request: pytest.FixtureRequest) -> None:
    """Elsewhere than in ``CHECKED`` shapes go unchecked: checking them doubles the time of an experiment."""
    checked = any(request.path.is_relative_to(where) for where in CHECKED)
    jaxtyping.config.update("jaxtyping_disable", not checked)


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """``AppTest`` leaves its script as ``__main__``, which a later test's process would begin by running."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def approved(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Iterator[SnapshotAssertion]:
    """What was approved for this test: ``assert lines(view) == approved``. All of it has to be asked for."""
    asserted = snapshot.use_extension(ApprovedLines)
    yield asserted
    found = [*asserted.executions.values()]
    if all(one.success for one in found) and not request.config.option.update_snapshots:
        asked = {one.snapshot_name for one in found}
        left = {name for name in approved_names(request.path) if of_test(name, request.node.name)} - asked
        assert not left, "approved, and not asked for any more: --snapshot-update deletes it"
