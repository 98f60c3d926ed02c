"""Which devices and number formats this machine has, and which one a name stands for."""

from functools import cache

import torch
import torch.nn.functional as F

DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def available_devices() -> tuple[str, ...]:
    """Names of the devices torch can compute on here, the one ``"auto"`` stands for first.

    Returns:
        The accelerator torch reports (``"cuda"``, ``"mps"``, ``"xpu"``, …) where there is one, then ``"cpu"``.
    """
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return ("cpu",) if accelerator is None else (accelerator.type, "cpu")


def resolve_device(name: str = "auto") -> torch.device:
    """The device that ``name`` stands for.

    Args:
        name: ``"auto"`` for the best device there is, or a name such as ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.

    Raises:
        ValueError: If torch has no such device here.
    """
    if name == "auto":
        return torch.device(available_devices()[0])
    refusal = f"device = {name!r} is not available here; choose one of: {', '.join(('auto', *available_devices()))}."
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ValueError(refusal) from error
    count = 1 if device.type == "cpu" else torch.accelerator.device_count()
    if device.type not in available_devices() or (device.index or 0) >= count:
        raise ValueError(refusal)
    return device


def supported_dtypes(device: torch.device | str) -> tuple[str, ...]:
    """Names of the floating-point formats that attention can be computed in on ``device``, most precise first.

    Each format is tried once on two small matrices, since no table says it for every accelerator: Apple's MPS has
    no float64, for one.

    Args:
        device: A device, or a name that :func:`resolve_device` knows.

    Raises:
        ValueError: If torch has no such device here.
    """
    resolved = resolve_device(device) if isinstance(device, str) else resolve_device(str(device))
    return _supported_dtypes(resolved.type)


def resolve_dtype(name: str, device: torch.device | str = "auto") -> torch.dtype:
    """The format that ``name`` stands for, once it is known to work on ``device``.

    Args:
        name: ``"float64"``, ``"float32"``, ``"bfloat16"`` or ``"float16"``.
        device: Where it will be used.

    Raises:
        ValueError: If there is no such format, or ``device`` cannot compute in it.
    """
    allowed = supported_dtypes(device)
    if name not in allowed:
        where = resolve_device(device) if isinstance(device, str) else device
        raise ValueError(f"dtype = {name!r} is not available on {where}; choose one of: {', '.join(allowed)}.")
    return DTYPES[name]


def pin_sums() -> None:
    """Have every product added up in float32 at least, which the bounds on rounding take for granted.

    Otherwise TF32 may round the factors of a float32 product, and half precision may add up parts of a sum in half
    precision. torch has these settings for the process, not for a part of it.
    """
    torch.set_float32_matmul_precision("highest")
    cuda = torch.backends.cuda
    cuda.matmul.allow_fp16_reduced_precision_reduction = False
    cuda.matmul.allow_bf16_reduced_precision_reduction = False
    cuda.matmul.allow_fp16_accumulation = False
    cuda.allow_fp16_bf16_reduction_math_sdp(False)


@cache
def _supported_dtypes(device_type: str) -> tuple[str, ...]:
    return tuple(name for name, dtype in DTYPES.items() if _computes(dtype, device_type))


def _computes(dtype: torch.dtype, device_type: str) -> bool:
    try:
        x = torch.ones(2, 2).to(device=device_type, dtype=dtype)
        weights = (x @ x).softmax(-1)
        result = F.scaled_dot_product_attention(weights[None, None], x[None, None], x[None, None])
    except (RuntimeError, TypeError):
        return False
    return bool(result.isfinite().all())
