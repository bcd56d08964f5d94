"""Measures the learner's memory and work, in the learner's process. Plain values only leave it."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

LAYERS, ROWS, WIDTH = 32, 256, 16


class Live(TorchDispatchMode):
    """Notes the bytes of the storages that are alive after each operator."""

    def __init__(self):
        super().__init__()
        self.sizes = {}
        self.outside = 0  # bytes of NumPy arrays that tensors gave
        self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
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

    live, to_numpy = Live(), torch.Tensor.numpy

    def counted_array(tensor, *args, **kwargs):
        live.outside += tensor.nbytes
        return to_numpy(tensor, *args, **kwargs)

    module.layer, torch.Tensor.numpy = counted, counted_array
    try:
        with live:
            module.input_gradient(x, weights)
    finally:
        module.layer, torch.Tensor.numpy = given, to_numpy
    kept = ROWS * WIDTH * 4
    part = x[:2].detach().clone()
    first = module.input_gradient(part, weights[:3])
    before = first.clone()
    second = module.input_gradient(part, weights[:3])
    old = not torch.equal(first, before) or second.data_ptr() == first.data_ptr()
    again = [float(before.sum()), float(second.sum())] if old else []
    return {"calls": len(calls), "peak": round(live.peak / kept, 2), "again": again}
