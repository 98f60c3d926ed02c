"""The numbers of a picture as rows."""

from attention_core.figures.table import Table
from attention_core.studies.images import HEADS, LAYERS, PATCHES, ImagesResult
from attention_core.studies.images.draw.names import class_names, patch_name


def images_table(result: ImagesResult) -> Table:
    """Of each patch what covering it costs and each head's weight on it; of each class its probability."""
    rows = list[tuple[str, str, float]]()
    for patch in range(PATCHES):
        name = f"patch {patch_name(patch)}"
        rows.append((name, "lead lost when covered", float(result.costs[patch])))
        for layer in range(LAYERS):
            for head in range(HEADS):
                where = f"weight of the answer, layer {layer + 1}, head {head + 1}"
                rows.append((name, where, float(result.weights[layer, head, 0, patch + 1])))
    for at, name in enumerate(class_names()):
        rows.append((name, "probability", float(result.probabilities[at])))
        rows.append((name, "probability as drawn", float(result.before[at])))
    for layer in range(LAYERS):
        for head in range(HEADS):
            rows.append(
                (f"layer {layer + 1}, head {head + 1}", "rank correlation of weights and costs",
                 float(result.ranks[layer, head]))
            )  # fmt: skip
    rows += [
        (f"{at + 1} convolutions of 3 × 3", "pixels that a corner sees", int(seen))
        for at, seen in enumerate(result.pixels_seen)
    ]
    return Table(("what", "quantity", "value"), tuple(rows))
