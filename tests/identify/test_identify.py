"""``identify`` on what is right, on callables, on what cannot be asked; and what it gives."""

import copy
import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pages._shared.core.pages import PAGES
import attention_core
from attention_core import MultiHeadAttention, Rotary
from attention_core.identify import CHOICES, Design, IdentifyError, identify
from attention_core.identify.__main__ import main
from attention_core.identify.bound import relative_bound
from attention_core.identify.compute import Sizes

PATIENT = {"max_seconds": 600}


class Right(nn.Module):
    """By the book."""

    def __init__(self, d_model: int = 16, num_heads: int = 2, dropout: float = 0.0) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h, self.dropout = num_heads, nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        w = self.dropout((q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1))
        return self.out((w @ v).transpose(1, 2).flatten(2))


def differing(design: Design | None) -> dict[str, str]:
    """What a design has other than the paper."""
    assert design is not None
    return {key: value for key, value in design.values_of_choices() if value != getattr(Design(), key)}


def test_the_package_is_the_function() -> None:
    found = attention_core.identify(Right(), d_model=16, num_heads=2)
    assert differing(found.design) == {}
    assert found.faults == ()
    assert found.sentence() == "Attention: no fault found."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"batch_first": True}, {}),
        ({"bias": False}, {}),
        ({"add_zero_attn": True, "batch_first": True}, {"softmax": "plus_one"}),
        ({"kdim": 16, "vdim": 16}, {}),
    ],
)
def test_torchs_module_is_identified(options: dict[str, Any], expected: dict[str, str]) -> None:
    assert differing(identify(nn.MultiheadAttention(16, 2, **options), 16, 2, **PATIENT).design) == expected


def test_torchs_function_is_identified() -> None:
    assert differing(identify(F.scaled_dot_product_attention, 16, 2, **PATIENT).design) == {}
    unscaled = identify(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0), 16, 2, **PATIENT
    )
    assert differing(unscaled.design) == {"scale": "none", "mask": "causal"}
    assert [fault.link for fault in unscaled.faults] == ["scaling"]
    with pytest.raises(ValueError, match="A function of queries, keys and values has no weights"):
        unscaled.as_module()


def test_a_scale_of_its_own_is_found_as_a_number() -> None:
    found = identify(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), 16, 2, **PATIENT)
    assert differing(found.design) == {"scale": "own:0.3"}
    assert found.faults == ()


@pytest.mark.parametrize(
    "options",
    [
        {}, {"position": Rotary()}, {"position": Rotary(halves=True, base=500000.0)}, {"num_kv_heads": 2},
            {"qk_norm": True},
        {"zero_sink": True}, {"q_bias": False, "o_bias": False}, {"output_projection": False},
    ],
    ids=repr,
)  # fmt: skip
def test_as_module_computes_what_the_module_does(options: dict[str, Any]) -> None:
    torch.manual_seed(1)
    module = MultiHeadAttention(16, 4, **options).double()
    names = {"qkv": "in_weight", "o": "o_weight"} if module.o_weight is not None else {"qkv": "in_weight"}
    made = identify(module, 16, 4, weights=names, **PATIENT).as_module()
    x = torch.randn(2, 7, 16, dtype=torch.float64)
    assert isinstance(made, MultiHeadAttention)
    assert made(x).shape == module(x).shape
    assert float((made(x) - module(x)).detach().abs().max()) < 1e-13


def test_heads_that_are_cut_otherwise_have_a_module_too() -> None:
    class EveryOther(Right):
        def forward(self, x: Tensor) -> Tensor:
            q, k, v = (layer(x).unflatten(-1, (-1, self.h)).permute(0, 3, 1, 2) for layer in (self.q, self.k, self.v))
            return self.out(F.scaled_dot_product_attention(q, k, v).permute(0, 2, 3, 1).flatten(2))

    module, x = EveryOther().double(), torch.randn(2, 5, 16, dtype=torch.float64)
    found = identify(module, 16, 2, **PATIENT)
    assert differing(found.design) == {"cut": "every_hth", "merge": "every_hth"}
    assert float((found.as_module()(x) - module(x)).detach().abs().max()) < 1e-13


def test_a_design_without_a_counterpart_says_which() -> None:
    class Late(Right):
        def forward(self, x: Tensor) -> Tensor:
            return self.out(self.v(x) * 0 + super().forward(x)) if False else x + super().forward(x)

    found = identify(Late(), 16, 2, **PATIENT)
    with pytest.raises(ValueError, match="Around it: the tokens are added to the output: this package has no such"):
        found.as_module()


def test_the_module_that_is_asked_stays_as_it_is() -> None:
    module = Right(dropout=0.5).train()
    before, mode = copy.deepcopy(module.state_dict()), module.training
    torch.manual_seed(4)
    identify(module, 16, 2, **PATIENT)
    drawn = torch.rand(3)
    assert torch.equal(drawn, torch.rand(3, generator=torch.Generator().manual_seed(4)))
    assert module.training is mode
    assert all(torch.equal(value, module.state_dict()[name]) for name, value in before.items())
    assert next(module.parameters()).dtype == torch.float32


def test_a_callable_with_its_weights_beside_it_gets_them_back() -> None:
    q, k, v = (torch.randn(16, 16) for _ in range(3))
    kept = q.clone()

    def attend(x: Tensor) -> Tensor:
        a, b, c = ((x @ w).unflatten(-1, (2, 8)).transpose(1, 2) for w in (q, k, v))
        return ((a @ b.mT / 4).softmax(-1) @ c).transpose(1, 2).flatten(2)

    found = identify(attend, 16, 2, weights={"q": q, "k": k, "v": v}, **PATIENT)
    assert differing(found.design) == {"stored": "columns", "scale": "d_model"}
    assert q.dtype == torch.float32
    assert torch.equal(q, kept)


def test_without_weights_probes_say_what_can_be_said() -> None:
    w = torch.randn(16, 16)
    found = identify(lambda x: F.scaled_dot_product_attention(x @ w, x, x, is_causal=True), 16, 2)
    said = {row.choice: row.here for row in found.rows}
    assert found.design is None
    assert found.faults == ()
    assert said["Mask"] == "no token sees a later one"
    assert said["Batch"] == "entries do not see each other"
    assert said["Order"] == "order matters"
    assert "give weights=" in found.sentence()


def test_weights_are_asked_for_and_taken_where_names_say_nothing() -> None:
    class Odd(Right):
        def __init__(self) -> None:
            super().__init__()
            self.value_of_queries, self.key_of_values, self.query_of_keys = self.q, self.v, self.k
            del self.q, self.k, self.v

        def forward(self, x: Tensor) -> Tensor:
            self.__dict__.update(q=self.value_of_queries, k=self.query_of_keys, v=self.key_of_values)
            return super().forward(x)

    names = {"q": "value_of_queries", "k": "query_of_keys", "v": "key_of_values"}
    weights = {
        f"{role}{end}": f"{name}.{of}"
        for role, name in names.items()
        for end, of in (("", "weight"), ("_bias", "bias"))
    }
    assert differing(identify(Odd(), 16, 2, weights=weights, **PATIENT).design) == {}


def test_what_is_no_attention_is_not_accused() -> None:
    class Other(Right):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) + 0.01 * x.cumsum(1)

    found = identify(Other(), 16, 2, max_seconds=3)
    assert found.design is None
    assert found.faults == ()
    assert found.sentence().startswith("Not known.")
    assert "A hint, nothing more" in found.sentence()
    with pytest.raises(ValueError, match="Nothing was found"):
        found.as_module()


def test_dropout_that_stays_on_is_said_and_the_rest_is_found() -> None:
    class On(Right):
        def forward(self, x: Tensor) -> Tensor:
            return F.dropout(super().forward(x), 0.1)

    found = identify(On(), 16, 2, **PATIENT)
    assert [fault.sentence for fault in found.faults] == ["dropout is still on in evaluation"]
    assert differing(found.design) == {}


class Masked(Right):
    """``mask`` is True where a key may be seen."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        w = s.softmax(-1) if mask is None else self.weigh(s, mask)
        return self.out((w @ v).transpose(1, 2).flatten(2))

    def weigh(self, s: Tensor, mask: Tensor) -> Tensor:
        return s.masked_fill(mask == 0, -1e9).softmax(-1)


class MaskedLate(Masked):
    def weigh(self, s: Tensor, mask: Tensor) -> Tensor:
        return s.softmax(-1) * mask


class MaskedByLittle(Masked):
    def weigh(self, s: Tensor, mask: Tensor) -> Tensor:
        return s.masked_fill(~mask, 1e-9).softmax(-1)


class MaskForgotten(Masked):
    def weigh(self, s: Tensor, mask: Tensor) -> Tensor:  # noqa: ARG002
        return s.softmax(-1)


class MaskWithoutHeads(Masked):
    def weigh(self, s: Tensor, mask: Tensor) -> Tensor:
        return s.masked_fill(~mask[:, None, :], -torch.inf).softmax(-1)


class PaddingTurned(Right):
    def forward(self, x: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        seen = None if key_padding_mask is None else key_padding_mask[:, None, None, :].bool()
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).flatten(2))


@pytest.mark.parametrize(
    ("kind", "argument", "here", "faulty"),
    [
        (Masked, "mask", "True may be seen", False),
        (MaskedLate, "mask", "False is hidden after softmax: rows no longer sum to 1", True),
        (MaskedByLittle, "mask", "where False, scores become 1e-09, not −∞", True),
        (MaskForgotten, "mask", "is not used", True),
        (MaskWithoutHeads, "mask", "False is hidden, of head b by entry b: the axis of heads is missing", True),
        (PaddingTurned, "key_padding_mask", "True may be seen, and not padding as in torch", True),
    ],
)
def test_how_a_mask_is_read_is_said(kind: type[nn.Module], argument: str, here: str, faulty: bool) -> None:
    torch.manual_seed(2)
    found = identify(kind(), 16, 2, **PATIENT)
    rows = {row.choice: row.here for row in found.rows}
    assert rows[f"Argument {argument}"].startswith(f"{here} (")
    assert [fault.sentence for fault in found.faults] == [f"Argument {argument}: {here}"] * faulty


def test_torchs_masks_are_read_as_torch_says() -> None:
    found = identify(nn.MultiheadAttention(16, 2), 16, 2, **PATIENT)
    rows = {row.choice: row.here for row in found.rows}
    assert rows["Argument key_padding_mask"].startswith("True is hidden (bool (B, T)")
    assert rows["Argument attn_mask"] == "True is hidden (bool (T, T)); added to the scores (added (T, T))"
    assert found.faults == ()


class Fails(Right):
    def forward(self, x: Tensor) -> Tensor:  # noqa: ARG002
        raise RuntimeError("no such luck")


class Asks(Right):
    def forward(self, x: Tensor, table: Tensor, number: int, other: int) -> Tensor:
        return super().forward(x) * table[number, other]


class Counts(Right):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + self.count()

    def count(self) -> int:
        self.calls = getattr(self, "calls", 0) + 1
        return self.calls


class Random(Right):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * torch.rand(())


class Pooled(Right):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).mean(1)


class Nothing(Right):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * math.nan


class Integers(Right):
    def __init__(self) -> None:
        super().__init__()
        self.q.weight = nn.Parameter(torch.zeros(16, 16, dtype=torch.int8), requires_grad=False)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Fails, "RuntimeError: no such luck. Give call="),
        (Asks, "it cannot be called with tokens of shape"),
        (Counts, "two calls on the same tokens differ"),
        (Random, "two calls on the same tokens differ: it is random"),
        (Pooled, r"of tokens \(2, 4, 16\) it gives \(2, 16\)"),
        (Nothing, "all that it gives is NaN"),
        (Integers, "q.weight is torch.int8: give the module before quantisation"),
        (lambda: Right(24), "the weight of q has shape|it cannot be called|fails"),
        (lambda: torch.compile(Right()), "the module is compiled: give the one before torch.compile"),
        (lambda: torch.jit.trace(Right(), torch.ones(1, 3, 16)), "the module is a TorchScript"),
        (lambda: Right().to("meta"), "on the device meta, without values"),
        (
            lambda: torch.ao.quantization.quantize_dynamic(Right(), {nn.Linear}),
            "is quantised: give the module before",
        ),
        (lambda: nn.Linear(6000, 6000), "has 36,006,000 parameters, of which copies"),
        (lambda: nn.Linear(16, 16), "the matrices of queries, keys and values were not found"),
        (lambda: 7, "int is neither a module nor callable"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_asked_says_what_to_give(make: Any, said: str) -> None:
    with pytest.raises(IdentifyError, match=said):
        identify(make(), 16, 2, **PATIENT)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d_model": 15}, "d_model = 15 is no multiple of num_heads = 2"),
        ({"num_heads": 0}, "both must be positive"),
        ({"max_seconds": 0}, "max_seconds = 0 is not possible"),
        ({"max_seconds": math.nan}, "max_seconds = nan is not possible"),
        ({"weights": {"query": "q.weight"}}, "'query', which is no role: give some of q, k, v"),
        ({"weights": {"q": "wq"}}, "weights names 'wq', but the parameters are q.weight"),
        ({"weights": {"q": torch.ones(3)}}, "of a module give the parameters' names"),
    ],
)
def test_options_that_are_not_possible_say_why(options: dict[str, Any], said: str) -> None:
    with pytest.raises(IdentifyError, match=said):
        identify(Right(), **{"d_model": 16, "num_heads": 2} | options)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_asked_in_full(dtype: torch.dtype) -> None:
    assert differing(identify(Right().to(dtype), 16, 2, **PATIENT).design) == {}


def test_a_search_that_takes_too_long_ends_and_says_so() -> None:
    class Other(Right):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) + 0.1 * x.cumsum(1)

    found = identify(Other(), 16, 2, max_seconds=0.05)
    assert "The search ended after max_seconds = 0.05" in found.sentence()


def test_what_is_given_is_frozen_and_plain() -> None:
    found = identify(nn.MultiheadAttention(16, 2, add_zero_attn=True), 16, 2, **PATIENT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.seconds = 0.0  # type: ignore[misc]
    plain = json.loads(json.dumps(found.as_plain()))
    assert plain["design"]["softmax"] == "plus_one"
    assert [*plain["table"][0]] == ["choice", "here", "usual", "evidence"]
    lines = str(found).splitlines()
    assert lines[0] == "Attention, with a design of its own (Softmax: over keys and a zero): no fault found."
    assert re.match(r"choice +here +usual +evidence", lines[2])
    assert found._repr_html_().count("<tr>") == len(found.rows) + 1


def test_the_bound_is_what_its_derivation_says_and_far_below_any_difference() -> None:
    sizes = Sizes(d_model=64, num_heads=4, num_kv_heads=4, d_head=16)
    by_hand = 2 * 6 * math.sqrt(64 + 16 + 6 + 6 + 64 + 32) * 2.0**-53 * math.sqrt(64) * (1 + 2 * 5.0)
    assert relative_bound(sizes, 6, 2.0**-53, 5.0) == pytest.approx(by_hand, rel=1e-12)
    assert by_hand < 1e-11
    differences = re.findall(r"off by (\S+)", str(identify(Right(), 16, 2, **PATIENT)))
    assert len(differences) > 10
    assert min(map(float, differences)) > 1e-3


def test_what_float64_can_tell_apart_is_said() -> None:
    class Nearly(Right):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) * 1.0000001

    assert "not float64" in identify(Nearly(), 16, 2, **PATIENT).sentence()


def test_progress_is_told() -> None:
    told: list[str] = []
    identify(Right(), 16, 2, progress=told.append)
    assert told[0] == "designs with no faults"


def test_the_key_bias_cannot_be_told_from_none() -> None:
    found = identify(Right(), 16, 2, **PATIENT)
    evidence = {row.choice: row.evidence for row in found.rows}
    assert evidence["Key bias"] == "cannot be told from: is not used"
    assert [other.k_bias for other in found.alike] == ["left_out"]
    assert "1/√" in evidence["Scale"] or "off by" in evidence["Scale"]


def test_each_choice_leads_to_a_page_that_there_is() -> None:
    assert {choice.page for choice in CHOICES} <= {page.name for page in PAGES}
    for choice in CHOICES:
        assert getattr(Design(), choice.key) == choice.options[0].key
        assert len({option.key for option in choice.options}) == len(choice.options)


FAULTY = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h = num_heads

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        w = (q @ k.mT / AXIS).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2))
"""


def test_the_command_says_it_and_its_status_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--d-model", "16", "--heads", "2", "--max-seconds", "600"]
    path = tmp_path / "mine.py"
    path.write_text(FAULTY.replace("AXIS", "q.shape[-1] ** 0.5"), encoding="utf-8")
    assert main([f"{path}:Attention", *sizes]) == 0
    assert capsys.readouterr().out.startswith("Attention: no fault found.")
    path.write_text(FAULTY.replace("AXIS", "16 ** 0.5"), encoding="utf-8")
    assert main([f"{path}:Attention", "--json", *sizes]) == 1
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert [(fault["choice"], fault["link"]) for fault in faults] == [("scale", "scaling")]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nothing.py:A", "names no file"),
        ("mine.py", "names no file"),
        ("mine.py:B", "has no 'B'; it has torch, nn, Attention"),
        ("broken.py:A", "fails when it is run: ZeroDivisionError"),
    ],
)
def test_a_command_that_is_not_possible_says_why(
    what: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(FAULTY, encoding="utf-8")
    Path("broken.py").write_text("1 / 0", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main([what, "--d-model", "16", "--heads", "2"])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
