"""The warm-up imports what the pages would, so that no visitor waits for it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def imported_after(code: str) -> set[str]:
    """Modules that a fresh process has imported after ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


def test_what_a_visitor_sees_first_needs_no_torch() -> None:
    assert "torch" not in imported_after("import pages._shared.main, pages._shared.server")


def test_after_the_warm_up_no_page_imports_anything_heavy() -> None:
    warm = imported_after("from pages._shared.compute import warm_up; warm_up.start().join()")
    for name in ("torch", "sympy", "plotly.graph_objects", "attention_core.experiments.receptive_field"):
        assert name in warm, name


def test_the_warm_up_leaves_nothing_for_the_garbage_collector() -> None:
    in_sight = "gc.get_freeze_count() > len(gc.get_objects())"
    imported_after(f"import gc; from pages._shared.compute import warm_up; warm_up.start().join(); assert {in_sight}")
