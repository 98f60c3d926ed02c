"""The numbers of the variants as rows."""

import numpy as np

from attention_core.figures.table import Table
from attention_core.studies.variants import KV_HEADS, LENGTHS, VariantsConfig, VariantsResult


def variants_table(config: VariantsConfig, result: VariantsResult) -> Table:
    """What each variant costs, how far it is from full attention, and what is counted at each length."""
    names = [f"{number} {'head' if number == 1 else 'heads'} of keys" for number in KV_HEADS]
    rows: list[tuple[str, str, float]] = []
    for name, distance, count, size in zip(
        names, result.distances, result.parameters, result.token_bytes, strict=True
    ):
        rows += [(name, "distance of the outputs to full attention's", float(distance))]
        rows += [(name, "parameters", int(count)), (name, "bytes of the cache for a token", int(size))]
    rows.append(("linear", "distance of the outputs to full attention's", result.linear_distance))
    rows.append(("additive", "distance of the outputs to full attention's", result.additive_distance))
    rows.append(("linear", "bytes kept of a text of any length", result.state_bytes))
    for i, length in enumerate(LENGTHS):
        rows += [(name, f"bytes of the cache of {length:,} tokens", int(size)) for name, size in
                 zip(names, result.cache_bytes(length), strict=True)]  # fmt: skip
        rows.append(("softmax", f"FLOPs at {length:,} tokens", int(result.softmax_flops[i])))
        rows.append(("linear", f"FLOPs at {length:,} tokens", int(result.linear_flops[i])))
    rows += [
        (f"{token}, {i + 1}", "off the whole pass, decoded word by word", float(moved))
        for i, (token, moved) in enumerate(zip(config.tokens, result.moved, strict=True))
    ]
    rows += [
        (f"{token}, {i + 1}", f"{part} that its output takes", int(np.count_nonzero(taken[i])))
        for part, taken in zip(("queries", "keys", "values"), result.takes, strict=True)
        for i, token in enumerate(config.tokens[: len(taken)])
    ]
    rows += [
        (name, f"singular value {i + 1}, beside the largest", float(value))
        for name, values in zip(("products", "additive scores"), result.spectra, strict=True)
        for i, value in enumerate(values)
    ]
    return Table(("what", "quantity", "value"), tuple(rows))
