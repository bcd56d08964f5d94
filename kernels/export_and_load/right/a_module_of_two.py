import tempfile
from pathlib import Path

import torch
import tvm
from tvm import te, tirx
from tvm.runtime import from_dlpack, load_module


def program():
    n = tirx.Var("length", "int64")
    x = te.placeholder((n,), name="x")
    doubled = te.compute((n,), lambda i: x[i] + x[i], name="doubled")
    y = te.compute((n,), lambda i: doubled[i] + 1.0, name="y")
    function = te.create_prim_func([x, y])
    return tvm.IRModule({"scale_add": function.with_attr("global_symbol", "scale_add")})


def store(path):
    built = tvm.compile(program(), tvm.target.Target("llvm"))
    built.export_library(path)


def load(path):
    library = load_module(path)

    def call(x):
        given = torch.empty(len(x))
        given.copy_(x)
        result = torch.zeros(len(x))
        library["scale_add"](from_dlpack(given), from_dlpack(result))
        return result

    return call


def export_and_load(x):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scale_add.so")
        store(path)
        return load(path)(x)
