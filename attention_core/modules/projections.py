"""From tokens to queries, keys and values: which of W_Q, W_K, W_V there are, and how vectors are cut into heads."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, ClassVar, TypeAlias, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.heads import merge_heads, require_kv_heads, resized_heads, split_heads
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.masks import require_choice, require_positive
from attention_core.modules.positions import rotate_heads


@dataclass(frozen=True, slots=True)
class Full:
    """W_Q, W_K and W_V of their own: Vaswani et al. (2017), section 3.2.2."""

    blocks: ClassVar[tuple[int, ...]] = (0, 1, 2)  # which block of rows of the packed weight is W_Q, W_K, W_V


@dataclass(frozen=True, slots=True)
class TiedKeyValue:
    """W_K and W_V are one matrix; with both biases on, b_K and b_V are one vector too, and keys equal values."""

    blocks: ClassVar[tuple[int, ...]] = (0, 1, 1)


@dataclass(frozen=True, slots=True)
class TiedQueryKey:
    """W_Q and W_K are one matrix; with both biases on, b_Q and b_K are one vector too, and scores are symmetric.

    Kitaev et al. (2020), "Reformer", section 2, share them so that similar tokens fall into one hash bucket.
    """

    blocks: ClassVar[tuple[int, ...]] = (0, 0, 1)


@dataclass(frozen=True, slots=True)
class Identity:
    """No W_Q, W_K, W_V, W_O and no bias, whatever the switches say: the tokens themselves are cut into heads."""

    blocks: ClassVar[tuple[int, ...]] = ()


Projections: TypeAlias = Full | TiedKeyValue | TiedQueryKey | Identity | LatentKeyValue
PROJECTIONS = (Full, TiedKeyValue, TiedQueryKey, Identity, LatentKeyValue)

Module = TypeVar("Module", bound="HeadProjections")
FULL = Full()
ROLES = ("q_bias", "k_bias", "v_bias")


class HeadProjections(nn.Module):
    """The parameters of multi-head attention, and its way into the heads and out of them.

    ``q = x W_Qᵀ + b_Q``, ``k = y W_Kᵀ + b_K``, ``v = z W_Vᵀ + b_V``, each cut into heads; ``output = context W_Oᵀ +
    b_O``. Matrices are stored as ``nn.Linear`` stores them, (out, in), and drawn as it draws them. W_Q, W_K and W_V
    lie below each other in one parameter, so that self-attention projects in one product; tied ones are stored once.
    Every bias is a parameter of its own; an absent one is None. The biases of two tied matrices are one parameter,
    stored under the first one's name and read and set under either; if only one of them is on, only its side gets it.
    Parameters can be written in place, assigned, pruned, parametrized, loaded, and swapped by
    ``torch.func.functional_call``.

    Args:
        d_model: Size of a token's vector.
        num_heads: Number of heads.
        num_kv_heads: Number of heads of keys and values, each shared by ``num_heads / num_kv_heads`` successive heads
            of queries; ``num_heads`` when None.
        d_head: Size of a head; ``d_model / num_heads`` when None.
        projections: Which matrices there are.
        output_projection: Whether there is W_O.
        q_bias: Whether there is b_Q.
        k_bias: Whether there is b_K.
        v_bias: Whether there is b_V.
        o_bias: Whether there is b_O.
        device: Where the parameters live.
        dtype: Their precision.

    Attributes:
        d_query: Numbers of a head of queries: ``d_head``, or with ``LatentKeyValue`` ``d_head + d_rotary``.
        block_heads: Heads of each block of rows of ``in_weight``: those of W_Q, W_K, W_V without those that are tied.
        in_weight: The matrices below each other, W_Q of ``num_heads · d_query`` rows, W_K and W_V (one if tied) of
            ``num_kv_heads · d_head``; None with ``Identity``. With ``LatentKeyValue`` W_C stands in their place, and
            below it the rows of what is turned beside latents.
        k_up_weight: W_UK ``(num_heads · d_head, rank)`` of ``LatentKeyValue``, else None; likewise ``v_up_weight``.
        q_bias: b_Q ``(num_heads · d_head,)`` or None.
        k_bias: b_K ``(num_kv_heads · d_head,)`` or None; likewise ``v_bias``.
        o_weight: W_O ``(d_model, num_heads · d_head)`` or None.
        o_bias: b_O ``(d_model,)`` or None.

    Raises:
        TypeError: If ``projections`` is no such choice.
        ValueError: If a size is not positive, ``d_model`` is not a multiple of ``num_heads`` and no ``d_head`` is
            given, ``Identity`` meets ``num_heads · d_head ≠ d_model``, ``num_heads`` is not a multiple of
            ``num_kv_heads``, or the two differ with ``Identity`` or ``TiedQueryKey``.
    """

    in_weight: nn.Parameter | None
    k_up_weight: nn.Parameter | None
    v_up_weight: nn.Parameter | None
    q_bias: nn.Parameter | None
    k_bias: nn.Parameter | None
    v_bias: nn.Parameter | None
    o_weight: nn.Parameter | None
    o_bias: nn.Parameter | None

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int | None,
        d_head: int | None,
        projections: Projections,
        *,
        output_projection: bool,
        q_bias: bool,
        k_bias: bool,
        v_bias: bool,
        o_bias: bool,
        device: torch.device | str | None,
        dtype: torch.dtype | None,
    ) -> None:
        super().__init__()
        require_choice("projections", projections, PROJECTIONS)
        require_positive(d_model=d_model, num_heads=num_heads, d_head=1 if d_head is None else d_head)
        if d_head is None and d_model % num_heads:
            raise ValueError(
                f"d_model = {d_model} is not a multiple of num_heads = {num_heads}; choose a multiple or give d_head."
            )
        d_head = d_model // num_heads if d_head is None else d_head
        latent = projections if isinstance(projections, LatentKeyValue) else None
        if latent is not None:
            latent.require(num_heads=num_heads, num_kv_heads=num_kv_heads, k_bias=k_bias, v_bias=v_bias)
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        require_kv_heads(num_heads, num_kv_heads, projections)
        width, blocks = num_heads * d_head, projections.blocks
        if isinstance(projections, Identity) and width != d_model:
            raise ValueError(
                f"Identity() needs num_heads · d_head = d_model; {num_heads} · {d_head} is not {d_model}."
            )
        self.d_model, self.num_heads = d_model, num_heads
        self.num_kv_heads = 1 if latent and latent.folded else num_kv_heads
        self.d_head, self.projections = d_head, projections
        self.d_query = latent.d_query(d_head) if latent else d_head

        # Under which names the biases of queries, keys and values are stored: one name for two that are tied, since a
        # parameter under two names comes apart wherever parameters are replaced one by one.
        switches = (q_bias, k_bias, v_bias)
        first = [blocks.index(block) for block in blocks]
        self._roles = tuple(ROLES[one if switches[one] == switches[role] else role] for role, one in enumerate(first))
        kept = 1 if latent else num_kv_heads
        of_block = dict(zip(blocks, (num_heads, kept, kept), strict=False))
        self.block_heads = tuple(of_block[block] for block in sorted(of_block))
        self._widths = (self.d_query, *(latent.d_kept if latent else d_head for _ in self.block_heads[1:]))
        rows = dict(zip(sorted(of_block), self._rows(), strict=True))
        shapes = {
            "in_weight": (sum(rows.values()), d_model),
            **dict.fromkeys(ROLES),
            **{
                name: (rows[block],) if on else None for name, block, on in zip(ROLES, blocks, switches, strict=False)
            },
            "k_up_weight": (width, latent.rank) if latent else None,
            "v_up_weight": (width, latent.rank) if latent else None,
            "o_weight": (d_model, width) if output_projection else None,
            "o_bias": (d_model,) if output_projection and o_bias else None,
        }
        for name, shape in shapes.items():
            if blocks and name in ROLES and name not in self._roles:
                continue
            parameter = None
            if blocks and shape is not None:
                parameter = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
            self.register_parameter(name, parameter)
        # One product serves queries, keys and values unless two share a matrix but not a bias, or keys are latents.
        self._block_roles = tuple(self._roles[blocks.index(block)] for block in sorted(set(blocks)))
        alike = all(self._block_roles[block] == self._roles[role] for role, block in enumerate(blocks))
        self._one_product = alike and latent is None
        self.register_load_state_dict_pre_hook(_under_one_name)
        self.reset_parameters()

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(self.stored_as(name))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self.stored_as(name), value)

    def stored_as(self, name: str) -> str:
        """The name under which a parameter is stored: of a tied bias the first one's."""
        roles = self.__dict__.get("_roles") if name in ROLES else None
        return roles[ROLES.index(name)] if roles else name

    def reset_parameters(self) -> None:
        """Draw matrices and biases anew from U(±1/√fan_in), as ``nn.Linear`` does."""
        for weight, biases in (
            (self.in_weight, [getattr(self, role) for role in dict.fromkeys(self._roles)]),
            (self.k_up_weight, []),
            (self.v_up_weight, []),
            (self.o_weight, [self.o_bias]),
        ):
            for parameter in (weight, *biases):
                if weight is not None and parameter is not None:
                    nn.init.uniform_(parameter, -(weight.shape[1] ** -0.5), weight.shape[1] ** -0.5)

    @property
    def q_weight(self) -> Float[Tensor, "rows d_model"] | None:
        """W_Q, a view: writing into it under ``torch.no_grad()`` changes ``in_weight``. None with ``Identity``."""
        return self._matrix(0)

    @property
    def k_weight(self) -> Float[Tensor, "rows d_model"] | None:
        """W_K, as ``q_weight``."""
        return self._matrix(1)

    @property
    def v_weight(self) -> Float[Tensor, "rows d_model"] | None:
        """W_V, as ``q_weight``."""
        return self._matrix(2)

    def into_heads(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch kv_len d_model"],
        value: Float[Tensor, "batch kv_len d_model"],
        *,
        contiguous: bool = False,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries ``(batch, heads, q_len, d_query)``, keys and values ``(batch, kv_heads, kv_len, d_head)``.

        With ``LatentKeyValue`` latents take the place of keys and values until :meth:`meeting` makes these.

        Args:
            query: Tokens that ask.
            key: Tokens that are looked at.
            value: Tokens whose content is fetched.
            contiguous: Whether heads projected in one product are laid out one after the other, which matrix products
                need and the fused kernel does not.
        """
        blocks, weight = self.projections.blocks, self._stored("in_weight")
        if weight is None:
            q, k, v = (split_heads(x, self.num_heads) for x in (query, key, value))
            return q, k, v
        if key is query and value is query and self._one_product:
            packed = F.linear(query, weight, self._packed())  # (batch, tokens, heads of all blocks · d_head)
            batch, tokens, _ = query.shape
            if self.num_kv_heads == self.num_heads:
                parts = packed.view(batch, tokens, len(self.block_heads), self.num_heads, self.d_head)
                parts = parts.permute(2, 0, 3, 1, 4)  # (blocks, batch, heads, tokens, d_head): one copy lays out all
                heads = (parts.contiguous() if contiguous else parts).unbind()
            else:
                parts = packed.view(batch, tokens, sum(self.block_heads), self.d_head).transpose(1, 2)
                heads = parts.split(self.block_heads, dim=1)  # (batch, heads of a block, tokens, d_head) each
                heads = tuple(each.contiguous() for each in heads) if contiguous else heads
            return heads[blocks[0]], heads[blocks[1]], heads[blocks[2]]
        matrices = self._matrices(weight)
        q, k, v = (
            split_heads(F.linear(x, matrices[block], self._stored(role)), self.block_heads[block])
            for x, block, role in zip((query, key, value), blocks, self._roles, strict=True)
        )
        return q, k, v[..., : self.projections.rank] if isinstance(self.projections, LatentKeyValue) else v

    def turned_alone(self, x: Float[Tensor, "batch heads tokens _"], *given: Any, **turn: Any) -> Tensor:
        """:func:`rotate_heads` of queries or keys; with ``LatentKeyValue`` of what stands beside latents alone."""
        if isinstance(self.projections, LatentKeyValue):
            return self.projections.turned(x, *given, **turn)
        return rotate_heads(x, *given, **turn)

    def meeting(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values as they meet: as they are, or as :meth:`.LatentKeyValue.meeting` makes them."""
        latent = self.projections if isinstance(self.projections, LatentKeyValue) else None
        return latent.meeting(q, k, v, self._up("k_up_weight"), self._up("v_up_weight")) if latent else (q, k, v)

    def out_of_heads(
        self, context: Float[Tensor, "batch heads tokens d_head"]
    ) -> Float[Tensor, "batch tokens d_output"]:
        """The output: all heads of a token side by side, times W_Oᵀ plus b_O where they exist."""
        if isinstance(self.projections, LatentKeyValue):
            context = self.projections.fetched(context, self._up("v_up_weight"))
        merged, weight = merge_heads(context), self._stored("o_weight")
        return merged if weight is None else F.linear(merged, weight, self._stored("o_bias"))

    @torch.no_grad()
    def with_kv_heads(self: Module, num_kv_heads: int) -> Module:
        """A copy with another number of heads of keys and values.

        Fewer: each is the mean of those it replaces, as Ainslie et al. (2023), section 2.1, convert a trained model
        before they train it on. More: each of them is repeated, and the copy computes what this module does.

        Raises:
            ValueError: If neither number is a multiple of the other, or as in the constructor.
        """
        now = self.num_kv_heads
        if isinstance(self.projections, LatentKeyValue):
            raise ValueError(f"{self.projections} leaves no heads of keys to share: all share the latents.")
        require_kv_heads(self.num_heads, num_kv_heads, self.projections)
        if max(now, num_kv_heads) % min(now, num_kv_heads):
            raise ValueError(
                f"num_kv_heads = {num_kv_heads} is neither a multiple nor a divisor of the {now} there are."
            )
        made = copy.deepcopy(self)
        made.num_kv_heads = num_kv_heads
        made.block_heads = tuple(num_kv_heads if block else heads for block, heads in enumerate(self.block_heads))
        if self.in_weight is not None:
            queries, *others = self._matrices(self.in_weight)
            packed = torch.cat([queries, *(resized_heads(each, now, num_kv_heads) for each in others)])
            made.in_weight = nn.Parameter(packed, requires_grad=self.in_weight.requires_grad)
        for name in ("k_bias", "v_bias"):
            bias = getattr(self, name)
            if bias is not None:
                resized = resized_heads(bias, now, num_kv_heads)
                setattr(made, name, nn.Parameter(resized, requires_grad=bias.requires_grad))
        return made

    def shared(
        self, multiply: Callable[..., Tensor], x: Float[Tensor, "batch heads rows n"], y: Tensor, **options: Any
    ) -> Tensor:
        """``multiply(x, y, …)`` where heads of x share those of y ``(batch, kv_heads, …)``, of which none is copied.

        The rows of heads that share lie below each other, so that one product serves them.
        """
        if self.num_kv_heads == self.num_heads:
            return multiply(x, y, **options)
        batch, heads, rows, n = x.shape
        product = multiply(x.reshape(batch, self.num_kv_heads, heads // self.num_kv_heads * rows, n), y, **options)
        return product.reshape(batch, heads, rows, product.shape[-1])

    def describe(self, options: dict[str, tuple[Any, Any]]) -> str:
        """The sizes, and what differs from the defaults, also of ``options``, each beside its default."""
        shown = {
            "num_kv_heads": (self.num_kv_heads, self.num_heads),
            "d_head": (self.d_head, self.d_model // self.num_heads),
            "projections": (self.projections, FULL),
            **options,
        }
        if not isinstance(self.projections, Identity):
            shown["output_projection"] = (self.o_weight is not None, True)
            switched = ROLES if self.o_weight is None else (*ROLES, "o_bias")
            shown |= {name: (getattr(self, name) is not None, True) for name in switched}
        different = [f"{name}={value!r}" for name, (value, default) in shown.items() if value != default]
        return ", ".join([f"d_model={self.d_model}", f"num_heads={self.num_heads}", *different])

    def _matrix(self, role: int) -> Tensor | None:
        if self.in_weight is None:
            return None
        return self._matrices(self.in_weight)[self.projections.blocks[role]]

    def _matrices(self, weight: Tensor) -> list[Tensor]:
        """The blocks of the packed matrix: slices, since what ``split`` gives cannot be written into."""
        ends = accumulate(self._rows())
        return [weight[start:end] for start, end in pairwise([0, *ends])]

    def _rows(self) -> list[int]:
        """Rows of each block of the packed matrix."""
        return [heads * width for heads, width in zip(self.block_heads, self._widths, strict=False)]

    def _stored(self, name: str) -> Tensor | None:
        """A parameter, straight from the dictionary: nn.Module finds it more slowly than a small product is computed.

        Pruning, ``weight_norm`` and the like, and the replicas of ``nn.DataParallel``, keep it elsewhere.
        """
        try:
            return self._parameters[name]
        except KeyError:
            return getattr(self, name)

    def _up(self, name: str) -> Tensor:
        matrix = self._stored(name)
        assert matrix is not None
        return matrix

    def _packed(self) -> Tensor | None:
        """One bias for each block of the packed matrix, zeros where there is none."""
        by_block = [self._stored(role) for role in self._block_roles]
        present = [bias for bias in by_block if bias is not None]
        if not present:
            return None
        if len(present) < len(by_block):
            present = [
                present[0].new_zeros(rows) if bias is None else bias
                for bias, rows in zip(by_block, self._rows(), strict=True)
            ]
        return torch.cat(present)


def _under_one_name(module: HeadProjections, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    """Takes a tied bias that is given under both names; two different values are an error."""
    for name in ROLES:
        stored = module.stored_as(name)
        if stored == name or prefix + name not in state_dict:
            continue
        given = state_dict.pop(prefix + name)
        if not torch.equal(state_dict.setdefault(prefix + stored, given), given):
            rest[-1].append(
                f"{prefix}{name} and {prefix}{stored} are one parameter here, but two different values were given."
            )
