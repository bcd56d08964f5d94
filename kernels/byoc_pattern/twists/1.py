"""Takes the patterns from TVM's workshop."""

from collections import Counter

import torch
import tvm
from tvm import relax
from tvm.relax.backend.patterns import make_matmul_pattern

NAMES = ("npu.dense_bias_relu", "npu.dense_bias", "npu.dense")


def takes(context) -> bool:
    """Say if the accelerator can do what was found."""
    part = context.annotated_expr
    x, w, product = (part[name].ty for name in ("x", "w", "dense"))
    if x.ndim != 2 or w.ndim != 2:
        return False
    if any(str(each.dtype) != "float32" for each in (x, w, product)):
        return False
    if "b" in part:  # of patterns with a sum
        b = part["b"].ty
        if b.ndim != 1 or int(b.shape[0]) != int(product.shape[1]):
            return False
    return not leaks(context)


def leaks(context) -> bool:
    """Say if a tensor inside of the region is needed outside of it."""
    inside = list(context.matched_bindings)
    last = context.value_to_bound_var[context.matched_expr]
    for variable in inside:
        if variable.same_as(last):  # this one is meant to leave
            continue
        # What the block gives to `main` is no DataflowVar, and has a reader that no list shows.
        if not isinstance(variable, relax.DataflowVar):
            return True
        for reader in context.var_usages[variable]:
            if not any(reader.same_as(each) for each in inside):
                return True
    return False


def patterns() -> list:
    """What each instruction takes, for FuseOpsByPattern."""
    made = []
    for name in NAMES:
        relu = "relax.nn.relu" if "relu" in name else None
        whole, parts = make_matmul_pattern("bias" in name, relu)
        named = {"x": parts["lhs"], "w": parts["rhs"], "dense": parts["root"]}
        if "bias" in parts:
            named["b"] = parts["bias"]
        made.append((name, whole, named, takes))
    return made


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
