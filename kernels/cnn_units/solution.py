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
    units = operations = library = 0
    # What a variable stands for: a place in `sizes`, a list of such, or None for what no
    # unit has made. Another name, a tuple or a view of a value has the value's own place.
    held, sizes, read = {}, [], set()

    def value_of(expression):
        if isinstance(expression, relax.Tuple):
            return [value_of(each) for each in expression.fields]
        if isinstance(expression, relax.TupleGetItem):
            whole = value_of(expression.tuple_value)
            return whole[expression.index] if isinstance(whole, list) else None
        if isinstance(expression, relax.Call) and expression.op == VIEW:
            return value_of(expression.args[0])
        return held.get(expression)

    def make(kind):
        if isinstance(kind, relax.TupleType):
            return [make(each) for each in kind.fields]
        sizes.append(count_bytes(kind))
        return len(sizes) - 1

    def mark(value):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, list):
                mark(each)
            elif each is not None:
                read.add(each)

    for block in module["main"].body.blocks:
        for binding in block.bindings:
            call = binding.value
            if not isinstance(call, relax.Call) or call.op == VIEW:
                held[binding.var] = value_of(call)
                continue
            if isinstance(call.op, tvm.ir.GlobalVar):  # fused
                units, operations = units + 1, operations + count_inside(module[call.op])
                mark([value_of(each) for each in call.args])
            elif call.op in (LOOPS, LIBRARY):
                units, operations = units + 1, operations + 1
                library += call.op == LIBRARY
                mark(value_of(call.args[1]))  # a tuple of what is read
            held[binding.var] = make(binding.var.ty)
    return units, operations, library, sum(sizes[each] for each in read)


def cnn_units(source: str) -> torch.Tensor:
    """The four counts of a module's text. Leave it as it is."""
    return torch.tensor(count_units(tvm.script.from_source(source)))
