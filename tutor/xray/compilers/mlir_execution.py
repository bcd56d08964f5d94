"""What MLIR's execution engine compiles here: its machine code, and a call of it."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch_mlir import ir
from torch_mlir.execution_engine import ExecutionEngine

ENTRY = "main"
_SECONDS = 20.0


class NoDisassembler(Exception):
    """This machine lacks objdump."""


def compile_module(module: ir.Module) -> ExecutionEngine:
    """Compile a module in LLVM's dialect for this CPU. Raises RuntimeError where LLVM refuses."""
    return ExecutionEngine(module, opt_level=2, enable_object_dump=True)


def disassemble(engine: ExecutionEngine) -> str:
    """Return the engine's machine code as assembly. Raises `NoDisassembler`."""
    objdump = shutil.which("objdump")
    if objdump is None:
        raise NoDisassembler
    syntax = ["-M", "intel"] if platform.machine() in ("x86_64", "AMD64") else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.o"
        engine.dump_to_object_file(str(path))
        done = subprocess.run(
            [objdump, "-d", "--no-show-raw-insn", *syntax, path.name],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    lines = done.stdout.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("Disassembly")), -1)
    return "\n".join(lines[start + 1 :]).strip("\n") + "\n"


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
