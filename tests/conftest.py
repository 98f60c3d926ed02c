"""Shapes are checked in every test: each annotated call of ``attention_core.modules`` goes through beartype."""

from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("attention_core.modules", "beartype.beartype")

settings.register_profile("attention", deadline=None, print_blob=True)
settings.load_profile("attention")
