"""The law of trace and forward, for any call and whatever is done to the module."""

import copy
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils import parametrizations, parametrize, prune

from attention_core.modules.multi_head import MultiHeadAttention
from tests.modules.law import Call, apart, bound, calls, check


@given(calls())
@settings(max_examples=60)
def test_trace_is_forward(call: Call) -> None:
    check(call)


@given(calls(), st.sampled_from((torch.bfloat16, torch.float16)))
@settings(max_examples=60)
def test_trace_is_forward_under_autocast(call: Call, lower: torch.dtype) -> None:
    call.module.float()
    call.args = tuple(x.float() for x in call.args)
    with torch.no_grad(), torch.autocast("cpu", lower):
        output, trace = call.module(*call.args, **call.masks), call.module.trace(*call.args, **call.masks)
    assert output.isfinite().all()
    assert trace.output.isfinite().all()


def meta(module: MultiHeadAttention) -> MultiHeadAttention:
    with torch.no_grad():
        state = {name: each.clone() for name, each in module.state_dict().items()}
        empty = copy.deepcopy(module).to("meta").to_empty(device="cpu")
        for each in empty.modules():
            if hasattr(each, "reset_parameters"):
                each.reset_parameters()
        assert all(each.isfinite().all() for each in empty.parameters())
        empty.load_state_dict(state)
    return empty


def assigned(module: MultiHeadAttention) -> MultiHeadAttention:
    fresh = copy.deepcopy(module).to("meta")
    fresh.load_state_dict({name: each.clone() for name, each in module.state_dict().items()}, assign=True)
    return fresh


def pruned(module: MultiHeadAttention) -> MultiHeadAttention:
    for name in ("in_weight", "o_weight"):
        if getattr(module, name) is not None:
            prune.identity(module, name)
    return module


def parametrized(module: MultiHeadAttention) -> MultiHeadAttention:
    if module.in_weight is not None:
        parametrizations.weight_norm(module, "in_weight")
    if module.o_weight is not None:
        parametrize.register_parametrization(module, "o_weight", torch.nn.Identity())
    return module


def without_first_bias(module: MultiHeadAttention) -> MultiHeadAttention:
    module.q_bias = module.v_bias = None
    return module


WAYS = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda module: pickle.loads(pickle.dumps(module)),
    "meta, then empty": meta,
    "assigned": assigned,
    "pruned": pruned,
    "parametrized": parametrized,
    "biases taken away": without_first_bias,
}


@pytest.mark.parametrize("way", WAYS)
def test_the_law_survives(way: str) -> None:
    @given(calls())
    @settings(max_examples=10)
    def survives(call: Call) -> None:
        before = call.module(*call.args, **call.masks)
        call.module = WAYS[way](call.module)
        if way != "biases taken away":
            limit = bound(call) if way == "parametrized" else 0.0
            assert apart(before, call.module(*call.args, **call.masks)) <= limit
        check(call)

    survives()


@given(calls())
@settings(max_examples=25)
def test_functional_call_takes_every_parameter(call: Call) -> None:
    parameters = dict(call.module.named_parameters())
    for tie_weights in (True, False):
        output = torch.func.functional_call(call.module, parameters, call.args, call.masks, tie_weights=tie_weights)
        assert apart(output, call.module(*call.args, **call.masks)) == 0
