"""What ``identify`` says of attention that nobody here wrote: ``python -m tools.identified`` prints it as a table.

torch's own module with its switches and its function, and the first attention of each family of the transformers that
is installed, as small as it can be made. How each is called is taken from a forward of the whole model.
"""

import argparse
import contextlib
import inspect
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_core import terminal
from attention_core.identify import IdentifyError, identify
from attention_core.identify.found import Identified, described
from attention_core.identify.precisely import Precisely

D_MODEL, HEADS = 64, 4
FAMILIES = (
    "albert", "apertus", "arcee", "bert", "bert-generation", "big_bird", "biogpt",
    "bitnet",
    "bloom", "camembert", "clip_text_model", "clip_vision_model", "codegen", "cohere", "convbert", "ctrl", "deit",
    "diffllama",
    "dinov2", "distilbert", "electra", "ernie", "esm", "exaone4", "falcon", "gemma", "gemma2", "gemma3_text", "glm",
    "glm4", "gpt2",
    "gpt_bigcode", "gpt_neo", "gpt_neox", "gpt_oss", "gptj", "granite", "helium", "hunyuan_v1_dense", "ibert",
    "imagegpt", "layoutlm",
    "llama", "megatron-bert", "mistral", "mixtral", "modernbert", "mpnet", "mpt", "nemotron", "nystromformer",
    "olmo", "olmo2",
    "openai-gpt", "opt", "persimmon", "phi", "phi3", "qwen2", "qwen3", "rembert", "roberta", "roc_bert", "roformer",
    "siglip_vision_model", "smollm3", "splinter", "squeezebert", "stablelm", "starcoder2",
    "t5", "vit", "vit_mae",
    "xglm", "xlm-roberta", "xlm-roberta-xl", "yolos",
)  # fmt: skip
SMALL = {
    "hidden_size": D_MODEL, "num_attention_heads": HEADS, "num_hidden_layers": 1, "intermediate_size": 64,
    "vocab_size": 64,
    "max_position_embeddings": 32, "image_size": 16, "patch_size": 8, "embedding_size": D_MODEL, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": 2, "head_dim": D_MODEL // HEADS, "n_positions": 32, "n_embd": D_MODEL,
    "n_head": HEADS,
    "n_layer": 1, "n_layers": 1, "n_heads": HEADS, "dim": D_MODEL, "hidden_dim": 64, "d_model": D_MODEL,
    "num_layers": 1,
    "ffn_dim": 64, "attention_heads": HEADS, "decoder_layers": 1, "encoder_layers": 1,
    "decoder_attention_heads": HEADS,
    "d_ff": 64, "num_heads": HEADS, "d_kv": D_MODEL // HEADS, "word_embed_proj_dim": D_MODEL, "type_vocab_size": 2,
    "num_local_experts": 2, "num_experts_per_tok": 1, "attention_dropout": 0.0, "rotary_dim": 8, "dff": 64,
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "gpt_neo": {"attention_types": [[["global"], 1]]},
    "gemma2": {"query_pre_attn_scalar": 24, "attn_logit_softcapping": None},
    "falcon": {"new_decoder_architecture": False},
    "modernbert": {"global_attn_every_n_layers": 1},
    "big_bird": {"attention_type": "original_full"},
    "codegen": {"n_ctx": 32},
    "gemma3_text": {"query_pre_attn_scalar": D_MODEL // HEADS},
    "yolos": {"image_size": [16, 16]},
}
# What these compute that is not looked for.
WHY = {
    "torch.nn.MultiheadAttention(add_bias_kv=True)": "a learned key and value beside those of the tokens",
    "apertus": "angles scaled as Llama 3.1 scales them",
    "bitnet": "a norm between heads and output projection",
    "codegen": "rows of matrices laid out for several chips",
    "convbert": "convolutions beside the heads",
    "diffllama": "the difference of two attentions",
    "gpt_oss": "angles scaled as YaRN scales them",
    "ibert": "arithmetic of whole numbers; gives pairs of a tensor and its scale",
    "mpnet": "a learned bias for each distance",
    "nystromformer": "landmarks for keys, and a convolution of the values",
    "squeezebert": "convolutions, with channels before tokens",
    "t5": "a learned bias for each distance",
}
KV = {"llama": 2, "mistral": 2, "qwen2": 2, "qwen3": 2, "olmo2": 4}


def of_torch() -> Iterator[tuple[str, Any, Any]]:
    """torch's own, each with a name and how it is called."""
    switches: list[dict[str, Any]] = [
        {}, {"batch_first": True}, {"bias": False}, {"add_zero_attn": True}, {"add_bias_kv": True},
            {"kdim": D_MODEL, "vdim": D_MODEL},
    ]  # fmt: skip
    for given in switches:
        told = ", ".join(f"{name}={value}" for name, value in given.items())
        yield f"torch.nn.MultiheadAttention({told})", nn.MultiheadAttention(D_MODEL, HEADS, **given), None
    causal = torch.nn.Transformer.generate_square_subsequent_mask

    def masked(module: Any, x: Tensor) -> Any:
        return module(x, x, x, attn_mask=causal(x.shape[1]), need_weights=False)

    yield (
        "torch.nn.MultiheadAttention, a causal attn_mask",
        nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True),
        masked,
    )
    yield "F.scaled_dot_product_attention", F.scaled_dot_product_attention, None
    yield (
        "F.scaled_dot_product_attention, is_causal",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        None,
    )
    yield (
        "F.scaled_dot_product_attention, scale=1",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=1.0),
        None,
    )


def of_transformers(family: str) -> tuple[nn.Module, Callable[[Any, Tensor], Any]]:
    """The first attention of a family's smallest model, and how it is called.

    Raises:
        Exception: Whatever making the model or a forward of it raises.
    """
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(family)
    fixed = {name for name in SMALL if isinstance(getattr(type(config), name, None), property)}
    known = {name: value for name, value in SMALL.items() if hasattr(config, name) and name not in fixed}
    kv = {"num_key_value_heads": KV.get(family, HEADS)} if hasattr(config, "num_key_value_heads") else {}
    config = AutoConfig.for_model(family, **known | kv | MORE.get(family, {}))
    torch.manual_seed(0)
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Precisely():
            config._attn_implementation = "eager"
            model = AutoModel.from_config(config, attn_implementation="eager").double().eval()
    finally:
        torch.set_default_dtype(default)
    module = attention_of(model)
    kept: dict[tuple[int, int], tuple[list[Any], dict[str, Any]]] = {}

    def call(copy: Any, x: Tensor) -> Any:
        size = (x.shape[0], x.shape[1])
        if size not in kept:
            kept[size] = arguments(model, module, size)
        args, kwargs = kept[size]
        return copy(
            *[x if one is ... else one for one in args],
            **{name: x if one is ... else one for name, one in kwargs.items()},
        )

    return module, call


def attention_of(model: nn.Module) -> nn.Module:
    """The first module that attends: the innermost that holds matrices of queries, keys and values."""
    named = [
        m
        for m in model.modules()
        if "attention" in type(m).__name__.lower() and any(isinstance(p, nn.Parameter) for p in m.parameters())
    ]
    if not named:
        raise IdentifyError("the model has no module that is called an attention")
    return named[0]


def arguments(model: nn.Module, module: nn.Module, size: tuple[int, int]) -> tuple[list[Any], dict[str, Any]]:
    """What a forward of the model gives its attention for so many tokens; ``...`` where its tokens are."""
    seen: list[tuple[list[Any], dict[str, Any]]] = []

    def keep(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        seen.append(([*args], dict(kwargs)))
        raise _Seen

    hook = module.register_forward_pre_hook(keep, with_kwargs=True)
    try:
        with torch.no_grad(), contextlib.suppress(_Seen):
            model(**inputs_of(model, *size))
    finally:
        hook.remove()
    args, kwargs = seen[0]
    tokens = [one for one in (*args, *kwargs.values()) if is_tokens(one)]
    if not tokens:
        raise IdentifyError("its attention takes no tokens of shape (batch, tokens, d_model)")
    if tokens[0].shape[:2] != torch.Size(size) and tokens[0].shape[0] == size[0]:
        args, kwargs = without_mask(args), dict(zip(kwargs, without_mask([*kwargs.values()]), strict=True))
    kwargs = {name: None if "past" in name or "cache" in name else one for name, one in kwargs.items()}
    return [... if is_tokens(one) else one for one in args], {
        n: ... if is_tokens(one) else one for n, one in kwargs.items()
    }


class _Seen(Exception):  # noqa: N818 - no error: the rest of the model need not be computed
    pass


def is_tokens(one: Any) -> bool:
    return isinstance(one, Tensor) and one.is_floating_point() and one.dim() == 3 and one.shape[-1] == D_MODEL


def without_mask(given: list[Any]) -> list[Any]:
    """Of pictures: their number of tokens is not ours, and there is no mask."""
    return [None if isinstance(one, Tensor) and one.dim() == 4 else one for one in given]


def inputs_of(model: nn.Module, batch: int, tokens: int) -> dict[str, Tensor]:
    """Words, or a picture, whichever the model takes."""
    asked = inspect.signature(model.forward).parameters
    ids = torch.full((batch, tokens), 5)
    given: dict[str, Tensor] = {}
    if "pixel_values" in asked:
        given["pixel_values"] = torch.zeros(batch, 3, 16, 16, dtype=torch.float64)
    elif "input_ids" in asked:
        given["input_ids"] = ids
    else:
        raise IdentifyError("the model takes neither words nor pictures")
    if "decoder_input_ids" in asked:
        given["decoder_input_ids"] = ids
    if "use_cache" in asked:
        given["use_cache"] = False  # type: ignore[assignment]
    return given


def told(found: Identified) -> tuple[str, str]:
    """Identified, a design of its own, a fault by name, or not known; and what of it."""
    if found.design is None:
        return "not known", "no design is equal"
    own = [described(key, found.design) for key in found.design.own]
    faults = [fault.sentence for fault in found.faults]
    mask = "; ".join(["causal"] * (found.design.mask == "causal"))
    rounding = [found.why[0]] if found.why else []
    said = "; ".join([*([mask] if mask else []), *own, *faults, *rounding])
    return ("differs from the paper" if faults else "a design of its own" if own else "identified"), said


def row(name: str, make: Callable[[], tuple[Any, Any]], max_seconds: float) -> tuple[str, str, str]:
    """A line of the table."""
    try:
        module, call = make()
        kind, of_it = told(identify(module, D_MODEL, HEADS, call=call, max_seconds=max_seconds))
        return name, kind, WHY.get(name, of_it) if kind == "not known" else of_it
    except Exception as error:  # noqa: BLE001 - whatever a model raises is why it is not known
        if name in WHY:
            return name, "not known", WHY[name]
        lines = str(error).strip().splitlines()
        return name, "not known", f"{type(error).__name__}: {lines[0][:160] if lines else ''}"


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.identified", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", nargs="*", default=[], help="families; all where none is given")
    parser.add_argument("--max-seconds", type=float, default=60.0, help="for each")
    asked = parser.parse_args(arguments)
    terminal.forgive()
    warnings.filterwarnings("ignore")
    rows = [] if asked.only else [row(name, lambda m=m, c=c: (m, c), asked.max_seconds) for name, m, c in of_torch()]
    for family in asked.only or FAMILIES:
        start = time.monotonic()
        rows.append(row(family, lambda family=family: of_transformers(family), asked.max_seconds))
        sys.stderr.write(f"{' · '.join(rows[-1])} · {time.monotonic() - start:.1f} s\n")
    known = sum(kind != "not known" for _, kind, _ in rows)
    print(f"{known} of {len(rows)} are known.\n\n| attention | is | what of it |\n|---|---|---|")
    for cells in rows:
        print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
