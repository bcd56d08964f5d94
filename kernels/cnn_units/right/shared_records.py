"""Holds a record for each value, which all names of it share and its readers change."""

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


class Value:
    """A result that a unit has written."""

    def __init__(self, kind):
        self.size, self.readers = count_bytes(kind), 0


class Counter:
    """Collects the units of `main`."""

    def __init__(self, module):
        self.module, self.units = module, []
        self.names, self.values = {}, []

    def records(self, expression):
        match expression:
            case relax.Tuple():
                return tuple(map(self.records, expression.fields))
            case relax.TupleGetItem():
                inner = self.records(expression.tuple_value)
                return inner[expression.index] if inner else None
            case relax.Call():
                return self.records(expression.args[0])
        return self.names.get(expression)

    def read(self, record):
        if isinstance(record, Value):
            record.readers += 1
        for each in record if isinstance(record, tuple) else ():
            self.read(each)

    def written(self, kind):
        if isinstance(kind, relax.TupleType):
            return tuple(map(self.written, kind.fields))
        self.values.append(Value(kind))
        return self.values[-1]

    def operations(self, call):
        if not isinstance(call.op, tvm.ir.GlobalVar):
            return 1
        text = str(self.module[call.op].script())
        return text.count("R.call_tir(")

    def binding(self, name, value):
        if isinstance(value, relax.Call) and value.op != VIEW:
            self.units.append((value.op == LIBRARY, self.operations(value)))
            for each in value.args if isinstance(value.op, tvm.ir.GlobalVar) else value.args[1:2]:
                self.read(self.records(each))
            self.names[name] = self.written(name.ty)
        else:
            self.names[name] = self.records(value)


def count_units(module: tvm.IRModule) -> tuple[int, int, int, int]:
    """Units, operations in them, library calls, bytes that units write for each other."""
    counter = Counter(module)
    for block in module["main"].body.blocks:
        for each in block.bindings:
            counter.binding(each.var, each.value)
    library, operations = (sum(column) for column in zip(*counter.units, strict=True))
    size = sum(each.size for each in counter.values if each.readers)
    return len(counter.units), operations, library, size


def cnn_units(source: str) -> torch.Tensor:
    """The four counts of a module's text. Leave it as it is."""
    return torch.tensor(count_units(tvm.script.from_source(source)))
