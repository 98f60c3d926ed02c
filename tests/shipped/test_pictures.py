"""The models of pictures: how small they are, what they are worth, and that a seed makes them again."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attention_core.shipped import __main__ as command
from attention_core.shipped.__main__ import main
from attention_core.shipped.shapes import GREYS, SHAPES, SIZE, batch, noisy, shapes
from attention_core.shipped.vision import (
    FOLDER,
    POSITIONS,
    SHIPPED_RECIPE,
    PictureRecipe,
    accuracy_of,
    load_vision,
    save_vision,
    training,
)


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_together_they_take_less_than_200_kb() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {f"{positions}.safetensors" for positions in POSITIONS}
    assert sum(files.values()) <= 200_000


@pytest.mark.parametrize("positions", POSITIONS)
def test_each_names_shapes_that_it_has_not_seen(positions: str) -> None:
    """Other pictures than those of the table; guessing reaches a sixth."""
    found = accuracy_of(load_vision(positions), 1200, seed=2)
    assert min(each.share for each in found) >= 0.9
    assert {each.chance for each in found} == {1 / 6}


def test_pictures_hold_greys_and_shapes_that_differ() -> None:
    pictures, kinds = batch(400, drawn(1))
    assert pictures.shape == (400, SIZE, SIZE)
    assert set(kinds.tolist()) == set(range(len(SHAPES)))
    assert (pictures * (GREYS - 1)).round().div(GREYS - 1).equal(pictures)
    assert pictures.min() == 0
    assert pictures.max() == 1


def test_a_shape_lies_in_the_picture_and_looks_as_it_is_called() -> None:
    """What its middle and its corners hold, by its bounding box; where it stands is drawn."""
    for kind, name in enumerate(SHAPES):
        for picture in shapes(torch.full((60,), kind), drawn(kind)):
            inked = picture > 0.5 * picture.max()
            rows, columns = inked.any(1).nonzero().flatten().tolist(), inked.any(0).nonzero().flatten().tolist()
            high, wide = rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
            box = inked[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            middle, corners = bool(box[high // 2, wide // 2]), [bool(box[r, c]) for r in (0, -1) for c in (0, -1)]
            filled = float(box.float().mean())
            if name == "stripes":
                assert 0.2 < float(inked.float().mean()) < 0.8
                continue
            assert min(high, wide) >= 4
            assert abs(high - wide) <= (4 if name == "triangle" else 1)
            assert middle == (name != "ring")
            assert any(corners) == (name in ("square", "triangle"))
            if name == "square":
                assert filled > 0.95
            if name == "triangle":
                assert box[-1].sum() > box[0].sum()
            if name in ("cross", "ring"):
                assert filled < 0.85


def test_noise_spreads_as_it_says_and_ends_at_paper_and_ink() -> None:
    middle = torch.full((50, SIZE, SIZE), 7 / 15, dtype=torch.float64)
    assert float(noisy(middle, 0.1, drawn(1)).std()) == pytest.approx(0.1, rel=0.1)
    wild = noisy(middle, 5.0, drawn(1))
    assert wild.min() == 0
    assert wild.max() == 1
    assert torch.equal(noisy(middle, 0.0, drawn(1)), middle)


def test_a_seed_gives_the_same_weights_and_takes_nothing_from_the_process(tmp_path: Path) -> None:
    recipe, before = PictureRecipe(steps=3, batch=4), torch.get_rng_state()
    one, same, other = (list(training("learned", each))[-1] for each in (recipe, recipe, replace(recipe, seed=1)))
    assert torch.equal(torch.get_rng_state(), before)
    assert one[:2] == same[:2] == (3, pytest.approx(one[1]))
    pairs = zip(one[2].parameters(), same[2].parameters(), strict=True)
    assert all(torch.equal(left, right) for left, right in pairs)
    assert not torch.equal(one[2].head.weight, other[2].head.weight)
    path = save_vision(one[2], "learned", tmp_path)
    assert path.stat().st_size == (FOLDER / "learned.safetensors").stat().st_size


def test_the_recipe_is_the_one_that_they_were_made_by() -> None:
    assert PictureRecipe(steps=5000, seed=0, batch=64, rate=3e-3, decay=0.05) == SHIPPED_RECIPE


def test_the_command_makes_them_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SHIPPED_RECIPE", PictureRecipe(steps=2, batch=2))
    assert main(["--make", "shapes", "--out", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == set(POSITIONS)
