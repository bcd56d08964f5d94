import tempfile
from pathlib import Path

import torch
import tvm
from tvm import te


def program():
    """2 * x + 1 for each of n numbers."""
    n = te.var("n")  # a variable: the size is read off the tensors at each call
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] * 2.0 + 1.0, name="B")
    # Without this attribute the library's function is called main.
    return te.create_prim_func([a, b]).with_attr("global_symbol", "scale_add")


def store(path: str) -> None:
    """Write the built program to a shared library."""
    tvm.compile(program(), target="llvm").export_library(path)


def load(path: str):
    """The function `scale_add` of a library, for tensors of PyTorch."""
    function = tvm.runtime.load_module(path)["scale_add"]  # once, not at each call

    def call(x: torch.Tensor) -> torch.Tensor:
        # A copy has no gaps, and begins at a multiple of 64. A direct call looks at the first only.
        x = x.clone(memory_format=torch.contiguous_format)
        out = torch.empty_like(x)  # memory of its own for each result: the function only fills it
        function(x, out)
        return out

    return call


def export_and_load(x: torch.Tensor) -> torch.Tensor:
    """2 * x + 1 by way of a file. Leave this as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scale_add.so")
        store(path)
        return load(path)(x)
