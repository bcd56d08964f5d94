import functools
import tempfile
from pathlib import Path

import torch
import tvm
from tvm import te


def program():
    shape = (te.var("m"),)
    a = te.placeholder(shape, "float32", name="A")
    b = te.compute(shape, lambda i: 2.0 * a[i] + 1.0)
    return te.create_prim_func([a, b]).with_attr({"global_symbol": "scale_add"})


def store(path):
    tvm.compile(program(), target="llvm").export_library(path)


def fill(function, x):
    out = torch.zeros(x.shape[0])
    function(x.clone(memory_format=torch.contiguous_format), out)
    return out


def load(path):
    return functools.partial(fill, tvm.runtime.load_module(path)["scale_add"])


def export_and_load(x):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scale_add.so")
        store(path)
        return load(path)(x)
