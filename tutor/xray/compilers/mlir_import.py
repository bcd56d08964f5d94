"""An exported program in MLIR's torch dialect, where two compilers begin: torch-mlir's own, and XLA."""

from __future__ import annotations

import re
import warnings
from typing import Any

from torch.export import ExportedProgram
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_decomp_util import get_decomposition_table
from torch_mlir.extras.fx_importer import FxImporter

from tutor.xray.compilers.capture import Captured

_OPERATOR = re.compile(r'"torch\.operator".*?name = "([\w.]+)"')
_LONGEST = 300  # characters of a message


def import_program(
    captured: Captured, function: str, *, frozen: bool
) -> tuple[ir.Module, ExportedProgram]:
    """Return the program as the function of this name, and the program that it was made from, after
    PyTorch's own decompositions. `frozen`: a module's tensors are constants; else they are arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = captured.program.run_decompositions(get_decomposition_table())
        context = ir.Context()
        context.enable_multithreading(False)
        torch_dialect.register_dialect(context)
        importer = FxImporter(context=context)
        if frozen:
            importer.import_frozen_program(program, func_name=function)
        else:
            importer.import_stateless_graph(program.graph, func_name=function)
    return importer.module, program


def read_refusal(error: ir.MLIRError, module: ir.Module) -> tuple[str, str]:
    """Return what stopped the passes that ran over the module, in words, and its location as printed.

    An operation of ATen that no pass takes leaves its constants behind, and the message may name one of
    these: then it is that operation which is told.
    """
    if not error.error_diagnostics:
        return str(error).strip().split("\n")[0][:_LONGEST], ""
    found = error.error_diagnostics[0]
    says = found.message.partition(": %")[0].strip().split("\n")[0][:_LONGEST]
    if "'torch.constant." in says and (left := _find_left_over(module)):
        return f"failed to legalize operation '{left.name}'", str(left.location)
    operator = _OPERATOR.search(found.message)
    return f"{says}, {operator[1]}" if operator else says, str(found.location)


def _find_left_over(module: ir.Module) -> Any | None:
    """Return the first operation of ATen that is still there."""
    left: list[Any] = []

    def visit(operation: Any) -> ir.WalkResult:
        if operation.name.startswith("torch.aten."):
            left.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return left[0] if left else None
