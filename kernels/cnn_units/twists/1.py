"""Follows each read backwards to the unit that wrote the value, and walks no order."""

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


def writers(expression, values, path=()):
    """Yield (variable of a unit, path into its tuple) of all that an expression holds."""
    bound = values.get(expression) if isinstance(expression, relax.Var) else expression
    if isinstance(bound, relax.Tuple):
        if path:
            yield from writers(bound.fields[path[0]], values, path[1:])
        else:
            for each in bound.fields:
                yield from writers(each, values)
    elif isinstance(bound, relax.TupleGetItem):
        yield from writers(bound.tuple_value, values, (bound.index, *path))
    elif isinstance(bound, relax.Var):
        yield from writers(bound, values, path)
    elif isinstance(bound, relax.Call) and bound.op == VIEW:
        yield from writers(bound.args[0], values, path)
    elif isinstance(bound, relax.Call):
        kind = expression.ty
        if isinstance(kind, relax.TupleType) and not path:
            for place in range(len(kind.fields)):
                yield expression, place
        else:
            yield expression, path[0] if path else None


def count_units(module: tvm.IRModule) -> tuple[int, int, int, int]:
    """Units, operations in them, library calls, bytes that units write for each other."""
    values = dict(relax.analysis.get_var2val(module["main"]).items())
    units = [each for each in values.values() if isinstance(each, relax.Call) and each.op != VIEW]
    operations, read = 0, set()
    for unit in units:
        if isinstance(unit.op, tvm.ir.GlobalVar):
            inner = relax.analysis.get_var2val(module[unit.op]).values()
            operations += sum(isinstance(e, relax.Call) and e.op == LOOPS for e in inner)
            given = unit.args
        else:
            operations += 1
            given = [unit.args[1]]
        for each in given:
            read |= set(writers(each, values))
    size = 0
    for variable, place in read:
        size += count_bytes(variable.ty if place is None else variable.ty.fields[place])
    return len(units), operations, sum(unit.op == LIBRARY for unit in units), size


def cnn_units(source: str) -> torch.Tensor:
    """The four counts of a module's text. Leave it as it is."""
    return torch.tensor(count_units(tvm.script.from_source(source)))
