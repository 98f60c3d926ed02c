"""The numbers of a form as rows."""

from attention_core.figures.table import Table
from attention_core.studies.exactness import (
    BEGUN,
    BLOCKS,
    LENGTHS,
    SHARING,
    WAYS,
    Batch,
    ExactnessConfig,
    ExactnessResult,
    Latent,
    Speculation,
    Tiles,
)


def exactness_table(config: ExactnessConfig, result: ExactnessResult) -> Table:
    """How far each word is off, what rounding may leave, and what is counted."""
    part, rows = result.part, list[tuple[str, str, float]]()
    if isinstance(part, Batch):
        for at, precision in enumerate(part.precisions):
            for way, name in enumerate(("precision", *WAYS)):
                for place, word in enumerate(part.words):
                    what = f"{precision}, {name}"
                    rows.append((f"{word}, {place + 1}", f"{what}: logits off", float(part.moved[at, way, place])))
                    rows.append((f"{word}, {place + 1}", f"{what}: changed", int(part.changed[at, way, place])))
        rows += [(f"{word}, {i + 1}", "margin", float(part.margins[i])) for i, word in enumerate(part.words)]
        return Table(("what", "quantity", "value"), tuple(rows))
    if isinstance(part, Speculation):
        for i, word in enumerate(part.words[BEGUN:]):
            numbers = {
                "call": int(part.calls[i]) + 1,
                "draft kept": int(part.kept[i]),
                "margin": float(part.margins[i]),
                "share kept, sum of min(p, q)": float(part.shares[i]),
            }
            rows += [(f"{word}, {i + 1}", name, number) for name, number in numbers.items()]
        by_block = zip(BLOCKS, part.by_block, strict=True)
        rows += [(f"{block} drafted", "words for each call", float(each)) for block, each in by_block]
        return Table(("what", "quantity", "value"), tuple(rows))
    rows += [(f"{word}, {i + 1}", "off", float(part.moved[i])) for i, word in enumerate(config.tokens)]
    rows.append(("all", "what rounding may leave", part.bound))
    if isinstance(part, Tiles):
        for name, alive in zip(("tile by tile", "whole rows"), part.alive, strict=True):
            rows += [(name, f"numbers alive, {n} words", int(each)) for n, each in zip(LENGTHS, alive, strict=True)]
    if isinstance(part, Latent):
        names = (*(f"{heads} heads" for heads in SHARING), "latent")
        rows += [(name, "bytes of a word", int(each)) for name, each in zip(names, part.token_bytes, strict=True)]
    return Table(("what", "quantity", "value"), tuple(rows))
