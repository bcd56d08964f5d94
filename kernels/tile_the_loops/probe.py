"""Runs the learner's `multiply` on counted matrices. Plain numbers only leave the process."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tutor.hardware.cache_simulator import ELEMENT, Cache, matrices

SIZES = ((32, 32, 32), (40, 24, 32))  # n, m, d


def probe(module, device):
    counts = [counted(module.multiply, *sizes) for sizes in SIZES]
    return {"counts": counts, "whole": whole_tensors(module.multiply)}


class WholeTensors(TorchDispatchMode):
    """Notes operators that compute or write more than one number. A view of many does neither."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        view = any(each.alias_info and not each.alias_info.is_write for each in func._schema.returns)
        if isinstance(out, torch.Tensor) and out.numel() > 1 and not view:
            self.names.add(func._schema.name.removeprefix("aten::"))
        return out


def whole_tensors(multiply):
    """Operators that `multiply` applies to more than one element of a tensor at once."""
    a, b, c = (torch.ones(9, 9, dtype=torch.float64) for _ in "abc")
    with WholeTensors() as seen:
        multiply(a, b, c)
    return sorted(seen.names)[:3]


def counted(multiply, n, m, d):
    """Misses of all matrices and of each, and whether the product is right."""
    cache = Noted(size=2048, line=64)
    a, b, c = matrices(cache, ((n, d), (d, m), (n, m)))
    a.numbers = [float(x % 7 - 3) for x in range(n * d)]
    b.numbers = [float(x % 5 - 2) for x in range(d * m)]
    held = [float(x % 3 + 1) for x in range(n * m)]
    c.numbers = list(held)
    multiply(a, b, c)
    misses = {"a": a.misses, "b": b.misses, "c": c.misses}
    return {
        "misses": misses,
        "read": a.accesses + b.accesses,
        "at once": [
            name
            for name, each in zip("abc", (a, b, c), strict=True)
            if used_at_once(each, cache.addresses)
        ],
        "right": c.numbers == sums(held, product(a.numbers, b.numbers, n, m, d)),
    }


class Noted(Cache):
    """A cache that keeps the addresses of all accesses in their order."""

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.addresses = []

    def touch(self, address):
        self.addresses.append(address)
        return super().touch(address)


def used_at_once(matrix, addresses):
    """Say whether no other matrix is accessed between a matrix's first access and its last."""
    end = matrix.base + len(matrix.numbers) * ELEMENT
    places = [at for at, each in enumerate(addresses) if matrix.base <= each < end]
    return places[-1] - places[0] + 1 == len(places)


def sums(*lists):
    return [sum(numbers) for numbers in zip(*lists, strict=True)]


def product(a, b, n, m, d):
    columns = [b[j::m] for j in range(m)]
    rows = [a[i * d : (i + 1) * d] for i in range(n)]
    return [sum(x * y for x, y in zip(row, col, strict=True)) for row in rows for col in columns]
