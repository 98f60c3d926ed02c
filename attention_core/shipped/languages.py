"""The models that this package ships: what each was trained on, and where its files lie."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attention_core.shipped.chinese import CHINESE
from attention_core.shipped.corpus import Language
from attention_core.shipped.grammar import GRAMMAR
from attention_core.shipped.tasks import INDUCTION, REVERSE

LANGUAGES: Final[Mapping[str, Language]] = {
    "reverse": REVERSE, "induction": INDUCTION, "grammar": GRAMMAR, "chinese": CHINESE,
}  # fmt: skip
SHIPPED: Final[Mapping[str, Path]] = {name: Path(__file__).with_name("models") / name for name in LANGUAGES}


def weights_of(name: str) -> bytes:
    """The file ``model.safetensors`` of one of them."""
    return (SHIPPED[name] / "model.safetensors").read_bytes()
