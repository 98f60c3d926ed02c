"""An environment that holds what the README's first command installs, and nothing of the tests."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

from tests.processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL, RUN = re.findall(r"```\n(.*?)\n```", README, re.S)[0].split(" && ")


def environment(install: str = INSTALL) -> Path:
    """An environment that holds what ``install`` does. It takes minutes to make, and so is made once, and kept."""
    made_of = f"{sys.version}\n{install}\n{(ROOT / 'requirements.txt').read_text(encoding='utf-8')}"
    kept = Path(tempfile.gettempdir()) / f"attention-explorer-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"
    complete = kept / "complete"
    with FileLock(f"{kept}.lock"):
        if not complete.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", kept], check=True)
            subprocess.run(install, shell=True, cwd=ROOT, env=surroundings(kept), check=True)
            complete.touch()
    return kept


def surroundings(environment: Path, **more: str) -> dict[str, str]:
    """Variables of a process: those of the tests without what is set for Python and Streamlit, and ``more``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT"))}
    return kept | {"PATH": f"{environment / 'bin'}:{os.environ['PATH']}"} | more
