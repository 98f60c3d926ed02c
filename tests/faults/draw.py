"""Draws faults with mutmut's operators.

``python -m tests.faults.draw experiments 60 --seed 1`` prints sixty of ``attention_core/experiments`` as they stand
in a corpus. A file is drawn by the number of its changes, of that file a kind of change, of that kind one, so that
not all are arguments left out. What the tool does to sentences is not drawn: no test holds their wording.
"""

import argparse
import json
import random
from collections import defaultdict
from itertools import takewhile
from pathlib import Path

import libcst
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace

from tests.faults.corpus import Fault, read_faults

ROOT = Path(__file__).parents[2]
AREAS = {
    "experiments": ("attention_core/experiments/**/*.py",),
    "figures": ("attention_core/figures/**/*.py",),
    "pages": ("pages/*.py", "pages/_shared/*.py", "pages/_shared/[!r]*/*.py"),
}


def alike(one: list[str], other: list[str]) -> int:
    """How many lines two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def replacement(before: str, after: str) -> tuple[str, str]:
    """The lines that differ in two texts, with as many around them as it takes to say where they are."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    ahead = alike(old, new)
    behind = alike(old[ahead:][::-1], new[ahead:][::-1])
    while True:
        was, now = ("".join(lines[ahead : len(lines) - behind]) for lines in (old, new))
        if before.count(was) == 1 and before.replace(was, now) == after:
            return was, now
        ahead, behind = max(0, ahead - 1), max(0, behind - 1)


class Source:
    """A file and all its changes by their kind, those of the tool's that are worth a draw."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self._module, mutations, *_ = create_mutations(str(path), self.text)
        self.kinds: dict[str, list[Mutation]] = defaultdict(list)
        for one in mutations:
            node = one.original_node
            sentence = isinstance(node, libcst.BaseString) and " " in self._module.code_for_node(node)
            # A constant that is None is noticed by the import; tools leave what stands outside of functions alone.
            constant = isinstance(node, libcst.Assign | libcst.AnnAssign) and not one.contained_by_top_level_function
            if not (sentence or constant):
                self.kinds[type(node).__name__].append(one)

    def changed(self, mutation: Mutation) -> str:
        """The text with a change."""
        changed = deep_replace(self._module, mutation.original_node, mutation.mutated_node)
        assert isinstance(changed, libcst.Module)
        return changed.code


def draw(area: str, count: int, seed: int) -> list[Fault]:
    """New faults of an area; numbers go on after those that it has."""
    known = [fault for fault in read_faults(ROOT) if fault.name.startswith(f"{area}-")]
    taken = {(fault.file, fault.new) for fault in known}
    first = 1 + max((int(fault.name.rpartition("-")[2]) for fault in known), default=0)
    sources = [Source(path) for pattern in AREAS[area] for path in sorted(ROOT.glob(pattern))]
    weights = [sum(map(len, source.kinds.values())) for source in sources]
    chance = random.Random(seed)
    found: list[Fault] = []
    while len(found) < count:
        source = chance.choices(sources, weights)[0]
        mutation = chance.choice(source.kinds[chance.choice(sorted(source.kinds))])
        old, new = replacement(source.text, source.changed(mutation))
        file = str(source.path.relative_to(ROOT))
        if (file, new) not in taken:
            taken.add((file, new))
            found.append(Fault(f"{area}-{first + len(found)}", file, old, new))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0, help="another seed draws others")
    asked = parser.parse_args()
    drawn = [
        {key: value for key, value in vars(fault).items() if value or key == "new"}
        for fault in draw(asked.area, asked.count, asked.seed)
    ]
    print(json.dumps(drawn, indent=1, ensure_ascii=False))
