import torch
import tvm


def round_trip(x):
    if x.requires_grad:
        raise ValueError("detach it first")
    try:
        visitor = tvm.runtime.from_dlpack(x)
    except RuntimeError:
        visitor = tvm.runtime.from_dlpack(x.clone(memory_format=torch.contiguous_format))
    return torch.from_dlpack(visitor)
