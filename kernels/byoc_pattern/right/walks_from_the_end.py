"""Names no parts of a pattern: the check walks from the last call to the first."""

from collections import Counter

import torch
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard

NAMES = ("npu.dense_bias_relu", "npu.dense_bias", "npu.dense")


def takes(context) -> bool:
    """Say if the accelerator can do what was found."""
    call = context.matched_expr
    if call.op.name == "relax.nn.relu":
        call = only_read_here(call.args[0], context)
        if call is None:
            return False
    if call.op.name == "relax.add":
        made = [only_read_here(each, context) for each in call.args]
        left, right = (each is not None for each in made)
        if left == right:  # two products, or one with other readers
            return False
        bias = call.args[1 if left else 0].ty
        sizes = [int(n) for n in bias.shape]
        if sizes != [int(n) for n in call.ty.shape][1:]:
            return False
        call = made[0 if left else 1]
    kinds = [each.ty for each in (*call.args, call)]
    return all(each.ndim == 2 and str(each.dtype) == "float32" for each in kinds)


def only_read_here(variable, context):
    """The call that is bound to the variable, if it is inside and has no second reader."""
    for each, call in context.matched_bindings.items():
        if each.same_as(variable) and isinstance(variable, relax.DataflowVar):
            return call if len(context.var_usages[variable]) == 1 else None
    return None


def patterns() -> list:
    """What each instruction takes, for FuseOpsByPattern."""
    dense = is_op("relax.matmul")(wildcard(), wildcard())
    summed = is_op("relax.add")(dense, wildcard())
    active = is_op("relax.nn.relu")(summed)
    return [
        (name, each, {}, takes) for name, each in zip(NAMES, (active, summed, dense), strict=False)
    ]


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
