"""The shipped models made again, and measured: ``python -m attention_core.shipped``."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from attention_core import terminal
from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import load_checkpoint
from attention_core.shipped.accuracy import Accuracy, accuracy, cue_weights, without
from attention_core.shipped.corpus import Case, Language
from attention_core.shipped.languages import LANGUAGES, SHIPPED
from attention_core.shipped.shapes import GREYS, SHAPES, SIZE
from attention_core.shipped.training import RECIPES, train
from attention_core.shipped.vision import (
    FOLDER,
    PATCHES,
    POSITION_NAMES,
    POSITIONS,
    SHIPPED_RECIPE,
    TESTED,
    PictureRecipe,
    accuracy_of,
    load_vision,
    save_vision,
    training,
)

CASES: Final = 500  # of each construction
SEED: Final = 1
PICTURES: Final = "shapes"
_DESCRIPTION = """\
Make a model that this package ships again, from its seed, or measure all of them. One core takes minutes."""
_HEADING = """\
# The shipped models

`python -m attention_core.shipped --table > docs/trained_models.md` measures the models in
`attention_core/shipped/models` and writes this file; `--make NAME` trains one again from its seed, on one core.

A case is the beginning of a text that training never showed, with words that are right next and words that are wrong.
It is answered right if the likeliest of them is a right one; chance is what guessing among them reaches. The interval
is Wilson's, of 95 %. Where words stand between a subject and what agrees with it, they would ask for another form.

These models were kept from several runs because their heads are easy to see: one makes verbs agree, one has nouns
follow their measure word, another looks at what followed last time. In other runs several heads shared this, and the
model did without any one of them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for.

    Args:
        arguments: The command line's words; those of this process where None.
    """
    parser = argparse.ArgumentParser(prog="python -m attention_core.shipped", description=_DESCRIPTION)
    what = parser.add_mutually_exclusive_group(required=True)
    made = (*SHIPPED, PICTURES)
    what.add_argument("--make", choices=made, metavar="NAME", help=f"train a model: {', '.join(made)}")
    what.add_argument("--table", action="store_true", help="print what the shipped models are worth, as Markdown")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where --make writes it (default: where it lies)")
    terminal.forgive()
    asked = parser.parse_args(arguments)
    if asked.table:
        terminal.write_file(as_markdown())
        return 0
    folder, start = asked.out or (FOLDER if asked.make == PICTURES else SHIPPED[asked.make]), time.perf_counter()
    if asked.make == PICTURES:
        _make_pictures(folder, SHIPPED_RECIPE)
    else:
        train(LANGUAGES[asked.make], RECIPES[asked.make], _report).save(folder)
    sys.stdout.write(f"{folder}: {time.perf_counter() - start:.0f} s\n")
    return 0


def _make_pictures(folder: Path, recipe: PictureRecipe) -> None:
    """Train a model of pictures with each kind of positions."""
    for positions in POSITIONS:
        for done, loss, model in training(positions, recipe):
            _report(done, loss)
            if done == recipe.steps:
                save_vision(model, positions, folder)


def _report(steps: int, loss: float) -> None:
    sys.stderr.write(f"{steps:,} steps, loss {loss:.3f}\n")


def as_markdown() -> str:
    """``docs/trained_models.md``: each shipped model's accuracy, and what each of its heads has to do with it."""
    return "\n\n".join((_HEADING, *(_section(name) for name in SHIPPED), _pictures())) + "\n"


def _pictures() -> str:
    """The models of pictures: of each shape how often it is named."""
    said = (
        f"Pictures of {SIZE} × {SIZE} pixels in {GREYS} kinds of grey, read as {PATCHES} patches and a token that "
        f"collects; {SHIPPED_RECIPE.steps:,} steps of {SHIPPED_RECIPE.batch} pictures, seed {SHIPPED_RECIPE.seed}. "
        f"Place, size, ink and noise of each are drawn; {TESTED:,} others are asked, and guessing reaches "
        f"{1 / len(SHAPES):.3f}."
    )
    rows = []
    for positions, name in POSITION_NAMES.items():
        size = (FOLDER / f"{positions}.safetensors").stat().st_size
        found = accuracy_of(load_vision(positions))
        whole = Accuracy(sum(each.right for each in found), sum(each.count for each in found), 1 / len(SHAPES))
        low, high = whole.interval
        numbers = f"{whole.share:.3f} | {low:.3f} to {high:.3f}"
        of_each = " | ".join(f"{each.share:.3f}" for each in found)
        rows.append(f"| {name} | {size / 1000:.0f} kB | {numbers} | {of_each} |")
    heading = f"| positions | size | accuracy | interval | {' | '.join(SHAPES)} |"
    return "\n\n".join((f"## {PICTURES}", said, "\n".join((heading, "|---" * (4 + len(SHAPES)) + "|", *rows))))


def _section(name: str) -> str:
    model, language, recipe = load_checkpoint(SHIPPED[name]), LANGUAGES[name], RECIPES[name]
    cases = [*language.cases(CASES, SEED).values()]
    size = (SHIPPED[name] / "model.safetensors").stat().st_size
    said = f"{size / 1000:.0f} kB of safetensors; {recipe.steps:,} steps of {recipe.batch} texts, seed {recipe.seed}."
    return "\n\n".join((f"## {name}", said, _accuracies(model, language, cases), _heads(model, language, cases)))


def _accuracies(model: Checkpoint, language: Language, cases: list[tuple[Case, ...]]) -> str:
    rows = []
    for construction, drawn in zip(language.constructions, cases, strict=True):
        found, first = accuracy(model, drawn), drawn[0]
        words = " ".join(language.words[each] for each in first.beginning[1:])
        low, high = found.interval
        example = f"{words} **{language.words[first.right[0]]}**".replace("|", "\\|")
        numbers = f"{found.share:.3f} | {low:.3f} to {high:.3f} | {found.chance:.3f} | {found.count}"
        rows.append(f"| {construction.name} | {construction.label} | {example} | {numbers} |")
    return "\n".join(
        (
            "| construction | what is asked | for example | accuracy | interval | chance | cases |",
            "|---" * 7 + "|",
            *rows,
        )
    )


def _heads(model: Checkpoint, language: Language, cases: list[tuple[Case, ...]]) -> str:
    names = [construction.name for construction in language.constructions]
    looks = [cue_weights(model, drawn) for drawn in cases]
    rows = []
    for layer, head in np.ndindex(model.config.num_layers, model.config.num_heads):
        left = (accuracy(without(model, [(layer, head)]), drawn).share for drawn in cases)
        cells = [f"{float(look[layer, head]):.2f}, {share:.3f}" for look, share in zip(looks, left, strict=True)]
        rows.append(f"| {layer + 1} | {head + 1} | {' | '.join(cells)} |")
    said = "Of each head: the weight from the last word to the one that decides, and the accuracy without the head."
    heading = f"| layer | head | {' | '.join(names)} |"
    return f"{said}\n\n" + "\n".join((heading, "|---" * (2 + len(names)) + "|", *rows))


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the same machine makes the same weights
    sys.exit(main())
