"""How each line of the table is known: the difference that another choice would make."""

from attention_core.identify.choices import BY_KEY, FAULT
from attention_core.identify.design import Design
from attention_core.identify.found import Fault, Row, usual_of, with_choice
from attention_core.identify.search import BATCH, TOKENS, Search
from attention_core.identify.space import possible


def rows_and_faults(search: Search, design: Design) -> tuple[tuple[Row, ...], tuple[Fault, ...], tuple[Design, ...]]:
    """The table of a design, what is wrong with it, and designs of one choice other that are the same function."""
    values = possible(search.weights, design.layout, design.stored)
    probe = search.generic(BATCH, TOKENS, 0)
    equal_to = probe.distance(design)
    rows, faults, same = [], [], []
    for key, choice in BY_KEY.items():
        here = getattr(design, key)
        if key in ("layout", "stored"):
            others = [
                other for pair in search.weights.layouts for other in pair if other in {o.key for o in choice.options}
            ]
            if here == choice.options[0].key and len({*others}) < 2:
                continue
            rows.append(
                Row(choice.title, choice.says(here), choice.says(choice.options[0].key), f"equal to {equal_to:.1e}")
            )
            continue
        if len(values[key]) < 2 and here == choice.options[0].key:
            continue
        usual = usual_of(key, design, values[key])
        compared = [value for value in values[key] if value != here] if usual == here else [usual]
        probes = [probe]
        if key == "mask" and (loud := search.loud(design)).equal(design, search.precision):
            probes.append(loud)
        bounds = [one.bound(design, search.precision) for one in probes]
        distances = {value: [one.distance(with_choice(design, key, value)) for one in probes] for value in compared}
        differences = {value: max(each) for value, each in distances.items()}
        alike = [
            value
            for value, each in distances.items()
            if all(distance <= bound for distance, bound in zip(each, bounds, strict=True))
        ]
        nearest = min(differences, key=lambda value: differences[value], default="")
        same += [with_choice(design, key, value) for value in alike]
        if alike:
            evidence = f"cannot be told from: {choice.says(alike[0])}"
        elif nearest:
            evidence = f"equal to {equal_to:.1e}; {choice.says(nearest)}: off by {differences[nearest]:.1e}"
        else:
            evidence = f"equal to {equal_to:.1e}"
        rows.append(Row(choice.title, choice.says(here), choice.says(usual), evidence))
        option = choice.option(here)
        if option.kind == FAULT:
            met = f" ({option.met})" if option.met else ""
            faults.append(Fault(key, f"{choice.title}: {choice.says(here)}", evidence + met, choice.page))
    return tuple(rows), tuple(faults), tuple(same)
