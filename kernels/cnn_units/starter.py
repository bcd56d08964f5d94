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


def count_units(module: tvm.IRModule) -> tuple[int, int, int, int]:
    """Units, operations in them, library calls, bytes that units write for each other."""
    units = operations = library = size = 0
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            call = binding.value
            if not isinstance(call, relax.Call) or call.op == VIEW:
                # No unit. What does it stand for?
                continue
            if isinstance(call.op, tvm.ir.GlobalVar):  # fused
                units += 1
            elif call.op in (LOOPS, LIBRARY):
                # It reads the tuple call.args[1].
                units += 1
            # It writes values of binding.var.ty.
    return units, operations, library, size


def cnn_units(source: str) -> torch.Tensor:
    """The four counts of a module's text. Leave it as it is."""
    return torch.tensor(count_units(tvm.script.from_source(source)))
