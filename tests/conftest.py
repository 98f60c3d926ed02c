"""Shapes are checked in every test: each annotated call of ``attention_core.modules`` goes through beartype."""

import os

from hypothesis import Phase, settings
from jaxtyping import install_import_hook

install_import_hook("attention_core.modules", "beartype.beartype")

# New examples on every run at a desk; the same ones in continuous integration, where a failure must be of the change.
settings.register_profile("desk", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
settings.load_profile("ci" if "CI" in os.environ else "desk")
