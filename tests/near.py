"""The tests that are near a file: named after it or its folder, importing it, or told so here.

``python -m tests.near FILE ...`` runs those that are quick, for whoever has changed these files; of a script or style
those in a browser, too.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
# Where tests of a file stand: the first line that fits.
LAYERS: Final = {
    "attention_core/modules/": ("tests/modules",),
    "attention_core/studies/": ("tests/experiments", "tests/figures", "tests/pages", "tests/test_claims.py"),
    "attention_core/measuring/": ("tests/experiments", "tests/figures", "tests/pages", "tests/test_claims.py"),
    "attention_core/checkpoints/": ("tests/checkpoints",),
    "attention_core/shipped/": ("tests/shipped",),
    "attention_core/figures/": ("tests/figures", "tests/pages"),
    "pages/_shared/components/web/": ("tests/web", "tests/browser"),
    "pages/_shared/style/": ("tests/browser",),
    "pages/_shared/class_rooms/": ("tests/class_rooms", "tests/browser"),
    "pages/": ("tests/pages", "tests/browser", "tests/test_languages.py"),
    "deploy/": ("tests/deploy", "tests/browser"),
    "": ("tests",),
}
# What a name does not tell.
MORE: Final = {
    "attention_core/studies/": (
        "tests/experiments/test_breaks.py", "tests/experiments/test_every_study.py",
        "tests/experiments/test_contract.py", "tests/experiments/test_approved_results.py",
        "tests/experiments/test_felt.py", "tests/test_claims.py", "tests/figures/test_approved.py",
    ),
    "attention_core/measuring/": ("tests/experiments/test_contract.py", "tests/pages/test_words.py"),
    "attention_core/figures/": ("tests/figures",),
    "attention_core/checkpoints/": ("tests/checkpoints",),
    "attention_core/shipped/": ("tests/shipped",),
    "pages/_shared/components/web/": ("tests/web",),
    "pages/_shared/components/web/matrix_view/": ("tests/browser/test_matrix_view.py",),
    "pages/_shared/components/web/live_class/": ("tests/browser/test_live_class.py",),
    "pages/_shared/components/web/map/": ("tests/browser/test_home.py",),
    "pages/_shared/components/web/small/": ("tests/browser/test_flow.py", "tests/browser/test_pages.py"),
    "pages/_shared/style/": ("tests/browser/test_frame.py", "tests/browser/test_stage.py"),
    "pages/_shared/class_rooms/": ("tests/class_rooms",),
    "pages/_shared/server.py": ("tests/pages/test_server.py",),
    "pages/": (
        "tests/pages/test_contract.py", "tests/pages/test_grades.py", "tests/pages/test_approved_pages.py",
        "tests/test_languages.py",
    ),
    "deploy/": ("tests/deploy",),
}  # fmt: skip
PLAIN: Final = {
    "",
    "attention_core",
    "measuring",
    "studies",
    "figures",
    "pages",
    "_shared",
    "web",
    "deploy",
    "__init__",
    "settings",
}


def folders(file: str) -> tuple[str, ...]:
    """Where tests of a file may stand."""
    return next(where for start, where in LAYERS.items() if file.startswith(start))


def near(file: str, root: Path = ROOT) -> list[str]:
    """The test files and folders most likely to notice what is wrong in a file, the likeliest first.

    Args:
        file: A file, from the project's root.
        root: The project's root.
    """
    if file.startswith("tests/"):
        return [file]
    tests = [test for place in folders(file) for test in sorted([root / place, *(root / place).glob("**/test_*.py")])]
    tests = [test for test in tests if test.is_file()]
    path = Path(file).with_suffix("")
    # A folder within a study or a page's room is named after its part, and the one around it after what it is of.
    around = (path.name, path.name.partition("_")[0], *reversed(path.parent.parts))
    words = [word for word in around if word not in PLAIN]
    parent, stem = ".".join(path.parent.parts), path.name
    imported = re.compile(rf"\b{re.escape(parent)}\.{stem}\b|from {re.escape(parent)} import .*\b{stem}\b")
    named = [test for word in words for test in tests if test.stem.startswith(f"test_{word}")]
    named.sort(key=lambda test: -sum(word in test.stem for word in words))
    named += [test for test in tests if file.endswith(".py") and imported.search(test.read_text(encoding="utf-8"))]
    found = [str(test.relative_to(root)) for test in named]
    found += [place for start, more in MORE.items() if file.startswith(start) for place in more]
    return [place for place in dict.fromkeys(found) if (root / place).exists()]


def main(files: list[str]) -> int:
    """Run what is near; a file of which nothing is known runs nothing, and that is said."""
    names = [str(Path(file).resolve().relative_to(ROOT)) for file in files]
    found = list(dict.fromkeys(place for name in names for place in near(name)))
    if not found:
        print(f"No test is near {' '.join(names) or 'nothing'}.")
        return 1
    browsers = ["-m", "not nightly and (browser or not slow)"] * any(name.endswith((".js", ".css")) for name in names)
    run = [sys.executable, "-m", "pytest", "-n", "2", *browsers, *found]
    return subprocess.run(run, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
