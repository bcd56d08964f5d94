"""Lets CanonicalizeBindings take second names away; elements and views are left to follow."""

import math

import torch
import tvm
from tvm import relax

LIBRARY = tvm.ir.Op.get("relax.call_dps_packed")
LOOPS = tvm.ir.Op.get("relax.call_tir")
VIEW = tvm.ir.Op.get("relax.reshape")
SIZES = {"float64": 8, "float32": 4, "float16": 2, "int32": 4, "int8": 1}


def count_bytes(kind) -> int:
    """Count the bytes of a tensor's type."""
    return math.prod(map(int, kind.shape.values)) * SIZES[str(kind.dtype)]


def count_inside(function) -> int:
    """Count the operations in a fused function."""
    calls = []

    def visit(expression):
        if isinstance(expression, relax.Call) and expression.op == LOOPS:
            calls.append(expression)

    relax.analysis.post_order_visit(function.body, visit)
    return len(calls)


def count_units(module: tvm.IRModule) -> tuple[int, int, int, int]:
    """Units, operations in them, library calls, bytes that units write for each other."""
    plain = relax.transform.CanonicalizeBindings()(module)
    counts, written, behind = [0, 0, 0], {}, {}

    def follow(expression):
        """The keys of the values that an expression holds."""
        if isinstance(expression, relax.Tuple):
            return [key for each in expression.fields for key in follow(each)]
        if isinstance(expression, relax.TupleGetItem):
            return [(expression.tuple_value, expression.index)]
        return behind.get(expression, [])

    read = set()
    for block in plain["main"].body.blocks:
        for binding in block.bindings:
            name, value = binding.var, binding.value
            unit = isinstance(value, relax.Call) and value.op != VIEW
            if not unit:
                source = value.args[0] if isinstance(value, relax.Call) else value
                behind[name] = [key for key in follow(source) if key in written]
                continue
            fused = isinstance(value.op, tvm.ir.GlobalVar)
            inside = count_inside(plain[value.op]) if fused else 1
            counts = [counts[0] + 1, counts[1] + inside, counts[2] + (value.op == LIBRARY)]
            for each in value.args if fused else [value.args[1]]:
                read.update(follow(each))
            if isinstance(name.ty, relax.TupleType):
                made = {(name, place): kind for place, kind in enumerate(name.ty.fields)}
            else:
                made = {(name, 0): name.ty}
            written |= made
            behind[name] = list(made)
    return *counts, sum(count_bytes(written[each]) for each in read)


def cnn_units(source: str) -> torch.Tensor:
    """The four counts of a module's text. Leave it as it is."""
    return torch.tensor(count_units(tvm.script.from_source(source)))
