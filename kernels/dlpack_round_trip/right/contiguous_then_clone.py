import torch
import tvm


def round_trip(x):
    if x.requires_grad:
        raise ValueError("autograd would not notice")
    flat = x.contiguous()
    if flat.data_ptr() % 64 != 0:
        flat = flat.clone()
    there = tvm.runtime.from_dlpack(flat)
    return torch.from_dlpack(there).view(x.shape)
