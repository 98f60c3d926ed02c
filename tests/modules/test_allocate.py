"""Memory for modules that were made as shapes alone."""

import torch

from attention_core.modules.allocate import allocate
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import TiedQueryKey
from attention_core.modules.stack import Decoder


def test_what_is_one_stays_one_and_what_is_frozen_stays_frozen() -> None:
    tied = MultiHeadAttention(8, 2, projections=TiedQueryKey(), device="meta")
    twice = torch.nn.ModuleList([tied, tied.requires_grad_(False)])
    names = dict(twice.named_parameters(remove_duplicate=False))
    assert allocate(twice, dtype=torch.float64) is twice
    found = dict(twice.named_parameters(remove_duplicate=False))
    assert found.keys() == names.keys()
    for name, each in found.items():
        assert (each.device.type, each.dtype) == ("cpu", torch.float64)
        assert each.shape == names[name].shape
        assert not each.requires_grad
    one_as_another = {(a, b) for a in names for b in names if names[a] is names[b]}
    assert {(a, b) for a in found for b in found if found[a] is found[b]} == one_as_another
    assert tied.q_bias is tied.k_bias


def test_an_allocated_module_takes_weights_and_computes() -> None:
    drawn = Decoder(8, 2, 2, final_norm=True)
    made = allocate(Decoder(8, 2, 2, final_norm=True, device="meta"))
    made.load_state_dict(drawn.state_dict())
    x = torch.randn(1, 3, 8)
    assert torch.equal(made(x), drawn(x))
