import torch
import tvm


def room_of_tvm(x):
    return torch.from_dlpack(tvm.runtime.empty(tuple(x.shape), str(x.dtype).split(".")[1]))


def round_trip(x):
    if x.requires_grad:
        raise ValueError("no gradients")
    begins_well = x.data_ptr() & 63 == 0
    given = x if begins_well and x.is_contiguous() else room_of_tvm(x).copy_(x)
    return torch.from_dlpack(tvm.runtime.from_dlpack(given))
