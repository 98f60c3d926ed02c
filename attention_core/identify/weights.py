"""Which numbers of a module are W_Q, W_K, W_V, W_O, their biases and norms: places in one vector of all
parameters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import torch
from torch import Tensor

from attention_core.identify.compute import Norm, Sizes
from attention_core.identify.errors import IdentifyError
from attention_core.identify.names import role_of

ROLES: Final = ("q", "k", "v", "o", "q_bias", "k_bias", "v_bias", "o_bias", "qkv", "qkv_bias", "kv", "kv_bias",
    "norm",
                "norm_bias", "q_norm", "q_norm_bias", "k_norm", "k_norm_bias", "sink", "positions")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, before it is known what it is for.

    Attributes:
        name: Its name in the module, or the role that was given for it.
        shape: Its shape.
        stored: Whether a matrix is (out, in) as ``rows``, (in, out) as ``columns``, or may be either: ``""``.
        norm: The norm that it belongs to, where that is certain.
    """

    name: str
    shape: tuple[int, ...]
    stored: str = ""
    norm: Norm | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    """What was found.

    Attributes:
        sizes: The sizes.
        layouts: For each layout and orientation that is possible, the places of each part's numbers, shaped as
            ``F.linear`` takes them.
        norms: The norms, by the part they belong to.
        count: How many numbers all parameters have; the place after them holds 0.
        names: Which parameters each part was found in.
        unknown: Parameters that are for nothing that is looked for.
        said: Whether names say which matrix is which; else their order does.
    """

    sizes: Sizes
    layouts: dict[tuple[str, str], dict[str, Tensor]]
    norms: dict[str, Norm]
    count: int
    names: dict[str, str]
    unknown: tuple[str, ...]
    said: bool

    def of(self, numbers: Tensor) -> dict[tuple[str, str], dict[str, Tensor]]:
        """The parts, taken from all numbers."""
        padded = torch.cat((numbers, numbers.new_zeros(1)))
        return {key: {role: padded[place] for role, place in parts.items()} for key, parts in self.layouts.items()}


@dataclass(slots=True)
class _Found:
    """Parameters as they are sorted: places of each role."""

    places: dict[str, Tensor] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    norms: dict[str, Norm] = field(default_factory=dict)


def find_weights(
    parameters: Sequence[Parameter], d_model: int, num_heads: int, given: dict[str, str] | None = None
) -> Weights:
    """Sort parameters by their names and shapes.

    Args:
        parameters: All parameters, in their order.
        d_model: Size of a token.
        num_heads: Number of heads of queries.
        given: For each role (``q``, ``k_bias``, ``qkv``, …) the name of its parameter, where names do not say it.

    Raises:
        IdentifyError: If no queries, keys and values are found, or their shapes do not fit.
    """
    given = given or {}
    if wrong := [role for role in given if role not in ROLES]:
        raise IdentifyError(f"weights has {wrong[0]!r}, which is no role: give some of {', '.join(ROLES)}.")
    names = [parameter.name for parameter in parameters]
    if lost := [name for name in given.values() if name not in names]:
        raise IdentifyError(f"weights names {lost[0]!r}, but the parameters are {', '.join(names) or 'none'}.")
    found, start = _Found(), 0
    spaces: list[tuple[Parameter, Tensor]] = []
    for one in parameters:
        size = math.prod(one.shape)
        spaces.append((one, torch.arange(start, start + size).view(one.shape)))
        start += size
    d_head = d_model // num_heads
    roles = {name: role for role, name in given.items()}
    for one, place in _of_heads(spaces, num_heads, d_model):
        role = roles.get(one.name) or role_of(one.name, place.dim(), is_norm=one.norm is not None)
        if role and role not in found.places:
            found.places[role], found.stored[role], found.names[role] = place, one.stored, one.name
            if one.norm is not None and role.partition("_bias")[0].endswith("norm"):
                found.norms[role.removesuffix("_bias")] = one.norm
        else:
            found.unknown.append(one.name)
    said = True
    if not ({"q", "k", "v"} <= {*found.places} or "qkv" in found.places or {"q", "kv"} <= {*found.places}):
        said = False
        _by_order(found, spaces, d_model)
    layouts, sizes = _layouts(found, d_model, num_heads, d_head)
    for name in ("norm", "q_norm", "k_norm"):
        if name in found.places and name not in found.norms:
            found.norms[name] = Norm(centred=f"{name}_bias" in found.places, eps=1e-5)
    return Weights(sizes, layouts, found.norms, start, found.names, tuple(found.unknown), said)


def _of_heads(spaces: list[tuple[Parameter, Tensor]], num_heads: int, d_model: int) -> list[tuple[Parameter, Tensor]]:
    """Parameters of a list of heads, ``heads.0.key.weight`` and so on, as one below the other."""

    def general(name: str) -> str:
        return ".".join("#" if part.isdigit() else part for part in name.split("."))

    joined = []
    in_order = sorted(enumerate(spaces), key=lambda one: general(one[1][0].name))  # stable: heads keep their order
    for name, group in groupby(in_order, key=lambda one: general(one[1][0].name)):
        numbered = list(group)
        members = [one for _, one in numbered]
        first, place = members[0]
        split = "#" in name and len(members) > 1 and num_heads % len(members) == 0
        if not split or place.shape[0] == place.shape[-1] == d_model or (place.dim() == 1 and len(place) == d_model):
            joined += [(number, one) for number, one in numbered]
            continue
        stored = first.stored
        places = [each for _, each in members]
        if places[0].dim() == 2 and not stored and places[0].shape[0] == d_model:
            places, stored = [each.t() for each in places], "rows"
        axis = 1 if stored == "columns" else 0
        joined.append((numbered[0][0], (Parameter(name, (), stored, first.norm), torch.cat(places, dim=axis))))
    return [one for _, one in sorted(joined, key=lambda one: one[0])]


def _by_order(found: _Found, spaces: list[tuple[Parameter, Tensor]], d_model: int) -> None:
    """Without names: the first matrices are those of queries, keys and values, and the last that of the output."""
    matrices = [(one, place) for one, place in spaces if place.dim() == 2 and d_model in place.shape and not one.norm]
    if matrices and max(matrices[0][1].shape) % (3 * d_model) == 0:
        roles = ["qkv", "o"]
    elif len(matrices) > 1 and max(matrices[1][1].shape) == 2 * d_model:
        roles = ["q", "kv", "o"]
    else:
        roles = ["q", "k", "v", "o"]
    if len(matrices) < len(roles) - 1:
        listed = ", ".join(f"{one.name} {tuple(one.shape)}" for one, _ in spaces) or "none"
        raise IdentifyError(
            "the matrices of queries, keys and values were not found: name their parameters, "
            f"weights={{'q': …, 'k': …, 'v': …, 'o': …}} or 'qkv'. The parameters are: {listed}."
        )
    for role, (one, place) in zip(roles, matrices, strict=False):
        found.places[role], found.stored[role], found.names[role] = place, one.stored, one.name
        bias = one.name.removesuffix("weight") + "bias"
        for other, its in spaces:
            if other.name == bias and one.name.endswith("weight"):
                found.places[f"{role}_bias"], found.names[f"{role}_bias"] = its, bias
    found.unknown = [one.name for one, _ in spaces if one.name not in found.names.values()]


def _layouts(
    found: _Found, d_model: int, num_heads: int, d_head: int
) -> tuple[dict[tuple[str, str], dict[str, Tensor]], Sizes]:
    """The parts in each layout and orientation that shapes allow."""
    layouts: dict[tuple[str, str], dict[str, Tensor]] = {}
    sizes = None
    oriented = (
        ("rows", "columns")
        if any(_either(found, role, d_model) for role in ("q", "k", "v", "o", "qkv"))
        else ("rows",)
    )
    for stored in oriented:
        matrices = {
            role: _matrix(found.places[role], found.stored.get(role) or "", role, stored, d_model, num_heads)
            for role in ("q", "k", "v", "qkv", "kv")
            if role in found.places
        }
        others = {role: place for role, place in found.places.items() if role in ROLES and role not in matrices}
        small = "q" in matrices and matrices["q"].shape == (d_head, d_head) and num_heads > 1
        if small:
            matrices, others = _spread(matrices, others, num_heads, d_model)
        sizes = _sizes(matrices, d_model, num_heads, d_head)
        for layout, split in _splits(matrices, sizes).items():
            parts = {role: place for role, place in matrices.items() if "kv" not in role}
            for fused in ("qkv", "kv"):
                if fused in matrices:
                    parts |= split(matrices[fused], fused)
                    if f"{fused}_bias" in found.places:
                        halves = split(found.places[f"{fused}_bias"].reshape(-1), fused)
                        parts |= {f"{role}_bias": place for role, place in halves.items()}
            parts |= {role: place for role, place in others.items() if "kv" not in role and role != "o"}
            if "o" in found.places:
                parts["o"] = _output(found.places["o"], found.stored.get("o") or "", stored, sizes)
            parts = {role: place.reshape(-1) if "bias" in role else place for role, place in parts.items()}
            if "positions" in parts:
                parts["positions"] = parts["positions"].reshape(-1, d_model)
            layouts["shared" if small else layout, stored] = _fitting(parts, sizes)
    assert sizes is not None
    return layouts, sizes


def _fitting(parts: dict[str, Tensor], sizes: Sizes) -> dict[str, Tensor]:
    """The parts without those whose names promise what their shapes do not keep."""
    lengths = {f"{role}_bias": {len(parts[role])} for role in "qkvo" if role in parts}
    for name in ("q_norm", "k_norm"):
        lengths[name] = lengths[f"{name}_bias"] = {sizes.d_head, len(parts[name[0]])}
    lengths["norm"] = lengths["norm_bias"] = {sizes.d_model}
    lengths["sink"] = {sizes.num_heads}
    return {role: place for role, place in parts.items() if role not in lengths or place.numel() in lengths[role]}


def _either(found: _Found, role: str, d_model: int) -> bool:
    """Whether a matrix may be (out, in) or (in, out)."""
    place = found.places.get(role)
    square = place is not None and place.dim() == 2 and place.shape[0] == place.shape[1] == d_model
    return square and not found.stored.get(role)


def _matrix(place: Tensor, known: str, role: str, stored: str, d_model: int, num_heads: int) -> Tensor:
    """A part's places as (out, in); a part of more than two axes is laid out by the sizes of its axes."""
    if place.dim() > 2:
        inner = [axis for axis, size in enumerate(place.shape) if size == d_model]
        if not inner:
            raise IdentifyError(f"the weight of {role} has shape {tuple(place.shape)}, without d_model = {d_model}.")
        others = [axis for axis in range(place.dim()) if axis != inner[0 if len(inner) == 1 else -1]]
        parts = [axis for axis in others if place.shape[axis] == 3] if role == "qkv" else []
        heads = [axis for axis in others if place.shape[axis] == num_heads and axis not in parts[:1]]
        first = [*parts[:1], *heads[:1]]
        order = [*first, *[axis for axis in others if axis not in first]]
        return place.permute(*order, next(axis for axis in range(place.dim()) if axis not in others)).reshape(
            -1, d_model
        )
    if place.dim() != 2 or d_model not in place.shape:
        small = (d_model // num_heads,) * 2
        if tuple(place.shape) == small:
            return place
        raise IdentifyError(
            f"the weight of {role} has shape {tuple(place.shape)}: one side must be d_model = {d_model}."
        )
    if place.shape[0] != place.shape[1]:
        return place if place.shape[1] == d_model else place.t()
    return place.t() if (known or stored) == "columns" else place


def _output(place: Tensor, known: str, stored: str, sizes: Sizes) -> Tensor:
    """W_O as (out, in)."""
    if place.dim() > 2:
        outer = [axis for axis, size in enumerate(place.shape) if size == sizes.d_model][-1]
        heads = next((axis for axis, size in enumerate(place.shape) if size == sizes.num_heads and axis != outer), 0)
        rest = [axis for axis in range(place.dim()) if axis not in (outer, heads)]
        place = place.permute(outer, heads, *rest).reshape(sizes.d_model, -1)
    elif place.shape[0] != place.shape[1]:
        place = place if place.shape[1] == sizes.width else place.t()
    elif (known or stored) == "columns":
        place = place.t()
    if place.shape[1] != sizes.width:
        raise IdentifyError(
            f"the output's weight has shape {tuple(place.shape)}: one side must be "
            f"{sizes.width}, the width of all heads."
        )
    return place


def _spread(
    matrices: dict[str, Tensor], others: dict[str, Tensor], num_heads: int, d_model: int
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """One matrix for each head's slice of a token, as the block-diagonal matrix that it is."""
    d_head, wide = d_model // num_heads, {}
    for role, place in matrices.items():
        wide[role] = torch.full((d_model, d_model), -1)  # the last place, which holds 0
        for head in range(num_heads):
            block = slice(head * d_head, (head + 1) * d_head)
            wide[role][block, block] = place
    biases = {
        role: place.repeat(num_heads)
        if role[0] in "qkv" and role.endswith("_bias") and len(place) == d_head
        else place
        for role, place in others.items()
    }
    return wide, biases


def _sizes(matrices: dict[str, Tensor], d_model: int, num_heads: int, d_head: int) -> Sizes:
    rows = {role: len(place) for role, place in matrices.items()}
    if "q" in rows:
        if rows["q"] % num_heads:
            raise IdentifyError(f"W_Q has {rows['q']} rows, which is no multiple of num_heads = {num_heads}.")
        d_head = rows["q"] // num_heads
        of_keys = rows["k"] if "k" in rows else rows["kv"] // 2
    else:
        if rows["qkv"] % (3 * num_heads) == 0:
            d_head = max(d_head, rows["qkv"] // (3 * num_heads))
        of_keys = (rows["qkv"] - num_heads * d_head) // 2
    if of_keys <= 0 or of_keys % d_head or num_heads % (of_keys // d_head):
        raise IdentifyError(
            f"W_K has {of_keys} rows: no heads of d_head = {d_head} that {num_heads} heads of queries can share."
        )
    return Sizes(d_model, num_heads, of_keys // d_head, d_head)


def _splits(matrices: dict[str, Tensor], sizes: Sizes) -> dict[str, Callable[[Tensor, str], dict[str, Tensor]]]:
    """Ways to take a fused part apart."""
    heads, kv_heads, d_head = sizes.num_heads, sizes.num_kv_heads, sizes.d_head

    def contiguous(place: Tensor, roles: str) -> dict[str, Tensor]:
        rows = [(heads if role == "q" else kv_heads) * d_head for role in roles]
        return dict(zip(roles, place.split(rows), strict=True))

    def by_head(place: Tensor, roles: str) -> dict[str, Tensor]:
        each = place.unflatten(0, (kv_heads, len(roles), d_head))
        return {role: each[:, number].flatten(0, 1) for number, role in enumerate(roles)}

    def by_group(place: Tensor, roles: str) -> dict[str, Tensor]:
        each = place.unflatten(0, (kv_heads, heads // kv_heads + 2, d_head))
        q, k, v = each[:, :-2].flatten(0, 2), each[:, -2].flatten(0, 1), each[:, -1].flatten(0, 1)
        return dict(zip(roles, (q, k, v), strict=True))

    def interleaved(place: Tensor, roles: str) -> dict[str, Tensor]:
        each = place.unflatten(0, (kv_heads * d_head, len(roles)))
        return {role: each[:, number] for number, role in enumerate(roles)}

    if "qkv" not in matrices and "kv" not in matrices:
        return {"contiguous": contiguous}
    if heads != kv_heads and "qkv" in matrices:
        return {"contiguous": contiguous, "by_group": by_group}
    return {"contiguous": contiguous, "by_head": by_head, "interleaved": interleaved}
