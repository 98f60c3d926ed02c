"""The families of trained models that are read: ``python -m tools.families`` writes the table in docs/package.md.

Of each what its attention has where its config says no more than its library does by itself, and which settings are
read.
"""

import json
import sys
from pathlib import Path
from typing import Final

import transformers

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config_reader import IDLE, ConfigReader
from attention_core.checkpoints.families import FAMILIES, UNREAD, config_of
from attention_core.measuring.models import attentions
from attention_core.studies.trained.special import special

PLACE: Final = Path(__file__).parent.parent / "docs" / "package.md"
BEGIN, END = "<!-- python -m tools.families -->\n", "<!-- end -->\n"


def row(kind: str) -> str:
    """A line of the table."""
    said = json.loads(json.dumps(transformers.AutoConfig.for_model(kind).to_dict()))
    family, reader = FAMILIES[kind], ConfigReader(said, FAMILIES[kind].aliases)
    for name in family.sizes.values():
        reader.get(name)
    family.options(reader)
    found = special(attentions(Checkpoint(config_of(said), device="meta")))
    has = "; ".join(str(one.text) for one in found) or "nothing beside its mask and positions that are added"
    return f"| {kind} | {has} | {', '.join(sorted(reader.read - IDLE - {'model_type'}))} |"


def table() -> str:
    """The whole table, and what is not read."""
    rows = [row(kind) for kind in FAMILIES]
    refused = [f"`{kind}` is refused: {why}." for kind, why in UNREAD.items()]
    return "\n".join(
        ["| family | its attention has | settings that are read |", "|---|---|---|", *rows, "", *refused, ""]
    )


def main() -> int:
    """Write the table into its place."""
    before, _, rest = PLACE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PLACE.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
