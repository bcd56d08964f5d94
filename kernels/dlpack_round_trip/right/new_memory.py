import torch
from tvm.runtime import from_dlpack


def is_taken(x):
    expected = 1
    for size, stride in zip(reversed(x.shape), reversed(x.stride()), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return x.data_ptr() % 64 == 0


def round_trip(x):
    if x.requires_grad:
        raise ValueError("detach it first")
    if not is_taken(x):
        room = torch.empty(x.shape, dtype=x.dtype)
        room.copy_(x)
        x = room
    return torch.utils.dlpack.from_dlpack(from_dlpack(x))
