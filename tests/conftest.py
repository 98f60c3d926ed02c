"""Shapes are checked in every test: each annotated call of ``attention_core.modules`` goes through beartype."""

import os

# As in the app: tests run side by side, and more threads for each of them only fight over the cores, four to nine
# times as long. torch reads this when it is first imported, here and in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

from hypothesis import Phase, settings
from jaxtyping import install_import_hook

install_import_hook("attention_core.modules", "beartype.beartype")

# New examples on every run at a desk; the same ones in continuous integration, where a failure must be of the change.
settings.register_profile("desk", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
settings.load_profile("ci" if "CI" in os.environ else "desk")
