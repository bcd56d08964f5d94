from collections import Counter

import torch
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard

NAMES = ("npu.dense_bias_relu", "npu.dense_bias", "npu.dense")


def patterns() -> list:
    """What each instruction takes, for FuseOpsByPattern."""
    x, w, b = wildcard(), wildcard(), wildcard()
    dense = is_op("relax.matmul")(x, w)
    summed = is_op("relax.add")(dense, b)
    # One instruction is missing, nothing is checked,
    # and the order is not the best.
    return [("npu.dense", dense), ("npu.dense_bias", summed)]


def partition(module: tvm.IRModule) -> tvm.IRModule:
    """The module with its regions. Leave this as it is."""
    fuse = relax.transform.FuseOpsByPattern
    return fuse(patterns(), annotate_codegen=True)(module)


def byoc_pattern(source: str) -> torch.Tensor:
    """How often main calls each. Leave this as it is."""
    module = partition(tvm.script.from_source(source))
    counts = Counter()
    for binding in module["main"].body.blocks[0].bindings:
        called = getattr(binding.value, "op", None)
        if isinstance(called, tvm.ir.GlobalVar):
            text = module[called].script()
            counts.update(n for n in NAMES if f'"{n}"' in text)
    return torch.tensor([counts[name] for name in NAMES])
