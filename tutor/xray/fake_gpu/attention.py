"""Scaled dot product attention on a device that is pretended: the kernel that torch would call.

On a device `aten.scaled_dot_product_attention` is one call of a hand-written kernel, and which one
depends on the device. Captured on a CPU it would be the CPU's; so the choice is made here, by the
rules of torch's `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp` (2.11, which an H200 followed).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule

from tutor.hardware.gpus import Target

_LARGEST_FLASH_HEAD = 256
_SMALL_SHARED = ((8, 6), (8, 9), (12, 0))  # flash has no backward there for heads above 192
_HALVES = (torch.float16, torch.bfloat16)
_SDPA = torch.nn.functional.scaled_dot_product_attention  # a builtin, as Dynamo finds it
aten: Any = torch.ops.aten


def attention_on(target: Target) -> Callable[..., Any]:
    """Return the function that replaces `scaled_dot_product_attention` on `target`."""

    def attention(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        grouped = enable_gqa and key.shape[-3] != query.shape[-3]
        needs_grad = torch.is_grad_enabled() and any(
            tensor.requires_grad for tensor in (query, key, value)
        )
        mask = _bias(attn_mask, query, key)
        backend = _backend(target, query, key, mask is not None, is_causal, needs_grad, grouped)
        if backend == "math":
            results = aten._scaled_dot_product_attention_math(
                query,
                key,
                value,
                attn_mask,
                dropout_p,
                is_causal,
                None,
                scale=scale,
                enable_gqa=enable_gqa,
            )
            return results[0]
        if backend == "cudnn":
            return aten._scaled_dot_product_cudnn_attention(
                query, key, value, mask, needs_grad, dropout_p, is_causal, False, scale=scale
            )[0]
        if backend == "flash":
            head = query.shape[-1]
            padded = -head % 8
            if padded:
                query, key, value = (
                    torch.nn.functional.pad(t, (0, padded)) for t in (query, key, value)
                )
            scale = scale if scale is not None else head**-0.5
            results = aten._scaled_dot_product_flash_attention(
                query, key, value, dropout_p, is_causal, False, scale=scale
            )
            return results[0][..., :head] if padded else results[0]
        return aten._scaled_dot_product_efficient_attention(
            query, key, value, mask, needs_grad, dropout_p, is_causal, scale=scale
        )[0]

    return attention


def _backend(
    target: Target,
    query: torch.Tensor,
    key: torch.Tensor,
    masked: bool,
    causal: bool,
    needs_grad: bool,
    grouped: bool,
) -> str:
    """Return "cudnn", "flash", "efficient" or "math", of those that `sdpa_kernel` has left on. Grouped
    heads (GQA) are left to the first two and to the last: the memory-efficient kernel wants as many key
    heads as query heads."""
    may: Any = torch.backends.cuda
    if query.dim() != 4 or query.dtype not in (*_HALVES, torch.float32):
        return "math"
    nvidia = target.vendor == "nvidia"
    old = nvidia and target.capability < (8, 0)  # Turing: float16 only, and no flash
    if old and query.dtype == torch.bfloat16:
        return "math"
    half, head = query.dtype in _HALVES, query.shape[-1]
    # check_prefer_cudnn_attention: Hopper and data-center Blackwell, cuDNN > 9.15
    cudnn = nvidia and target.capability in ((9, 0), (10, 0))
    fits = head % 8 == 0 and head <= 128 and query.shape[-2] > 1
    if half and cudnn and fits and may.cudnn_sdp_enabled():
        return "cudnn"
    uneven = causal and query.shape[-2] != key.shape[-2]
    too_wide = needs_grad and head > 192 and nvidia and target.capability in _SMALL_SHARED
    flash = half and not (old or masked or uneven or too_wide) and head <= _LARGEST_FLASH_HEAD
    if flash and may.flash_sdp_enabled():
        return "flash"
    return "efficient" if may.mem_efficient_sdp_enabled() and not grouped else "math"


def match_on_device(original: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """For `fuse_attention._sfdp_params_check`: attention written by hand, found on CPU tensors.

    On a device torch leaves float32 alone unless TF32 is allowed, which its kernels use. (A few of
    its patterns, for BERT's masks, are for the CPU only; those are found here all the same.)
    """

    def check(match: Any) -> bool:
        value = match.kwargs["query"].meta["val"]
        precise = torch.backends.cuda.matmul.fp32_precision != "tf32"
        return not (value.dtype == torch.float32 and precise) and original(match)

    return check


def replace_attention(module: GraphModule, attention: Callable[..., Any]) -> int:
    """Put `attention` where Dynamo's graph calls torch's; returns how often."""
    nodes = [n for n in module.graph.nodes if n.op == "call_function" and n.target is _SDPA]
    for node in nodes:
        node.target = attention
    if nodes:
        module.recompile()
    return len(nodes)


def _bias(mask: torch.Tensor | None, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor | None:
    """A mask as the kernels take it: added to the scores, and of their shape."""
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        zero = torch.zeros((), dtype=query.dtype, device=query.device)
        mask = torch.where(mask, zero, float("-inf"))
    return mask.expand(*query.shape[:-1], key.shape[-2])
