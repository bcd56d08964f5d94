"""Counts how often the learner's function would make a CPU wait for a GPU. It needs no GPU.

A mode for operators sees what fetches a number (`_local_scalar_dense`) or has a result whose size
depends on the data. A mode for functions sees what copies to the CPU; on a CPU such a copy is no
operator.

The arguments stand for tensors of the GPU, and say `cpu:0` where they are asked for their device. What
the function makes without `device=`, or with the CPU's, is a tensor of the CPU: whatever is copied there
from the others makes the CPU wait, and joining the two fails.
"""

import sys
from collections import Counter

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

ASKS = {
    "aten::_local_scalar_dense": "fetches a number",
    "aten::nonzero": "has a result whose size depends on the data",
    "aten::masked_select": "has a result whose size depends on the data",
    "aten::_unique2": "has a result whose size depends on the data",
    "aten::unique_dim": "has a result whose size depends on the data",
    "aten::unique_consecutive": "has a result whose size depends on the data",
    "aten::repeat_interleave": "has a result whose size depends on the data",
    "aten::equal": "compares all numbers for Python",
    "aten::allclose": "compares all numbers for Python",
    "aten::bincount": "has a result whose size depends on the data",
}
MAKES = {"tensor", "as_tensor", "asarray", "zeros", "ones", "empty", "full", "arange", "linspace",
         "logspace", "eye", "rand", "randn", "randint", "randperm", "scalar_tensor"}  # fmt: skip
LIKE = {"tensor", "as_tensor", "asarray"}  # of a tensor they make one where that is
COPIES = ("cpu", "numpy", "tolist", "__array__", "__repr__", "__format__")


class Waits:
    """The waits so far, by line of the learner's file and reason."""

    def __init__(self, filename):
        self.filename = filename
        self.found = Counter()
        self.silent = False
        self.making = False  # a tensor is made by a function that says where
        self.mixed = 0  # the first line that joins tensors of both
        self.made = []  # tensors of the CPU, kept so that no other gets their memory
        self.host = set()  # where their memory is

    def note(self, reason):
        if not self.silent:
            self.found[(self.line(), reason)] += 1

    def line(self):
        """The line of the learner's file that runs, 0 if none does."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    def add_host(self, tensor):
        self.made.append(tensor)
        self.host.add(tensor.untyped_storage().data_ptr())

    def is_host(self, tensor):
        return tensor.untyped_storage().data_ptr() in self.host


class Operators(TorchDispatchMode):
    def __init__(self, waits):
        super().__init__()
        self.waits = waits

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._schema.name
        if name in ASKS:
            self.waits.note(ASKS[name])
        elif name in ("aten::index", "aten::index_put", "aten::index_put_") and masked(name, args):
            self.waits.note("indexes with a mask")
        read = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        host = [each for each in read if self.waits.is_host(each)]
        out = func(*args, **(kwargs or {}))
        if name in ("aten::copy_", "aten::_to_copy"):
            if host and host[0] is read[0] and len(host) < len(read):
                self.waits.note("copies to the CPU")
        elif len(host) == len(read) and (host or not self.waits.making):  # `torch.Tensor(n)` reads none
            for each in tree_leaves(out):
                if isinstance(each, torch.Tensor):
                    self.waits.add_host(each)
        elif any(each.dim() for each in host):
            self.waits.mixed = self.waits.mixed or self.waits.line()
        return out


class Functions(TorchFunctionMode):
    def __init__(self, waits):
        super().__init__()
        self.waits = waits

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if func == torch.Tensor.device.__get__:
            return torch.device("cpu" if self.is_cpu(args[0]) else "cpu:0")
        on_cpu = str(kwargs.get("device")) == "cpu"
        if name in MAKES:
            inside = args[0] if args else kwargs.get("data", ())
            like = name in LIKE and isinstance(inside, torch.Tensor)
            on_cpu = on_cpu or (kwargs.get("device") is None and not like)
            for each in () if like else tree_leaves((args, kwargs)):
                if isinstance(each, torch.Tensor) and not self.waits.is_host(each):
                    self.waits.note("fetches a number")
            waits = self.waits
            before = waits.silent, waits.making
            waits.silent = waits.making = True
            try:
                out = func(*args, **kwargs)
            finally:
                waits.silent, waits.making = before
            if like and on_cpu:
                waits.note("copies to the CPU")
            elif on_cpu:
                waits.add_host(out)
            return out
        if on_cpu and (name.startswith("new_") or name.endswith("_like")):
            out = func(*args, **kwargs)
            self.waits.add_host(out)
            return out
        to_cpu = name == "to" and any(map(self.is_cpu, (*args[1:], *kwargs.values())))
        if name not in COPIES and not to_cpu:
            return func(*args, **kwargs)
        self.waits.note("copies to the CPU")
        before, self.waits.silent = self.waits.silent, True
        try:
            return func(*args, **kwargs)
        finally:
            self.waits.silent = before

    def is_cpu(self, argument):
        if isinstance(argument, torch.Tensor):
            return self.waits.is_host(argument)
        return str(argument) == "cpu"


def masked(name, args):
    """True if an index is a mask, unless one number is written where it is true (`masked_fill`)."""
    masks = any(
        isinstance(i, torch.Tensor) and i.dtype in (torch.bool, torch.uint8) for i in args[1]
    )
    return masks and (name == "aten::index" or args[2].numel() != 1)


def probe(module, device):
    found = {}
    for steps in (3, 9):
        numbers = torch.linspace(-1, 1, steps * 4 * 2).sin().reshape(steps, 4, 2)
        labels = numbers.sum(-1)
        labels[:, 1] = float("nan")
        weights = torch.ones(2)  # made before the modes listen
        waits = Waits(module.__file__)
        with Functions(waits), Operators(waits):
            module.train(numbers, labels, weights, 0.1)
        found[f"after {steps}"] = [
            [line, reason, times] for (line, reason), times in waits.found.most_common(20)
        ]
        found["mixed"] = waits.mixed
    return found
