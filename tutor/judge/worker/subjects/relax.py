"""Relax of TVM as the subject of a pass: an `IRModule` in TVMScript, whose `main` TVM's virtual machine
runs on the CPU."""

from __future__ import annotations

from typing import Any

import tvm
from torch.utils.dlpack import from_dlpack
from tvm import relax

from tutor.judge.cases.result_difference import RESULT, Seen
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault
from tutor.judge.worker.subjects.subject import Inputs, Run, to_kind


class Relax:
    """Modules whose `main` gets tensors and returns a tensor or a tuple of tensors.

    What its functions call is counted in the text, each call once, whatever branch it stands in.
    """

    called = "IRModule"

    def parse(self, text: str, inputs: Inputs) -> Any:
        return tvm.script.from_source(text)

    def owns(self, program: Any) -> bool:
        return isinstance(program, tvm.IRModule)

    def check(self, program: Any, text: str) -> RewriteFault | None:
        if relax.analysis.well_formed(program) is False:
            raise ValueError("`relax.analysis.well_formed` refuses the module")
        return None

    def run(self, program: Any, inputs: Inputs) -> Run:
        built = relax.build(program, "llvm")
        machine = relax.VirtualMachine(built, tvm.cpu())
        given = [tvm.runtime.from_dlpack(x.contiguous().clone()) for x in inputs]
        result = machine["main"](*given)
        parts = [result] if isinstance(result, tvm.runtime.Tensor) else list(result)
        seen: list[Seen] = [(RESULT, from_dlpack(part).clone()) for part in parts]
        return Run([seen], tuple(_operations(program)))

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        return None

    def write(self, program: Any) -> str:
        return str(program.script())


SUBJECT = Relax


def _operations(program: Any) -> list[Operation]:
    found: list[Operation] = []

    def visit(expression: Any) -> None:
        if isinstance(expression, relax.Call):
            name = _name(expression)
            found.append(Operation(to_kind(name), name[:200]))

    for function in program.functions.values():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function.body, visit)
    return found


def _name(call: Any) -> str:
    """Return `add` for an operator, and the function's name for a call of a TIR function."""
    name = str(getattr(call.op, "name", "")) or str(getattr(call.op, "name_hint", "call"))
    if name == "relax.call_tir":
        return str(call.args[0].name_hint)
    return name.removeprefix("relax.")
