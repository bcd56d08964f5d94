import tempfile
from pathlib import Path

import torch
import tvm
from tvm import te


def program():
    """2 * x + 1 for each of 16 numbers."""
    # Any length, and a name for the function.
    n = 16
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] * 2.0 + 1.0, name="B")
    return te.create_prim_func([a, b])


def store(path: str) -> None:
    """Write the built program to a shared library."""
    # One step is missing.
    tvm.compile(program(), target="llvm")


def load(path: str):
    """The function `scale_add` of a library, for tensors of PyTorch."""
    # Read the file. Return a function.
    raise NotImplementedError


def export_and_load(x: torch.Tensor) -> torch.Tensor:
    """2 * x + 1 by way of a file. Leave this as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scale_add.so")
        store(path)
        return load(path)(x)
