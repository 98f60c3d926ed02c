"""Draws faults with mutmut's operators, in the browser's scripts with some of our own.

A file is drawn by the number of its changes, of that file a kind of change, of that kind one, so that not all are
arguments left out. What the tool does to sentences is not drawn: most of them are no fault.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import libcst
from mutmut.mutation.file_mutation import create_mutations, deep_replace

from tests.faults.fault import Fault

ROOT = Path(__file__).parents[2]
AREAS = {
    "modules": ("attention_core/modules/**/*.py",),
    "checkpoints": ("attention_core/checkpoints/**/*.py",),
    "shipped": ("attention_core/shipped/**/*.py",),
    "measuring": ("attention_core/measuring/**/*.py",),
    "studies": ("attention_core/studies/**/*.py",),
    "figures": ("attention_core/figures/**/*.py",),
    "pages": ("pages/*.py", "pages/_shared/**/*.py"),
    "scripts": ("pages/_shared/components/web/**/*.js",),
}
# What is looked for in a script, which is laid out by Prettier, and what stands there instead.
OPERATORS = {
    "order": (r" (<=|>=|<|>) ", {"<=": "<", ">=": ">", "<": "<=", ">": ">="}),
    "equality": (r" (===|!==) ", {"===": "!==", "!==": "==="}),
    "logic": (r" (&&|\|\||\?\?) ", {"&&": "||", "||": "&&", "??": "&&"}),
    "arithmetic": (r" (\+|-|\*|/) ", {"+": "-", "-": "+", "*": "/", "/": "*"}),
    "truth": (r"\b(true|false)\b", {"true": "false", "false": "true"}),
    "negation": (r"(?<=[(\[ ])(!)(?=[\w(])", {"!": "!!"}),
    "number": (r"(?<![\w.#\"'-])(\d+(?:\.\d+)?)(?![\w.%])", {}),
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
        self.kinds: dict[str, list[Any]] = defaultdict(list)
        for one in mutations:
            node = one.original_node
            sentence = isinstance(node, libcst.BaseString) and " " in self._module.code_for_node(node)
            # A constant that is None is noticed by the import; tools leave what stands outside of functions alone.
            constant = isinstance(node, libcst.Assign | libcst.AnnAssign) and not one.contained_by_top_level_function
            if not (sentence or constant):
                self.kinds[type(node).__name__].append(one)

    def changed(self, mutation: Any) -> str:
        """The text with a change."""
        changed = deep_replace(self._module, mutation.original_node, mutation.mutated_node)
        assert isinstance(changed, libcst.Module)
        return changed.code


class Script:
    """A script of the browser's side and all changes of ``OPERATORS`` to it by their kind, outside of comments."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text(encoding="utf-8")
        code = re.sub(
            r"/\*.*?\*/|(?m:^\s*//[^\n]*$)", lambda comment: " " * len(comment[0]), self.text, flags=re.DOTALL
        )
        found = {kind: list(re.finditer(pattern, code)) for kind, (pattern, _) in OPERATORS.items()}
        self.kinds: dict[str, list[Any]] = {
            kind: [(one, OPERATORS[kind][1].get(one[1]) or f"{2 * float(one[1]) + 1:g}") for one in every]
            for kind, every in found.items()
            if every
        }

    def changed(self, mutation: Any) -> str:
        """The text with a change."""
        found, instead = mutation
        return self.text[: found.start(1)] + instead + self.text[found.end(1) :]


def draw(areas: list[str], chance: random.Random) -> Iterator[Fault]:
    """Faults of some areas, one after the other, without end."""
    sources = {
        area: [
            (Script if path.suffix == ".js" else Source)(path)
            for pattern in AREAS[area]
            for path in sorted(ROOT.glob(pattern))
            if not path.name.startswith("words_")  # what the catalogue makes
        ]
        for area in areas
    }
    while True:
        for of in sources.values():
            source = chance.choices(of, [sum(map(len, one.kinds.values())) for one in of])[0]
            mutation = chance.choice(source.kinds[chance.choice(sorted(source.kinds))])
            old, new = replacement(source.text, source.changed(mutation))
            yield Fault(str(source.path.relative_to(ROOT)), old, new)
