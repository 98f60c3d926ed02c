"""Pictures as tokens: patches, places on a grid, and what reads them, against loops and a convolution."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention_core.modules.patches import PatchEmbedding, SinusoidalGrid, grid_encoding, to_patches
from attention_core.modules.positions import Learned, NoPosition
from attention_core.modules.vision import VisionTransformer
from tests.modules.oracle import sinusoid


def vision(position: object = NoPosition(), **more: object) -> VisionTransformer:
    sizes = {"size": 6, "side": 2, "classes": 3, "d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 12}
    return VisionTransformer(**sizes | more, position=position, dtype=torch.float64).eval()


def drawn(*shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def test_patches_are_cut_pixel_by_pixel() -> None:
    pictures = drawn(2, 6, 9)
    patches = to_patches(pictures, 3)
    assert patches.shape == (2, 6, 9)
    for b, row, column in np.ndindex(2, 6, 9):
        patch, pixel = row // 3 * 3 + column // 3, row % 3 * 3 + column % 3
        assert patches[b, patch, pixel] == pictures[b, row, column]


def test_an_embedding_is_a_convolution_that_goes_from_patch_to_patch() -> None:
    part, pictures = PatchEmbedding(3, 5, dtype=torch.float64), drawn(2, 6, 9)
    nn.init.normal_(part.bias)
    convolution = nn.Conv2d(1, 5, kernel_size=3, stride=3, dtype=torch.float64)
    convolution.load_state_dict({"weight": part.kernel, "bias": part.bias})
    found = convolution(pictures[:, None]).flatten(2).mT
    assert (part(pictures) - found).abs().max() < 1e-14
    turned = F.conv2d(pictures[:, None], part.kernel.mT, part.bias, stride=3).flatten(2).mT
    assert (part(pictures) - turned).abs().max() > 0.1


@pytest.mark.parametrize("d_model", [2, 7, 8])
def test_a_place_is_told_by_its_row_and_its_column(d_model: int) -> None:
    found = grid_encoding(3, 4, d_model, base=50.0, dtype=torch.float64)
    for row, column in np.ndindex(3, 4):
        expected = sinusoid(row, d_model - d_model // 2, 50.0) + sinusoid(column, d_model // 2, 50.0)
        assert found[4 * row + column].tolist() == pytest.approx(expected, abs=1e-14)


def test_the_scores_are_those_of_the_parts_put_together() -> None:
    model, pictures = vision(SinusoidalGrid()), drawn(2, 6, 6)
    nn.init.normal_(model.embedding.bias)
    patches = model.embedding(pictures) + grid_encoding(3, 3, 8, dtype=torch.float64)
    states = model.stack(torch.stack([torch.cat((model.collecting_table, one)) for one in patches]))
    expected = F.linear(states[:, 0], model.head.weight, model.head.bias)
    assert (model(pictures) - expected).abs().max() < 1e-13
    mean = F.linear(states[:, 1:].mean(1), model.head.weight, model.head.bias)
    assert (model(pictures, collect="mean") - mean).abs().max() < 1e-13
    assert (model.scores(model.trace(pictures).output) - expected).abs().max() < 1e-13


@pytest.mark.parametrize(
    ("position", "moves"), [(NoPosition(), False), (Learned(10), True), (SinusoidalGrid(), True)]
)
def test_only_positions_tell_where_a_patch_stands(position: object, moves: bool) -> None:
    model, picture = vision(position), drawn(1, 6, 6)
    patches = to_patches(picture, 2)[:, [4, 0, 8, 2, 1, 3, 7, 5, 6]]
    other = patches.view(3, 3, 2, 2).transpose(1, 2).reshape(1, 6, 6)
    difference = (model(other) - model(picture)).abs().max()
    assert difference > 1e-3 if moves else difference < 1e-13


def test_a_patch_that_no_token_sees_does_not_reach_the_answer() -> None:
    model, picture = vision(), drawn(1, 6, 6)
    other, seen = picture.clone(), torch.ones(10, 10, dtype=torch.bool)
    other[0, 2:4, 4:6] = 0.0
    seen[:, 1 + 5] = False
    assert torch.equal(model(picture, attn_mask=seen), model(other, attn_mask=seen))
    assert not torch.equal(model(picture), model(other))
    assert not torch.equal(
        model(picture, attn_mask=seen, collect="mean"), model(other, attn_mask=seen, collect="mean")
    )


def test_first_weights_have_the_spread_that_is_named() -> None:
    part = PatchEmbedding(8, 200)
    assert float(part.weight.detach().std()) == pytest.approx(1 / math.sqrt(64), rel=0.05)
    assert not part.bias.any()
    assert float(vision(d_model=400).collecting_table.detach().std()) == pytest.approx(1.0, rel=0.2)


def test_it_can_be_made_as_shapes_alone() -> None:
    before = torch.get_rng_state()
    with torch.device("meta"):
        assert PatchEmbedding(2, 4).weight.is_meta
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: to_patches(drawn(1, 6, 8), 4), "pictures of 6 × 8 pixels cannot be cut into patches of 4 × 4."),
        (lambda: to_patches(drawn(1, 8, 6), 4), "pictures of 8 × 6 pixels cannot be cut into patches of 4 × 4."),
        (lambda: to_patches(drawn(1, 6, 8), 0), "side = 0 is not possible: a positive number is needed."),
        (lambda: grid_encoding(2, 2, 1),
         "d_model = 1 is not possible: rows and columns need a number each, so 2 or more."),
        (lambda: grid_encoding(0, 2, 4), "rows = 0 is not possible: a positive number is needed."),
        (lambda: vision(side=4), "pictures of 6 × 6 pixels cannot be cut into patches of 4 × 4."),
        (lambda: vision(classes=0), "classes = 0 is not possible: a positive number is needed."),
        (lambda: vision(Learned(9)),
         "position = Learned(max_len=9) does not fit: 9 patches and the token that collects have 10 places."),
        (lambda: vision()(drawn(1, 6, 8)), "pictures have shape (1, 6, 8): (batch, 6, 6) is needed."),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(make: object, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole sentence is compared below
        make()  # type: ignore[operator]
    assert str(refused.value) == sentence
