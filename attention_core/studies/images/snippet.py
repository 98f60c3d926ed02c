"""Code that reads the picture again in plain torch, without this project."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.shipped.shapes import SIZE
from attention_core.shipped.vision import D_MODEL, HEADS, LAYERS, SIDE
from attention_core.studies.images.measure import ImagesResult
from attention_core.studies.images.model import BIAS_STD, model_of
from attention_core.studies.images.pictures import digits_of, order_of, picture_of
from attention_core.studies.images.settings import ImagesConfig

FILE: Final = "model.safetensors"
SHORTEST: Final = """\
import torch
import torch.nn.functional as F

torch.manual_seed(0)
picture, W = torch.rand(1, 1, 16, 16, dtype=torch.float64), torch.randn(8, 16, dtype=torch.float64)
patches = F.unfold(picture, 4, stride=4).mT  # 16 patches of 4 x 4 pixels
convolved = F.conv2d(picture, W.view(8, 1, 4, 4), stride=4).flatten(2).mT
print(f"embedding and convolution differ by {(patches @ W.T - convolved).abs().max():.1e}")
attend = F.scaled_dot_product_attention
x, order = patches @ W.T, torch.randperm(16)
before, after = (attend(z, z, z).mean(1) for z in (x, x[:, order]))
print(f"after a shuffle of the patches the mean differs by {(after - before).abs().max():.1e}")
"""


def images_snippet(config: ImagesConfig) -> str:
    """Plain torch that prints by how much embedding and convolution differ, and the scores after the shuffle."""
    digits, width = digits_of(picture_of(config)), 4 * SIZE
    lines = [f'    "{digits[at : at + width]}"' for at in range(0, len(digits), width)]
    kernel = f"W[E].view(-1, 1, {SIDE}, {SIDE})" + (".mT" if config.columns_first else "")
    return assemble(
        f"SEED, HEADS, DTYPE = {config.seed}, {HEADS}, torch.{config.dtype}",
        "PIXELS = (  # a digit for each: 0 is paper, f is ink",
        *lines,
        ")",
        f"picture = torch.tensor([int(each, 16) for each in PIXELS], dtype=torch.float64).view({SIZE}, {SIZE}) / 15",
        *_weights(config),
        "W = {name: each.to(DTYPE) for name, each in W.items()}",
        'E = "embedding.weight"',
        *_places(config),
        *_mask(config),
        "",
        "def patches(picture):",
        f"    return F.unfold(picture.double()[None, None], {SIDE}, stride={SIDE})[0].mT.to(DTYPE)",
        "def linear(z, at):",
        '    return F.linear(z, W[at + ".weight"], W[at + ".bias"])',
        "def norm(z, at):",
        '    return F.layer_norm(z, z.shape[-1:], W[at + ".weight"], W[at + ".bias"])',
        "def scores(patches):",
        '    x = torch.cat((W["collecting_table"], linear(patches, "embedding") + places))',
        '    x = x + W["stack.added_position.table"]' if config.positions == "learned" else None,
        f"    for layer in range({LAYERS}):",
        '        at = f"stack.layers.{layer}."',
        '        y, a = norm(x, at + "self_attention_norm"), at + "self_attention."',
        '        b = torch.cat([W[a + f"{z}_bias"] for z in "qkv"])',
        '        q, k, v = (split(z, HEADS)[None] for z in F.linear(y, W[a + "in_weight"], b).chunk(3, -1))',
        "        mixed = F.scaled_dot_product_attention(q, k, v, seen)[0]",
        '        x = x + F.linear(merge(mixed), W[a + "o_weight"], W[a + "o_bias"])',
        '        y = norm(x, at + "feed_forward_norm")',
        '        x = x + linear(F.gelu(linear(y, at + "feed_forward.widen")), at + "feed_forward.narrow")',
        '    x = norm(x, "stack.final_norm")',
        f'    return linear({"x[1:].mean(0)" if config.averaged else "x[0]"}, "head").double()',
        "",
        "cut = patches(picture)",
        f"convolved = F.conv2d(picture.to(DTYPE)[None, None], {kernel}, "
        f'W["embedding.bias"], stride={SIDE}).flatten(2)[0].mT',
        'off = (linear(cut, "embedding").double() - convolved.double()).abs().max().item()',
        'print(f"embedding and convolution differ by: {off:.3g}")',
        f"moved = (scores(cut[{list(order_of(config))}]) - scores(cut)).abs().max().item()",
        'print(f"after the shuffle the scores differ by: {moved:.3g}")',
    )


def headline(result: ImagesResult) -> list[float]:
    """How far embedding and convolution differ, and the scores after the shuffle."""
    return [result.verdict("patch-linear").measured, result.verdict("vit-order.same").measured]


def _weights(config: ImagesConfig) -> tuple[str, ...]:
    if config.weights != "untrained":
        return (f'W = load_file("{FILE}")  # see Data for the file',)
    shapes = {name: tuple(each.shape) for name, each in model_of(config).named_parameters()}
    matrices = {name: shape for name, shape in shapes.items() if len(shape) == 2 and not name.endswith("table")}
    tables = {name: shape for name, shape in shapes.items() if name.endswith("table")}
    biases = {name: shape for name, shape in shapes.items() if name.endswith("bias")}
    gains = {name: shape for name, shape in shapes.items() if name.endswith("norm.weight")}
    return (
        f"W = {{name: torch.ones(shape) for name, shape in {gains}.items()}}",
        f"for std, drawn in ((0, {matrices}), (1, {tables}), ({BIAS_STD}, {biases})):  # 0: by the columns",
        "    for name, shape in drawn.items():",
        '        W[name] = draw(shape, SEED, "parameter", name) * (std or shape[-1] ** -0.5)',
    )


def _places(config: ImagesConfig) -> tuple[str, ...]:
    if config.positions != "axes":
        return ("places = 0",)
    half = D_MODEL // 2
    return (
        "i = torch.arange(16)",
        f"places = torch.cat((sinusoids(i // 4, {half}), sinusoids(i % 4, {half})), -1).to(DTYPE)",
    )


def _mask(config: ImagesConfig) -> tuple[str, ...]:
    if not config.window:
        return ("seen = None",)
    return (
        "i, seen = torch.arange(16), torch.ones(17, 17, dtype=torch.bool)",
        "rows, columns = i // 4, i % 4",
        "seen[1:, 1:] = ((rows[:, None] - rows).abs() <= 1) & ((columns[:, None] - columns).abs() <= 1)",
    )
