"""An environment that holds what the README's first command installs, and nothing of the tests."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL, RUN = re.findall(r"```\n(.*?)\n```", README, re.S)[0].split(" && ")


def environment() -> Path:
    """An environment that holds ``requirements.txt`` alone. It takes minutes to make, and so is kept."""
    made_of = f"{sys.version}\n{INSTALL}\n{(ROOT / 'requirements.txt').read_text(encoding='utf-8')}"
    kept = Path(tempfile.gettempdir()) / f"attention-explorer-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "environment"
            subprocess.run([sys.executable, "-m", "venv", made], check=True)
            subprocess.run(INSTALL, shell=True, cwd=ROOT, env=surroundings(made), check=True)
            made.rename(kept)
    return kept


def surroundings(environment: Path, **more: str) -> dict[str, str]:
    """Variables of a process: those of the tests without what is set for Python and Streamlit, and ``more``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT"))}
    return kept | {"PATH": f"{environment / 'bin'}:{os.environ['PATH']}"} | more
