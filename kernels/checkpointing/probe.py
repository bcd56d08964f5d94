"""Measures the learner's memory and work, in the learner's process. Plain values only leave it."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

LAYERS, ROWS, WIDTH = 32, 256, 16
# What hands a tensor's bytes out; `torch.save` calls `__reduce_ex__`, and ctypes needs an address.
LEAVING = ("numpy", "tolist", "data_ptr", "__reduce_ex__")


class Live(TorchDispatchMode):
    """Notes the bytes of the storages that are alive after each operator."""

    def __init__(self):
        super().__init__()
        self.sizes = {}
        self.outside = 0  # bytes of what tensors gave by way of LEAVING
        self.sines = 0
        self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.sines += func._schema.name in ("aten::sin", "aten::sin_")
        out = func(*args, **(kwargs or {}))
        for each in tree_leaves(out):
            if isinstance(each, torch.Tensor):
                storage = each.untyped_storage()
                self.sizes[StorageWeakRef(storage)] = storage.nbytes()
        self.sizes = {ref: n for ref, n in self.sizes.items() if not ref.expired()}
        self.peak = max(self.peak, sum(self.sizes.values()) + self.outside)
        return out


def probe(module, device):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(ROWS, WIDTH, generator=generator)
    weights = torch.randn(LAYERS, WIDTH, WIDTH, generator=generator) / 4
    given = module.layer
    calls = []

    def counted(h, weight):
        calls.append(1)
        return given(h, weight)

    live, leaving = Live(), {name: getattr(torch.Tensor, name) for name in LEAVING}

    def counting(method):
        def counted_copy(tensor, *args, **kwargs):
            live.outside += tensor.nbytes
            return method(tensor, *args, **kwargs)

        return counted_copy

    module.layer = counted
    for name, method in leaving.items():
        setattr(torch.Tensor, name, counting(method))
    try:
        with live:
            module.input_gradient(x, weights)
    finally:
        module.layer = given
        for name, method in leaving.items():
            setattr(torch.Tensor, name, method)
    kept = ROWS * WIDTH * 4
    part = x[:2].detach().clone()
    first = module.input_gradient(part, weights[:3])
    before = first.clone()
    second = module.input_gradient(part, weights[:3])
    old = not torch.equal(first, before) or second.data_ptr() == first.data_ptr()
    again = [float(before.sum()), float(second.sum())] if old else []
    return {
        "calls": len(calls),
        "sines": live.sines,
        "peak": round(live.peak / kept, 2),
        "again": again,
    }
