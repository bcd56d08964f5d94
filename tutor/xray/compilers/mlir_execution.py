"""What MLIR's execution engine compiles here: its machine code, and a call of it."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch_mlir import ir
from torch_mlir.execution_engine import ExecutionEngine

from tutor.xray.compilers import object_code

ENTRY = "main"


def compile_module(module: ir.Module) -> ExecutionEngine:
    """Compile a module in LLVM's dialect for this CPU. Raises RuntimeError where LLVM refuses."""
    return ExecutionEngine(module, opt_level=2, enable_object_dump=True)


def disassemble(engine: ExecutionEngine) -> str:
    """Return the engine's machine code as assembly. Raises `NoDisassembler`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.o"
        engine.dump_to_object_file(str(path))
        return object_code.disassemble(path)


def call(
    engine: ExecutionEngine, inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor]
) -> None:
    """Call the compiled function, which writes into `results`. All are contiguous, on the CPU."""
    views = [ctypes.pointer(ctypes.pointer(_describe(tensor))) for tensor in (*inputs, *results)]
    engine.invoke(ENTRY, *views)


def _describe(tensor: torch.Tensor) -> ctypes.Structure:
    """A tensor as MLIR's descriptor of a memref: two pointers, an offset, sizes, strides."""
    rank = tensor.dim()
    fields: list[tuple[str, Any]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    kind = type("Memref", (ctypes.Structure,), {"_fields_": fields})
    described: ctypes.Structure = kind(tensor.data_ptr(), tensor.data_ptr(), 0)
    if rank:
        described.sizes[:] = tensor.shape
        described.strides[:] = tensor.stride()
    return described
