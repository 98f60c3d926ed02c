"""torch.compile and torch.export take the module whole.

In a process of its own: there shapes go unchecked, as for everyone who imports the package.
"""

import subprocess
import sys

import pytest

PREAMBLE = """
import torch
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.masks import key_padding_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import TiedKeyValue

def every_option():
    torch.manual_seed(0)
    yield MultiHeadAttention(12, 3, position=NoPosition()).eval()
    yield MultiHeadAttention(12, 3, position=Sinusoidal(), qk_norm=True, k_bias=False).eval()
    yield MultiHeadAttention(12, 3, position=Learned(max_len=11), zero_sink=True).eval()
    yield MultiHeadAttention(12, 3, position=Rotary(), projections=TiedKeyValue()).eval()
    yield MultiHeadAttention(12, 3, position=Alibi()).eval()
    yield MultiHeadAttention(12, 6, num_kv_heads=2, position=Rotary(halves=True)).eval()
    yield MultiHeadAttention(12, 6, num_kv_heads=2, score="additive", position=Alibi()).eval()
    yield MultiHeadAttention(12, 6, num_kv_heads=2, position=RelativeKey(4, both=True)).eval()
    yield MultiHeadAttention(12, 3, sink=True).eval()
    grouped = MultiHeadAttention(12, 6, num_kv_heads=2, sink=True).eval()
    grouped.sink.requires_grad_(False)  # grouped heads with a mask that has a gradient are more than torch exports
    yield grouped

x, padding = torch.randn(2, 7, 12), key_padding_mask([7, 4])
calls = ({}, {"is_causal": True}, {"key_padding_mask": padding, "is_causal": True})

def every_case():
    first, *others = every_option()
    yield from ((first, masks) for masks in calls)
    yield from ((module, calls[-1]) for module in others)
"""

COMPILE = """
loose = LinearAttention(12, 3, num_kv_heads=1, position=Learned(max_len=11)).eval()
for module, masks in (*every_case(), *((loose, masks) for masks in calls)):
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    assert (compiled(x, **masks) - module(x, **masks)).abs().max() < 1e-5
    expected = torch.autograd.grad(module(x, **masks).square().sum(), module.in_weight)[0]
    found = torch.autograd.grad(compiled(x, **masks).square().sum(), module.in_weight)[0]
    assert (found - expected).abs().max() < 1e-3
"""

EXPORT = """
for module, masks in every_case():
    batch, tokens = torch.export.Dim("batch", max=50), torch.export.Dim("tokens", min=3, max=11)
    shapes = {"query": {0: batch, 1: tokens}, "key": None, "value": None}
    shapes |= {name: {0: batch, 1: tokens} if name == "key_padding_mask" else None for name in masks}
    program = torch.export.export(module, (x, None, None), masks, dynamic_shapes=shapes)
    other = {**masks, "key_padding_mask": key_padding_mask([5, 3, 1])} if "key_padding_mask" in masks else masks
    y = torch.randn(3, 5, 12)
    assert (program.module()(y, None, None, **other) - module(y, **other)).abs().max() < 1e-5
"""

LAW = """
import warnings
from hypothesis import given, settings
from tests.modules.law import calls, check

def compiled(module, args, masks):
    torch._dynamo.reset()
    return torch.compile(module, fullgraph=True, backend="aot_eager")(*args, **masks)

def exported(module, args, masks):
    return torch.export.export(module, args, masks).module()(*args, **masks)

warnings.simplefilter("ignore")

for capture in (compiled, exported):

    @given(calls())
    @settings(max_examples=15, deadline=None, database=None)
    def law(call):
        check(call, lambda *args, **masks: capture(call.module, args, masks))

    law()
"""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(COMPILE, marks=pytest.mark.slow, id="compile"),
        pytest.param(EXPORT, marks=pytest.mark.nightly, id="export"),
        pytest.param(LAW, marks=pytest.mark.nightly, id="law"),  # a minute or two
    ],
)
def test_the_module_is_captured_whole_and_computes_the_same(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", PREAMBLE + script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
