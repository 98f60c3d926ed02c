"""The models that this package ships: what each was trained on, and where its files lie."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attention_core.checkpoints.chinese import CHINESE
from attention_core.checkpoints.grammar import GRAMMAR
from attention_core.checkpoints.language import Language
from attention_core.checkpoints.tasks import INDUCTION, REVERSE

LANGUAGES: Final[Mapping[str, Language]] = {
    "reverse": REVERSE, "induction": INDUCTION, "grammar": GRAMMAR, "chinese": CHINESE,
}  # fmt: skip
SHIPPED: Final[Mapping[str, Path]] = {name: Path(__file__).with_name("shipped") / name for name in LANGUAGES}
