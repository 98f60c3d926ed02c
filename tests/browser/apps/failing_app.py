"""The app, with a Permutation page whose experiment fails with rotary positions."""

import runpy
from pathlib import Path
from typing import Any

from attention_core.experiments import permutation

works = getattr(permutation.run_shuffle, "works", permutation.run_shuffle)


def run_shuffle(config: Any) -> Any:
    if config.positions == "rotary":
        raise ZeroDivisionError(" ".join(("only", "the", "server", "may", "know")))
    return works(config)


run_shuffle.works = works
permutation.run_shuffle = run_shuffle
runpy.run_path(str(Path(__file__).parents[3] / "app.py"), run_name="__main__")
