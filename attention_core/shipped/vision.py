"""The models of pictures: how they are trained from a seed, kept in a file, and measured."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import torch
import torch.nn.functional as F
from torch import Generator

from attention_core.checkpoints.tensor_file import read_header, read_piece
from attention_core.language import gettext_lazy as _
from attention_core.modules.allocate import allocate
from attention_core.modules.patches import SinusoidalGrid
from attention_core.modules.positions import Learned, NoPosition
from attention_core.modules.vision import VisionTransformer
from attention_core.shipped.accuracy import Accuracy
from attention_core.shipped.shapes import SHAPES, SIZE, batch

SIDE: Final = 4  # pixels along a side of a patch
GRID: Final = SIZE // SIDE
PATCHES: Final = GRID**2
D_MODEL, HEADS, LAYERS, D_FF = 32, 4, 2, 32
POSITIONS: Final = {
    "none": NoPosition(), "learned": Learned(PATCHES + 1), "axes": SinusoidalGrid(),
}  # fmt: skip
POSITION_NAMES: Final[Mapping[str, str]] = {
    "none": _("none"), "learned": _("learned"), "axes": _("row and column"),
}  # fmt: skip
FOLDER: Final = Path(__file__).with_name("models") / "shapes"
TESTED: Final = 3000  # pictures that training never showed


@dataclass(frozen=True, slots=True)
class PictureRecipe:
    """All that decides what a trained model of pictures will be, beside its positions.

    Attributes:
        steps: Steps of AdamW, each on ``batch`` new pictures.
        seed: Of the first weights and of the pictures.
        batch: Pictures of a step.
        rate: The largest learning rate.
        decay: Weight decay.
    """

    steps: int
    seed: int = 0
    batch: int = 64
    rate: float = 3e-3
    decay: float = 0.05


SHIPPED_RECIPE: Final = PictureRecipe(steps=5000)


def blank_vision(positions: str, dtype: torch.dtype = torch.float32) -> VisionTransformer:
    """The model with memory, and no numbers in it yet.

    Args:
        positions: A name of ``POSITIONS``.
        dtype: Its precision.
    """
    with torch.device("meta"):  # torch would draw from the generator of the whole process
        model = VisionTransformer(
            size=SIZE, side=SIDE, classes=len(SHAPES), d_model=D_MODEL, num_heads=HEADS, num_layers=LAYERS,
            d_ff=D_FF, position=POSITIONS[positions],
        )  # fmt: skip
    return allocate(model, dtype=dtype)


def training(positions: str, recipe: PictureRecipe) -> Iterator[tuple[int, float, VisionTransformer]]:
    """Train a model; after every hundred steps, and at the end, their number, the loss and the model itself.

    The loss is the cross-entropy of the right shape, the optimizer AdamW: Loshchilov & Hutter (2019). Its rate rises
    for 100 steps and then falls as half a cosine. With one thread the same machine and versions give the same
    weights.

    Args:
        positions: A name of ``POSITIONS``.
        recipe: All else.
    """
    model, draw = blank_vision(positions), Generator().manual_seed(recipe.seed)
    _draw_first(model, draw)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=recipe.decay)
    for step in range(1, recipe.steps + 1):
        rate = recipe.rate * min(1, step / 100) * (1 + math.cos(math.pi * (step - 1) / recipe.steps)) / 2
        optimizer.param_groups[0]["lr"] = rate
        pictures, kinds = batch(recipe.batch, draw)
        loss = F.cross_entropy(model(pictures.float()), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0 or step == recipe.steps:
            yield step, loss.item(), model.eval()


@torch.no_grad()
def _draw_first(model: VisionTransformer, draw: Generator) -> None:
    """Matrices N(0, 1/columns), tables N(0, 1/columns), gains one, biases zero."""
    for name, each in model.named_parameters():
        if each.dim() == 2:
            each.normal_(std=each.shape[1] ** -0.5, generator=draw)
        else:
            each.fill_(float(name.endswith("norm.weight")))


def save_vision(model: VisionTransformer, positions: str, folder: Path = FOLDER) -> Path:
    """Write the model's weights as safetensors, named after its positions."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{positions}.safetensors"
    path.write_bytes(save({name: each.detach().contiguous() for name, each in model.state_dict().items()}))
    return path


@cache
def load_vision(positions: str) -> VisionTransformer:
    """The shipped model with these positions, in eval mode: one for all, which nobody may change.

    Args:
        positions: A name of ``POSITIONS``.
    """
    model = blank_vision(positions)
    with (FOLDER / f"{positions}.safetensors").open("rb") as file:
        header = read_header(file, positions)
        weights = {
            name: torch.frombuffer(read_piece(file, entry.start, entry.nbytes), dtype=torch.float32).view(entry.shape)
            for name, entry in header.tensors.items()
        }
    model.load_state_dict(weights)
    return model.requires_grad_(False).eval()


@torch.inference_mode()
def accuracy_of(model: VisionTransformer, count: int = TESTED, seed: int = 1) -> tuple[Accuracy, ...]:
    """How often the model names the shape, of each kind in the order of ``SHAPES``, on new pictures.

    Args:
        model: A model in float32.
        count: How many pictures there are of all kinds.
        seed: What draws them; training begins with another.
    """
    pictures, kinds = batch(count, Generator().manual_seed(1_000_000 + seed))
    found = model(pictures.float()).argmax(-1)
    right = [((found == kinds) & (kinds == kind), kinds == kind) for kind in range(len(SHAPES))]
    return tuple(Accuracy(int(hit.sum()), int(all_of.sum()), 1 / len(SHAPES)) for hit, all_of in right)
