"""Registers the patterns, and asks for them by their prefix."""

from collections import Counter

import torch
import tvm
from tvm import relax
from tvm.relax.backend.pattern_registry import get_patterns_with_prefix, register_patterns
from tvm.relax.dpl import is_op, wildcard

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
    x, w, b = wildcard(), wildcard(), wildcard()
    dense = is_op("relax.matmul")(x, w)
    summed = is_op("relax.add")(dense, b)
    active = is_op("relax.nn.relu")(summed)
    parts = {"x": x, "w": w, "dense": dense}
    with_bias = {**parts, "b": b}
    # What is registered last comes first.
    if not get_patterns_with_prefix("npu"):
        register_patterns(
            [
                ("npu.dense", dense, parts, takes),
                ("npu.dense_bias", summed, with_bias, takes),
                ("npu.dense_bias_relu", active, with_bias, takes),
            ]
        )
    return list(get_patterns_with_prefix("npu"))


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
